"""Watched calls: the records of a data file (native/watch/records.c), each a row.

A record names its probe's slot, by which its method, rule and the names of what it shows are known. Damaged ones end the reading: where the next one
begins is not known then.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from instrument.data.region import Region
from instrument.data.traces import Frame, Names, Stacks, type_name
from instrument.names import shortened
from native._layout import ffi

lib = ffi.dlopen(None)  # the header's constants

HEAD_BYTES = ffi.sizeof("struct ch_watched_head")
RECORD_BYTES = ffi.sizeof("struct ch_watched")
MASKED, MISSING = "***", "?"
CUT = "..."
NUMBERS = {lib.CH_VALUE_INT: struct.Struct("=q"), lib.CH_VALUE_DOUBLE: struct.Struct("=d"), lib.CH_VALUE_FLOAT: struct.Struct("=d")}
LENGTH, TWO = struct.Struct("=H"), struct.Struct("=II")


@dataclass(frozen=True, slots=True)
class Text:
    """A string; `length`: how many UTF-16 units it has, of which `text` may have only the first."""

    text: str
    length: int

    @property
    def whole(self) -> bool:
        return len(self.text.encode("utf-16-le", "surrogatepass")) // 2 >= self.length


@dataclass(frozen=True, slots=True)
class Char:
    text: str


@dataclass(frozen=True, slots=True)
class Constant:
    """One of an enum."""

    name: str


@dataclass(frozen=True, slots=True)
class Object:
    class_name: str


@dataclass(frozen=True, slots=True)
class Array:
    """`values`: those that are known, from the first on."""

    class_name: str
    length: int
    values: tuple[Any, ...]


class Masked:
    """A secret."""


class Missing:
    """No value: there is no such field."""


def as_json(value: Any) -> Any:
    """What files have: numbers, strings, null; of the rest an object that says what it is."""
    match value:
        case Text(text, length):
            return text if value.whole else {"string": text, "length": length}
        case Char(text) | Constant(text):
            return text
        case Object(name):
            return {"class": name}
        case Array(name, length, values):
            elements = [as_json(one) for one in values]
            return elements if len(values) == length else {"class": name, "length": length, "elements": elements}
        case Masked():
            return {"masked": True}
        case Missing():
            return {"missing": True}
        case float() if not isfinite(value):
            return as_text(value)
    return value


def as_text(value: Any) -> str:
    """As in Java's source, as far as possible."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Text(text, length):
            return f'"{escaped(text)}"' + ("" if value.whole else f"{CUT} ({length:,})")
        case Char(text):
            return f"'{escaped(text)}'"
        case Constant(name):
            return name
        case Object(name):
            return name.rpartition(".")[2]
        case Array(name, length, values):
            shown = [as_text(one) for one in values] + [CUT] * (len(values) < length)
            return f"{name.rpartition('.')[2].replace('[]', f'[{length}]', 1)} {{{', '.join(shown)}}}"
        case Masked():
            return MASKED
        case Missing():
            return MISSING
        case float() if not isfinite(value):
            return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return str(value)


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


class Watch(NamedTuple):
    """A probe: its method, the rule's text, and the names of what it shows; those of arguments begin with `=`. `slowest`: of all calls of the rule,
    so many are kept; 0: all."""

    class_name: str
    method: str
    descriptor: str
    rule: str
    names: tuple[str, ...]
    slowest: int = 0


@dataclass(slots=True)
class CallRow:
    """A call. `ended_unix_ns`: when; `values`: by name, of arguments with `=` in front; `stack`: its callers, the innermost first."""

    rule: str = ""
    count: int = 0
    ended_unix_ns: int = 0
    took_ns: int = 0
    thread: str = ""
    exception: str = ""
    message: Any = None
    values: tuple[tuple[str, Any], ...] = ()
    stack: tuple[Frame, ...] = ()
    unshown: bool = False  # it has arguments that are not shown
    several: bool = False  # a group's row

    def add(self, other: CallRow) -> None:
        self.several = True
        self.count += other.count
        self.took_ns += other.took_ns
        self.ended_unix_ns = max(self.ended_unix_ns, other.ended_unix_ns)

    @property
    def args(self) -> dict[str, Any]:
        return {name[1:]: value for name, value in self.values if name.startswith("=")}

    @property
    def fields(self) -> dict[str, Any]:
        return {name: value for name, value in self.values if not name.startswith("=") and name != "result"}

    @property
    def has_result(self) -> bool:
        return any(name == "result" for name, _ in self.values) and not self.exception

    @property
    def result(self) -> Any:
        return next((value for name, value in self.values if name == "result"), None)


