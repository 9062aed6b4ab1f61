"""Measured values by name, in the order measured, and the figures computed from them.

1. A part of the benchmarks measures variants in turns, so that other load on the machine affects all alike. It adds
   each value to its results under a name like `17/bare/wall`.
2. The results of a part are kept in a file, so that one part can be measured again without the others.
3. A figure is a median with the lowest and highest value; differences and ratios are computed for each turn, then their
   median.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

KEPT = Path(__file__).parent / "results"

RUNS, PROGRAMS = "CLASSHOOK_BENCH_RUNS", "CLASSHOOK_BENCH_PROGRAMS"
REDUCED = {RUNS, PROGRAMS}  # results of fewer runs or programs are not kept

#: Values that are closer together than this part of their median are shown as the median alone.
NARROW = 0.1

NOT_MEASURED = "not measured"
#: The values of one measurement of a variant, by name.
Values = Mapping[str, float]


class BenchError(Exception):
    """Something could not be measured; the text says why."""


def runs(usual: int = 7) -> int:
    """The number of runs of each variant. CLASSHOOK_BENCH_RUNS reduces it for a quick check."""
    return int(os.environ.get(RUNS, usual))


@dataclass(frozen=True, slots=True)
class Figure:
    """Several measurements of one thing; none if it could not be measured."""

    values: tuple[float, ...]

    def __bool__(self) -> bool:
        return bool(self.values)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def minus(self, other: Figure) -> Figure:
        """Differences between runs of the same turn."""
        return Figure(tuple(a - b for a, b in zip(self.values, other.values, strict=False)))

    def over(self, other: Figure) -> Figure:
        """Ratios between runs of the same turn."""
        return Figure(tuple(a / b for a, b in zip(self.values, other.values, strict=False)))

    def text(self, form: str) -> str:
        """The median in a form like `{:+.1f} ms`, and the lowest and highest value if they are far apart."""
        if not self.values:
            return NOT_MEASURED
        number = form[form.index("{") : form.index("}") + 1]
        ends = [number.format(value) for value in (min(self.values), max(self.values))]
        wide = max(self.values) - min(self.values) > NARROW * abs(self.median) and ends[0] != ends[1]
        return form.format(self.median) + (f" ({'…'.join(ends)})" if wide else "")


@dataclass(slots=True)
class Results:
    """A part's results. `facts`: what it was measured on; `absent`: what could not be measured, and why; `processor`:
    the machine's."""

    part: str
    date: str = ""
    load: float = 0  # of the machine when it began
    seconds: float = 0
    values: dict[str, list[float]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    processor: str = ""

    def figure(self, *name: str) -> Figure:
        return Figure(tuple(self.values.get("/".join(name), ())))

    def minus(self, name: str, other: str) -> Figure:
        return self.figure(name).minus(self.figure(other))

    def over(self, name: str, other: str) -> Figure:
        return self.figure(name).over(self.figure(other))

    def names(self, place: int) -> list[str]:
        """The distinct words at this position of the values' names, in order of appearance."""
        return list(dict.fromkeys(name.split("/")[place] for name in self.values))

    def by_turns(self, variants: dict[str, Callable[[], Values]], turns: int, what: str) -> None:
        """Measures the variants in turns, forward and backward; one that fails is noted as absent."""
        for turn in counted(turns, f"{self.part}: {what}"):
            for name in list(variants) if turn % 2 == 0 else reversed(variants):
                if name in self.absent:
                    continue
                try:
                    for kind, value in variants[name]().items():
                        self.values.setdefault(f"{name}/{kind}", []).append(value)
                except BenchError as error:
                    self.absent[name] = str(error)
                    self.values = {key: value for key, value in self.values.items() if not key.startswith(f"{name}/")}

    def keep(self) -> None:
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / f"{self.part}.json").write_text(json.dumps(asdict(self), indent=1) + "\n")

    @property
    def turns(self) -> str:
        """The number of runs that the figures are based on, in words."""
        most = max(map(len, self.values.values()), default=0)
        return f"{most} run{'s' if most != 1 else ''} by turns"


def kept(part: str) -> Results:
    """The last results of a part; empty if it was never measured."""
    path = KEPT / f"{part}.json"
    return Results(**json.loads(path.read_text())) if path.exists() else Results(part)


def measured(part: str, measure: Callable[[Results], None]) -> Results:
    """Runs a part and keeps its results."""
    start = time.monotonic()
    results = Results(part, date.today().isoformat(), os.getloadavg()[0], processor=processor())
    try:
        measure(results)
    except BenchError as error:
        results.absent["the rest"] = str(error)
    results.seconds = time.monotonic() - start
    if results.values and not REDUCED & os.environ.keys():
        results.keep()
    return results


def processor() -> str:
    """This machine's."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def counted(turns: int, what: str) -> Iterator[int]:
    """Yields 0 to turns - 1, and shows progress on a terminal."""
    for turn in range(turns):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{what}, turn {turn + 1} of {turns}", end="", file=sys.stderr, flush=True)
        yield turn
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def side_by_side(labels: list[str], values: list[str], rows: list[list[str]]) -> str:
    """A table in which each value has a column for each JDK. A row begins with the JDK, then its labels and values; a
    column without any value is left out."""
    releases = list(dict.fromkeys(row[0] for row in rows))
    found = {(row[0], *row[1 : len(labels) + 1]): row[len(labels) + 1 :] for row in rows}
    kinds = list(dict.fromkeys(key[1:] for key in found))
    columns = [(place, release) for place in range(len(values)) for release in releases]
    cells = {one: [found.get((one[1], *kind), [""] * len(values))[one[0]] for kind in kinds] for one in columns}
    shown = [one for one in columns if any(cells[one])]
    heads = [f"{values[place]}, JDK {release}" for place, release in shown]
    return table([*labels, *heads], [[*kind, *(cells[one][n] for one in shown)] for n, kind in enumerate(kinds)])


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    line = f"|{'---|' * len(heads)}"
    return "\n".join([f"| {' | '.join(heads)} |", line, *(f"| {' | '.join(cells)} |" for cells in rows)])
