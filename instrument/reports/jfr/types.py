"""The types of what is in a recording, as its metadata describes them: those of the JDK with the fields that viewers
read, and our own events."""

from __future__ import annotations

from typing import NamedTuple

from classhook.reports.jfr.encoding import array, number, text

EVENT, ANNOTATION = "jdk.jfr.Event", "java.lang.annotation.Annotation"
LABEL, DESCRIPTION, CATEGORY = "jdk.jfr.Label", "jdk.jfr.Description", "jdk.jfr.Category"
TIMESTAMP, TIMESPAN, DATA_AMOUNT = "jdk.jfr.Timestamp", "jdk.jfr.Timespan", "jdk.jfr.DataAmount"
STRING, CLASS, THREAD, LOADER = "java.lang.String", "java.lang.Class", "java.lang.Thread", "jdk.types.ClassLoader"
FRAME_TYPE, STATE = "jdk.types.FrameType", "jdk.types.ThreadState"
TRACE, FRAME, METHOD = "jdk.types.StackTrace", "jdk.types.StackFrame", "jdk.types.Method"
PACKAGE, SYMBOL = "jdk.types.Package", "jdk.types.Symbol"
#: Types whose values are in pools, where a field has the number of one.
POOLED = frozenset({CLASS, THREAD, LOADER, FRAME_TYPE, STATE, TRACE, METHOD, PACKAGE, SYMBOL})
#: Types that readers take for their only field.
SIMPLE = frozenset({SYMBOL, FRAME_TYPE, STATE})
START, TOOK = ("startTime", "long", TIMESTAMP), ("duration", "long", TIMESPAN)
ON_THREAD, WITH_STACK = ("eventThread", THREAD, ""), ("stackTrace", TRACE, "")


class Type(NamedTuple):
    """`fields`: of each its name, type (`[]`: an array) and the annotation about its unit, or none; `label`: of events;
    `above`: the supertype."""

    name: str
    fields: tuple[tuple[str, str, str], ...] = ()
    label: str = ""
    above: str = ""


def _event(name: str, label: str, *fields: tuple[str, str, str]) -> Type:
    return Type(name, fields, label, EVENT)


