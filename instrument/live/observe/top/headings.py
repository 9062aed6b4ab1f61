"""The words above the tables of `top`: the JVMs, and kinds of rows."""

from __future__ import annotations

from collections.abc import Sequence

from classhook.base.names import printable, time_label
from classhook.model.snapshot import Process
from classhook.reports.titles import command

KINDS = {
    "timed": "timed",
    "profiled": "profiled",
    "counted": "counted",
    "allocation": "allocations",
    "covered": "coverage",
    "sampled": "cpu",
    "blocked": "blocked",
    "waited": "waits",
    "context": "contexts",
}


def processes_line(processes: Sequence[Process]) -> str:
    """Says which JVMs are shown, and whether they run."""
    if not processes:
        return "classhook top: no data yet"
    if len(processes) > 1:
        running = sum(process.end == "running" for process in processes)
        return (
            f"classhook top: {len(processes)} JVMs, {running} running:"
            f" {', '.join(str(process.pid) for process in processes)}"
        )
    process = processes[0]
    since = "since reset " if process.since_unix_ns else ""
    return (
        f"{process.pid} {process.end}, {since}{time_label(process.duration_ns).strip()}: {printable(command(process))}"
    )
