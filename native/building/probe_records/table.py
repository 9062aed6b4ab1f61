"""The list of the records of a probe table, and of the kinds of probes.

A record with a further field, or a new kind of probe, needs a row here and a build.
"""

from __future__ import annotations

from typing import NamedTuple


class Type(NamedTuple):
    """A type of fields. `name`: for Python, which reads all numbers alike; `python` and `c`: the type of the value."""

    name: str
    python: str
    c: str


TEXT = Type("TEXT", "str", "struct ch_text")
SHA256 = Type("TEXT", "str", "struct ch_sha256")
NUMBER = Type("NUMBER", "int", "uint32_t")
LONG = Type("NUMBER", "int", "uint64_t")
INDEX = Type("NUMBER", "int", "int32_t")  # -1: none
FLAG = Type("FLAG", "bool", "bool")
NUMBERS = Type("NUMBERS", "tuple[int, ...]", "struct ch_text")


class Field(NamedTuple):
    """A field. `about`: what its name does not say."""

    name: str
    type: Type
    about: str = ""


Fields = tuple[Field, ...]


class RecordType(NamedTuple):
    """A record. `word` begins its line; `python`: its class; `about`: for the page."""

    word: str
    python: str
    about: str
    fields: Fields = ()


class Shape(NamedTuple):
    """The common part of kinds of probes with the same fields.

    python: the class
    fields: those of its own, after those of each probe and of `base`
    group: the struct with the fields in C, which shapes may share; empty: C does not read them
    """

    python: str
    about: str
    fields: Fields = ()
    group: str = ""
    base: Shape | None = None

    @property
    def further(self) -> Fields:
        """The fields after those of each probe."""
        return (self.base.further if self.base else ()) + self.fields


class Kind(NamedTuple):
    """A kind of probes. `about`: for the page; `by_agent`: the agent does more than count."""

    word: str
    shape: Shape
    about: str
    by_agent: bool = False


RECORDS = (
    RecordType(
        "class",
        "ClassRecord",
        "the class, the first record; the name has dots, or slashes if the agent wrote it",
        (Field("name", TEXT), Field("source_file", TEXT, "empty if unknown")),
    ),
    RecordType(
        "original",
        "OriginalRecord",
        "the class file before it was woven, in the store of originals; only with probes of coverage",
        (Field("sha256", SHA256), Field("bytes", NUMBER)),
    ),
    RecordType(
        "rule",
        "RuleRecord",
        "a rule that matches the class, by its index, and how many methods it matches",
        (Field("rule", INDEX), Field("methods", NUMBER)),
    ),
    RecordType(
        "rule-text",
        "RuleTextRecord",
        "the text of a rule, in the order of the rules; only in a class woven ahead of time",
        (Field("text", TEXT),),
    ),
    RecordType(
        "unmatched",
        "UnmatchedRecord",
        "a method without probes, of a class that the rule names in full; `why`: `abstract` or `native` if the rule"
        " matches it, or a sentence that says why the rule does not fit it, else empty",
        (Field("rule", INDEX), Field("method", TEXT), Field("descriptor", TEXT), Field("why", TEXT)),
    ),
    RecordType(
        "skip",
        "SkipRecord",
        "a method that is not instrumented as a rule asks; without a method, the whole class",
        (
            Field("method", TEXT),
            Field("descriptor", TEXT),
            Field("reason", TEXT, "instrument/probes/reasons.py"),
            Field("detail", TEXT),
        ),
    ),
    RecordType(
        "made",
        "MadeRecord",
        "a method with probes that a compiler may have made or renamed: its flags as in the class file, and its first"
        " line, 0 if unknown",
        (
            Field("method", TEXT),
            Field("descriptor", TEXT),
            Field("flags", NUMBER, "JVMS table 4.6-A"),
            Field("line", NUMBER),
        ),
    ),
    RecordType(
        "probe",
        "ProbeRecord",
        "a probe; `slot` is relative to the first slot of the class; `rule` is -1 if supertypes decide. The fields of"
        " its kind follow",
        (
            Field("kind", TEXT, "tells its measure what the slots hold"),
            Field("slot", NUMBER, "the first of them, relative to the class's first slot"),
            Field("rule", INDEX, "the index of the rule that asked for it; -1 if supertypes decide"),
            Field("method", TEXT),
            Field("descriptor", TEXT),
        ),
    ),
    RecordType("alike", "AlikeRecord", "the table also describes all further classes that differ only by name"),
)

