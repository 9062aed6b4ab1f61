"""The default data of `report`: the data directory in the working directory, or else in a folder above or below it.
Commands that judge or keep data do not look elsewhere, since they could take another project's."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError
from classhook.base.names import printable
from classhook.base.terminal import say

ABOVE = 4  # folders
BELOW = (f"*/{DEFAULT_DATA}", f"*/*/{DEFAULT_DATA}")


def default_data() -> Path:
    """The data directory; prints it if it is not in the working directory. Raises UsageError if there are several."""
    here = Path(DEFAULT_DATA)
    if here.exists():
        return here
    above = (Path(*[".."] * up, DEFAULT_DATA) for up in range(1, ABOVE + 1))
    below = (one for pattern in BELOW for one in sorted(Path().glob(pattern)))
    found = [*islice(filter(os.path.isdir, above), 1), *filter(os.path.isdir, below)]
    found = [*{one.resolve(): one for one in found}.values()]
    if len(found) > 1:
        raise UsageError(f"no {DEFAULT_DATA} here, but {', '.join(map(printable, map(str, found)))}: name one of them")
    if not found:
        return here
    say(f"reading {printable(str(found[0]))}")
    return found[0]
