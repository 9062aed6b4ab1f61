"""The table of watched calls: each is a row, in the order in which they ended. Only reports import this."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from classhook.base.names import printable, several, time_label
from classhook.base.readable import Readable
from classhook.base.row_names import NamePart, RowName
from classhook.measures.watch.reader import CALLS, CallRow
from classhook.measures.watch.reader_values import as_json, as_text
from classhook.model.rows import Key
from classhook.tables.columns import JSON, NUMBER, TEXT, TIME, Column, Unit
from classhook.tables.table import Entry, Section, Table


def clock_label(unix_ns: int) -> str:
    return datetime.fromtimestamp(unix_ns / 1e9).strftime("%H:%M:%S.%f")[:-3]


WHEN = Unit("clock", clock_label, "integer")
#: The thread, and the ids of the OpenTelemetry span that it was in, as the API writes them, so that a user can search
#: for them.
THREAD = (
    Column(
        "thread",
        "thread",
        lambda row: row.thread,
        TEXT,
        adds=False,
        about="the thread's name; that of a virtual thread is usually empty",
    ),
    Column(
        "trace",
        "trace_id",
        lambda row: row.trace_id or None,
        TEXT,
        adds=False,
        sparse=True,
        about="of the OpenTelemetry span that its thread was in when it ended; null if it was in none",
        null=True,
        shape={"pattern": "^[0-9a-f]{32}$"},
    ),
    Column(
        "span",
        "span_id",
        lambda row: row.span_id or None,
        TEXT,
        adds=False,
        sparse=True,
        about="of that span",
        null=True,
        shape={"pattern": "^[0-9a-f]{16}$"},
    ),
)


def stack(about: str) -> Column:
    """The column of callers."""
    return Column(
        "",
        "stack",
        lambda row: json.dumps([frame.text() for frame in row.stack]),
        JSON,
        adds=False,
        about=about,
        shape={"type": "array", "items": {"type": "string"}},
    )


def as_object(of: Callable[[CallRow], dict[str, Any]]) -> Callable[[CallRow], str | None]:
    """A column's value: JSON."""
    return lambda row: json.dumps({name: as_json(value) for name, value in of(row).items()}) if row.values else None


def written(row: CallRow, names: Readable) -> str:
    """`(150, "NEW") = true  this.id=7  < Shop.order:12`."""
    if row.several:
        return ""
    args = ".." if row.unshown else ", ".join(as_text(value) for value in row.args.values())
    ended = (
        f" threw {row.exception.rpartition('.')[2]}"
        if row.exception
        else f" = {as_text(row.result)}"
        if row.has_result
        else ""
    )
    message = f": {as_text(row.message)}" if row.exception and row.message is not None else ""
    fields = "".join(f"  {name}={as_text(value)}" for name, value in row.fields.items())
    stack = "".join(f" < {names.short(frame.text())}" for frame in row.stack)
    return printable(f"({args}){ended}{message}{fields}" + (f" {stack}" if stack else ""))


def row_name(key: Key, detail: int, names: Readable) -> RowName:
    class_name, method, descriptor, *_ = key
    return RowName((NamePart("", names.simple(class_name, method, descriptor)),))


ABOUT_ARGUMENTS = (
    "the arguments, by their names or arg0 and so on. Numbers, strings, booleans and null are the same in JSON; an enum"
    " constant is its name; of an object there is the class, of a long array class, length and first elements, of a"
    " long string string and length; masked and missing (no such field) are true; null in grouped reports"
)


def title(number: str, rows: list[Entry], sort: str, whole: int) -> str:
    thrown = sum(bool(row.exception) for _, row in rows)
    ended = f", {several(thrown, 'exception')}" if thrown else ""
    return f"{number}{ended}: {time_label(sum(row.took_ns for _, row in rows)).strip()} in all"


TABLE = Table.from_rows(
    CALLS,
    Section(
        kind="call",
        what="calls",
        nouns="watched calls",
        columns=(
            Column(
                "at",
                "ended_unix_ns",
                lambda row: row.ended_unix_ns,
                WHEN,
                adds=False,
                ascending=True,
                about="when it ended, in ns since 1970",
            ),
            Column("took", "took_ns", lambda row: row.took_ns, TIME, about="how long it took"),
            *THREAD,
            Column(
                "",
                "args",
                as_object(lambda row: row.args),
                JSON,
                adds=False,
                about=ABOUT_ARGUMENTS,
                shape={"type": ["object", "null"]},
            ),
            Column(
                "",
                "result",
                lambda row: json.dumps(as_json(row.result)) if row.has_result else None,
                JSON,
                adds=False,
                about="the result, as a value of args; null also if there is none, or it is not shown",
                shape={},
            ),
            Column(
                "",
                "fields",
                as_object(lambda row: row.fields),
                JSON,
                adds=False,
                about="the other shown values by their paths, as values of args",
                shape={"type": ["object", "null"]},
            ),
            Column(
                "exception",
                "exception",
                lambda row: row.exception or None,
                TEXT,
                adds=False,
                about="if it ended with an exception, its class; else null",
                null=True,
            ),
            Column(
                "",
                "message",
                lambda row: json.dumps(as_json(row.message)) if row.exception else None,
                JSON,
                adds=False,
                about="the exception's message, as a value of args; else null",
                shape={},
            ),
            stack("a list of its callers, the innermost first, if the rule shows them"),
            Column("times", "", lambda row: row.count, NUMBER),
        ),
        shown=("at", "took", "trace", "thread"),
        answer=(("at", ""), ("took", "")),
        title=title,
        last="call",
        row_name=row_name,
        frames=written,
    ),
)
TABLES = (TABLE,)