PLAIN = Shape("ProbeRecord", "a probe")
PACED = Shape("PacedRecord", "one activation in `sample` is timed", (Field("sample", NUMBER),), "paced")
CONTEXT = Shape(
    "ContextRecord",
    "a method in which a context begins",
    (
        Field("name", TEXT, "of the context, as reports show it"),
        Field("paths", TEXT, "to the values that are a part of the name, as in a WatchRecord; empty: there are none"),
    ),
    "context",
)
INTERVAL = Shape(
    "IntervalRecord",
    "a method at which intervals begin or end",
    (
        Field("limit", TEXT, "the rule, as in compiled rules: its probes share the open intervals"),
        Field("path", TEXT, "to the key, as in a WatchRecord"),
        Field("other", TEXT, "the other end, as reports show it"),
    ),
    "interval",
)
KEYED = Shape(
    "KeyedRecord",
    "a method whose calls are counted by key",
    (
        Field(
            "parts",
            TEXT,
            "of the key (native/watch/keys.c): words with blanks between them: paths as in a WatchRecord, after a `Q`"
            " if they lead to an SQL text; `T`: the thread's name; `S` and a number: so many callers; `E`: what is"
            " thrown",
        ),
        Field("top", NUMBER, "so many keys have slots of their own"),
    ),
    "keyed",
)
LINE = Shape("LineRecord", "a line of a method, whose executions are counted", (Field("line", NUMBER),))
SITE = Shape(
    "SiteRecord",
    "an allocation site",
    (
        Field("line", NUMBER),
        Field("pc", NUMBER),
        Field("undecided", NUMBERS, "the rules that match if the type has the right supertypes"),
        Field("type", TEXT),
    ),
    "object",
)
THROW = Shape(
    "ThrowRecord",
    "an athrow, counted by the class of what it throws, which decides the rule",
    (
        Field("line", NUMBER),
        Field("pc", NUMBER),
        Field("undecided", NUMBERS, "the rules about what the method throws"),
    ),
    "keyed",
    KEYED,
)
WITHIN = Shape(
    "WithinRecord",
    "a method in which a region is, or what counts only there",
    (
        Field("region", TEXT, "its name (native/timing/regions.c), the text of the rule with `below`"),
        Field("outside", FLAG, "it counts only elsewhere"),
    ),
    "keyed",
)
KEYED_WITHIN = Shape(
    "KeyedWithinRecord",
    "a method whose calls are counted by key only inside of a region, or only elsewhere",
    WITHIN.fields,
    "keyed",
    KEYED,
)
NUMBER_OF = (Field("path", TEXT, "to the number, as in a WatchRecord"), Field("of", TEXT, "as the rule has it"))
VALUE = Shape("ValueRecord", "a method of which a number is recorded", NUMBER_OF, "keyed")
KEYED_VALUE = Shape(
    "KeyedValueRecord",
    "the same, by key",
    (*NUMBER_OF, Field("by", TEXT, "the key, as the rule has it")),
    "keyed",
    KEYED,
)
CALL = Shape(
    "CallRecord",
    "a call site: an instruction that calls `called` of `owner`, which it names",
    (
        Field("line", NUMBER),
        Field("pc", NUMBER),
        Field("undecided", NUMBERS, "the rules that match if the owner has the right supertypes"),
        Field("owner", TEXT),
        Field("called", TEXT),
        Field("called_descriptor", TEXT),
    ),
)
COVER = Shape(
    "CoverRecord",
    "all probes of a method, as many as `probes`, each with a slot",
    (Field("level", NUMBER, "of classhook.coverage.placing"), Field("probes", NUMBER)),
)
EVENT = Shape(
    "EventRecord",
    "the numbers of the handlers that are called at the entry and at the exit",
    (Field("entry", NUMBERS), Field("exit", NUMBERS)),
    "event",
)
WATCH = Shape(
    "WatchRecord",
    "the values shown of watched calls, and which calls; native/watch/watch_specs.c describes `paths` and `condition`",
    (
        Field("limit", TEXT, "names the rule, whose probes share it"),
        Field("over_ns", LONG),
        Field("first", LONG),
        Field("every_ns", LONG),
        Field("slowest", NUMBER),
        Field("frames", NUMBER),
        Field("secret_exception", FLAG),
        Field("paths", TEXT),
        Field("condition", TEXT),
        Field("names", TEXT, "of what is shown, with commas between them"),
    ),
    "watch",
)
WATCHED_LINE = Shape(
    "WatchedLineRecord",
    "the values shown of a line's executions; paths begin at `t`, or at `a` and a number: one of the `roots`",
    (
        Field("line", NUMBER),
        Field("roots", NUMBER, "how many locals and parameters the line's code passes as objects"),
    ),
    "watch",
    WATCH,
)
WATCHED_WRITE = Shape(
    "WatchedWriteRecord",
    "the values shown of writes of a field; the roots are the value and what a static field has; `t` is the object",
    (
        Field("owner", TEXT, "the class that the instruction names"),
        Field("field", TEXT),
        Field("declared", TEXT, "the class that must declare the field, empty if it is known to do so"),
    ),
    "watch",
    WATCHED_LINE,
)

