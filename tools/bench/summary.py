"""The ten lines at the top of the page: medians of JDK 17, beside the peer of the same runs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.bench import handlers
from tools.bench.figures import Results, table
from tools.bench.goals import GOALS, Reading, minus, over, value
from tools.bench.previous import Previous


@dataclass(frozen=True, slots=True)
class Line:
    """`peer`: what the other figure is of, and how it is written."""

    what: str
    part: str
    ours: Reading
    form: str
    peer: str = ""
    theirs: Reading | None = None


def started(name: str) -> Reading:
    return minus(f"17/{name}/wall", "17/bare/wall", 1e3)


def probe(name: str, loop: str = "call, not inlined, 1 thread", release: str = "17") -> Reading:
    return minus(f"{release}/{loop}/{name}/ns", f"{release}/{loop}/bare/ns")


def on_h2(name: str) -> Reading:
    return over(f"h2/{name}/wall", "h2/bare/wall")


def covered(name: str) -> Reading:
    return over(f"17/h2/{name}/wall", "17/h2/bare/wall")


LINES = [
    Line(
        "start of a JVM, with rules that match nothing",
        "startup",
        started("nothing"),
        "{:+.0f} ms",
        "JaCoCo",
        started("jacoco"),
    ),
    Line("start of a JVM, one class timed, first run", "startup", started("cold"), "{:+.0f} ms"),
    Line("the same, later runs", "startup", started("warm"), "{:+.0f} ms"),
    Line(
        "weaving a class, `count` on every method",
        "weaving",
        value("hook/count/us"),
        "{:.0f} us",
        "ASM in a fresh JVM, one call",
        value("asm/count/us"),
    ),
    Line("a call, `count`", "probes", probe("count"), "{:.1f} ns", "JaCoCo's probe", probe("jacoco")),
    Line(
        "a call, `time`",
        "probes",
        probe("time"),
        "{:.0f} ns",
        "JFR's method timing, JDK 25",
        probe("jfr", release="25"),
    ),
    Line(
        "a call, `watch` with a condition that is false",
        "handlers",
        lambda results: handlers.beyond(results, "17", "field"),
        "{:.1f} ns",
    ),
    Line("H2, `count` on every method", "programs", on_h2("count"), "x{:.2f}"),
    Line("H2, `profile` on every method", "programs", on_h2("profile"), "x{:.2f}"),
    Line("H2, `time` on every method", "programs", on_h2("time"), "x{:.1f}"),
    Line("H2, `cover` on every class, cache warm", "coverage", covered("warm"), "x{:.2f}", "JaCoCo", covered("jacoco")),
]


def summary(results: dict[str, Results], before: Previous) -> str:
    """The table, and how many goals were met. The lines of parts without results are those of the page before."""

    def median(reading: Reading, part: str, form: str) -> str:
        figure = reading(results[part])
        return form.format(figure.median) if figure else "not measured"

    rows = []
    for line in LINES:
        if not results[line.part].values and line.what in before.lines:
            rows.append(before.lines[line.what])
            continue
        peer = f"{line.peer}: {median(line.theirs, line.part, line.form)}" if line.theirs else ""
        rows.append([line.what, median(line.ours, line.part, line.form), peer])
    return f"{table(['what', 'classhook', 'peer, in the same runs'], rows)}\n\n{met(results, before)}"


def met(results: dict[str, Results], before: Previous) -> str:
    """The sentence that says how many goals are met; that of the previous page, if a part lacks results."""
    said = re.search(r"Of \d+ measured.*", before.fields.get("summary", ""))
    if said and not all(results[goal.part].values for goal in GOALS):
        return said[0]
    measured = [figure.median <= goal.limit for goal in GOALS if (figure := goal.ours(results[goal.part]))]
    return f"Of {len(measured)} measured [goals](#goals), {sum(measured)} are met."
