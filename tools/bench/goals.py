"""Goals beside measured figures: one line each, with the peer's figure from the same runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tools.bench import attaching, coverage, handlers, moobench, programs, truth
from tools.bench.figures import Figure, Results, table
from tools.bench.previous import Previous
from tools.bench.sampled_programs import PROGRAMS
from tools.bench.startup import FIRST_WITH_METHOD_TIMING, PEERS

#: Computes a figure from a part's results.
Reading = Callable[[Results], Figure]


@dataclass(frozen=True, slots=True)
class Goal:
    """`case`: where it is measured, such as a JDK or a program; `limit`: the median should not exceed it; `form`: how a
    value is written; `note`: further text beside classhook's figure."""

    what: str
    case: str
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


def in_moobench(name: str) -> Reading:
    return lambda results: moobench.each(results, name)


def python(release: str, name: str) -> Callable[[Results], str]:
    """Makes a note that says in how many runs Python was started."""

    def note(results: Results) -> str:
        started = sum(took > 0 for took in results.figure(release, name, "python").values)
        return (
            f", Python started in {started} of {len(results.figure(release, name, 'python').values)} runs"
            if started
            else ", Python not started"
        )

    return note


def has_peer(release: str, name: str) -> bool:
    """Returns whether the JDK of this release supports a peer."""
    return name != "jfr" or int(release) >= FIRST_WITH_METHOD_TIMING


def of_startup(release: str) -> list[Goal]:
    def wall(name: str) -> Reading:
        return minus(f"{release}/{name}/wall", f"{release}/bare/wall", 1e3)

    def resident(name: str) -> Reading:
        return minus(f"{release}/{name}/resident", f"{release}/bare/resident")

    def goal(what: str, reading: Callable[[str], Reading], name: str, limit: float, form: str, peer: str = "") -> Goal:
        known = peer if has_peer(release, peer) else ""
        said = python(release, name) if reading is wall else lambda _: ""
        return Goal(
            f"Hello, {what}",
            f"JDK {release}",
            "startup",
            reading(name),
            limit,
            form,
            PEERS.get(known, ""),
            reading(known),
            said,
        )

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
        return Goal(
            f"`{probe}`, {loop}",
            f"JDK {release}",
            "probes",
            ours,
            limit,
            "{:.2f} ns",
            PEERS.get(known, ""),
            theirs,
        )

    return [
        *(
            goal(f"call, {how}, {threads}", probe, limit, "jacoco")
            for probe in ("count", "profile")
            for how, limit in (("not inlined", 1.0), ("inlined", 0.2))
            for threads in ("1 thread", "2 threads")
        ),
        Goal(
            "a timed call, not inlined, the fastest of many batches",
            f"JDK {release}",
            "floor",
            minus(f"{release}/time/ns", f"{release}/bare/ns"),
            20,
            "{:.1f} ns",
            "two readings of the counter, each in a native method",
            minus(f"{release}/around/ns", f"{release}/bare/ns"),
        ),
        *(goal(f"call, not inlined, {threads}", "time", 25, "jfr") for threads in ("1 thread", "2 threads")),
        goal("new, 1 thread", "alloc", 1),
    ]


def of_handlers(release: str) -> list[Goal]:
    def beyond(name: str) -> Reading:
        return lambda results: handlers.beyond(results, release, name)

    def tenth(name: str) -> Goal:
        def share(results: Results) -> Figure:
            return beyond("queued")(results).over(beyond(name)(results))

        return Goal(
            f"a queued event, as a share of {handlers.TITLES[name]}",
            f"JDK {release}",
            "handlers",
            share,
            0.1,
            "{:.2f}",
        )

    peers = [
        name for name in handlers.TITLES if name.startswith(("btrace", "byteman")) and not name.endswith("compiled")
    ]
    return [
        *(
            Goal(f"{handlers.TITLES[name]}, not shown", f"JDK {release}", "handlers", beyond(name), 10, "{:.1f} ns")
            for name in ("number", "string", "field", "further")
        ),
        *map(tenth, peers),
    ]


def of_program(name: str, limit: float, profiled: float) -> list[Goal]:
    """`limit`: of `count`; `profiled`: of `profile`."""
    found = []
    for kind, what in (("wall", "wall"), ("cpu", "CPU time")):
        ours, bare, jacoco = (f"{name}/{label}/{kind}" for label in ("count", "bare", "jacoco"))
        found += [
            Goal(
                f"`count **::*`, {what} over bare",
                name,
                "programs",
                over(ours, bare),
                limit,
                "x{:.2f}",
                "JaCoCo's coverage",
                over(jacoco, bare),
            ),
            Goal(
                f"`profile **::*`, {what} over bare",
                name,
                "programs",
                over(f"{name}/profile/{kind}", bare),
                profiled,
                "x{:.2f}",
            ),
        ]
    return found


