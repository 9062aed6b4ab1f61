"""The cost of a call, or an object, with a rule: measured figures, so that they can be shown before a rule is used.

They are those of docs/explained/performance.md (JDK 17, one thread) and of docs/reference/rules.md; a test compares
them.
"""

from __future__ import annotations

from typing import NamedTuple

PERFORMANCE, RULES = "docs/explained/performance.md", "docs/reference/rules.md"


class Cost(NamedTuple):
    """`figure`: with its unit, as the page has it; `of`: of what; `page`, `row`: where it was taken from: the page, and
    a text of its line."""

    figure: str
    of: str
    page: str
    row: str

    @property
    def text(self) -> str:
        """The cost for people. Where the bare run was the slower one, there is nothing but noise."""
        return f"none that can be measured for {self.of}" if self.figure.startswith("-") else f"{self.figure} {self.of}"


CALL, OBJECT = "a call", "an object"
#: By a rule's word.
BY_WORD = {
    "count": Cost("0.27 ns", CALL, PERFORMANCE, "| call, not inlined, 1 thread | `count` |"),
    "time": Cost("23.9 ns", CALL, PERFORMANCE, "| 17 | `time` |"),
    "profile": Cost("x1.29", "the time of H2, if every method is profiled", PERFORMANCE, "| h2 | `profile **::*` |"),
    "cover": Cost(
        "x1.15", "the time of H2, if every class is covered", PERFORMANCE, "| H2, `cover` on every class, cache warm |"
    ),
    "watch": Cost(
        "1.4 ns", "a call whose condition is false", PERFORMANCE, "| `watch Handled::place when arg1 > 3 && "
    ),
    "alloc": Cost("-0.09 ns", OBJECT, PERFORMANCE, "| new, 1 thread | `alloc` |"),
}
#: The cost with a clause, by word and clause; the first that a rule has counts.
BY_CLAUSE = {
    ("time", "sample"): Cost("1.5 ns", "a call, at 1/100", PERFORMANCE, "| 17 | `time ... sample 1/100` |"),
    ("time", "tree"): Cost("48.9 ns", CALL, PERFORMANCE, "| 17 | `time ... tree` |"),
    ("alloc", "live"): Cost("1.5 ns", "an object, beyond `alloc` alone", PERFORMANCE, "| 1 | `live` |"),
    ("watch", "over"): Cost("59.2 ns", CALL, PERFORMANCE, "| `watch Handled::place over 10ms` |"),
    ("watch", "every"): Cost("74.0 ns", CALL, PERFORMANCE, "| `watch Handled::place every 60s` |"),
}
#: The cost that a clause adds, by clause.
MORE = {
    "by": Cost("2 to 5 ns", "a call more, for a key that is a string or a constant of an enum", RULES, "A key costs")
}


def costs(word: str, clauses: tuple[str, ...]) -> list[Cost]:
    """The known costs of a rule with this word and these clauses; nothing for most words."""
    found = next(
        (cost for (of, clause), cost in BY_CLAUSE.items() if of == word and clause in clauses), BY_WORD.get(word)
    )
    return [*([found] if found is not None else []), *(cost for clause, cost in MORE.items() if clause in clauses)]
