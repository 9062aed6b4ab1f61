"""What a report says: processes, and for each method, site and rule a row of sums."""

from __future__ import annotations

from dataclasses import dataclass, field

from instrument.histogram import Histogram
from rules.syntax import Rule


@dataclass(slots=True)
class Process:
    """One JVM. `start_unix_ns`: Unix time; `duration_ns`: until its end, or until it last told the time; `notes`: what is missing."""

    pid: int
    jvm: str
    jvm_name: str
    command: str
    start_unix_ns: int
    duration_ns: int
    end: str
    file: str
    python_ns: int
    weaving_ns: int
    time_cost_ns: float
    count_cost_ns: float
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class MethodRow:
    """A method's counts; times in ns. `timed` is false for one that was only counted.

    `sample`: at last one activation of so many was timed; where that is more than 1, all but `calls` are estimates.
    `over_budget`: a rule says to time it, but its activations are too short for the rule's budget, in some process at least;
    `earlier`: an earlier run found that, and it was not looked at again; `only_counted`: the calls in those processes.
    """

    calls: int = 0
    timed: bool = False
    completed: int = 0
    exceptions: int = 0
    total_ns: int = 0
    self_ns: int = 0
    min_ns: int | None = None
    max_ns: int = 0
    histogram: Histogram = field(default_factory=Histogram)
    rule: str = ""
    sample: int = 1
    over_budget: bool = False
    earlier: bool = False
    only_counted: int = 0

    def scale(self) -> None:
        """Makes the estimates fit the calls, which are exact: the last activation that was timed stood for N, though not as many
        may have followed."""
        if self.completed:
            calls = self.calls - self.only_counted
            factor = calls / self.completed
            self.completed = calls
            self.exceptions = round(self.exceptions * factor)
            self.total_ns = round(self.total_ns * factor)
            self.self_ns = round(self.self_ns * factor)


@dataclass(slots=True)
class SiteRow:
    """An allocation site's counts; `bytes` by the JVM's own object sizes."""

    rule: str = ""
    count: int = 0
    bytes: int = 0


@dataclass(slots=True)
class RuleRow:
    """What a rule matched: classes, and methods in them. Where those are none, `left_classes`: how many of the classes were left as
    they were, as a whole; `nearest`: what it may have meant; `unknown`: descriptions of classes are missing, and it may have matched."""

    matched_classes: int = 0
    matched_methods: int = 0
    left_classes: int = 0
    nearest: str = ""
    unknown: bool = False


MethodKey = tuple[str, str, str]  # class, method, descriptor
SiteKey = tuple[str, str, str, int, int, str]  # class, method, descriptor, line, bci, type
SkipKey = tuple[str, str, str, str, str]  # class, method, descriptor, reason, detail


@dataclass(slots=True)
class Snapshot:
    """All that a report says; rows are keyed by what names them. `notes`: of files that could not be read."""

    processes: list[Process] = field(default_factory=list)
    seen: int = 0
    matched: int = 0
    woven: int = 0
    cached: int = 0
    skipped: dict[SkipKey, int] = field(default_factory=dict)
    methods: dict[MethodKey, MethodRow] = field(default_factory=dict)
    sites: dict[SiteKey, SiteRow] = field(default_factory=dict)
    rules: dict[str, RuleRow] = field(default_factory=dict)
    rule_names: dict[str, str] = field(default_factory=dict)
    parsed_rules: dict[str, Rule] = field(default_factory=dict)
    class_sources: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    undescribed: bool = False  # descriptions of classes are missing
    class_names: set[str] = field(default_factory=set)  # of the loaded classes, where some rule matched none
    missed: set[MethodKey] = field(default_factory=set)  # methods that a rule may have meant which matched none

    @property
    def complete(self) -> bool:
        """Whether nothing of what was counted is known to be missing."""
        return not self.notes and not any(process.notes for process in self.processes)