def of_attaching(release: str) -> list[Goal]:
    def first(tool: str) -> Reading:
        return value(release, tool, "first")

    return [
        Goal(
            "attaching: until the first figure",
            f"JDK {release}",
            "attaching",
            first("count"),
            0.4,
            "{:.2f} s",
            "Byteman",
            first("byteman"),
        ),
        Goal(
            "attaching: 30,000 classes are changed",
            f"JDK {release}",
            "attaching",
            value(release, "30000", "attach"),
            8,
            "{:.1f} s",
        ),
        *(
            Goal(
                f"attaching: longest stop, {n:,} classes",
                f"JDK {release}",
                "attaching",
                value(release, str(n), "longest"),
                50,
                "{:.0f} ms",
            )
            for n in attaching.CLASSES
        ),
    ]


def of_truth(program: str) -> list[Goal]:
    """Goals: a report is further from the truth than a run of async-profiler by 0.05 at most, and one of the ten
    heaviest methods may be another."""

    def further(by: str, place: str = "") -> Reading:
        def read(results: Results) -> Figure:
            noise, ours = (results.figure(program, of, f"distance{place}") for of in ("async", by))
            return Figure(tuple(one - noise.median for one in ours.values)) if noise else Figure(())

        return read

    def others(by: str) -> Reading:
        return lambda results: Figure(tuple(truth.TOP - one for one in results.figure(program, by, "top").values))

    return [
        Goal(
            "`profile`: further from the truth than a run of async-profiler",
            program,
            "truth",
            further("profile"),
            0.05,
            "{:.2f}",
        ),
        *(
            Goal(
                f"`cpu`: further from the truth than a run of async-profiler, {what}",
                program,
                "truth",
                further("cpu", place),
                goal,
                "{:.2f}",
            )
            for place, what, goal in (("/leaf", "the method called last", 0.03), ("/three", "the last three", 0.08))
        ),
        Goal(
            f"`profile`: of the {truth.TOP} heaviest methods, others than in truth",
            program,
            "truth",
            others("profile"),
            1,
            "{:.0f}",
            "a run of async-profiler",
            others("async"),
        ),
        *(
            Goal(
                f"`{label}`: CPU time over {what}",
                program,
                "truth",
                over(f"{program}/{label}/cpu", f"{program}/{base}/cpu"),
                limit,
                "x{:.2f}",
            )
            for label, what, base, limit in (("profile", "`count`", "count", 1.04), ("cpu", "bare", "bare", 1.02))
        ),
    ]