SAMPLE = _event(
    "jdk.ExecutionSample",
    "Method Profiling Sample",
    START,
    ("sampledThread", THREAD, ""),
    WITH_STACK,
    ("state", STATE, ""),
)
ALLOCATION = _event(
    "jdk.ObjectAllocationSample",
    "Object Allocation Sample",
    *(START, ON_THREAD, WITH_STACK, ("objectClass", CLASS, ""), ("weight", "long", DATA_AMOUNT)),
)
BLOCKED = _event(
    "jdk.JavaMonitorEnter",
    "Java Monitor Blocked",
    *(START, TOOK, ON_THREAD, WITH_STACK, ("monitorClass", CLASS, ""), ("previousOwner", THREAD, "")),
    ("address", "long", ""),
)
WAITED = _event(
    "jdk.JavaMonitorWait",
    "Java Monitor Wait",
    *(START, TOOK, ON_THREAD, WITH_STACK, ("monitorClass", CLASS, ""), ("notifier", THREAD, "")),
    *(("timeout", "long", ""), ("timedOut", "boolean", ""), ("address", "long", "")),
)
PARKED = _event(
    "jdk.ThreadPark",
    "Java Thread Park",
    *(START, TOOK, ON_THREAD, WITH_STACK, ("parkedClass", CLASS, "")),
    *(("timeout", "long", ""), ("until", "long", ""), ("address", "long", "")),
)
COLLECTION = _event(
    "jdk.GarbageCollection",
    "Garbage Collection",
    *(START, TOOK, ("gcId", "int", ""), ("name", STRING, ""), ("cause", STRING, "")),
    *(("sumOfPauses", "long", TIMESPAN), ("longestPause", "long", TIMESPAN)),
)
JVM = _event(
    "jdk.JVMInformation",
    "JVM Information",
    *(START, ("jvmName", STRING, ""), ("jvmVersion", STRING, ""), ("jvmArguments", STRING, "")),
    *(("jvmFlags", STRING, ""), ("javaArguments", STRING, ""), ("jvmStartTime", "long", TIMESTAMP)),
    ("pid", "long", ""),
)
CALL = _event(
    "classhook.Call",
    "Watched Call",
    *(START, TOOK, ON_THREAD, WITH_STACK, ("method", STRING, ""), ("values", STRING, ""), ("result", STRING, "")),
    *(("exception", STRING, ""), ("rule", STRING, "")),
)
TEST = _event(
    "classhook.Test",
    "Test",
    START,
    TOOK,
    ON_THREAD,
    ("name", STRING, ""),
    ("status", STRING, ""),
    ("framework", STRING, ""),
)
EVENTS = (SAMPLE, ALLOCATION, BLOCKED, WAITED, PARKED, COLLECTION, JVM, CALL, TEST)
VALUE = (("value", STRING, ""),)
#: In the order of their numbers, which begin at FIRST.
TYPES = (
    *(Type(name) for name in ("boolean", "byte", "char", "double", "float", "int", "long", "short")),
    Type(STRING),
    Type(SYMBOL, (("string", STRING, ""),)),
    Type(PACKAGE, (("name", SYMBOL, ""),)),
    Type(LOADER, (("type", CLASS, ""), ("name", SYMBOL, ""))),
    Type(
        CLASS, (("classLoader", LOADER, ""), ("name", SYMBOL, ""), ("package", PACKAGE, ""), ("modifiers", "int", ""))
    ),
    Type(
        THREAD,
        (("osName", STRING, ""), ("osThreadId", "long", ""), ("javaName", STRING, ""), ("javaThreadId", "long", "")),
    ),
    Type(FRAME_TYPE, (("description", STRING, ""),)),
    Type(STATE, (("name", STRING, ""),)),
    Type(
        METHOD,
        (
            *(("type", CLASS, ""), ("name", SYMBOL, ""), ("descriptor", SYMBOL, "")),
            *(("modifiers", "int", ""), ("hidden", "boolean", "")),
        ),
    ),
    Type(
        FRAME,
        (("method", METHOD, ""), ("lineNumber", "int", ""), ("bytecodeIndex", "int", ""), ("type", FRAME_TYPE, "")),
    ),
    Type(TRACE, (("truncated", "boolean", ""), ("frames", f"{FRAME}[]", ""))),
    *(Type(name, VALUE, above=ANNOTATION) for name in (LABEL, DESCRIPTION, TIMESTAMP, TIMESPAN, DATA_AMOUNT)),
    Type(CATEGORY, (("value", f"{STRING}[]", ""),), above=ANNOTATION),
    *EVENTS,
)
FIRST = 10
NUMBERS = {one.name: FIRST + i for i, one in enumerate(TYPES)}
UNITS = {TIMESTAMP: "TICKS", TIMESPAN: "TICKS", DATA_AMOUNT: "BYTES"}


class Element(NamedTuple):
    """An element of the tree in which a chunk describes its types."""

    name: str
    attributes: dict[str, str]
    children: tuple[Element, ...] = ()


def metadata() -> bytes:
    """The body of the event that describes all types."""
    region = Element("region", {"locale": "en_US", "gmtOffset": "0"})
    root = Element("root", {}, (Element("metadata", {}, tuple(map(_class, TYPES))), region))
    texts: dict[str, int] = {}
    tree = _written(root, texts)
    return number(1) + array(map(text, texts)) + tree


def _class(one: Type) -> Element:
    attributes = {"id": str(NUMBERS[one.name]), "name": one.name}
    if one.above:
        attributes["superType"] = one.above
    if one.name in SIMPLE:
        attributes["simpleType"] = "true"
    about = (_annotation(LABEL, one.label), _categories(one)) if one.label else ()
    return Element("class", attributes, (*about, *(_field(*each) for each in one.fields)))


def _field(name: str, kind: str, unit: str) -> Element:
    attributes = {"name": name, "class": str(NUMBERS[kind.removesuffix("[]")])}
    if kind in POOLED:
        attributes["constantPool"] = "true"
    if kind.endswith("[]"):
        attributes["dimension"] = "1"
    return Element("field", attributes, (_annotation(unit, UNITS[unit]),) if unit else ())


def _annotation(name: str, value: str) -> Element:
    return Element("annotation", {"class": str(NUMBERS[name]), "value": value})


def _categories(one: Type) -> Element:
    category = "classhook" if one.name.startswith("classhook.") else "Java Virtual Machine"
    return Element("annotation", {"class": str(NUMBERS[CATEGORY]), "value-0": category})


def _written(one: Element, texts: dict[str, int]) -> bytes:
    def index(name: str) -> bytes:
        return number(texts.setdefault(name, len(texts)))

    return (
        index(one.name)
        + array(index(key) + index(value) for key, value in one.attributes.items())
        + array(_written(child, texts) for child in one.children)
    )
