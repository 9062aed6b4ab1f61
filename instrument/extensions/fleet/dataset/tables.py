"""The tables of a dataset. Columns are only ever added, at the end.

A table is a folder with a file for each run: TABLE/date=YYYY-MM-DD/service=NAME/RUN.parquet. So each table has two more
columns, `date` (of the run's begin, in UTC) and `service`.
"""

from __future__ import annotations

from classhook.extensions.fleet.dataset.columns import (
    COSTS,
    FLAG,
    LINE,
    LIST,
    MAP,
    METHOD,
    READABLE,
    REAL,
    RUN,
    TEXT,
    TIME,
    WHOLE,
    Column,
    DatasetTable,
)
from classhook.extensions.fleet.dataset.tables_of_calls import OF_CALLS

TABLES = (
    DatasetTable(
        "runs",
        "a row for each run: all JVMs of one `classhook run`, or one JVM",
        (
            RUN,
            Column("start", TIME, "in UTC"),
            Column("stop", TIME, "in UTC: its end, or when the data was read"),
            Column("duration_ns", WHOLE, "from the begin of its first JVM to the end of the last"),
            Column(
                "ended",
                TEXT,
                "`exit`, `halt`, `killed`, `running`, `detached`, `snapshot`; of several JVMs the first in this order",
            ),
            *(
                Column(name, TEXT, f"the label `{name}`")
                for name in ("host", "container", "version", "commit", "branch")
            ),
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
            Column("gc_count", WHOLE, "pauses for the garbage collector; these, and those below, of all its JVMs"),
            Column("gc_total_ns", WHOLE),
            Column("gc_longest_ns", WHOLE),
            Column("weaving_ns", WHOLE, "time for weaving classes"),
        ),
    ),
    *OF_CALLS,
    DatasetTable(
        "locks",
        "a row for each place where threads were blocked at monitors, or waited",
        (
            RUN,
            *METHOD,
            READABLE,
            LINE,
            Column("monitor", TEXT, "its class"),
            Column("event", TEXT, "`enter` or `wait`; with `locks parks` also `lock` and `park`"),
            Column("stack", TEXT, "the topmost frames, with ` <- ` between them"),
            Column("count", WHOLE, "how many of these times have ended"),
            Column("total_ns", WHOLE, "with `pending_ns`"),
            Column("max_ns", WHOLE),
            Column("pending", WHOLE, "threads that were there at the end"),
            Column("pending_ns", WHOLE),
            Column("timed_out", WHOLE, "waits that ended by their timeout"),
            Column("pinned", WHOLE, "how often a virtual thread kept its carrier"),
            Column("shorter", WHOLE, "with `over`: times that are not in the numbers above"),
            Column("shorter_ns", WHOLE),
            Column("held_by", TEXT, "the thread that held the monitor for most of the time"),
            Column("held_at", TEXT, "its stack"),
        ),
    ),
    DatasetTable(
        "moments",
        "a row for each pause of the garbage collector, and with `locks` for each wait; of many, the 1,000 longest of a"
        " kind",
        (
            RUN,
            Column("kind", TEXT, "`gc`, or the event as in `locks`"),
            Column("start", TIME, "in UTC"),
            Column("took_ns", WHOLE),
            Column("cause", TEXT, "of the pause"),
            Column("heap_used", WHOLE, "bytes, after the pause"),
            Column("monitor", TEXT, "the class of the object that the thread waited for"),
            Column("thread", TEXT, "the thread that waited"),
            Column("stack", TEXT, "as in `locks`"),
            Column("held_by", TEXT, "the thread that held the monitor"),
            Column("held_at", TEXT),
        ),
    ),
    DatasetTable(
        "threads",
        "a row for each name of threads, with a rule `threads`",
        (
            RUN,
            Column("thread", TEXT, "the name that threads had when they began"),
            Column("pool", TEXT, "the name with `*` for its last number"),
            Column("threads", WHOLE, "how many had that name"),
            *COSTS,
        ),
    ),
    DatasetTable(
        "contexts",
        "a row for each context of rules `context`: endpoints, jobs, listeners",
        (RUN, Column("context", TEXT, "its name"), Column("entered", WHOLE, "how often a thread entered it"), *COSTS),
    ),
    DatasetTable(
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
    DatasetTable(
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
    DatasetTable(
        "samples",
        "the measurements of a stack itself, without its callees",
        (
            RUN,
            Column("stack_id", WHOLE),
            Column("tree", TEXT),
            Column("kind", TEXT, "`cpu_ns`, `wall_ns`, or `calls` (exact, of `time ... tree`)"),
            Column("value", WHOLE),
        ),
    ),
    DatasetTable(
        "lines",
        "coverage of each line with code",
        (
            RUN,
            Column("class", TEXT),
            Column("source", TEXT, "the source file, with the folders of its package"),
            Column("line", WHOLE),
            *(
                Column(name, WHOLE)
                for name in ("instructions_missed", "instructions_covered", "branches_missed", "branches_covered")
            ),
        ),
    ),
    DatasetTable(
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
    DatasetTable(
        "test_hits",
        "which methods each test ran; `test` is empty for methods that ran outside of all tests",
        (
            RUN,
            Column("test", TEXT),
            *METHOD,
            Column("calls", WHOLE, "empty if it was only covered"),
            Column("probes_hit", WHOLE),
        ),
    ),
)
BY_NAME = {table.name: table for table in TABLES}
