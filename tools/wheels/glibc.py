"""Finds the functions of glibc that a library needs and an older glibc does not have."""

from __future__ import annotations

import re
from pathlib import Path

from tools.wheels.shell import call

#: The oldest release that our libraries run with: of CentOS 7, and what manylinux2014 stands for.
OLDEST = (2, 17)


def newer(library: Path, than: tuple[int, ...] = OLDEST) -> list[str]:
    """Finds functions that came after a release, as NAME@GLIBC_RELEASE, in order. Raises Failed if it is no library."""
    symbols = call("readelf", "--wide", "--dyn-syms", library)
    found = re.findall(r" UND (\S+)@+GLIBC_([\d.]+)", symbols)
    return sorted(f"{name}@GLIBC_{since}" for name, since in found if tuple(map(int, since.split("."))) > than)
