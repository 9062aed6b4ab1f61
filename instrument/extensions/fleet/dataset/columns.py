"""The types of tables and columns of a dataset, and the columns of several tables."""

from __future__ import annotations

from typing import NamedTuple

#: Types of columns.
TEXT, WHOLE, REAL, FLAG, TIME, MAP, LIST = "text", "integer", "number", "boolean", "time", "map", "list"


class Column(NamedTuple):
    """`about`: what it says; an empty text for one that is named after what it is."""

    name: str
    type: str
    about: str = ""


class DatasetTable(NamedTuple):
    name: str
    about: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


UNNAMED = "unknown"  # the service of runs without that label
PARTITIONS = (
    Column("date", "date", "of the run's begin, in UTC"),
    Column("service", TEXT, f"the label `service`, or `{UNNAMED}`"),
)
RUN = Column(
    "run_id", TEXT, "of the run: a UUID (version 7), which begins with the time; the same each time the run is exported"
)
METHOD = (
    Column("class", TEXT, "binary name"),
    Column("method", TEXT),
    Column("descriptor", TEXT, "of parameters and result, as the JVM has it"),
)
READABLE = Column("readable", TEXT, "how its language writes it, if that is not the JVM's name")
LINE = Column("line", WHOLE, "in the source, 0 if unknown")
RULE = Column("rule", TEXT, "the first rule that matches")
CALLS = (
    Column("calls", WHOLE, "empty if no rule counts them"),
    Column("exceptions", WHOLE, "calls that ended by throwing"),
    Column("completed", WHOLE, "calls that ended, if it was timed"),
    *(Column(f"{name}_ns", WHOLE) for name in ("total", "self", "min", "max", "p50", "p90", "p99")),
)
ESTIMATED = Column("estimated", FLAG, "times are estimates")
KEY = (
    Column(
        "keyed_by",
        TEXT,
        "what tells keys apart, as the rule names it: `arg0`, `sql(arg0)`; a method may have rows of several",
    ),
    Column("key", TEXT, "the values, with commas between several; empty for `others`"),
)
OTHERS = Column("others", FLAG, "it is the row of all keys that have no row of their own")
SPAN = (
    Column("thread", TEXT, "its name"),
    Column("trace_id", TEXT, "of OpenTelemetry's span in which the thread was at the end, in 32 hexadecimal digits"),
    Column("span_id", TEXT, "in 16"),
)
COSTS = (
    Column("cpu_ns", WHOLE, "of profiled methods and sampled stacks; here and below, empty if it was not measured"),
    Column("timed_self_ns", WHOLE, "self time of timed methods"),
    Column("method_calls", WHOLE),
    Column("bytecodes", WHOLE, "executed in methods that `cover ... hits` covers"),
    Column("allocated_bytes", WHOLE),
    Column("blocked_ns", WHOLE, "at monitors"),
    Column("waited_ns", WHOLE),
)