KINDS = (
    Kind("count", PLAIN, "calls of a method"),
    Kind(
        "count-by",
        KEYED,
        "a method that is counted by key: the parts of the key, as words with blanks between them"
        " (`native/watch/keys.c` explains them), and how many keys have slots of their own from the start",
        True,
    ),
    Kind("time-by", KEYED, "the same for a timed method", True),
    Kind(
        "time-resumed-by",
        KEYED,
        "the same of a suspend function that waits: each key also has a slot for how often its calls resumed",
        True,
    ),
    Kind("resumed", PLAIN, "entries of a Kotlin function that are resumptions and not calls"),
    Kind("time", PLAIN, "a timed method", True),
    Kind("time-tree", PLAIN, "a timed method whose calls are in the exact tree", True),
    Kind("time-sample", PACED, "a method of which one activation in `sample` is timed", True),
    Kind("profile", PLAIN, "a profiled method", True),
    Kind("profile-exceptions", PLAIN, "the same with exceptions, which its second slot counts", True),
    Kind(
        "context",
        CONTEXT,
        "a method in which a context begins, the context's name, and the paths to the values that are a part of it,"
        " with blanks between them",
        True,
    ),
    Kind("within", WITHIN, "a method after `below`: the text of the rule", True),
    Kind("count-below", WITHIN, "calls of a method that count only below others", True),
    Kind("time-below", WITHIN, "the same for a timed method", True),
    Kind("resumed-below", WITHIN, "the same for entries that are resumptions", True),
    Kind("count-below-by", KEYED_WITHIN, "calls of a method that count by key only below others", True),
    Kind("time-below-by", KEYED_WITHIN, "the same for a timed method", True),
    Kind(
        "value",
        VALUE,
        "a method of which a number is recorded: the path to it, and the number as the rule names it",
        True,
    ),
    Kind("value-by", KEYED_VALUE, "the same by key, which `by` names as the rule does", True),
    Kind("value-line", VALUE, "a line of which a number is recorded; the path begins at what its code passes", True),
    Kind("value-line-by", KEYED_VALUE, "the same by key", True),
    Kind(
        "call",
        CALL,
        "an instruction that calls a method, as it names it; `undecided`: the rules that match if the class `owner`"
        " has the right supertypes",
    ),
    Kind("call-time", CALL, "the same, timed"),
    Kind("call-untimed", CALL, "the same for a call that a rule times, but that is only counted"),
    Kind(
        "object",
        SITE,
        "a `new` instruction; `undecided`: the rules that match if the type has the right supertypes",
        True,
    ),
    Kind("array", SITE, "an instruction that creates arrays", True),
    Kind("throw", THROW, "an instruction that throws; `top`: so many types have slots of their own", True),
    Kind("catch", SITE, "a handler of exceptions of a type"),
    Kind("cover", COVER, "all probes of coverage in a method: their level, and how many slots they have"),
    Kind("cover-hits", COVER, "the same, with counts"),
    Kind("event", EVENT, "a method with handlers in Python: their numbers at the entry and at the exit", True),
    Kind(
        "watch",
        WATCH,
        "a watched method; `limit` names the rule; `native/watch/watch_specs.c` explains `paths` and `condition`;"
        " reports show `names`",
        True,
    ),
    Kind(
        "count-when",
        WATCH,
        "a method of whose calls those count that the condition is true of; nothing is shown, and `names` is the"
        " condition as the rule has it",
        True,
    ),
    Kind("time-when", WATCH, "the same, whose times are recorded, too", True),
    Kind("value-when", WATCH, "the same, of which the number at `paths` is recorded; `names` begins with it", True),
    Kind("context-when", WATCH, "the same, whose calls begin a context", True),
    Kind("interval-from", INTERVAL, "a method at which intervals begin", True),
    Kind("interval-to", INTERVAL, "a method at which intervals end", True),
    Kind("line", LINE, "a line of a method whose executions are counted"),
    Kind("watch-line", WATCHED_LINE, "a watched line, and how many values its code passes to the agent", True),
    Kind(
        "watch-write",
        WATCHED_WRITE,
        "a watched write of a field: the class that the instruction names, the field, and the class that must declare"
        " it, empty if it is known to do so",
        True,
    ),
    Kind("write", CALL, "an instruction that writes a field; `called`: the field"),
    Kind("read", CALL, "the same for reads"),
)

SHAPES = tuple(dict.fromkeys(kind.shape for kind in KINDS))
OF_EACH = next(record for record in RECORDS if record.word == "probe").fields
