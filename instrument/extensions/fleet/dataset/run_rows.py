"""A run as rows, by table; the modules of rows/ make them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from uuid import UUID

from classhook.base.errors import Failure
from classhook.extensions.fleet.dataset.columns import UNNAMED
from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows import (
    Maker,
    Row,
    coverage,
    events,
    histograms,
    methods,
    parts,
    tests,
    time_of,
    trees,
)
from classhook.extensions.fleet.dataset.rows.reported import reported
from classhook.extensions.fleet.dataset.tables import BY_NAME
from classhook.measures.accesses.reader import ACCESSES
from classhook.measures.alloc.reader import SITES
from classhook.measures.lines.reader import COUNTED_LINES
from classhook.measures.locks.reader import BLOCKED
from classhook.measures.value.reader import VALUES
from classhook.model.reading.files import read
from classhook.model.snapshot import Process, Snapshot
from classhook.reports.titles import command
from classhook.store.runs import Run

LABELS = ("host", "container", "version", "commit", "branch")
ENDS = ("running", "killed", "halt", "detached", "snapshot", "exit")  # what matters most first
MS = 1_000_000


@dataclass(frozen=True, slots=True)
class RunRows:
    """A run. `partition`: the values of `date` and `service`; `tables`: of its rows, without `run_id`; `notes`: what is
    missing."""

    run_id: str
    partition: tuple[str, str]
    tables: dict[str, list[Row]]
    notes: list[str]


def run_rows(run: Run, bodies: Bodies, wanted: Collection[str] = BY_NAME) -> RunRows:
    """Reads a run. `wanted`: the tables that get their rows. Raises Failure if none of its files can be read."""
    snapshot = read(run.files, suggest=False)
    if not snapshot.processes:
        raise Failure("\n".join(snapshot.notes))
    labels = {name: value for process in reversed(snapshot.processes) for name, value in process.labels.items()}
    date = datetime.fromtimestamp(run.begin / 1e9, UTC).date().isoformat()
    notes = [*snapshot.notes, *(note for process in snapshot.processes for note in process.notes)]
    tables = {name: [*make(snapshot, run, bodies)] if name in wanted else [] for name, make in MAKERS.items()}
    tables["runs"] = [_run(snapshot, run, labels, not notes)]
    return RunRows(run_id(run, snapshot, labels.get("host", "")), (date, labels.get("service", UNNAMED)), tables, notes)


def run_id(run: Run, snapshot: Snapshot, host: str) -> str:
    """A UUID of version 7, in which all but the time is a hash of what tells the run from others: each export gives it
    the same one."""
    first = first_of(snapshot)
    own = f"{run.name or first.pid} {run.begin} {host}"
    number = int.from_bytes(sha256(own.encode()).digest()[:10], "big")
    ms = run.begin // MS & (1 << 48) - 1
    return str(UUID(int=ms << 80 | 0x7 << 76 | (number >> 62 & 0xFFF) << 64 | 0b10 << 62 | number & (1 << 62) - 1))


def first_of(snapshot: Snapshot) -> Process:
    """The JVM that began first."""
    return min(snapshot.processes, key=lambda process: (process.start_unix_ns, process.pid))


def _run(snapshot: Snapshot, run: Run, labels: dict[str, str], complete: bool) -> Row:
    first = first_of(snapshot)
    stop = max(process.start_unix_ns + process.duration_ns for process in snapshot.processes)
    ends = {process.end for process in snapshot.processes}
    return {
        "start": time_of(run.begin),
        "stop": time_of(stop),
        "duration_ns": max(0, stop - run.begin),
        "ended": next((end for end in ENDS if end in ends), first.end),
        **{name: labels.get(name) for name in LABELS},
        "labels": labels,
        "jvm": first.jvm,
        "command": command(first),
        "jvms": len({(process.pid, process.start_unix_ns) for process in snapshot.processes}),
        "pid": first.pid,
        "rules": [*snapshot.rules],
        "is_test": bool(snapshot.tests) or "ci.job" in labels or "ci.run" in labels,
        "complete": complete,
        "count_cost_ns": first.count_cost_ns,
        "time_cost_ns": first.time_cost_ns,
        **events.pauses(snapshot),
        "weaving_ns": sum(process.weaving_ns for process in snapshot.processes),
    }


#: By table, but for that of runs.
MAKERS: dict[str, Maker] = {
    "methods": methods.methods,
    "keys": methods.keys,
    "call_sites": methods.call_sites,
    "histograms": histograms.of_times,
    "recorded_values": reported(VALUES.name, {"value_of": "of", "keyed_by": "by", "key": "key"}),
    "value_histograms": histograms.of_values,
    "calls": events.calls,
    "executions": events.executions,
    "line_counts": reported(COUNTED_LINES.name),
    "accesses": reported(ACCESSES.name),
    "locks": reported(BLOCKED.name),
    "moments": events.moments,
    "threads": parts.threads,
    "contexts": parts.contexts,
    "allocations": reported(SITES.name),
    "stacks": trees.stacks,
    "samples": trees.samples,
    "lines": coverage.lines,
    "tests": tests.tests,
    "test_hits": tests.test_hits,
}
