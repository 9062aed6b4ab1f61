"""Programs that JavaFuzzer generates: the same output and status with probes, however the JVM compiles them.

1. A program's number is its seed (programs.py). Its settings follow from it: the JVM, when that compiles, and two sets
   of rules, so that all combinations occur.
2. It runs with the agent from the start (runs.py), once with each set; then the agent is attached in the middle, and
   detached (attached.py).
3. It runs alone in its JVM, for another program would change what the JIT compiler knows about FuzzerUtils.
4. A program that the generator fails to write, that javac rejects, or that runs too long without classhook is left out.
   One whose output changes from run to run is no difference (tools/strangers/outcome.py repeats).
5. A program that was not woven counts as another verdict.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from typing import NamedTuple

from tools.compare.fetching import Failed
from tools.strangers.outcome import Outcome, Row, compared
from tools.strangers.suite import Place, Suite
from tools.strangers.suites.random.attached import EARLY, Attached
from tools.strangers.suites.random.programs import Generator, Program
from tools.strangers.suites.random.runs import MODES, Bench, Setting

EXPLAINED: dict[str, str] = {}
PROGRAMS, MANY, FEW = 150, 1900, 24  # also with --more, and in the short form; half of them can be used
AT_ONCE = 2  # programs
RARELY = 3  # by default, the agent is attached to one program in so many
SHOWN = 50  # programs between two lines of progress
STARTED, ATTACHED = "programs", "programs, attached"  # the parts of the table
PAIRS = [("count", "all"), ("time", "alloc"), ("cover", "profile"), ("all", "watch"), ("count", "profile")]

Settings = tuple[str, int, tuple[str, str]]  # when the JVM compiles, its release, two sets of rules


class Try(NamedTuple):
    """A program in one setting: its verdicts without and with classhook, and what runs it again, without or with."""

    part: str
    program: Program
    setting: Setting
    bare: str
    ours: str
    run: Callable[[bool], str]

    @property
    def test(self) -> str:
        mode, release, rules = self.setting
        return f"{self.program.name} {mode} {rules} on {release}"

    @property
    def row(self) -> tuple[str, int, str]:
        return self.part, self.setting.release, self.setting.rules


def settings(place: Place) -> Iterator[Settings]:
    """The settings of each program in turn."""
    while True:
        for pair, mode, release in product(PAIRS, MODES, place.jvms):
            yield mode, release, pair


def tried(bench: Bench, attached: Attached, program: Program, chosen: Settings) -> tuple[str, list[Try]]:
    """Makes a program and runs it in its settings; or says why it is left out."""
    mode, release, (rules, then) = chosen
    first, second = Setting(mode, release, rules), Setting(mode, release, then)
    if trouble := bench.generator.trouble(program):
        return trouble, []
    bare = bench.verdict(program, first, False)
    if bare.startswith(("took", "hung")):
        return f"{bare} without classhook", []
    found = [
        Try(STARTED, program, setting, bare, run(True), run)
        for setting in (first, second)
        for run in [partial(bench.verdict, program, setting)]
    ]
    if not program.seed % (1 if bench.place.short or bench.place.more else RARELY):
        run = partial(attached.verdict, program, first, then)
        found.append(Try(ATTACHED, program, first, run(False), run(True), run))
    return "", found


def verdicts(runs: Mapping[str, Try], tests: Iterable[str], with_classhook: bool) -> dict[str, str]:
    return {test: runs[test].run(with_classhook) for test in tests}


def run(place: Place) -> Outcome:
    files, version = place.clone("AzulSystems", "JavaFuzzer")
    if not shutil.which("ruby"):
        raise Failed("the generator needs ruby: install Debian's package ruby")
    javac = place.jvms[min(place.jvms)].java.with_name("javac")  # of the oldest JVM, so that all can run its classes
    bench, left_out = Bench(place, Generator(files / "rb", javac, place.folder)), Counter[str]()
    rows: dict[tuple[str, int, str], dict[str, Try]] = {}
    number = FEW if place.short else MANY if place.more else PROGRAMS
    programs = (Program(place.folder, seed) for seed in range(number))
    with ThreadPoolExecutor(AT_ONCE) as several:
        results = several.map(partial(tried, bench, Attached(bench)), programs, settings(place))
        for at, (trouble, found) in enumerate(results, 1):
            left_out.update([trouble] if trouble else [])
            for one in found:
                if one.ours == EARLY:
                    left_out[EARLY] += 1
                else:
                    rows.setdefault(one.row, {})[one.test] = one
            if at % SHOWN == 0:
                print(f"  {at} programs, {sum(left_out.values())} left out", flush=True)
    outcome = Outcome(version)
    for (part, release, rules), tries in sorted(rows.items()):
        bare, ours = {test: one.bare for test, one in tries.items()}, {test: one.ours for test, one in tries.items()}
        differences = compared(bare, ours, EXPLAINED, partial(verdicts, tries))
        outcome.rows.append(Row(part, str(release), rules, len(tries), differences))
    if left_out:
        said = ", ".join(f"{number} {trouble}" for trouble, number in sorted(left_out.items()))
        outcome.notes = [f"programs left out: {said}"]
    return outcome


SUITE = Suite("JavaFuzzer", "github.com/AzulSystems/JavaFuzzer", "programs generated at random", run)
