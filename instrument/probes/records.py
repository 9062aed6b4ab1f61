"""The records of a probe table, a line each: docs/reference/probe-table.md. native/table/probe_table.h has the same in
C.

These are plain classes, for this module is imported inside the JVM and imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Final, TypeAlias

    Fields: TypeAlias = tuple[tuple[str, str], ...]

PROBE: Final = "probe"
OF_EACH: Final = 5  # fields of each probe
#: The types of fields. A NUMBERS is a tuple.
TEXT, NUMBER, FLAG, NUMBERS = "text", "number", "flag", "numbers"


class Record:
    """One record. `word` begins its line; `fields` follow: their names and types, which are also the arguments of the
    class, in order."""

    __slots__ = ()
    word: ClassVar[str] = ""
    fields: ClassVar[Fields] = ()

    def words(self) -> tuple[object, ...]:
        """The words of its line, in order."""
        return (self.word, *[getattr(self, name) for name, _ in self.fields])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.words() == other.words()

    def __hash__(self) -> int:
        return hash(self.words())

    def __repr__(self) -> str:
        return repr(self.words())


class ClassRecord(Record):
    """The class; the first record. `name`: with dots; `source_file`: empty if unknown."""

    __slots__ = ("name", "source_file")
    word: ClassVar[str] = "class"
    fields: ClassVar[Fields] = (("name", TEXT), ("source_file", TEXT))

    def __init__(self, name: str, source_file: str) -> None:
        self.name = name
        self.source_file = source_file


class OriginalRecord(Record):
    """The class file before it was woven, in the store of originals. Only of classes with probes of coverage."""

    __slots__ = ("bytes", "sha256")
    word: ClassVar[str] = "original"
    fields: ClassVar[Fields] = (("sha256", TEXT), ("bytes", NUMBER))

    def __init__(self, sha256: str, bytes: int) -> None:
        self.sha256 = sha256
        self.bytes = bytes


class RuleRecord(Record):
    """A rule that matches the class, by its index, and how many methods it matches."""

    __slots__ = ("methods", "rule")
    word: ClassVar[str] = "rule"
    fields: ClassVar[Fields] = (("rule", NUMBER), ("methods", NUMBER))

    def __init__(self, rule: int, methods: int) -> None:
        self.rule = rule
        self.methods = methods


class RuleTextRecord(Record):
    """The text of a rule, in the order of the rules. Only in classes woven ahead of time."""

    __slots__ = ("text",)
    word: ClassVar[str] = "rule-text"
    fields: ClassVar[Fields] = (("text", TEXT),)

    def __init__(self, text: str) -> None:
        self.text = text


class UnmatchedRecord(Record):
    """A method without probes, of a class that a rule names in full. `why`: the rule matches it, but it is `abstract`
    or `native`, or why the rule does not fit it; else empty."""

    __slots__ = ("descriptor", "method", "rule", "why")
    word: ClassVar[str] = "unmatched"
    fields: ClassVar[Fields] = (("rule", NUMBER), ("method", TEXT), ("descriptor", TEXT), ("why", TEXT))

    def __init__(self, rule: int, method: str, descriptor: str, why: str) -> None:
        self.rule = rule
        self.method = method
        self.descriptor = descriptor
        self.why = why


class SkipRecord(Record):
    """A method that is not instrumented, or not as a rule asks, and why (reasons.py); without a method: the whole
    class."""

    __slots__ = ("descriptor", "detail", "method", "reason")
    word: ClassVar[str] = "skip"
    fields: ClassVar[Fields] = (("method", TEXT), ("descriptor", TEXT), ("reason", TEXT), ("detail", TEXT))

    def __init__(self, method: str, descriptor: str, reason: str, detail: str) -> None:
        self.method = method
        self.descriptor = descriptor
        self.reason = reason
        self.detail = detail


class MadeRecord(Record):
    """A method with probes that a compiler may have made or renamed. `flags`: JVMS table 4.6-A; `line`: its first one,
    0 if unknown."""

    __slots__ = ("descriptor", "flags", "line", "method")
    word: ClassVar[str] = "made"
    fields: ClassVar[Fields] = (("method", TEXT), ("descriptor", TEXT), ("flags", NUMBER), ("line", NUMBER))

    def __init__(self, method: str, descriptor: str, flags: int, line: int) -> None:
        self.method = method
        self.descriptor = descriptor
        self.flags = flags
        self.line = line


class AlikeRecord(Record):
    """The table describes all further classes that are alike: native/classes/shared_descriptions.c."""

    __slots__ = ()
    word: ClassVar[str] = "alike"


# ---- probes


class ProbeRecord(Record):
    """A probe.

    kind: tells its measure what the slots hold
    slot: the first of them, relative to the class's first slot
    rule: the index of the rule that asked for it; -1 if supertypes decide
    """

    __slots__ = ("descriptor", "kind", "method", "rule", "slot")
    word: ClassVar[str] = PROBE
    fields: ClassVar[Fields] = (
        ("kind", TEXT),
        ("slot", NUMBER),
        ("rule", NUMBER),
        ("method", TEXT),
        ("descriptor", TEXT),
    )

    def __init__(self, kind: str, slot: int, rule: int, method: str, descriptor: str) -> None:
        self.kind = kind
        self.slot = slot
        self.rule = rule
        self.method = method
        self.descriptor = descriptor

    def words(self) -> tuple[object, ...]:
        """Most probes have no further fields; there are many, and looking fields up by name takes ten times as long."""
        own = (PROBE, self.kind, self.slot, self.rule, self.method, self.descriptor)
        return (
            own if len(self.fields) == OF_EACH else (*own, *[getattr(self, name) for name, _ in self.fields[OF_EACH:]])
        )


class PacedRecord(ProbeRecord):
    """One activation in `sample` is timed."""

    __slots__ = ("sample",)
    fields: ClassVar[Fields] = ProbeRecord.fields + (("sample", NUMBER),)

    def __init__(self, kind: str, slot: int, rule: int, method: str, descriptor: str, sample: int) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.sample = sample


class ProfileRecord(ProbeRecord):
    """`period_us`: microseconds between two samples; 0: the agent chooses."""

    __slots__ = ("period_us",)
    fields: ClassVar[Fields] = ProbeRecord.fields + (("period_us", NUMBER),)

    def __init__(self, kind: str, slot: int, rule: int, method: str, descriptor: str, period_us: int) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.period_us = period_us


class ContextRecord(ProbeRecord):
    """A method in which a context begins. `name`: of the context, as reports show it; `path`: to the value that is a
    part of the name, as in a WatchRecord; empty: to none."""

    __slots__ = ("name", "path")
    fields: ClassVar[Fields] = ProbeRecord.fields + (("name", TEXT), ("path", TEXT))

    def __init__(self, kind: str, slot: int, rule: int, method: str, descriptor: str, name: str, path: str) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.name = name
        self.path = path


class KeyedRecord(ProbeRecord):
    """A method whose calls are counted by key. `parts`: words with blanks between them: paths as in a WatchRecord,
    after a `Q` if they lead to an SQL text; `T`: the thread's name; `S` and a number: so many callers. `top`: so many
    keys have slots of their own."""

    __slots__ = ("parts", "top")
    fields: ClassVar[Fields] = ProbeRecord.fields + (("parts", TEXT), ("top", NUMBER))

    def __init__(self, kind: str, slot: int, rule: int, method: str, descriptor: str, parts: str, top: int) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.parts = parts
        self.top = top


class LineRecord(ProbeRecord):
    """A line of a method, whose executions are counted."""

    __slots__ = ("line",)
    fields: ClassVar[Fields] = ProbeRecord.fields + (("line", NUMBER),)

    def __init__(self, kind: str, slot: int, rule: int, method: str, descriptor: str, line: int) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.line = line


class SiteRecord(ProbeRecord):
    """An allocation site. `undecided`: the rules that match if the type has the right supertypes."""

    __slots__ = ("line", "pc", "type", "undecided")
    fields: ClassVar[Fields] = ProbeRecord.fields + (
        ("line", NUMBER),
        ("pc", NUMBER),
        ("undecided", NUMBERS),
        ("type", TEXT),
    )

    def __init__(
        self,
        kind: str,
        slot: int,
        rule: int,
        method: str,
        descriptor: str,
        line: int,
        pc: int,
        undecided: tuple[int, ...],
        type: str,
    ) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.line = line
        self.pc = pc
        self.undecided = undecided
        self.type = type

    def words(self) -> tuple[object, ...]:
        """Without looking fields up, since there are many sites."""
        return (
            PROBE,
            self.kind,
            self.slot,
            self.rule,
            self.method,
            self.descriptor,
            self.line,
            self.pc,
            self.undecided,
            self.type,
        )


class WithinRecord(ProbeRecord):
    """A method in which a region is, or what counts only there. `region`: its name, the text of the rule with
    `below`."""

    __slots__ = ("region",)
    fields: ClassVar[Fields] = ProbeRecord.fields + (("region", TEXT),)

    def __init__(self, kind: str, slot: int, rule: int, method: str, descriptor: str, region: str) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.region = region


class ValueRecord(ProbeRecord):
    """A method of which a number is recorded. `path`: to it, as in a WatchRecord; `of`: as the rule has it."""

    __slots__ = ("of", "path")
    fields: ClassVar[Fields] = ProbeRecord.fields + (("path", TEXT), ("of", TEXT))

    def __init__(self, kind: str, slot: int, rule: int, method: str, descriptor: str, path: str, of: str) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.path = path
        self.of = of


class KeyedValueRecord(KeyedRecord):
    """The same, by key. `by`: the key, as the rule has it."""

    __slots__ = ("by", "of", "path")
    fields: ClassVar[Fields] = KeyedRecord.fields + (("path", TEXT), ("of", TEXT), ("by", TEXT))

    def __init__(
        self,
        kind: str,
        slot: int,
        rule: int,
        method: str,
        descriptor: str,
        parts: str,
        top: int,
        path: str,
        of: str,
        by: str,
    ) -> None:
        self.by = by
        super().__init__(kind, slot, rule, method, descriptor, parts, top)
        self.path = path
        self.of = of


class CallRecord(ProbeRecord):
    """A call site: an instruction that calls `called` of `owner`, which it names. `undecided`: the rules that match if
    the owner has the right supertypes."""

    __slots__ = ("called", "called_descriptor", "line", "owner", "pc", "undecided")
    fields: ClassVar[Fields] = ProbeRecord.fields + (
        ("line", NUMBER),
        ("pc", NUMBER),
        ("undecided", NUMBERS),
        ("owner", TEXT),
        ("called", TEXT),
        ("called_descriptor", TEXT),
    )

    def __init__(
        self,
        kind: str,
        slot: int,
        rule: int,
        method: str,
        descriptor: str,
        line: int,
        pc: int,
        undecided: tuple[int, ...],
        owner: str,
        called: str,
        called_descriptor: str,
    ) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.line = line
        self.pc = pc
        self.undecided = undecided
        self.owner = owner
        self.called = called
        self.called_descriptor = called_descriptor


class CoverRecord(ProbeRecord):
    """All probes of a method, as many as `probes`, each with a slot. `level`: of classhook.coverage.placing."""

    __slots__ = ("level", "probes")
    fields: ClassVar[Fields] = ProbeRecord.fields + (("level", NUMBER), ("probes", NUMBER))

    def __init__(self, kind: str, slot: int, rule: int, method: str, descriptor: str, level: int, probes: int) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.level = level
        self.probes = probes


class EventRecord(ProbeRecord):
    """The numbers of the handlers that are called at the entry and at the exit."""

    __slots__ = ("entry", "exit")
    fields: ClassVar[Fields] = ProbeRecord.fields + (("entry", NUMBERS), ("exit", NUMBERS))

    def __init__(
        self,
        kind: str,
        slot: int,
        rule: int,
        method: str,
        descriptor: str,
        entry: tuple[int, ...],
        exit: tuple[int, ...],
    ) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.entry = entry
        self.exit = exit


class WatchRecord(ProbeRecord):
    """What is shown of watched calls, and of which calls. native/watch/watch_specs.c describes `paths` and `condition`.

    limit: names the rule, whose probes share it
    names: of what is shown, with commas between them
    """

    __slots__ = (
        "condition",
        "every_ns",
        "first",
        "frames",
        "limit",
        "names",
        "over_ns",
        "paths",
        "secret_exception",
        "slowest",
    )
    fields: ClassVar[Fields] = ProbeRecord.fields + (
        ("limit", TEXT),
        ("over_ns", NUMBER),
        ("first", NUMBER),
        ("every_ns", NUMBER),
        ("slowest", NUMBER),
        ("frames", NUMBER),
        ("secret_exception", FLAG),
        ("paths", TEXT),
        ("condition", TEXT),
        ("names", TEXT),
    )

    def __init__(
        self,
        kind: str,
        slot: int,
        rule: int,
        method: str,
        descriptor: str,
        limit: str,
        over_ns: int,
        first: int,
        every_ns: int,
        slowest: int,
        frames: int,
        secret_exception: bool,
        paths: str,
        condition: str,
        names: str,
    ) -> None:
        super().__init__(kind, slot, rule, method, descriptor)
        self.limit = limit
        self.over_ns = over_ns
        self.first = first
        self.every_ns = every_ns
        self.slowest = slowest
        self.frames = frames
        self.secret_exception = secret_exception
        self.paths = paths
        self.condition = condition
        self.names = names


class WatchedLineRecord(WatchRecord):
    """What is shown of a line's executions. Paths begin at `t` or at `a` and a number: one of so many `roots`, locals
    and parameters, which the line's code passes as objects."""

    __slots__ = ("line", "roots")
    fields: ClassVar[Fields] = WatchRecord.fields + (("line", NUMBER), ("roots", NUMBER))

    def __init__(
        self,
        kind: str,
        slot: int,
        rule: int,
        method: str,
        descriptor: str,
        limit: str,
        over_ns: int,
        first: int,
        every_ns: int,
        slowest: int,
        frames: int,
        secret_exception: bool,
        paths: str,
        condition: str,
        names: str,
        line: int,
        roots: int,
    ) -> None:
        super().__init__(
            kind,
            slot,
            rule,
            method,
            descriptor,
            limit,
            over_ns,
            first,
            every_ns,
            slowest,
            frames,
            secret_exception,
            paths,
            condition,
            names,
        )
        self.line = line
        self.roots = roots


