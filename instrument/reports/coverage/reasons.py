"""Says, for readers who have not written the code, why lines did not run: what was never called, never loaded, and
which condition never held.

1. A condition or switch with branches that never happened is named in its own line.
2. The first line of a method that was never called says so, or that the class was never loaded, or that no rule covers
   it. Without `exact` a method that threw before its first probe looks the same.
3. The first of other lines that did not run names the condition whose missed branch leads to it; without one, an
   exception may have left the line above.
4. For a method whose only probe is at its entry, this is the only reason.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from classhook.base.names import printable
from classhook.coverage.counters import METHOD, ClassCoverage, MethodCoverage

ONLY_ENTRY = "the method is too large for more probes: only its call is known"


def reasons(
    classes: list[ClassCoverage],
    loaded: set[str],
    text: list[str] | None,
    exact: Container[str] = (),
    unruled: Container[str] = (),
) -> Iterator[tuple[int, str]]:
    """Lines and what is to be said of them; `loaded`: names of classes; `text`: the source, if known; `exact`: names of
    classes of which it is known what ran before an exception; `unruled`: of those that no rule covers."""
    for cls in classes:
        if cls.name not in loaded:
            if cls.lines:
                simple = printable(cls.name.rpartition("/")[2].replace("$", "."))
                yield (
                    min(cls.lines),
                    "no rule covers this class" if cls.name in unruled else f"the class {simple} was never loaded",
                )
            continue
        for method in cls.methods:
            if not method.counters[METHOD + 1]:
                yield (
                    method.first_line,
                    f"{_label(cls, method)} was never called" + ", or threw at once" * (cls.name not in exact),
                )
            elif method.only_entry:
                yield (
                    min((line for line, (missed, *_) in method.lines.items() if missed), default=method.first_line),
                    ONLY_ENTRY,
                )
            else:
                yield from _within(method, text)


def _label(cls: ClassCoverage, method: MethodCoverage) -> str:
    if method.name == "<clinit>":
        return "the static initializer"
    if method.name.startswith("lambda$"):
        return f"the lambda of {printable(method.name.split('$')[1])}()"
    return printable(f"{cls.name.rpartition('/')[2].rpartition('$')[2] if method.name == '<init>' else method.name}()")


def _within(method: MethodCoverage, text: list[str] | None) -> Iterator[tuple[int, str]]:
    """The remarks on a method that ran."""
    said: dict[int, str] = {}
    for one in method.missed:
        words = printable(one.words(text[one.line - 1] if text and 0 < one.line <= len(text) else ""))
        said[one.line] = words
        yield one.line, words
    because = {line: one.line for one in method.missed for line in one.leads}
    above = 0
    for line, (missed, covered, _, _) in sorted(method.lines.items()):
        if covered:
            above = line
        elif missed and above:
            if line in because:
                yield line, f"not reached; line {because[line]}: {said[because[line]]}"
            else:
                yield line, f"not reached; an exception may have left line {above}"
            above = 0
