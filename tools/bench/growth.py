"""The growth of costs with a program: by its threads, classes, calls, the depth of its stacks, its keys and contexts.

Each series changes one number and keeps the work. What is shown is the cost of one unit of the work beyond a bare run,
so a flat line grows with the work, and a rising one faster than it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from classhook.store.data_file import DataFile
from tools.bench.common import ROOT, Agent, compiled, oldest, run
from tools.bench.figures import BenchError, Figure, Results, Values, runs, table

IMAGE = ROOT / "docs" / "images" / "growth.svg"
UNITS = {"ns": 1e9, "us": 1e6}  # of a second
MB, BLOCK = 1e6, 512  # bytes
CALLS = 20_000_000
START = 0  # stands for a program that does next to nothing


@dataclass(frozen=True, slots=True)
class Series:
    """`what`: the program's word; `numbers`: how many of it; `rounds`: the work, 0 if the number is the work; `unit`:
    what the cost is for; `rules`: by name; `options`: of the JVM."""

    title: str
    what: str
    numbers: tuple[int, ...]
    rounds: int
    unit: str
    rules: dict[str, tuple[str, ...]]
    options: tuple[str, ...] = ()


CONTEXT = ("context Growth::keyed by arg0", "count Growth::leaf")
SERIES = {
    "threads": Series(
        "Threads at once",
        "threads",
        (1, 10, 100, 500, 1500),
        CALLS,
        "ns a call",
        {name: (f"{name} Growth::leaf, Growth::calls",) for name in ("count", "time", "profile")},
    ),
    "busy": Series(
        "Threads at once, each in 300 methods",
        "busy",
        (1, 10, 100, 500, 1500),
        CALLS,
        "ns a call",
        {name: (f"{name} Growth$*::*",) for name in ("count", "time")},
    ),
    "classes": Series(
        "Classes, woven at their first start",
        "classes",
        (100, 1_000, 10_000, 100_000),
        0,
        "us a class",
        {"count": ("count Growth*::*",), "time": ("time Growth*::*",), "cover": ("cover Growth*",)},
    ),
    "depth": Series(
        "Depth of stacks",
        "depth",
        (1, 10, 100, 1_000, 4_000),
        CALLS,
        "ns a call",
        {"time": ("time Growth::*",), "time tree": ("time Growth::* tree",), "profile": ("profile Growth::*",)},
        ("-Xss64m",),
    ),
    "keys": Series(
        "Keys",
        "keys",
        (1, 10, 100, 1_000, 10_000, 100_000),
        CALLS,
        "ns a call",
        {"count by": ("count Growth::keyed by arg0",), "time by": ("time Growth::keyed by arg0",)},
    ),
    "contexts": Series(
        "Contexts", "keys", (1, 10, 100, 1_000, 10_000, 100_000), CALLS // 10, "ns a context", {"context": CONTEXT}
    ),
    "calls": Series(
        "Calls",
        "calls",
        (100_000, 1_000_000, 10_000_000, 100_000_000),
        0,
        "ns a call",
        {
            "count": ("count Growth::leaf",),
            "time": ("time Growth::leaf",),
            "profile": ("profile Growth::leaf, Growth::calls",),
        },
    ),
}


def file_size(file: DataFile) -> Values:
    return {"file": file.path.stat().st_blocks * BLOCK / MB}


def words_of(series: Series, number: int, rounds: int) -> list[str]:
    return [
        "-Xmx1g",
        *series.options,
        "-cp",
        str(compiled("Growth.java")),
        "Growth",
        series.what,
        str(number),
        str(rounds),
    ]


def measure(results: Results) -> None:
    release, java = oldest()
    results.facts = {"release": release}
    for name, series in SERIES.items():
        for number in (START, *series.numbers):
            words = words_of(series, max(number, 1), 1 if number == START else series.rounds)
            variants: dict[str, Callable[[], Values]] = {f"{name}/{number}/bare": partial(run, [java, *words])}
            for label, rules in series.rules.items():
                variants[f"{name}/{number}/{label}"] = partial(Agent(rules).run, java, words, file_size)
            results.by_turns(variants, runs(3), f"{name}, {number:,}")
    if results.values:
        draw(results, IMAGE)


def cost(results: Results, name: str, number: int, label: str) -> Figure:
    """CPU time of a unit of the work beyond a bare run, without what the agent takes for a program that does
    nothing."""
    series = SERIES[name]
    beyond = results.minus(f"{name}/{number}/{label}/cpu", f"{name}/{number}/bare/cpu")
    start = results.minus(f"{name}/{START}/{label}/cpu", f"{name}/{START}/bare/cpu")
    return Figure(
        tuple(seconds * UNITS[series.unit[:2]] / (series.rounds or number) for seconds in beyond.minus(start).values)
    )


def draw(results: Results, path: Path) -> None:
    """A plot for each series. Raises BenchError if matplotlib is missing."""
    try:
        from matplotlib.figure import Figure as Drawing
    except ImportError:
        raise BenchError("no plots without matplotlib: pip install matplotlib") from None
    drawing = Drawing(figsize=(14, 7), layout="constrained")
    plots = list(drawing.subplots(2, 4).flat)
    for unused in plots[len(SERIES) :]:
        unused.remove()
    for plot, (name, series) in zip(plots, SERIES.items(), strict=False):
        for label in series.rules:
            costs = [cost(results, name, number, label) for number in series.numbers]
            known = [(number, one) for number, one in zip(series.numbers, costs, strict=True) if one]
            middle = [one.median for _, one in known]
            spread = [
                [one.median - min(one.values) for _, one in known],
                [max(one.values) - one.median for _, one in known],
            ]
            plot.errorbar([number for number, _ in known], middle, spread, marker="o", capsize=3, label=label)
        plot.set(title=series.title, xscale="log", ylabel=series.unit)
        plot.set_ylim(bottom=min(0, plot.get_ylim()[0]))
        plot.grid(alpha=0.3)
        plot.legend()
    path.parent.mkdir(exist_ok=True)
    drawing.savefig(path, metadata={"Date": None, "Creator": None})


def tables(results: Results) -> str:
    rows = []
    for name, series in SERIES.items():
        for label in series.rules:
            ends = [cost(results, name, number, label) for number in (series.numbers[0], series.numbers[-1])]
            if not all(ends):
                continue
            last = f"{name}/{series.numbers[-1]}"
            more = results.minus(f"{last}/{label}/resident", f"{last}/bare/resident")
            numbers = f"{series.numbers[0]:,} to {series.numbers[-1]:,}"
            unit = series.unit.partition(" ")[0]
            cells = [
                *(one.text(f"{{:.1f}} {unit}") for one in ends),
                more.text("{:+.0f} MB"),
                results.figure(last, label, "file").text("{:.1f} MB"),
            ]
            rows.append([series.title, f"`{label}`", numbers, *cells])
    heads = ["by", "rule", "from", "cost of a unit at the least", "at the most", "memory at the most", "data file"]
    return f"![how costs grow](../images/{IMAGE.name})\n\n" + table(heads, rows)
