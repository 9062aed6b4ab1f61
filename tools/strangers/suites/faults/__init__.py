"""Faults by counter, as SQLite's tests do it: the nth call of a function fails, for each n.

1. A preloaded library (faults.c) lets calls fail that classhook's own libraries make: of the C library, of JVMTI, of
   JNI. A first run notes all calls; then one run follows for each n that `chosen` takes.
2. A call fails alone ("once"), or with all that follow ("from"), as on a disk that stays full.
3. Real limits follow: of open files, address space, file sizes and threads (limits.py). With `--more`, all that
   tools.stress does at once runs under such limits, too.
4. The program's output and status must be those of a run without the agent. The data must be complete, or stderr or the
   report says what is missing.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tools.corpus.machines import Machine
from tools.strangers.outcome import Difference, Outcome, Row
from tools.strangers.suite import Place, Suite
from tools.strangers.suites.faults.limits import under_limits
from tools.strangers.suites.faults.preload import KINDS, Fault, Preload
from tools.strangers.suites.faults.program import SETTINGS, Program, Setting, Unfit
from tools.stress.limits import LIMITS
from tools.stress.rounds import prepared
from tools.stress.series import Wishes, series

#: By a pattern for the begin of a difference's name, `SETTING: KIND FUNCTION (PLACE), call NUMBER HOW`.
EXPLAINED = {
    r"python: memory .* from": (
        "CPython ends the process itself where it has no memory for the state of a thread, or before it has its first"
        " exceptions; a single failing call of its own ends nothing"
    ),
}
NO_FROM = (
    "calls of JNI fail only once each: were each to throw, the exceptions' objects would call the agent without end"
)
PYTHONS = ("memory", "files", "reads", "maps")  # kinds of calls of Python itself
EVERYTHING, SECONDS = 10, 20  # minutes of each JVM, and seconds of a round
MOST = 30  # runs with failing calls of Python, of each kind


def run(place: Place) -> Outcome:
    """Raises Failed if there is no compiler."""
    outcome = Outcome("its own")
    counted: Counter[str] = Counter()
    for release, machine in sorted(place.jvms.items()):
        preload, seen = Preload.built(place.folder, machine.java), set[tuple[str, int]]()
        for setting in SETTINGS[: 1 if place.short else None]:
            if setting.release not in (None, release):
                continue
            kinds = ("writes", "maps", "threads") if place.short else KINDS
            folder = place.folder / f"{release}-{setting.name}"
            rows = tried(folder, machine, preload, setting, kinds, counted, seen)
            outcome.rows += [Row(f"{setting.name}, {how}", f"JDK {release}", setting.title, *row) for how, row in rows]
        if not place.short:
            outcome.rows += limited(place.folder / f"{release}-limits", machine)
        if place.more:
            outcome.rows.append(everything(place.folder / f"{release}-everything", machine))
    outcome.notes.append(NO_FROM)
    outcome.notes.append(f"kinds of calls: {', '.join(sorted(counted))}")
    return outcome


def limited(folder: Path, machine: Machine) -> list[Row]:
    shutil.rmtree(folder, ignore_errors=True)
    program = Program.prepared(folder, machine.java, SETTINGS[0])
    title, jvm = program.setting.title, f"JDK {machine.release}"
    return [
        Row(f"limit of {name}", jvm, title, number, found) for name, number, found in under_limits(program) if number
    ]


def everything(folder: Path, machine: Machine) -> Row:
    """Rounds of tools.stress, each under a limit of files, of threads or of memory."""
    shutil.rmtree(folder, ignore_errors=True)
    classes = prepared(folder, machine.java.parent / "javac")
    wishes = Wishes(minutes=EVERYTHING, seconds=SECONDS, limits=tuple(LIMITS))
    cell = series(machine, "G1", classes, folder / "rounds", wishes, Random(machine.release))
    differences = [Difference("everything", problem) for problem in cell.problems]
    return Row(
        "everything at once, limits", f"JDK {machine.release}", "scripts, rules, samples", cell.rounds, differences
    )


def tried(
    folder: Path,
    machine: Machine,
    preload: Preload,
    setting: Setting,
    kinds: tuple[str, ...],
    counted: Counter[str],
    seen: set[tuple[str, int]],
) -> Iterator[tuple[str, tuple[int, list[Difference]]]]:
    """The numbers of runs, and the differences, of calls that fail once and of those that fail from there on."""
    shutil.rmtree(folder, ignore_errors=True)
    program = Program.prepared(folder, machine.java, setting)
    found: dict[str, tuple[int, list[Difference]]] = {}
    for kind in kinds:
        whose = "libpython" if setting.python else ""
        if whose and kind not in PYTHONS:
            continue
        notes = program.noted(preload, Fault(kind, 0, 0, whose))
        for fault in chosen(kind, notes, whose, seen):
            counted[kind] += 1
            number, differences = found.setdefault(fault.how, (0, []))
            found[fault.how] = (number + 1, differences)
            if what := again(program, preload, fault):
                name = f"{setting.name}: {kind} {preload.place(program.failed)}, call {fault.first} {fault.how}"
                why = next((text for pattern, text in EXPLAINED.items() if re.match(pattern, name)), "")
                differences.append(Difference(name, what, why))
        print(f"  {setting.name}: {kind}: {counted[kind]} runs so far", flush=True)
    yield from found.items()


def chosen(kind: str, notes: list[int], whose: str, seen: set[tuple[str, int]]) -> Iterator[Fault]:
    """The first and the last call of each place in the code that no setting before had (`seen`); all that follow the
    first one fail, too.

    Loops call the same function from the same place some hundred times; what is between was found to tell nothing more.
    """
    fresh = [(n, place) for n, place in enumerate(notes, 1) if whose or (kind, place) not in seen]
    firsts = {place: n for n, place in reversed(fresh)}
    lasts = {place: n for n, place in fresh}
    seen.update((kind, place) for _, place in fresh if not whose)
    once = sorted({*firsts.values(), *lasts.values()})
    every = max(1, len(once) // MOST) if whose else 1
    for n in once[::every]:
        yield Fault(kind, n, n, whose)
    for n in sorted(firsts.values())[::every] if kind != "jni" else []:
        yield Fault(kind, n, Fault.ALL, whose)


def again(program: Program, preload: Preload, fault: Fault) -> str:
    """Judges a run, and returns what is wrong if it is wrong twice; empty: nothing, or the call was not reached."""
    try:
        program.judge(preload, fault)
    except Unfit as first:
        print(f"  {program.setting.name}: {fault}: {preload.place(program.failed)}: {first}", flush=True)
        try:
            program.judge(preload, fault)
        except Unfit as second:
            return str(second)
    return ""


SUITE = Suite(
    "Faults by counter",
    "this project, in the way of SQLite's tests",
    "the nth call that the agent makes fails, for each n",
    run,
)