def of_coverage(release: str) -> list[Goal]:
    found = []
    for program in ("h2", "ecj", "maven"):
        place = f"{release}/{program}"
        for name, limit in (("cold", 1), ("warm", 0.3), ("hits", 1)):
            found.append(
                Goal(
                    f"{coverage.NAMES[name]}: wall over bare, as a share of JaCoCo's",
                    f"{program}, JDK {release}",
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
        found.append(
            Goal(
                f"{coverage.NAMES[name]}: over bare",
                f"Hello, JDK {release}",
                "coverage",
                ours,
                limit,
                "{:+.1f} ms",
                "JaCoCo",
                theirs,
            )
        )
    for name in ("cold", "warm"):
        ours, theirs = (
            minus(f"{release}/h2/{one}/resident", f"{release}/h2/bare/resident") for one in (name, "jacoco")
        )
        found.append(
            Goal(
                f"{coverage.NAMES[name]}: resident over bare",
                f"h2, JDK {release}",
                "coverage",
                ours,
                25,
                "{:+.0f} MB",
                "JaCoCo",
                theirs,
            )
        )
    for loop in map(str, coverage.LOOPS):
        ours, theirs = (minus(f"{release}/{loop}/{one}/ns", f"{release}/{loop}/bare/ns") for one in ("cover", "jacoco"))
        found.append(Goal(f"`cover`, {loop}", f"JDK {release}", "coverage", ours, 0.3, "{:.2f} ns", "JaCoCo", theirs))
    return found


GOALS = [
    *(goal for release in ("17", "25") for goal in of_startup(release)),
    Goal(
        "weaving, `count` on every method, from hook entry to hook return, as a part of ASM's time for a call at each"
        " entry",
        "",
        "weaving",
        over("hook/count/us", "asm/count/us"),
        0.5,
        "x{:.2f}",
    ),
    Goal("the same, the weaver alone", "", "weaving", over("compiled/count/us", "asm/count/us"), 0.5, "x{:.2f}"),
    *(goal for release in ("17", "25") for goal in of_probes(release)),
    *(
        Goal(
            f"a call in MooBench, `{rule}`",
            "",
            "moobench",
            in_moobench(name),
            60,
            "{:.1f} ns",
            moobench.NAMES["kieker"],
            in_moobench("kieker"),
        )
        for name, rule in (("time", "time"), ("tree", "time ... tree"))
    ),
    *(goal for release in ("17", "25") for goal in of_handlers(release)),
    *of_program("h2", 1.08, 1.20),
    *of_program("ecj", 1.12, 1.15),
    Goal(
        "`profile **::*`, CPU time over bare",
        programs.LONG,
        "programs",
        over(f"{programs.LONG}/profile/cpu", f"{programs.LONG}/bare/cpu"),
        1.30,
        "x{:.2f}",
    ),
    Goal("`time **::*`, CPU time over bare", "h2", "programs", over("h2/time/cpu", "h2/bare/cpu"), 3, "x{:.2f}"),
    *(
        Goal(
            f"`{rule} **::*`: resident memory over bare",
            "h2",
            "programs",
            minus(f"h2/{rule}/resident", "h2/bare/resident"),
            limit,
            "{:+.0f} MB",
            "JaCoCo's coverage",
            minus("h2/jacoco/resident", "h2/bare/resident"),
        )
        for rule, limit in (("count", 5), ("time", 20))
    ),
    *(
        Goal(
            f"`{rule}`, 1,500 busy threads, each in 300 methods: resident memory over bare",
            "",
            "growth",
            minus(f"busy/1500/{rule}/resident", "busy/1500/bare/resident"),
            limit,
            "{:+.0f} MB",
        )
        for rule, limit in (("count", 50), ("time", 150))
    ),
    *(goal for release in ("17", "25") for goal in of_attaching(release)),
    *(goal for program in PROGRAMS for goal in of_truth(program)),
    Goal(
        "first run of Spring Boot with `count **::*`, as a part of JaCoCo's",
        "",
        "first",
        over("spring/cold/wall", "spring/jacoco/wall"),
        1.1,
        "x{:.2f}",
    ),
    Goal(
        "first run of Scala's compiler with `count **::*`, over bare",
        "",
        "first",
        over("scalac/cold/wall", "scalac/bare/wall"),
        3,
        "x{:.2f}",
    ),
    *(goal for release in ("17", "25") for goal in of_coverage(release)),
    *(
        Goal(
            f"`coverage -f {what}`, {coverage.CLASSES:,} classes",
            "",
            "coverage",
            value(f"report/{name}/wall"),
            limit,
            "{:.1f} s",
        )
        for (name, what), limit in zip(coverage.REPORTS.items(), (2, 5, 2.5), strict=True)
    ),
    Goal("`classhook weave` of 20,000 classes", "", "tools", value("weave/wall"), 3, "{:.2f} s"),
    Goal("`classhook report -f json` of 100,000 probes", "", "tools", value("report/wall"), 0.5, "{:.2f} s"),
    Goal("`classhook report` of one timed class", "", "tools", value("small/wall"), 0.1, "{:.2f} s"),
    Goal("`classhook --help`", "", "tools", value("help/wall"), 0.1, "{:.2f} s"),
]


def goals(results: dict[str, Results], before: Previous) -> str:
    """The table of the goals that are missed, or not measured; cases with the same goal share a row. Figures of parts
    without results are those of the page before."""
    rows: dict[tuple[str, str], list[str]] = {}
    for goal in GOALS:
        part, key = results[goal.part], (goal.what, limit(goal))
        if part.values or goal.part not in before.measured:
            figure = goal.ours(part)
            said = "" if figure and figure.median <= goal.limit else ours(goal, part)
        else:
            said = before.goals.get(key, {}).get(goal.case, "")
        if said:
            rows.setdefault(key, []).append(f"{goal.case}: {said}" if goal.case else said)
    return table(["what", "classhook", "goal"], [[what, "; ".join(said), most] for (what, most), said in rows.items()])


def all_goals(results: dict[str, Results]) -> str:
    """The table of all goals, with their peers."""
    rows = []
    for goal in GOALS:
        part = results[goal.part]
        peer = f"{goal.peer}: {goal.theirs(part).text(goal.form)}" if goal.peer else ""
        rows.append([", ".join(filter(None, (goal.what, goal.case))), ours(goal, part), limit(goal), peer])
    return table(["what", "classhook", "goal", "peer, in the same runs"], rows)


def ours(goal: Goal, part: Results) -> str:
    figure = goal.ours(part)
    return figure.text(goal.form) + (goal.note(part) if figure else "")


def limit(goal: Goal) -> str:
    return re.sub("{.*}", f"{goal.limit:g}", goal.form)
