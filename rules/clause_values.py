"""Checks of the values of clauses that several measures have; None: no mistake. `Mistaken` in words.py is
their form."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.rules.words import Mistaken

#: The roots of keys that are known only when a call ends.
AT_END: Final = ("result", "exception", "thrown", "outcome")
MOST_FIRST: Final = 1_000_000
MOST_SLOWEST: Final = 1000  # in native/watch/watch_specs.c, too


def is_of_end(value: str) -> bool:
    """True if one of the values of a key is known only when the call ends."""
    return any([root_of(part) in AT_END for part in value.split(",")])


def sql_in(part: str) -> str | None:
    """The path in `sql(...)`."""
    return part[len("sql(") : -1] if part.startswith("sql(") and part.endswith(")") else None


def root_of(path: str) -> str:
    return path.strip().partition(".")[0].partition("[")[0]


def wrong_text(read: Callable[[str], object], value: str) -> Mistaken | None:
    from classhook.rules.condition_tokens import Wrong

    try:
        read(value)
    except Wrong as wrong:
        return wrong.message, wrong.expected, wrong.at
    return None


def wrong_mask(value: str) -> Mistaken | None:
    for mask in value.split(","):
        bare = mask.strip().replace("*", "").replace(".", "").replace("_", "").replace("$", "")
        if not mask.strip() or (bare and not bare.isalnum()):
            expected = "names of arguments or fields, or patterns such as `**.token`, with commas between them"
            return f"`{mask.strip()}` is not a name", expected, value.index(mask)
    return None


def wrong_first(value: str) -> Mistaken | None:
    return (
        None
        if len(value) < 9 and 1 <= int(value) <= MOST_FIRST
        else ("this number of calls cannot be kept", f"from `1` to `{MOST_FIRST}`")
    )


def wrong_slowest(value: str) -> Mistaken | None:
    return (
        None
        if len(value) < 9 and 1 <= int(value) <= MOST_SLOWEST
        else ("this number of calls cannot be kept", f"from `1` to `{MOST_SLOWEST}`")
    )
