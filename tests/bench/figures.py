"""What was measured: values by name, as they came, and the figures made of them.

1. A part of the benchmarks measures variants by turns, so that what else the machine does hits all alike, and adds each value to its
   results under a name like `17/bare/wall`.
2. The results of a part are kept in a file, so that one part can be measured again without the others.
3. A figure is a median with the lowest and highest value; differences and ratios are taken turn by turn, then their median.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

KEPT = Path(__file__).parent.parent.parent / "build" / "bench"

#: What one measurement of a variant gives, by name.
Values = Mapping[str, float]


class BenchError(Exception):
    """What could not be measured; the text says why."""


def runs(usual: int = 7) -> int:
    """How often each variant runs. CLASSHOOK_BENCH_RUNS makes it shorter, for a look."""
    return int(os.environ.get("CLASSHOOK_BENCH_RUNS", usual))


@dataclass(frozen=True, slots=True)
class Figure:
    """Several measurements of one thing; none where it could not be measured."""

    values: tuple[float, ...]

    def __bool__(self) -> bool:
        return bool(self.values)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def minus(self, other: Figure) -> Figure:
        """Differences of runs made side by side."""
        return Figure(tuple(a - b for a, b in zip(self.values, other.values, strict=False)))

    def over(self, other: Figure) -> Figure:
        """Ratios of runs made side by side."""
        return Figure(tuple(a / b for a, b in zip(self.values, other.values, strict=False)))

    def text(self, form: str) -> str:
        """Median and spread in a form like `{:+.1f} ms`."""
        if not self.values:
            return "not measured"
        number = form[form.index("{") : form.index("}") + 1]
        spread = f" ({number.format(min(self.values))} .. {number.format(max(self.values))})" if len(self.values) > 1 else ""
        return form.format(self.median) + spread


@dataclass(slots=True)
class Results:
    """What a part measured. `facts`: what it was measured on; `absent`: what could not be measured, and why."""

    part: str
    date: str = ""
    load: float = 0  # of the machine when it began
    seconds: float = 0
    values: dict[str, list[float]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)

    def figure(self, *name: str) -> Figure:
        return Figure(tuple(self.values.get("/".join(name), ())))

    def minus(self, name: str, other: str) -> Figure:
        return self.figure(name).minus(self.figure(other))

    def over(self, name: str, other: str) -> Figure:
        return self.figure(name).over(self.figure(other))

    def names(self, place: int) -> list[str]:
        """The different words at a place of the values' names, as they came."""
        return list(dict.fromkeys(name.split("/")[place] for name in self.values))

    def by_turns(self, variants: dict[str, Callable[[], Values]], turns: int, what: str) -> None:
        """Measures the variants by turns, there and back; one that fails is absent."""
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
        """How many runs its figures are of."""
        most = max(map(len, self.values.values()), default=0)
        return f"{most} run{'s' if most != 1 else ''} by turns"


def kept(part: str) -> Results:
    """What a part measured last; without values if it never did."""
    path = KEPT / f"{part}.json"
    return Results(**json.loads(path.read_text())) if path.exists() else Results(part)


def measured(part: str, measure: Callable[[Results], None]) -> Results:
    """Runs a part and keeps its results."""
    start, results = time.monotonic(), Results(part, date.today().isoformat(), os.getloadavg()[0])
    try:
        measure(results)
    except BenchError as error:
        results.absent["the rest"] = str(error)
    results.seconds = time.monotonic() - start
    if results.values:
        results.keep()
    return results


def counted(turns: int, what: str) -> Iterator[int]:
    """0 to turns - 1, and on a terminal how far it is."""
    for turn in range(turns):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{what}, turn {turn + 1} of {turns}", end="", file=sys.stderr, flush=True)
        yield turn
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def table(heads: list[str], rows: list[list[str]]) -> str:
    """As Markdown has it."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows))
