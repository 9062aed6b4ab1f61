"""The paths of the built libraries."""

from __future__ import annotations

import sys
from pathlib import Path

#: Not resolved: the agent finds the package from here, and in a checkout this folder is a link.
HERE = Path(__file__).absolute().parent

#: The agent that a JVM loads by ``-agentpath:``.
AGENT = HERE / "libclasshook.so"

#: The library behind it, which embeds Python; the agent opens it when a class must be woven for the first time.
EMBEDDING = HERE / "libclasshook_python.so"

#: The loops of `classhook heap`; native/extensions/heap/heap.h declares them.
HEAP = HERE / "libclasshook_heap.so"

#: Agents for other machines, by the machine's name, as native/building/agents.py makes them.
OTHERS = "libclasshook-*.so.gz"


def libpython() -> str:
    """The shared library of the running Python if the embedding library, which may have been built elsewhere, does not
    know it; or else empty.

    Raises `classhook.native.building.prerequisites.Missing`.
    """
    try:
        from classhook.native._built import HOME, LIBPYTHON
    except ImportError:
        return ""  # nothing was built; who looks for the agent says so
    if sys.base_prefix == HOME and Path(LIBPYTHON).is_file():
        return ""
    from classhook.native.building import prerequisites

    return str(prerequisites.libpython())
