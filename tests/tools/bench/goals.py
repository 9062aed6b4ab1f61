"""Goals beside measured figures: one line each, with the peer's figure from the same runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.tools.bench import coverage, handlers
from tests.tools.bench.figures import Figure, Results, table
from tests.tools.bench.startup import FIRST_WITH_METHOD_TIMING, PEERS

#: Computes a figure from a part's results.
Reading = Callable[[Results], Figure]


@dataclass(frozen=True, slots=True)
class Goal:
    """`limit`: the median should not exceed it; `form`: how a value is written; `note`: further text beside classhook's figure."""

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


def has_peer(release: str, name: str) -> bool:
    """Whether the JDK of this release supports it."""
    return name != "jfr" or int(release) >= FIRST_WITH_METHOD_TIMING


def of_startup(release: str) -> list[Goal]:
    def wall(name: str) -> Reading:
        return minus(f"{release}/{name}/wall", f"{release}/bare/wall", 1e3)

    def resident(name: str) -> Reading:
        return minus(f"{release}/{name}/resident", f"{release}/bare/resident")

    def goal(what: str, reading: Callable[[str], Reading], name: str, limit: float, form: str, peer: str = "") -> Goal:
        known = peer if has_peer(release, peer) else ""
        said = python(release, name) if reading is wall else lambda _: ""
        return Goal(f"Hello, {what}, JDK {release}", "startup", reading(name), limit, form, PEERS.get(known, ""), reading(known), said)

    return [
        goal("rules that match nothing, over bare", wall, "nothing", 5, "{:+.1f} ms", "jacoco"),
        goal("one class timed, cold", wall, "cold", 40, "{:+.1f} ms", "jfr"),
        goal("the same, cache warm", wall, "warm", 6, "{:+.1f} ms"),
        goal("one class timed, cold: resident memory over bare", resident, "cold", 20, "{:+.1f} MB", "jacoco"),
        goal("the same, cache warm: resident memory over bare", resident, "warm", 3, "{:+.1f} MB", "jfr"),
    ]


def of_probes(release: str) -> list[Goal]:
    def goal(loop: str, probe: str, limit: float, peer: str = "") -> Goal:
        known = peer if has_peer(release, peer) else ""
        ours, theirs = (minus(f"{release}/{loop}/{name}/ns", f"{release}/{loop}/bare/ns") for name in (probe, known))
        return Goal(f"`{probe}`, {loop}, JDK {release}", "probes", ours, limit, "{:.2f} ns", PEERS.get(known, ""), theirs)

    return [
        *(goal(f"call, not inlined, {threads}", "count", 1.0, "jacoco") for threads in ("1 thread", "2 threads")),
        *(goal(f"call, inlined, {threads}", "count", 0.2, "jacoco") for threads in ("1 thread", "2 threads")),
        *(goal(f"call, not inlined, {threads}", "time", 25, "jfr") for threads in ("1 thread", "2 threads")),
        *(goal(f"guarded call, not inlined, {threads}", "profile", 4) for threads in ("1 thread", "2 threads")),
        *(goal(f"guarded call, inlined, {threads}", "profile", 2) for threads in ("1 thread", "2 threads")),
        goal("new, 1 thread", "alloc", 1),
    ]


def of_handlers(release: str) -> list[Goal]:
    def beyond(name: str) -> Reading:
        return lambda results: handlers.beyond(results, release, name)

    def tenth(name: str) -> Goal:
        def share(results: Results) -> Figure:
            return beyond("queued")(results).over(beyond(name)(results))

        return Goal(f"a queued event, as a share of {handlers.TITLES[name]}, JDK {release}", "handlers", share, 0.1, "{:.2f}")

    peers = [name for name in handlers.TITLES if name.startswith(("btrace", "byteman")) and not name.endswith("compiled")]
    return [
        *(
            Goal(f"{handlers.TITLES[name]}, not shown, JDK {release}", "handlers", beyond(name), 10, "{:.1f} ns")
            for name in ("number", "string", "field", "further")
        ),
        *map(tenth, peers),
    ]


def of_program(name: str, limit: float) -> list[Goal]:
    found = []
    for kind, what in (("wall", "wall"), ("cpu", "CPU time")):
        ours, bare, jacoco = (f"{name}/{label}/{kind}" for label in ("count", "bare", "jacoco"))
        found += [
            Goal(
                f"`count **::*` on all of {name}, {what} over bare",
                "programs",
                over(ours, bare),
                limit,
                "x{:.2f}",
                "JaCoCo's coverage",
                over(jacoco, bare),
            ),
            Goal(f"`profile **::*` on all of {name}, {what} over bare", "programs", over(f"{name}/profile/{kind}", bare), 1.25, "x{:.2f}"),
        ]
    return found


