"""Fields of a line, separated by tabs: what would end one is written as a backslash and a letter.

The compiled rules and the probe tables are made of such lines; C reads both. This module is imported inside the JVM and imports nothing.
"""

from __future__ import annotations

ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
UNESCAPES = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def escape(field: str) -> str:
    """The field with nothing in it that would end it."""
    if "\\" in field or "\t" in field or "\n" in field or "\r" in field:
        return "".join([ESCAPES.get(c, c) for c in field])
    return field


def unescape(field: str, strict: bool = False) -> str:
    """The reverse of `escape`. A backslash before anything else stays, or if `strict` raises KeyError."""
    if "\\" not in field:
        return field
    out: list[str] = []
    at = 0
    while at < len(field):
        pair = field[at : at + 2]
        if pair in UNESCAPES:
            out.append(UNESCAPES[pair])
            at += 2
        elif strict and field[at] == "\\":
            raise KeyError(pair)
        else:
            out.append(field[at])
            at += 1
    return "".join(out)
