"""The tables of a dataset. Columns are only ever added, at the end.

A table is a folder with a file for each run: TABLE/date=YYYY-MM-DD/service=NAME/RUN.parquet. So each table has two more columns, `date` (of the run's
begin, in UTC) and `service`.
"""

from __future__ import annotations

from typing import NamedTuple

#: Types of columns.
TEXT, WHOLE, REAL, FLAG, TIME, MAP, LIST = "text", "integer", "number", "boolean", "time", "map", "list"


class Column(NamedTuple):
    """`about`: what it says; an empty text for one that is named after what it is."""

    name: str
    type: str
    about: str = ""


class Table(NamedTuple):
    name: str
    about: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


UNNAMED = "unknown"  # the service of runs without that label
PARTITIONS = (Column("date", "date", "of the run's begin, in UTC"), Column("service", TEXT, f"the label `service`, or `{UNNAMED}`"))
RUN = Column("run_id", TEXT, "of the run: a UUID (version 7), which begins with the time; the same each time the run is exported")
METHOD = (
    Column("class", TEXT, "binary name"),
    Column("method", TEXT),
    Column("descriptor", TEXT, "of parameters and result, as the JVM has it"),
)

TABLES = (
    Table(
        "runs",
        "a row for each run: all JVMs of one `classhook run`, or one JVM",
        (
            RUN,
            Column("start", TIME, "in UTC"),
            Column("stop", TIME, "in UTC: its end, or when the data was read"),
            Column("duration_ns", WHOLE, "from the begin of its first JVM to the end of the last"),
            Column("ended", TEXT, "`exit`, `halt`, `killed`, `running`, `detached`, `snapshot`; of several JVMs the first in this order"),
            *(Column(name, TEXT, f"the label `{name}`") for name in ("host", "container", "version", "commit", "branch")),
            Column("labels", MAP, "all labels: `labels['team']`"),
            Column("jvm", TEXT, "the JVM's version"),
            Column("command", TEXT, "of its first JVM"),
            Column("jvms", WHOLE, "how many JVMs it had"),
            Column("pid", WHOLE, "of its first JVM"),
            Column("rules", LIST, "the texts of its rules"),
            Column("is_test", FLAG, "tests ran in it, or a CI service started it (label `ci.job` or `ci.run`)"),
            Column("complete", FLAG, "nothing is known to be missing"),
            Column("count_cost_ns", REAL, "of counting one call, measured when the JVM started"),
            Column("time_cost_ns", REAL, "of timing one call"),
        ),
    ),
    Table(
        "methods",
        "a row for each method that a rule counted, timed, profiled or covered, also if it never ran",
        (
            RUN,
            *METHOD,
            Column("readable", TEXT, "how its language writes it, if that is not the JVM's name"),
            Column("source", TEXT, "the name of its source file"),
            Column("line", WHOLE, "its first line, if its class file is known"),
            Column("body_hash", TEXT, "of its instructions, without debug information: the same as long as nobody changes the method"),
            Column("class_sha256", TEXT, "of its class file"),
            Column("flags", WHOLE, "access flags, if its class file is known"),
            Column("annotations", LIST, "binary names of its annotations, if its class file is known"),
            Column("rule", TEXT, "the first rule that matches"),
            Column("ran", FLAG, "it was called, or covered"),
            Column("calls", WHOLE, "empty if no rule counts them"),
            Column("exceptions", WHOLE, "calls that ended by throwing"),
            Column("completed", WHOLE, "calls that ended, if it was timed"),
            *(Column(f"{name}_ns", WHOLE) for name in ("total", "self", "min", "max", "p50", "p90", "p99")),
            *(Column(f"{name}_ns", WHOLE, "of profiled methods, from samples") for name in ("cpu_self", "cpu_total", "wall_self", "wall_total")),
            Column("estimated", FLAG, "times are estimates"),
            Column("probes", WHOLE, "of coverage"),
            Column("probes_hit", WHOLE),
        ),
    ),
    Table(
        "allocations",
        "a row for each place that allocated objects of a type",
        (
            RUN,
            *METHOD,
            Column("line", WHOLE),
            Column("bci", WHOLE, "bytecode index"),
            Column("type", TEXT),
            Column("count", WHOLE),
            Column("bytes", WHOLE),
        ),
    ),
    Table(
        "stacks",
        "call stacks as trees: a row for each frame, with its caller",
        (
            RUN,
            Column("stack_id", WHOLE, "of the stack that ends with this frame, within the run"),
            Column("parent_id", WHOLE, "the caller's; empty for the outermost frame"),
            Column("tree", TEXT, "the rule's word: `profile`, `cpu`, `time`"),
            *METHOD,
        ),
    ),
    Table(
        "samples",
        "what was measured of a stack itself, without what it calls",
        (
            RUN,
            Column("stack_id", WHOLE),
            Column("tree", TEXT),
            Column("kind", TEXT, "`cpu_ns`, `wall_ns`, or `calls` (exact, of `time ... tree`)"),
            Column("value", WHOLE),
        ),
    ),
    Table(
        "lines",
        "coverage of each line with code",
        (
            RUN,
            Column("class", TEXT),
            Column("source", TEXT, "the source file, with the folders of its package"),
            Column("line", WHOLE),
            *(Column(name, WHOLE) for name in ("instructions_missed", "instructions_covered", "branches_missed", "branches_covered")),
        ),
    ),
    Table(
        "tests",
        "a row for each execution of a test, or of a container of tests (`run --tests`)",
        (
            RUN,
            Column("test", TEXT, "its name: class, method and parameters"),
            Column("class", TEXT),
            Column("method", TEXT),
            Column("display", TEXT, "as its framework shows it"),
            Column("kind", TEXT, "`test` or `container`"),
            Column("status", TEXT, "`passed`, `failed`, `aborted`, `skipped`, `unfinished`"),
            Column("start", TIME, "in UTC"),
            Column("duration_ns", WHOLE),
            Column("parent", TEXT, "its container"),
            Column("attempt", WHOLE),
            Column("thread", TEXT),
            Column("framework", TEXT),
        ),
    ),
    Table(
        "test_hits",
        "which methods each test ran; `test` is empty for what ran outside of all tests",
        (RUN, Column("test", TEXT), *METHOD, Column("calls", WHOLE, "empty if it was only covered"), Column("probes_hit", WHOLE)),
    ),
)
BY_NAME = {table.name: table for table in TABLES}