def of_coverage(release: str) -> list[Goal]:
    found = []
    for program in ("h2", "ecj", "maven"):
        place = f"{release}/{program}"
        for name, limit in (("cold", 1), ("warm", 0.3), ("hits", 1)):
            what = f"{coverage.NAMES[name]}, {program}, JDK {release}: wall over bare, as a share of JaCoCo's"
            found.append(
                Goal(
                    what,
                    "coverage",
                    coverage.share_of_jacoco(place, name),
                    limit,
                    "{:.2f}",
                    "JaCoCo over bare",
                    over(f"{place}/jacoco/wall", f"{place}/bare/wall"),
                )
            )
    hello = f"{release}/hello"
    for name, limit in (("cold", 45), ("warm", 8)):
        ours, theirs = (minus(f"{hello}/{one}/wall", f"{hello}/bare/wall", 1e3) for one in (name, "jacoco"))
        found.append(Goal(f"{coverage.NAMES[name]}, Hello, JDK {release}, over bare", "coverage", ours, limit, "{:+.1f} ms", "JaCoCo", theirs))
    for name in ("cold", "warm"):
        ours, theirs = (minus(f"{release}/h2/{one}/resident", f"{release}/h2/bare/resident") for one in (name, "jacoco"))
        found.append(Goal(f"{coverage.NAMES[name]}, h2, JDK {release}: resident over bare", "coverage", ours, 25, "{:+.0f} MB", "JaCoCo", theirs))
    for loop in map(str, coverage.LOOPS):
        ours, theirs = (minus(f"{release}/{loop}/{one}/ns", f"{release}/{loop}/bare/ns") for one in ("cover", "jacoco"))
        found.append(Goal(f"`cover`, {loop}, JDK {release}", "coverage", ours, 0.3, "{:.2f} ns", "JaCoCo", theirs))
    return found


GOALS = [
    *(goal for release in ("17", "25") for goal in of_startup(release)),
    Goal(
        "weaving, `time` on every method, mean per class, from hook entry to hook return",
        "weaving",
        value("hook/time/us"),
        90,
        "{:.0f} us",
        "ASM cold, entry call only",
        value("asm/count/us"),
    ),
    Goal("the same, the weaver alone", "weaving", value("compiled/time/us"), 90, "{:.0f} us", "ASM cold, entry call only", value("asm/count/us")),
    Goal(
        "weaving, `time` and `alloc *`, from hook entry to hook return",
        "weaving",
        value("hook/time and alloc/us"),
        150,
        "{:.0f} us",
        "ASM cold, entry call only",
        value("asm/count/us"),
    ),
    *(goal for release in ("17", "25") for goal in of_probes(release)),
    *(goal for release in ("17", "25") for goal in of_handlers(release)),
    *of_program("h2", 1.08),
    *of_program("ecj", 1.12),
    Goal(
        "every method of h2 timed: resident memory over bare",
        "programs",
        minus("h2/time/resident", "h2/bare/resident"),
        80,
        "{:+.0f} MB",
        "JaCoCo's coverage",
        minus("h2/jacoco/resident", "h2/bare/resident"),
    ),
    *(goal for release in ("17", "25") for goal in of_coverage(release)),
    *(
        Goal(f"`report -f {what}`, 10,000 classes", "coverage", value(f"report/{name}/wall"), limit, "{:.1f} s")
        for (name, what), limit in zip(coverage.REPORTS.items(), (10, 5), strict=True)
    ),
    Goal("`classhook weave` of 20,000 classes", "tools", value("weave/wall"), 3, "{:.2f} s"),
    Goal("`classhook report -f json` of 100,000 probes", "tools", value("report/wall"), 0.5, "{:.2f} s"),
    Goal("`classhook report` of one timed class", "tools", value("small/wall"), 0.1, "{:.2f} s"),
    Goal("`classhook --help`", "tools", value("help/wall"), 0.1, "{:.2f} s"),
]


def goals(results: dict[str, Results]) -> str:
    """The table; missed goals are marked."""
    rows = []
    for goal in GOALS:
        part = results[goal.part]
        ours, theirs = goal.ours(part), goal.theirs(part)
        missed = ", **missed**" if ours and ours.median > goal.limit else ""
        note = goal.note(part) if ours else ""
        peer = f"{goal.peer}: {theirs.text(goal.form)}" if goal.peer else ""
        rows.append([goal.what, ours.text(goal.form) + note, re.sub("{.*}", f"{goal.limit:g}", goal.form) + missed, peer])
    return table(["what", "classhook", "goal", "peer, in the same runs"], rows)
