"""Values of watched calls: as they are in a data file (native/watch/watch_records.c), in JSON, and in text."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import isfinite
from typing import Any

from classhook.base.names import shortened
from classhook.model.stacks import type_name
from classhook.native._layout import lib

MASKED, MISSING, UNSET = "***", "?", "(not set)"
CUT = "..."
NUMBERS = {
    lib.CH_VALUE_INT: struct.Struct("=q"),
    lib.CH_VALUE_DOUBLE: struct.Struct("=d"),
    lib.CH_VALUE_FLOAT: struct.Struct("=d"),
}
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


class Unset:
    """No value: a local variable that has none yet, or no more."""


def as_json(value: Any) -> Any:
    """The value in files: a number, string or null; otherwise an object that describes it."""
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
        case Unset():
            return {"unset": True}
        case float() if not isfinite(value):
            return as_text(value)
    return value


def as_text(value: Any) -> str:
    """The value as in Java's source, as far as possible."""
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
        case Unset():
            return UNSET
        case float() if not isfinite(value):
            return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return str(value)


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


class Values:
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
        simple = {
            lib.CH_VALUE_NULL: None,
            lib.CH_VALUE_MASKED: Masked(),
            lib.CH_VALUE_NONE: Missing(),
            lib.CH_VALUE_UNSET: Unset(),
        }
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
