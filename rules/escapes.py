"""Lines of tab-separated fields: tabs, line ends and backslashes within a field are written as a backslash and a
letter.

Compiled rules and probe tables consist of such lines; C reads both. This module is imported inside the JVM and imports
nothing.
"""

from __future__ import annotations

ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
UNESCAPES = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}


def escape(field: str) -> str:
    """The field with these characters escaped."""
    if "\\" in field or "\t" in field or "\n" in field or "\r" in field:
        return "".join([ESCAPES.get(c, c) for c in field])
    return field


def unescape(field: str, strict: bool = False) -> str:
    """The reverse of `escape`. An unknown escape stays as it is, or raises KeyError if `strict`."""
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
