"""What was to be reached, beside what was measured: one line each, with the peer's figure of the same runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.bench.figures import Figure, Results, table

#: Makes a figure of a part's results.
Reading = Callable[[Results], Figure]


@dataclass(frozen=True, slots=True)
class Goal:
    """`limit`: what the median should not exceed; `form`: how a value is written; `note`: says more beside ours."""

    what: str
    part: str
    ours: Reading
    limit: float
    form: str
    peer: str = ""
    theirs: Reading = lambda _: Figure(())
    note: Callable[[Results], str] = lambda _: ""


def minus(name: str, other: str, scale: float = 1) -> Reading:
    return lambda results: Figure(tuple(value * scale for value in results.minus(name, other).values))


def over(name: str, other: str) -> Reading:
    return lambda results: results.over(name, other)


def value(*name: str) -> Reading:
    return lambda results: results.figure(*name)


def python(release: str, name: str) -> Callable[[Results], str]:
    """Whether Python was started."""

    def note(results: Results) -> str:
        started = sum(took > 0 for took in results.figure(release, name, "python").values)
        return f"; Python started in {started} of {len(results.figure(release, name, 'python').values)} runs" if started else "; Python not started"

    return note


def of_startup(release: str) -> list[Goal]:
    def wall(name: str) -> Reading:
        return minus(f"{release}/{name}/wall", f"{release}/bare/wall", 1e3)

    def resident(name: str) -> Reading:
        return minus(f"{release}/{name}/resident", f"{release}/bare/resident")

    def goal(what: str, name: str, limit: float, peer: str = "", theirs: str = "", note: bool = False) -> Goal:
        said = python(release, name) if note else lambda _: ""
        return Goal(f"Hello, {what}, JDK {release}", "startup", wall(name), limit, "+{:.1f} ms", peer, wall(theirs), said)

    return [
        goal("rules that match nothing, over bare", "nothing", 5, "JaCoCo's agent", "jacoco", True),
        goal("one class timed, cold", "cold", 40, "JFR method timing", "jfr"),
        goal("the same, cache warm", "warm", 6, note=True),
        *(Goal(f"Hello, one class timed, {how}: resident memory over bare, JDK {release}", "startup", resident(how), limit, "+{:.1f} MB",
               peer, resident(theirs)) for how, limit, peer, theirs in
          (("cold", 20, "JaCoCo's agent", "jacoco"), ("warm", 3, "JFR method timing", "jfr"))),
    ]  # fmt: skip


def of_probes(release: str) -> list[Goal]:
    def goal(loop: str, probe: str, limit: float, peer: str = "", theirs: str = "") -> Goal:
        ours, bare, other = (f"{release}/{loop}/{name}/ns" for name in (probe, "bare", theirs))
        return Goal(f"`{probe}`, {loop}, JDK {release}", "probes", minus(ours, bare), limit, "{:.2f} ns", peer, minus(other, bare))

    return [
        *(goal(f"call, not inlined, {threads}", "count", 1.0, "JaCoCo", "jacoco") for threads in ("1 thread", "2 threads")),
        *(goal(f"call, inlined, {threads}", "count", 0.2, "JaCoCo", "jacoco") for threads in ("1 thread", "2 threads")),
        *(goal(f"call, not inlined, {threads}", "time", 25, "JFR method timing", "jfr") for threads in ("1 thread", "2 threads")),
        goal("new, 1 thread", "alloc", 1),
    ]


def of_program(name: str, limit: float) -> list[Goal]:
    found = []
    for kind, what in (("wall", "wall"), ("cpu", "CPU time")):
        ours, bare, jacoco = (f"{name}/{label}/{kind}" for label in ("count", "bare", "jacoco"))
        found += [
            Goal(f"`count **::*` on all of {name}, {what} over bare", "programs", over(ours, bare), limit, "x{:.2f}", "JaCoCo's coverage",
                 over(jacoco, bare)),
            Goal(f"`time **::* budget 5%` on all of {name}, {what} over `count`", "programs", over(f"{name}/budget/{kind}", ours), 1.07,
                 "x{:.2f}"),
        ]  # fmt: skip
    return found


GOALS = [
    *(goal for release in ("17", "25") for goal in of_startup(release)),
    Goal("weaving, `time` on every method, mean per class, from hook entry to hook return", "weaving", value("hook/time/us"), 90, "{:.0f} us",
         "ASM cold, entry call only", value("asm/count/us")),
    Goal("the same, the weaver alone", "weaving", value("compiled/time/us"), 90, "{:.0f} us", "ASM cold, entry call only",
         value("asm/count/us")),
    Goal("weaving, `time` and `alloc *`, from hook entry to hook return", "weaving", value("hook/time and alloc/us"), 150, "{:.0f} us",
         "ASM cold, entry call only", value("asm/count/us")),
    *(goal for release in ("17", "25") for goal in of_probes(release)),
    *of_program("h2", 1.08),
    *of_program("ecj", 1.12),
    Goal("every method of h2 timed: resident memory over bare", "programs", minus("h2/time/resident", "h2/bare/resident"), 80, "+{:.0f} MB",
         "JaCoCo's coverage", minus("h2/jacoco/resident", "h2/bare/resident")),
    Goal("`classhook weave` of 20,000 classes", "tools", value("weave/wall"), 4, "{:.2f} s"),
    Goal("`classhook report -f json` of 100,000 probes", "tools", value("report/wall"), 1, "{:.2f} s"),
]  # fmt: skip


def goals(results: dict[str, Results]) -> str:
    """The table; a goal that is missed says so."""
    rows = []
    for goal in GOALS:
        part = results[goal.part]
        ours, theirs = goal.ours(part), goal.theirs(part)
        reached = "" if not ours or ours.median <= goal.limit else ", **missed**"
        note = goal.note(part) if ours else ""
        peer = f"{goal.peer}: {theirs.text(goal.form)}" if goal.peer and theirs else ""
        rows.append([goal.what, ours.text(goal.form) + note, goal.form.format(goal.limit) + reached, peer])
    return table(["what", "classhook", "to reach", "peer, in the same runs"], rows)
