"""Writes the tables of docs/reference/jvmpi.md from those in the code: `python -m tests.extensions.jvmpi.page`."""

from __future__ import annotations

import re
from pathlib import Path

from classhook.extensions.jvmpi.event_delivery import ALL, rows
from classhook.extensions.jvmpi.events import BOTH, EVENTS, NEVER, REQUESTED, Kind
from classhook.extensions.jvmpi.functions import FUNCTIONS, MORE, Function

ROOT = Path(__file__).parents[3]
PATH = ROOT / "docs" / "reference" / "jvmpi.md"
EXAMPLES = ROOT / "docs" / "examples" / "jvmpi"


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |\n"


def events() -> str:
    head = row("no.", "JVMPI_EVENT_", "`event.u.`", "path", "limits") + f"|{'---|' * 5}\n"
    return head + "".join(event(kind) for kind in EVENTS)


def event(kind: Kind) -> str:
    comes = {NEVER: "NOT_AVAILABLE", REQUESTED: "RequestEvent only", BOTH: "RequestEvent, too"}.get(kind.comes, "")
    fields = f"`{kind.member}`: {', '.join(kind.fields)}" if kind.member else ""
    limits = "; ".join(filter(None, (comes, kind.limits)))
    return row(str(kind.number), kind.name, fields, kind.path, limits)


def functions(table: tuple[Function, ...] = FUNCTIONS) -> str:
    head = row("function", "returns", "path", "limits") + f"|{'---|' * 4}\n"
    return head + "".join(
        row(f"`{one.name}({', '.join(one.parameters)})`", one.returns, one.path, one.limits) for one in table
    )


def delivery() -> str:
    """A row for all events that are delivered alike. That all functions work is said above the table."""
    names: dict[tuple[str, ...], list[str]] = {}
    for name, *cells in rows():
        names.setdefault(tuple(cells), []).append(name)
    head = row("JVMPI_EVENT_", "delivered", "can be lost", "inside NotifyEvent") + f"|{'---|' * 4}\n"
    return head + "".join(
        row(", ".join(some), told, lost, inside.removeprefix(f"{ALL}; "))
        for (told, lost, inside), some in names.items()
    )


TABLES = {"delivery": delivery, "events": events, "functions": functions, "more": lambda: functions(MORE)}


def with_tables(text: str) -> str:
    """The page, with its tables as they are now."""
    for name, table in TABLES.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        found = re.search(pattern, text, re.DOTALL)
        assert found, name
        text = text[: found.end(1)] + table() + text[found.start(2) :]
    return text


if __name__ == "__main__":
    PATH.write_text(with_tables(PATH.read_text()))
