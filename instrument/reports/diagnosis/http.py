"""HTTP requests that the program sends, by host and method."""

from __future__ import annotations

from typing import Any

from classhook.base.names import printable, several, time_label
from classhook.measures.keys.reader import KEYS
from classhook.reports.diagnosis.part import NUMBER, TEXT, TIME, Part, absent, first
from classhook.reports.diagnosis.seen import Seen

NAME = "http"
NONE = "no HTTP request was sent by a client that the stock rules `http` know"
#: The rule that times some of the requests that another one counts.
AMONG = {"java.net.http": "java.net.http send"}


def http(seen: Seen) -> Part:
    found: list[tuple[str, str, int, Any, bool]] = []
    for endpoint, part, entered in seen.parts:
        rows = [
            (seen.whole.rule_names.get(row.rule, ""), key[4], row)
            for key, row in part.tables[KEYS.name].items()
            if row.calls and seen.is_stock(row.rule, "http")
        ]
        timed = {(name, key): row.calls for name, key, row in rows if row.timed}
        for name, key, row in rows:
            calls = row.calls - (0 if row.timed else timed.get((AMONG.get(name, ""), key), 0))
            if calls > 0:
                found.append((endpoint, f"{key} ({name})", calls, row if row.timed else None, entered > 0))
    if not found:
        return absent(NAME, NONE)
    found.sort(key=lambda one: (not one[4], -(one[3].total_ns if one[3] else 0), -one[2], one[1]))
    rows_, more = first(
        (
            row.total_ns if row else None,
            calls,
            row.quantiles()[0] if row else None,
            row.quantiles()[2] if row else None,
            row.max_ns if row else None,
            printable(endpoint),
            printable(text),
        )
        for endpoint, text, calls, row, _ in found
    )
    whole = sum(row.total_ns for *_, row, _ in found if row)
    return Part(
        NAME,
        f"Outbound HTTP: {several(sum(one[2] for one in found), 'request')}, {time_label(whole).strip()}",
        [
            ("total", TIME),
            ("requests", NUMBER),
            ("p50", TIME),
            ("p99", TIME),
            ("max", TIME),
            ("endpoint", TEXT),
            ("host, method", TEXT),
        ],
        rows_,
        ["asynchronous requests are only counted"] if any(row is None for *_, row, _ in found) else [],
        more,
        sum(row.total_ns for *_, row, within in found if row and within),
    )
