"""The rows of methods: timed, profiled and counted ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import hypot, sqrt
from typing import TYPE_CHECKING, Any

from classhook.model.call_tree import Sampled
from classhook.model.estimates import Spread, of_record, sampled
from classhook.model.rows import RowKind
from classhook.model.time_histogram import Histogram
from classhook.native._layout import lib

if TYPE_CHECKING:
    from classhook.model.class_reader import ClassReader
    from classhook.store.region import Block

NO_MINIMUM = (1 << 64) - 1
MOSTLY = 8  # times the cost of timing: what remains of a tiny method's time where interruptions are in it
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}

#: The functions that make one number of those of a group's rows.
SUMS = (
    "calls",
    "completed",
    "outermost",
    "left",
    "exceptions",
    "total_ns",
    "self_ns",
    "probes_ns",
    "timings",
    "not_timed",
    "callee_squares",
    "resumptions",
)
SQUARES = ("total_error", "self_error")
MARKS = (
    "timed",
    "estimated",
    "profiled",
    "exceptions_unknown",
    "total_bound",
    "total_mostly_probes",
    "recursed",
    "total_unknown",
    "self_unknown",
)
LARGEST = ("max_ns", "sample", "floor_ns")


@dataclass(init=False)
class MethodRow:
    """A method's counts; times in ns. `timed` is false if it was only counted.

    `left`: activations that have ended, but no probe could see it; they are not in `completed`.
    `sample`: at the end one activation in this many was timed; `estimated`: not all were, and times are estimates with
    these standard errors. `probes_ns`: of the `timings` activations that were timed and have ended, what is taken off
    their self times as the cost of timing; `outermost`: those that add to the total; `below`: the timed activations
    below these. `callee_squares`: the variance of `self_ns`, where timed methods that it called stand for others.
    `total_mostly_probes`: of the time from entry to exit, too, most was the cost of timing. `untimed`: calls in
    processes in which the method was only counted; of a timed method they are `not_timed`, too, in the end. `profiled`:
    its times are `sampled`; `exceptions_unknown`: they were not counted, at least in some class.
    `resumptions`: of a suspend function of Kotlin, the entries that were no calls; `calls` and `completed` are without
    them in the end. `total_bound`, `calls_bound`: the total, and the calls, of a group are upper bounds; `nested`:
    calls within others of the group, which are in neither `calls` nor `completed`. `recursed`: some activations were
    within others of the method, so that they are in the total of these. `total_unknown`: so were calls of which only
    some were timed. `self_unknown`: the time of the timed methods that it called is not known.
    """

    calls: int = 0
    timed: bool = False
    completed: int = 0
    left: int = 0
    exceptions: int = 0
    total_ns: int = 0
    self_ns: int = 0
    min_ns: int | None = None
    max_ns: int = 0
    rule: str = ""
    sample: int = 1
    estimated: bool = False
    total_error: int = 0
    self_error: int = 0
    callee_squares: float = 0
    probes_ns: int = 0
    timings: int = 0
    outermost: int = 0
    below: int = 0
    floor_ns: int = 0
    total_mostly_probes: bool = False
    not_timed: int = 0
    untimed: int = 0
    profiled: bool = False
    exceptions_unknown: bool = False
    resumptions: int = 0
    sampled: Sampled | None = None
    total_bound: bool = False
    calls_bound: bool = False
    nested: int = 0
    recursed: bool = False
    total_unknown: bool = False
    self_unknown: bool = False
    _quantiles: list[int] | None = None

    def __init__(self, **values: Any) -> None:
        if values:  # the others are the class's: a report may have millions of rows
            self.__dict__.update(values)

    @cached_property
    def histogram(self) -> Histogram:
        return Histogram()

    @cached_property
    def total_spread(self) -> Spread:
        return Spread()

    @cached_property
    def self_spread(self) -> Spread:
        return Spread()

    def count(self, calls: int) -> None:
        """Adds calls of a probe that takes no times."""
        self.calls += calls
        self.untimed += calls

    def add_records(self, reader: ClassReader, slot: int) -> None:
        """Adds the threads' records, which this slot points to in each block."""
        self.add_records_at(reader, reader.first_slot + slot)

    def add_records_at(self, reader: ClassReader, slot: int, first: bool = True) -> None:
        """The same, given a slot of the file. `first`: no other row has them."""
        for block, position in reader.file.holding(slot):
            reader.lived(self.add_record(block, position, reader.file.ns_per_tick, first))

    def add_record(self, block: Block, at: int, scale: float, first: bool = True) -> int:
        """Adds a record; returns its longest time in ns. Raises ValueError if it is damaged."""
        record = block.record(at)
        if record is None:
            return 0  # its part of the file is missing, which is already noted
        if first:
            block.take(at)
        of_record(self.total_spread, self.self_spread, record, scale)
        self.calls += record.calls
        self.completed += record.completed
        self.left += record.left
        self.exceptions += record.exceptions if record.calls else 0  # those of a paced method are counted in a slot
        self.total_ns += round(signed(record.total) * scale)
        self.self_ns += round(signed((record.total + record.nested_ticks - record.callees) % (1 << 64)) * scale)
        self.callee_squares += record.callee_squares * scale * scale
        timings = record.completed + sampled(record)
        self.probes_ns += round((signed(record.probes) + record.inside * timings) * scale)
        self.timings += timings
        self.outermost += record.completed - record.nested
        self.recursed |= record.nested + record.sampled_nested > 0
        self.below += record.below
        self.max_ns = max(self.max_ns, round(record.max * scale))
        if record.min != NO_MINIMUM:
            least = round(record.min * scale)
            self.min_ns = least if self.min_ns is None else min(self.min_ns, least)
        for octave, unit in enumerate(list(record.octaves)):
            steps = block.octave(unit) if unit else None
            if steps is not None:
                if first:
                    block.take(unit * lib.CH_UNIT)
                self.histogram.add_octave(octave, steps, scale)
        longest: int = round(record.max * scale)
        return longest

    def take_off(self, ns: int) -> None:
        """Takes this off each activation's time, as the cost of timing."""
        self.self_ns -= ns * self.completed
        self.total_ns = max(
            self.total_ns - ns * (self.outermost + self.below), self.self_ns
        )  # callees may have taken less than that
        self.self_spread.shift(ns)
        self.total_spread.shift(ns * (1 + self.below / self.outermost) if self.outermost else ns)
        self.probes_ns += ns * self.timings
        self.floor_ns = ns
        self.min_ns, self.max_ns = max(0, (self.min_ns or 0) - ns), max(0, self.max_ns - ns)

    def finish(self) -> None:
        """Estimates the times of the calls that were not timed."""
        if not self.timed:
            self.calls = max(0, self.calls - self.resumptions)
            return
        self.not_timed += self.untimed
        self._estimate(self.completed + self.total_spread.n)
        self.calls = max(0, self.calls - self.resumptions)
        self.completed -= min(self.resumptions, self.completed)

    def _estimate(self, timed: float) -> None:
        self.self_error = round(sqrt(self.callee_squares))
        rest = self.calls - self.not_timed - self.completed
        if self.sample == 1 or rest <= 0 or not timed:
            return
        total, self.total_error = self.total_spread.estimate(rest, self.completed, self.total_ns)
        self.total_ns += total
        self.total_unknown = self.recursed
        own, error = self.self_spread.estimate(rest, self.completed, self.self_ns)
        self.self_ns += own
        self.self_error = round(hypot(error, self.self_error))
        if not self.recursed:  # self time is part of the total
            most = max(self.total_ns, 0)
            self.self_ns = min(self.self_ns, most)
            self.self_error = min(self.self_error, most + self.total_error)
        if self.total_unknown:
            self.total_ns = self.total_error = 0
        self.completed += rest
        self.estimated = True

    def add(self, other: MethodRow) -> None:
        """Adds a row of the same section to a group's. Its total is then a bound, unless what is known of callers tells
        it."""
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in SQUARES:
            setattr(self, name, round(hypot(getattr(self, name), getattr(other, name))))
        for name in MARKS:
            setattr(self, name, getattr(self, name) or getattr(other, name))
        self.min_ns = min((one for one in (self.min_ns, other.min_ns) if one is not None), default=None)
        for name in LARGEST:
            setattr(self, name, max(getattr(self, name), getattr(other, name)))
        if "histogram" in other.__dict__:
            self.histogram.add(other.histogram)
        self._quantiles = None

    def nest(self, calls: int) -> None:
        """Takes off this many calls of the group, which are within others of it."""
        self.nested = calls
        self.calls -= calls
        self.completed -= min(calls, self.completed)

    def quantiles(self) -> list[int]:
        """The times of PERCENTILES."""
        if self._quantiles is None:
            self._quantiles = self.percentiles(list(PERCENTILES.values()))
        return self._quantiles

    @property
    def self_estimated(self) -> bool:
        """True if its self time is an estimate: also if all its own calls were timed, but not all of those that it
        called."""
        return self.estimated or self.callee_squares > 0

    @property
    def mostly_probes(self) -> bool:
        """True if more was taken off its self time than remains, by more than the error of what remains. Where other
        programs run, a thread may be interrupted in any call, and some such calls are most of the time of a tiny
        method: so this is also true where it holds for nine of ten calls, if the cost of timing explains the rest."""
        if not self.timings:
            return False
        remains, ended = self.self_ns + self.self_error, self.completed + self.resumptions
        if remains * self.timings < self.probes_ns * ended:
            return True
        explained = bool(self.histogram.counts) and remains * self.timings < MOSTLY * self.probes_ns * ended
        return explained and self.quantiles()[1] * self.timings < self.probes_ns

    def percentiles(self, which: list[float]) -> list[int]:
        """The times in ns that these fractions of the activations did not exceed."""
        found = self.histogram.percentiles(which, (self.min_ns or 0) + self.floor_ns, self.max_ns + self.floor_ns)
        return [max(0, ns - self.floor_ns) for ns in found]


def signed(word: int) -> int:
    """A 64-bit word as a signed number."""
    return word - (1 << 64) if word >> 63 else word


def ran(row: MethodRow) -> bool:
    """True if it was called, or, if it is profiled, seen: samples see calls that began before they were counted."""
    seen = row.sampled if row.profiled else None
    return row.calls > 0 or (seen is not None and (seen.cpu_total > 0 or seen.wall_total > 0))


METHODS = RowKind(
    name="methods",
    row=MethodRow,
    ran=ran,
    add=MethodRow.add,
    finish=MethodRow.finish,
    counted=lambda row: row.calls,
)
