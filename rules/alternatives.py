"""Alternatives in names: `com.acme.{Orders,Stock}::{get,set}*` stands for a target with each of them. One may be empty:
`{Prepared,}Statement`.

They are written out when a rule is built, so that nothing else knows of them.
"""

from __future__ import annotations

from classhook.rules.statements import Mistake

MOST = 256  # of a target


def alternatives(text: str, at: int) -> list[str]:
    """The names that a name with braces stands for, in order. `at`: where it is in the statement. Raises Mistake."""
    begin = text.find("{")
    if begin < 0:
        return [text]
    end = text.index("}", begin)
    inner = [one.strip() for one in text[begin + 1 : end].split(",")]
    if not any(inner) or any(" " in one or "\t" in one for one in inner):
        raise Mistake(
            at + begin, "the braces are empty, or a blank is in an alternative", "`{get,set}*`, `{Prepared,}`"
        )
    found = list(
        dict.fromkeys(
            text[:begin] + one + rest for one in inner for rest in alternatives(text[end + 1 :], at + end + 1)
        )
    )
    if len(found) > MOST:
        raise Mistake(at + begin, f"the braces stand for {len(found)} names", f"at most {MOST}")
    return found
