"""The content of a report: processes, rules, and tables of summed rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from instrument.codeless import Codeless
from instrument.data.calls import Call, MethodKey, Sampling, warnings
from instrument.data.contexts import Contexts
from instrument.data.locks import Deadlock, Locks
from instrument.data.objects import Objects
from instrument.data.thread_dump import ThreadDump
from instrument.measures import tables
from instrument.measures.table import Key
from rules.ruleset import RuleSet
from rules.syntax import Rule


@dataclass(slots=True)
class JavaThread:
    """A thread that began; `ended`: and ended."""

    name: str
    group: str
    ended: bool = False


@dataclass(slots=True)
class Process:
    """One JVM, or a session in one. `start_unix_ns`: Unix time; `duration_ns`: until its end, or its last clock reading; `notes`: what is missing."""

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
    sampling: Sampling | None = None  # of profiled methods
    cpu_sampling: Sampling | None = None  # of all threads
    tree: Contexts | None = None  # of timed methods
    locks: Locks | None = None  # of monitors
    objects: Objects | None = None  # that were sampled
    deadlocks: list[Deadlock] = field(default_factory=list)
    threads: dict[int, JavaThread] = field(default_factory=dict)  # by number, if HPROF's files were asked for
    dumps: list[ThreadDump] = field(default_factory=list)  # of threads and monitors, the last one last
    notes: list[str] = field(default_factory=list)
    attached_ns: int | None = None  # of a session in a JVM that ran: for how long it was attached
    since_unix_ns: int = 0  # when its counters were set back; 0: never
    contributed: int = 0  # calls, objects, probes that were hit, samples: how much of the report is about it

    def warnings(self) -> list[str]:
        """What a reader has to know before the figures."""
        return [said for sampling in (self.sampling, self.cpu_sampling) if sampling for said in warnings(sampling)]

    def since(self, unix_ns: int) -> None:
        """Its counters were set back at this time."""
        self.since_unix_ns = unix_ns
        self.duration_ns = max(0, self.duration_ns - max(0, unix_ns - self.start_unix_ns))


@dataclass(slots=True)
class RuleRow:
    """What a rule matched: classes, and methods in them. If it matched no methods: `left_classes`: how many of the classes were not
    instrumented at all; `nearest`: what it may have meant; `codeless`: an abstract or native method that it matches; `unknown`: it may
    have matched, as descriptions of classes are missing."""

    matched_classes: int = 0
    matched_methods: int = 0
    left_classes: int = 0
    nearest: str = ""
    codeless: Codeless | None = None
    unknown: bool = False


MOST_COMPARISONS = 1_000_000  # of a rule with a supertype of an allocated type, which take a second or two

SkipKey = tuple[str, str, str, str, str]  # class, method, descriptor, reason, detail


@dataclass(slots=True)
class Snapshot:
    """The content of a report; `tables`: rows by key, by the name of the measure's table; `notes`: files that could not be read; `grouped_by`: what
    the rows are added up by, if they are: then a key is a group's name, and the kind of its rows."""

    processes: list[Process] = field(default_factory=list)
    seen: int = 0
    matched: int = 0
    woven: int = 0
    cached: int = 0
    skipped: dict[SkipKey, int] = field(default_factory=dict)
    uncompiled: dict[SkipKey, int] = field(default_factory=dict)  # methods that probes make larger than HotSpot compiles
    tables: dict[str, dict[Key, Any]] = field(default_factory=lambda: {table.name: {} for table in tables()})
    rules: dict[str, RuleRow] = field(default_factory=dict)
    rule_names: dict[str, str] = field(default_factory=dict)
    parsed_rules: dict[str, Rule] = field(default_factory=dict)
    class_sources: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    grouped_by: str = ""
    selection: Callable[[Snapshot], None] | None = None  # what was left out and added up, for forms that read a process again
    undescribed: bool = False  # descriptions of classes are missing
    alike: set[str] = field(default_factory=set)  # names, with an asterisk, of classes that share their rows: there are too many alike
    class_names: set[str] = field(default_factory=set)  # of all loaded classes, if some rule matched none
    calls: Call = field(default_factory=lambda: Call(None))  # the root of the call tree of profiled methods: the empty path
    stacks: Call = field(default_factory=lambda: Call(None))  # ... of that of sampled stacks
    contexts: Call = field(default_factory=lambda: Call(None))  # ... and of the exact one of timed methods
    source_files: list[dict[str, Any]] = field(default_factory=list)  # their coverage, as rows of JSON
    decided: set[tuple[str, str, str, str]] = field(default_factory=set)  # rule, class, method and descriptor: found to match by supertypes
    type_matches: dict[tuple[str, str, frozenset[str]], bool] = field(default_factory=dict)  # by rule, type and its supertypes
    comparisons: int = MOST_COMPARISONS  # that are left
    classes_of: dict[str, set[str]] = field(default_factory=dict)  # by rule, the names of the classes that it matches
    supertypes: dict[str, set[str]] = field(default_factory=dict)  # of classes: those that rules name, as far as the JVM saw them
    missed: set[MethodKey] = field(default_factory=set)  # methods that a rule without matches may have meant

    def matches_type(self, text: str, type_name: str, supertypes: frozenset[str]) -> bool:
        """Whether the rule with this text matches a type with these supertypes. Raises ValueError after so many comparisons as no program needs."""
        key = (text, type_name, supertypes)
        if text not in self.parsed_rules:
            return False
        if key not in self.type_matches:
            self.comparisons -= len(supertypes) + 1
            if self.comparisons < 0:
                raise ValueError("too many supertypes")
            self.type_matches[key] = RuleSet([self.parsed_rules[text]]).match_type(0, type_name, supertypes)
        return self.type_matches[key]

    @property
    def complete(self) -> bool:
        """Whether no counts are known to be missing."""
        return not self.notes and not any(process.notes for process in self.processes)