class _Values:
    """Reads values one after another. Raises ValueError, IndexError or struct.error if they are damaged."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.at = 0

    def _take(self, n: int) -> bytes:
        found = bytes(self.data[self.at : self.at + n])
        if len(found) < n:
            raise ValueError("a value is cut off")
        self.at += n
        return found

    def next(self, inside: bool = False) -> Any:
        kind = self._take(1)[0]
        if kind in NUMBERS:
            return NUMBERS[kind].unpack(self._take(8))[0]
        simple = {lib.CH_VALUE_NULL: None, lib.CH_VALUE_MASKED: Masked(), lib.CH_VALUE_NONE: Missing()}
        if kind in simple:
            return simple[kind]
        if kind == lib.CH_VALUE_BOOLEAN:
            return self._take(1) != b"\0"
        if kind == lib.CH_VALUE_CHAR:
            return Char(self._take(2).decode("utf-16-le", "surrogatepass"))
        if kind in (lib.CH_VALUE_STRING, lib.CH_VALUE_ENUM):
            length, kept = TWO.unpack(self._take(8))
            text = self._take(2 * kept).decode("utf-16-le", "surrogatepass")
            return Text(text, length) if kind == lib.CH_VALUE_STRING else Constant(text)
        if kind == lib.CH_VALUE_OBJECT:
            return Object(type_name(self.text()))
        if kind == lib.CH_VALUE_ARRAY:
            name = type_name(self.text())
            length, kept = TWO.unpack(self._take(8))
            if kept and inside:
                raise ValueError("an array within an array's elements")
            return Array(name, length, tuple(self.next(inside=True) for _ in range(kept)))
        raise ValueError(f"a value of kind {kind}")

    def text(self) -> str:
        return shortened(self._take(LENGTH.unpack(self._take(2))[0]).decode("utf-8", "replace"))

    def name(self) -> str:
        """The text of an object's record, whatever it is the name of."""
        if self._take(1)[0] != lib.CH_VALUE_OBJECT:
            return ""
        return self.text()


def add_rows(rows: dict[Any, Any], region: Region, probes: dict[int, Watch], stacks: Region, names: Names, start_unix_ns: int,
             before: Region | None = None) -> int:  # fmt: skip
    """Adds a file's calls; returns how many were lost. `before`: the region in an earlier state, whose calls are left out."""
    head = _head(region)
    if head is None:
        return 0
    earlier = _head(before) if before is not None else None
    frames = Stacks(stacks, names.frames)
    number = max((key[-1] for key in rows), default=0)
    kept: dict[str, tuple[int, list[tuple[int, int, Any]]]] = {}  # by rule: how many; the time, number and key of each
    at = HEAD_BYTES if earlier is None else int(earlier.used)
    while at + RECORD_BYTES <= head.used:
        piece = region.read(at, RECORD_BYTES)
        record = None if piece is None else ffi.from_buffer("struct ch_watched *", piece)
        if record is None or record.bytes < RECORD_BYTES or at + record.bytes > head.used:
            break
        content = region.read(at + RECORD_BYTES, record.bytes - RECORD_BYTES)
        at += record.bytes
        probe = probes.get(record.slot)
        if probe is None or content is None:
            continue
        try:
            row = _row(_Values(content), record, probe)
        except (ValueError, IndexError, struct.error):
            continue
        row.ended_unix_ns = start_unix_ns + record.ended_ns
        row.stack = frames.of(record.stack) if record.stack else ()
        number += 1
        key = (probe.class_name, probe.method, probe.descriptor, number)
        rows[key] = row
        if probe.slowest:
            kept.setdefault(probe.rule, (probe.slowest, []))[1].append((-row.took_ns, number, key))
    for most, calls in kept.values():
        for _, _, key in sorted(calls)[most:]:
            del rows[key]
    return int(head.lost) - (0 if earlier is None else int(earlier.lost))


def _head(region: Region) -> Any:
    data = region.whole(0, HEAD_BYTES)
    return None if data is None else ffi.from_buffer("struct ch_watched_head *", data)


def _row(values: _Values, record: Any, probe: Watch) -> CallRow:
    row = CallRow(probe.rule, 1, took_ns=record.took_ns, thread=values.name())
    if record.threw:
        thrown = values.next()
        row.exception = thrown.class_name if isinstance(thrown, Object) else MISSING
        row.message = values.next()
    row.values = tuple((name, values.next()) for name in probe.names)
    row.unshown = not probe.descriptor.startswith("()") and not row.args
    return row
