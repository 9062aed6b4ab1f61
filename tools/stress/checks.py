"""Compares what the scripts were told with what the program did, and with Java's own numbers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

from tests.conftest import ENVIRONMENT, classhook_command
from tools.stress.kinds import KINDS
from tools.stress.limits import WANT, of_jvm
from tools.stress.outcomes import Outcome
from tools.stress.rounds import ENDS

#: JVMPI's count by the program's number: equal, unless the round attaches.
EQUAL = {
    "METHOD_ENTRY": "calls",
    "METHOD_EXIT": "calls",
    "drops": "drops",
    "drop_ids": "drops",
    "generated": "generated",
    "thread_short": "started",
    "virtual": "virtuals",
}
#: The number of collections that the MXBeans may count for one GarbageCollectionStart: with Parallel, a young one comes
#: before a full one. The MXBeans of the other collectors count something else. (HotSpot does not report the collection
#: before a heap dump or a histogram, and counts it.)
COUNTED = {"Serial": 1, "Parallel": 2}
#: Events that come in groups: as many of each.
TOGETHER = (
    ("MONITOR_CONTENDED_ENTER", "MONITOR_CONTENDED_ENTERED", "MONITOR_CONTENDED_EXIT"),
    ("RAW_MONITOR_CONTENDED_ENTER", "RAW_MONITOR_CONTENDED_ENTERED", "RAW_MONITOR_CONTENDED_EXIT"),
    ("METHOD_ENTRY", "METHOD_EXIT"),
    ("GC_START", "GC_FINISH"),
)
WORK = ("Stress", "work")
OF_JNI = ("WARNING in native method", "FATAL ERROR in native method")  # of -Xcheck:jni
START_COLLECTIONS = 1  # before events are told: when OBJECT_ALLOC is enabled
END_COLLECTIONS = (
    3  # may come after the program has asked the MXBeans: those of the agent, which looks for freed objects
)


def check(outcome: Outcome) -> None:
    """Adds to the problems of the outcome."""
    one, truth, found = outcome.round, outcome.truth, outcome.problems
    if one.limit:
        check_limited(outcome)
        return
    if outcome.status != ENDS[one.end] and not any(text.startswith("hangs") for text in found):
        found.append(f"exit status {outcome.status}, not {ENDS[one.end]}")
    if list(outcome.folder.glob("hs_err*")) or list(outcome.folder.glob("core*")):
        found.append(f"crashed: {outcome.folder}")
    if "end" not in truth:
        found.append("the program did not come to its end")
    found += [f"stderr: {line}" for line in outcome.errors[:5]]
    found += [f"JNI: {line}" for line in outcome.output.splitlines() if line.startswith(OF_JNI)][:5]
    if "end" not in truth:
        return
    CHECKS[one.kind](outcome)


def check_limited(outcome: Outcome) -> None:
    """The JVM may end early if its messages name the want. Counts may be too small if a message names a loss."""
    one, found = outcome.round, outcome.problems
    crashes = [file.read_text(errors="replace") for file in outcome.folder.glob("hs_err*")]
    wants = any(WANT.search(text) for text in (*outcome.errors, outcome.output, *crashes))
    if not all(WANT.search(text[:2000]) for text in crashes) or list(outcome.folder.glob("core*")):
        found.append(f"crashed: {outcome.folder}")
    if outcome.status != ENDS[one.end] and not wants and not any(text.startswith("hangs") for text in found):
        found.append(f"exit status {outcome.status}, not {ENDS[one.end]}")
    ours = [line for line in outcome.errors if line.startswith("classhook: ")]
    found += [f"stderr: {line}" for line in outcome.errors if line not in ours and not of_jvm(line)][:5]
    if "end" not in outcome.truth:
        if not wants:
            found.append("the program did not come to its end")
        return
    before = len(found)
    text = report(outcome)
    if outcome.refused and not text:  # the agent could not be attached, and the commands said so
        del found[before:]
    said = [*ours, *outcome.refused, *notes_of(text)]
    calls, its = work_calls(text), outcome.truth["calls"]
    if calls > its or (calls < its and not said and KINDS[one.kind].words):
        found.append(f"the report has {calls} calls of {its}, and nothing says why")


def compare_all(outcome: Outcome) -> None:
    compare(outcome)
    compare_report(outcome, report(outcome))


def compare(outcome: Outcome) -> None:
    told, truth, found = outcome.told, outcome.truth, outcome.problems

    def expect(what: str, is_so: bool) -> None:
        if not is_so:
            found.append(what)

    if "lost" not in told:
        found.append("JVMPI's script did not come to its end")
        return
    for event, name in EQUAL.items():
        expect(f"{event} {told.get(event, 0)}, and {name} {truth[name]}", told.get(event, 0) == truth[name])
    for group in TOGETHER:
        n = [told.get(event, 0) for event in group]
        expect(f"{n} of {group}", len(set(n)) == 1)
    expect(f"{told['lost']} events were lost", not told["lost"])
    expect(f"{told['freed_twice']} objects were freed twice", not told["freed_twice"])
    expect(
        f"{told.get('freed_drops', 0)} of {truth['drops']} objects were freed",
        truth["drops"] - 1 <= told.get("freed_drops", 0),
    )
    gone, generated = told.get("gone", 0), truth["generated"]
    expect(
        f"{gone} classes were unloaded, and the program knows of {truth['gone']} of {generated}",
        truth["gone"] <= gone <= generated,
    )
    blocked, waits = told.get("MONITOR_CONTENDED_ENTER", 0), told.get("MONITOR_WAIT", 0)
    expect(f"MONITOR_CONTENDED_ENTER {blocked}, and blocked {truth['blocked']} times", blocked <= truth["blocked"])
    expect(
        f"MONITOR_WAIT {waits}, and {truth['waits']} waits",
        truth["waits"] <= waits <= truth["waits"] + 2 * truth["started"],
    )
    collections, counted, untold = (
        told.get("GC_START", 0),
        truth["collections"],
        told.get("heap_dumps", 0) + outcome.histograms,
    )
    if most := COUNTED.get(outcome.round.collector, 0):
        is_so = (
            counted - most * (untold + START_COLLECTIONS) <= collections * most
            and collections <= counted + END_COLLECTIONS
        )
        expect(f"GC_START {collections}, and {counted} collections, {untold} of them before dumps", is_so)
    else:
        expect("no GC_START", collections > 0)
    compare_handlers(outcome)


def compare_handlers(outcome: Outcome) -> None:
    """The second script: while it is exchanged, events come to neither of the two."""
    truth, found = outcome.truth, outcome.problems
    if not outcome.handlers or "lost" not in outcome.handlers[-1]:
        found.append("the script of handlers did not come to its end")
        return
    whole = {name: sum(one.get(name, 0) for one in outcome.handlers) for one in outcome.handlers for name in one}
    if whole["lost"]:
        found.append(f"handlers lost {whole['lost']} events")
    once = len(outcome.handlers) == 1
    of_calls, of_throws = whole.get("returned", 0) + whole.get("thrown", 0), whole.get("thrown", 0)
    pairs = [
        ("entry", whole.get("entry", 0), truth["calls"]),
        ("exit", of_calls, truth["calls"]),
        ("thrown", of_throws, truth["thrown"]),
        ("inserted", whole.get("inserted", 0), truth["calls"]),
        ("class_load", whole.get("class_load", 0), truth["generated"]),
    ]
    for name, ours, its in pairs:
        if (ours != its) if once else not 0 <= ours <= its:
            found.append(f"handlers of {name}: {ours}, and {its} ({len(outcome.handlers)} times run)")


def report(outcome: Outcome) -> dict[str, Any]:
    done = subprocess.run(
        [*classhook_command(), "report", "-f", "json", "data"],
        cwd=outcome.folder,
        capture_output=True,
        text=True,
        timeout=300,
        env=ENVIRONMENT,
    )
    if not done.stdout:
        outcome.problems.append(f"no report: {done.stderr.strip()[-300:]}")
        return {}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def work_calls(report: dict[str, Any]) -> int:
    return sum(row["calls"] for row in report.get("methods", ()) if (row["class"], row["method"]) == WORK)


def notes_of(report: dict[str, Any]) -> list[str]:
    return [note for process in report.get("processes", ()) for note in process.get("notes") or ()]


def compare_report(outcome: Outcome, report: dict[str, Any]) -> None:
    """The rules count on, whatever scripts do."""
    if not report:
        return
    truth = outcome.truth
    calls = work_calls(report)
    if calls != truth["calls"]:
        outcome.problems.append(f"the report has {calls} calls of {truth['calls']}")
    drops = sum(row["count"] for row in report["allocations"] if row["type"] == "Stress$Drop")
    if drops != truth["drops"]:
        outcome.problems.append(f"the report has {drops} objects of {truth['drops']}")
    outcome.problems += [f"note: {note}" for note in notes_of(report)]


def compare_attached(outcome: Outcome) -> None:
    """Checks that scripts were told of no more than happened: they were attached for a part of the time."""
    for name, n in outcome.told.items():
        its = outcome.truth.get(EQUAL.get(name, ""), n)
        if n > its:
            outcome.problems.append(f"attached: {name} {n}, of {its}")


def compare_samples(outcome: Outcome) -> None:
    found = report(outcome)
    compare_report(outcome, found)
    check_samples(outcome, found)


def compare_samples_attached(outcome: Outcome) -> None:
    """The JVM may have ended before any session had data."""
    found = report(outcome)
    calls = work_calls(found)
    if calls > outcome.truth["calls"]:
        outcome.problems.append(f"attached: the report has {calls} calls of {outcome.truth['calls']}")
    check_samples(outcome, found)


def check_samples(outcome: Outcome, report: dict[str, Any]) -> None:
    """There are some, and no time of `cpu` is without a kind."""
    for process in report.get("processes", ()):
        for kind in ("cpu_sampling", "sampling"):
            samples = (process.get(kind) or {}).get("samples", 0)
            outcome.told["samples"] = outcome.told.get("samples", 0) + samples
        if not (of := process.get("cpu_sampling")):
            continue
        ran, seen = sum(of["ran_ns"].values()), of["seen_cpu_ns"] + of["ran_ns"]["classhook"]
        if abs(ran - seen) > 0.05 * seen + 1e8:
            outcome.problems.append(f"`cpu` has {seen / 1e9:.3f} s in stacks, and {ran / 1e9:.3f} s by kind")
    if not outcome.told.get("samples"):
        outcome.problems.append("no sample")


CHECKS: dict[str, Callable[[Outcome], None]] = {
    "run": compare_all,
    "attach": compare_attached,
    "sample": compare_samples,
    "sample-attach": compare_samples_attached,
}
