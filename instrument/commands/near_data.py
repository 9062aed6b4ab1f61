"""The default data of commands: that of the working directory, or else of a folder above or below it."""

from __future__ import annotations

from pathlib import Path

from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError
from classhook.base.names import printable
from classhook.base.terminal import say

ABOVE = 4  # folders
BELOW = (f"*/{DEFAULT_DATA}", f"*/*/{DEFAULT_DATA}")


def default_data() -> Path:
    """The data directory; says so if it is not in the working directory. Raises UsageError if there are several."""
    here = Path(DEFAULT_DATA)
    if here.exists():
        return here
    found = [Path(*[".."] * up, DEFAULT_DATA) for up in range(1, ABOVE + 1)]
    found = [one for one in found if one.is_dir()][:1]
    found += [one for pattern in BELOW for one in sorted(Path().glob(pattern)) if one.is_dir()]
    if len(found) > 1:
        raise UsageError(f"no {DEFAULT_DATA} here, but {', '.join(map(printable, map(str, found)))}: name one of them")
    for one in found:
        say(f"reading {printable(str(one))}")
        return one
    return here
