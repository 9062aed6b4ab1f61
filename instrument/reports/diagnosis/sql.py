"""SQL by text and endpoint, and texts that one call executes many times."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.base.names import printable, several, time_label
from classhook.measures.keys.reader import KEYS
from classhook.reports.diagnosis.part import NUMBER, REAL, TEXT, TIME, Part, absent, first
from classhook.reports.diagnosis.seen import Seen

NAME = "sql"
MANY = 5  # executions of a text in a call of an endpoint, in the mean: probably a query for each row of another one
NONE = "no SQL was executed by a JDBC driver"


@dataclass(slots=True)
class Text:
    calls: int = 0
    total_ns: int = 0
    p99_ns: int = 0
    max_ns: int = 0


def sql(seen: Seen) -> Part:
    found: list[tuple[str, str, Text, float | None]] = []
    for endpoint, part, entered in seen.parts:
        texts: dict[str, Text] = {}
        for key, row in part.tables[KEYS.name].items():
            if row.timed and row.calls and seen.is_stock(row.rule, "jdbc"):
                one = texts.setdefault(key[4], Text())
                one.calls += row.calls
                one.total_ns += max(row.total_ns, 0)
                one.p99_ns = max(one.p99_ns, row.quantiles()[2])
                one.max_ns = max(one.max_ns, row.max_ns)
        found += [(endpoint, text, one, one.calls / entered if entered else None) for text, one in texts.items()]
    if not found:
        return absent(NAME, NONE)
    found.sort(key=lambda one: (one[3] is None, -one[2].total_ns, -one[2].calls, one[1]))
    rows, more = first(
        (one.total_ns, one.calls, each, one.p99_ns, one.max_ns, printable(endpoint), printable(text or "(other texts)"))
        for endpoint, text, one, each in found
    )
    whole, calls = sum(one.total_ns for _, _, one, _ in found), sum(one.calls for _, _, one, _ in found)
    within = sum(one.total_ns for _, _, one, each in found if each is not None)
    return Part(
        NAME,
        f"SQL: {several(calls, 'execution')}, {time_label(whole).strip()}",
        [
            ("total", TIME),
            ("times", NUMBER),
            ("per call", REAL),
            ("p99", TIME),
            ("max", TIME),
            ("endpoint", TEXT),
            ("text", TEXT),
        ],
        rows,
        [
            f"N+1: {each:,.1f} times in each call of {printable(endpoint)}, {time_label(one.total_ns).strip()} in all:"
            f" {printable(text)}"
            for endpoint, text, one, each in found
            if each is not None and each >= MANY and text
        ][:MANY],
        more,
        within,
    )
