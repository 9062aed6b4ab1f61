"""The feature releases of the JDK that classhook works with."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: The oldest one that works, and the newest one that the tests have run on.
OLDEST, TESTED = 17, 28


def release_of(version: str) -> int:
    """The feature release of a JVM, from its version, such as `17.0.15+6` or `28-ea+18`; 0 if the text is no
    version."""
    found = re.match(r"\d+", version)
    return int(found[0]) if found else 0


def newer(versions: Iterable[str]) -> str:
    """A sentence about the newest of these JVMs if the tests have run on none so new, or else an empty text."""
    newest = max(map(release_of, versions), default=0)
    if newest <= TESTED:
        return ""
    return (
        f"JDK {newest} is newer than any that classhook was tested with (up to {TESTED}): `classhook self doctor`"
        " compares it with what is needed"
    )
