"""The content of a report: processes, rules, and tables of summed rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from classhook.base.readable import Readable
from classhook.model.added_fields import AddedField
from classhook.model.call_tree import Call, MethodKey
from classhook.model.opened_files import OpenedFile
from classhook.model.rows import Key
from classhook.model.snapshot_scope import Within
from classhook.model.test_runs import TestRun
from classhook.model.unweavable_methods import UnweavableMethod
from classhook.rules.syntax import Rule


@dataclass(slots=True)
class Process:
    """One JVM, or a session in one. `start_unix_ns`: Unix time; `duration_ns`: until its end, or its last clock
    reading; `notes`: what is missing."""

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
    attached_ns: int | None = None  # of a session in a JVM that ran: for how long it was attached
    since_unix_ns: int = 0  # when its counters were set back; 0: never
    contributed: int = 0  # calls, objects, probes that were hit, samples: how much of the report is about it
    added: dict[AddedField[Any], Any] = field(default_factory=dict)  # what measures tell of it
    labels: dict[str, str] = field(default_factory=dict)  # of its run
    placed: list[tuple[int, list[str]]] = field(
        default_factory=list
    )  # of such a session: ms after its begin, and which classes count from then on

    @property
    def late_ms(self) -> int:
        """The time for which some classes had counted when the last one began to."""
        return max((ms for ms, _ in self.placed), default=0) - min((ms for ms, _ in self.placed), default=0)

    @property
    def begin_unix_ns(self) -> int:
        """Since when its counters have counted."""
        return self.since_unix_ns or self.start_unix_ns

    @property
    def end_unix_ns(self) -> int:
        """The end of the process, or of its data."""
        return self.begin_unix_ns + self.duration_ns

    def over(self, begin_unix_ns: int) -> Process:
        """The same, from another beginning on, where its data is that of several periods."""
        return replace(self, since_unix_ns=begin_unix_ns, duration_ns=self.end_unix_ns - begin_unix_ns)

    def since(self, unix_ns: int) -> None:
        """Notes that the counters were reset at this time."""
        self.since_unix_ns = unix_ns
        self.duration_ns = max(0, self.duration_ns - max(0, unix_ns - self.start_unix_ns))


@dataclass(slots=True)
class RuleRow:
    """The matches of a rule: classes, and methods in them. If it matched no methods: `left_classes`: how many of the
    classes were not instrumented at all; `nearest`: a suggestion; `unweavable`: a method that it matches but cannot
    instrument; `unknown`: it may have matched, as descriptions of classes are missing. `lacks`: what there was none of
    that it matches, though it matched methods ("thrown")."""

    matched_classes: int = 0
    matched_methods: int = 0
    left_classes: int = 0
    nearest: str = ""
    unweavable: UnweavableMethod | None = None
    unknown: bool = False
    lacks: str = ""


CONTEXTS = "contexts"  # the table of instrument/measures/context/
SkipKey = tuple[str, str, str, str, str]  # class, method, descriptor, reason, detail


class EachContext(Protocol):
    """Reads what was counted in each context."""

    def __call__(self, names: Iterable[str] | None = None, sums: bool = False) -> Iterator[tuple[str, Snapshot]]:
        """The contexts in the order of Snapshot.entered, then "": what was counted outside of all; or some, by name.
        Each is read when the iterator gets to it, and nothing is kept of it: that costs as much as it counted. `sums`:
        where all is known of a probe by its calls, there are no rows, but Snapshot.summed_calls."""


class ReadPart(Protocol):
    """Reads a part of what was counted."""

    def __call__(self, within: Within, trees: bool = False, sums: bool = False) -> Snapshot:
        """`trees`: also exact trees of calls, if the part is not a context; `sums`: as in EachContext. It costs as much
        as the part counted."""


class EachThread(Protocol):
    """Reads what was counted of each thread, or pool of threads."""

    def __call__(self) -> Iterator[tuple[str, Snapshot]]:
        """Yields the parts, those that cost most first, then NOBODY: of no known thread. Nothing is kept of them."""


@dataclass(slots=True)
class Snapshot:
    """The content of a report; `tables`: rows by key, by the name of the measure's table; `notes`: files that could not
    be read; `grouped_by`: what the rows are added up by, if they are: then a key is a group's name, and the kind of its
    rows."""

    processes: list[Process] = field(default_factory=list)
    seen: int = 0
    matched: int = 0
    woven: int = 0
    cached: int = 0
    skipped: dict[SkipKey, int] = field(default_factory=dict)
    uncompiled: dict[SkipKey, int] = field(
        default_factory=dict
    )  # methods that probes make larger than HotSpot compiles
    tables: dict[str, dict[Key, Any]] = field(default_factory=lambda: defaultdict(dict))
    rules: dict[str, RuleRow] = field(default_factory=dict)
    rule_names: dict[str, str] = field(default_factory=dict)
    parsed_rules: dict[str, Rule] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)  # by rules that others stand for, the text of the latter
    class_sources: dict[str, str] = field(default_factory=dict)
    made: dict[MethodKey, tuple[int, int]] = field(
        default_factory=dict
    )  # flags and first lines of methods that compilers made
    raw: bool = False  # names are shown as the JVM has them
    notes: list[str] = field(default_factory=list)
    grouped_by: str = ""
    selection: Callable[[Snapshot], None] | None = (
        None  # what was left out and added up, for forms that read a process again
    )
    undescribed: bool = False  # descriptions of classes are missing
    alike: set[str] = field(
        default_factory=set
    )  # names, with an asterisk, of classes that share their rows: there are too many alike
    class_names: set[str] = field(default_factory=set)  # of all loaded classes, if some rule matched none
    calls: Call = field(
        default_factory=lambda: Call(None)
    )  # the root of the call tree of profiled methods: the empty path
    stacks: Call = field(default_factory=lambda: Call(None))  # ... of that of sampled stacks
    exact_tree: Call = field(default_factory=lambda: Call(None))  # ... and of the exact one of timed methods
    summed_calls: int | None = None  # calls without rows (EachContext); None: there are none
    each_context: EachContext | None = None
    by_context: EachContext | None = None  # if it was asked for: with the rows that are shown
    context_names: list[str] = field(default_factory=list)  # of these, in order; "" at the end
    tests: list[TestRun] = field(default_factory=list)  # in the order in which they began
    opened: list[OpenedFile] = field(default_factory=list)  # by tests, and outside of them
    read_part: ReadPart | None = None
    by_thread: EachThread | None = None  # as by_context
    source_files: list[dict[str, Any]] = field(default_factory=list)  # their coverage, as rows of JSON
    coverage_by_test: dict[str, Any] | None = None  # what each test covered, as JSON, if it was asked for
    classes_of: dict[str, set[str]] = field(default_factory=dict)  # by rule, the names of the classes that it matches
    supertypes: dict[str, set[str]] = field(
        default_factory=dict
    )  # of classes: those that rules name, as far as the JVM saw them
    covered: bool = False  # some classes have probes of coverage
    missed: set[MethodKey] = field(default_factory=set)  # methods that a rule without matches may have meant
    added: dict[AddedField[Any], Any] = field(default_factory=dict)  # what measures keep
    names: Readable | None = field(default=None, repr=False, compare=False)
    whole: Snapshot | None = None  # that of all contexts, if this is one context's

    @property
    def readable(self) -> Readable:
        """The names of methods."""
        if self.names is None:
            self.names = Readable(self.class_sources, self.made, self.raw)
        return self.names

    @property
    def entered(self) -> dict[str, int]:
        """The names of contexts, with how often they were entered: those that were entered most often first."""
        rows = self.tables[CONTEXTS]
        return {key[0]: rows[key].entered for key in sorted(rows, key=lambda key: (-rows[key].entered, key)) if key[0]}

    @property
    def complete(self) -> bool:
        """True if no counts are known to be missing."""
        return not self.notes and not any(process.notes for process in self.processes)