class WatchedWriteRecord(WatchedLineRecord):
    """What is shown of writes of a field. The roots are the value and what a static field has; `t` is the object.
    `owner`: the class that the instruction names; `declared`: the class that must declare the field, empty if it is
    known to do so."""

    __slots__ = ("declared", "field", "owner")
    fields: ClassVar[Fields] = WatchedLineRecord.fields + (("owner", TEXT), ("field", TEXT), ("declared", TEXT))

    def __init__(
        self,
        kind: str,
        slot: int,
        rule: int,
        method: str,
        descriptor: str,
        limit: str,
        over_ns: int,
        first: int,
        every_ns: int,
        slowest: int,
        frames: int,
        secret_exception: bool,
        paths: str,
        condition: str,
        names: str,
        line: int,
        roots: int,
        owner: str,
        field: str,
        declared: str,
    ) -> None:
        super().__init__(
            kind,
            slot,
            rule,
            method,
            descriptor,
            limit,
            over_ns,
            first,
            every_ns,
            slowest,
            frames,
            secret_exception,
            paths,
            condition,
            names,
            line,
            roots,
        )
        self.owner = owner
        self.field = field
        self.declared = declared


# ---- all of them

#: By the words that begin their lines. Probes have a kind of their own in the second word.
RECORDS: dict[str, type[Record]] = {
    record.word: record
    for record in (
        ClassRecord,
        OriginalRecord,
        RuleRecord,
        RuleTextRecord,
        UnmatchedRecord,
        SkipRecord,
        MadeRecord,
        ProbeRecord,
        AlikeRecord,
    )
}
#: The kinds of probes with further fields; those of other kinds have none that anybody reads.
PROBES: dict[str, type[Record]] = {
    "time-sample": PacedRecord,
    "profile": ProfileRecord,
    "context": ContextRecord,
    "count-by": KeyedRecord,
    "time-by": KeyedRecord,
    "time-resumed-by": KeyedRecord,
    "within": WithinRecord,
    "count-below": WithinRecord,
    "time-below": WithinRecord,
    "resumed-below": WithinRecord,
    "value": ValueRecord,
    "value-by": KeyedValueRecord,
    "object": SiteRecord,
    "array": SiteRecord,
    "call": CallRecord,
    "call-time": CallRecord,
    "call-untimed": CallRecord,
    "cover": CoverRecord,
    "cover-hits": CoverRecord,
    "event": EventRecord,
    "watch": WatchRecord,
    "line": LineRecord,
    "watch-line": WatchedLineRecord,
    "watch-write": WatchedWriteRecord,
    "write": CallRecord,
    "read": CallRecord,
}
