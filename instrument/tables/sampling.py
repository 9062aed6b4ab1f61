"""Describes the sampling of a process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from classhook.base.names import several, time_label
from classhook.model.added_fields import AddedField
from classhook.model.call_tree import Sampling, warnings
from classhook.model.snapshot import Process
from classhook.tables.about_process import AboutProcess, Said

LATE = 1.25  # times the planned interval: the real one is said beside it


def about_sampling(
    key: str, field: AddedField[Sampling | None], form: str, elsewhere: str, rank: int, by_agent: bool = False
) -> AboutProcess:
    """`form`: of the line; `elsewhere`: where the time was spent that is not in the rows."""

    def lines(process: Process) -> Iterable[Said]:
        sampling = field.get(process)
        return [(form.format(sampled(sampling, elsewhere)), "")] if sampling else []

    return AboutProcess(
        key,
        lambda process: asdict(found) if (found := field.get(process)) else None,
        lines,
        rank,
        warnings=lambda process: warnings(found) if (found := field.get(process)) else (),
        by_agent=by_agent,
    )


def sampled(sampling: Sampling, elsewhere: str) -> str:
    """Describes the sampling of a process."""
    outside = time_label(sampling.outside_cpu_ns).strip()
    torn = f", {sampling.torn:,} of them incomplete" if sampling.torn else ""
    unseen = (
        f"; CPU time that was not sampled: {time_label(sampling.unseen_cpu_ns).strip()}"
        if sampling.unseen_cpu_ns
        else ""
    )
    full = f"; {several(sampling.refused, 'frame')} did not fit into the tree" if sampling.refused else ""
    probes = (
        f"; {time_label(sampling.probes_cpu_ns).strip()} in probes, not counted for any method"
        if sampling.probes_cpu_ns
        else ""
    )
    wanted, period = (
        time_label(sampling.period_ns).strip(),
        time_label(sampling.interval_ns or sampling.period_ns).strip(),
    )
    late = f", instead of every {wanted}" if sampling.interval_ns > LATE * sampling.period_ns else ""
    said = f"{several(sampling.samples, 'sample')}{torn}; CPU time {elsewhere}: {outside}{probes}{unseen}{full}"
    return f"sampled every {period}{late}: {said}"
