"""Rows of a report as short texts, by the rule that recorded them: what the tables of translations expect."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


def simple(name: str) -> str:
    return name.rpartition(".")[2]


def value(of: Any) -> str:
    """A value as JSON; an object as the simple name of its class; what is not set as `(not set)`."""
    if isinstance(of, dict):
        return simple(of["class"]) if "class" in of else "(not set)" if of.get("unset") else json.dumps(of)
    return json.dumps(of)


def values(of: Row) -> list[str]:
    return [f"{name}={value(one)}" for name, one in of.items()]


def call(row: Row) -> tuple[str, int]:
    words = [*values({name: one for name, one in row["fields"].items() if name == "this"}), *values(row["args"] or {})]
    words += values({name: one for name, one in row["fields"].items() if name != "this"})
    if row["result"] is not None:
        words.append(f"result={value(row['result'])}")
    if row["exception"] is not None:
        words.append(f"exception={': '.join([simple(row['exception']), *filter(None, [row['message']])])}")
    assert row["took_ns"] > 0, row
    return " ".join([row["method"], *words]), 1


def called(row: Row) -> str:
    own = row["called_class"] == row["class"]
    return f"{row['method']} calls {'' if own else row['called_class'] + '.'}{row['called_method']}"


#: By the list of the report.
TEXTS: dict[str, Callable[[Row], tuple[str, int]]] = {
    "methods": lambda row: (f"{row['method']} called", row["calls"]),
    "call_sites": lambda row: (called(row), row["calls"]),
    "allocations": lambda row: (f"{row['method']} allocates {row['type']}", row["count"]),
    "calls": call,
    "executions": lambda row: (" ".join([row["method"], *values(row["values"])]), 1),
    "accesses": lambda row: (f"{row['method']} {row['access']}s {row['field']}", row["accesses"]),
    "lines": lambda row: (f"{row['method']} ran lines", row["executions"]),
    "rules": lambda row: ("nothing matches", int(not row["matched_methods"])),
}


def texts(report: Row) -> dict[str, Counter[str]]:
    """Reads what each rule recorded: texts, and how often."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for name, text in TEXTS.items():
        for row in report[name]:
            said, number = text(row)
            if number:
                found[row["rule"]][f"{row['name']}: {said}" if row["name"] else said] += number
    return found
