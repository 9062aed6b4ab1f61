"""Shared by XML and HTML reports: text that is safe in attributes."""

from __future__ import annotations

import re

_SPECIAL = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;"}
#: Characters that XML 1.0 does not have, not even escaped.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def escaped(text: str) -> str:
    """The text as it may stand in an attribute; a class may have any name, and no character of it moves a terminal's
    cursor."""
    text = _FORBIDDEN.sub("\ufffd", text).translate(_SPECIAL)
    return text if text.isprintable() else "".join(c if c.isprintable() else f"&#x{ord(c):x};" for c in text)
