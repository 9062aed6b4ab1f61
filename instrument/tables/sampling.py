"""Describes the sampling of a process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from classhook.base.names import several, time_label
from classhook.model.added_fields import AddedField
from classhook.model.call_tree import Sampling, warnings
from classhook.model.snapshot import Process
from classhook.tables.about_process import AboutProcess, Said
from classhook.tables.columns import share

LEAST = 0.001  # of the whole: smaller shares are not worth a word
TITLES = {"jvm": "JVM", "jit_compiler": "JIT compiler"}  # others: as their keys
CHANGED = "rules `profile` changed meanwhile: times are from all samples, calls from when a rule applied"
LATE = 1.25  # times the planned interval: the real one is said beside it


def about_sampling(
    key: str,
    field: AddedField[Sampling | None],
    form: str,
    elsewhere: str,
    rank: int,
    by_agent: bool = False,
    same: AddedField[Sampling | None] | None = None,
) -> AboutProcess:
    """`form`: of the line; `elsewhere`: where the time was spent that is not in the rows; `same`: if a process has this
    one, too, it is about the same samples, and says what both would say."""

    def is_said(process: Process) -> bool:
        return same is not None and same.get(process) is not None

    def lines(process: Process) -> Iterable[Said]:
        sampling = field.get(process)
        if not sampling:
            return []
        texts = [form.format(sampled(sampling, elsewhere)), "" if is_said(process) else where(sampling)]
        return [(text, "") for text in texts if text]

    return AboutProcess(
        key,
        lambda process: asdict(found) if (found := field.get(process)) else None,
        lines,
        rank,
        warnings=lambda process: warnings(found) if (found := field.get(process)) and not is_said(process) else (),
        by_agent=by_agent,
    )


def sampled(sampling: Sampling, elsewhere: str) -> str:
    """Describes the sampling of a process."""
    outside = time_label(sampling.outside_cpu_ns).strip()
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
    said = f"{several(sampling.samples, 'sample')}; CPU time {elsewhere}: {outside}{probes}{unseen}{full}"
    changed = f"; {CHANGED}" if sampling.rules_changed else ""
    return f"sampled every {period}{late}: {said}{changed}"


def where(sampling: Sampling) -> str:
    """Says where the CPU time went, by kinds of code; empty if that is not known."""
    if not sum(sampling.ran_ns.values()):
        return ""
    ran = sampling.ran_ns | {"other_threads": sampling.other_ns}
    whole = sum(ran.values())
    shares = sorted(((ns, name) for name, ns in ran.items() if ns >= LEAST * whole), reverse=True)
    kinds = ", ".join(f"{TITLES.get(name, name.replace('_', ' '))} {share(ns, whole).strip()}" for ns, name in shares)
    unjoined = (
        f"; callers unknown: {share(sampling.unjoined_cpu_ns, whole).strip()}"
        if sampling.unjoined_cpu_ns >= LEAST * whole
        else ""
    )
    kernel = f"; of all, in the kernel {share(sampling.system_cpu_ns, whole).strip()}" if sampling.system_cpu_ns else ""
    return f"CPU time: {kinds}{unjoined}{kernel}"
