"""Reads classhook.h and heap.h for Python and Java: as text for cffi, and constants."""

from __future__ import annotations

import re
from pathlib import Path

HEADER = Path(__file__).resolve().parents[1] / "classhook.h"
HEAP = HEADER.parent / "extensions" / "heap" / "heap.h"

#: Constants that the weaver needs beside those of slots.
BESIDE = (
    "CH_UNNUMBERED",
    "CH_PROBE_TABLE_FORMAT",
    "CH_ASKED_TERM",
    "CH_ASKED_TERMS",
    "CH_ASKED_OUTCOMES",
    "CH_IS_LESS",
    "CH_IS_EQUAL",
    "CH_IS_GREATER",
    "CH_IS_OTHER",
    "CH_IS_UNSURE",
)


def text(file: Path = HEADER) -> str:
    """A header as cffi can parse it: without preprocessor lines and comments."""
    bare = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.S)
    return "".join(line + "\n" for line in bare.splitlines() if line.strip() and not line.startswith("#"))


def slots() -> dict[str, int]:
    """The constants of enum ch_slot, and those that the weaver needs beside."""
    found = re.search(r"enum ch_slot \{(.*?)\}", text(), re.S)
    assert found
    pairs = re.findall(r"(\w+) =\s+(\w+)", found[1])
    return {name: int(value, 0) for name, value in pairs} | {name: constant(name) for name in BESIDE}


def constant(name: str) -> int:
    """The value of one of the header's constants."""
    found = re.search(rf"{name} =\s+(\w+)", text())
    assert found
    return int(found[1], 0)


def java() -> str:
    """The header's constants as a Java class."""
    pairs = re.findall(r"\b(CH_\w+) =\s*(-?\w+)\b", text())
    lines = (f"    static final int {name} = {value};\n" for name, value in pairs)
    return f"package java.lang;\n\nfinal class Header {{\n{''.join(lines)}}}\n"
