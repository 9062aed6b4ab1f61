"""The versions of `agent.versions`."""

from __future__ import annotations

import sys
from typing import NamedTuple

from classhook.base.embedded import events as jvm


class Versions(NamedTuple):
    """`java`: the release of the JDK, such as 17; `jvm`: its full version; `name`: of the JVM; the others: of JVMTI,
    classhook, Python."""

    java: int
    jvm: str
    name: str
    jvmti: str
    classhook: str
    python: str


def versions() -> Versions:
    from importlib.metadata import version

    jvmti, full, name = jvm.versions()
    python = ".".join(map(str, sys.version_info[:3]))
    return Versions(
        jvmti >> 16 & 0xFFF,
        full,
        name,
        f"{jvmti >> 16 & 0xFFF}.{jvmti >> 8 & 0xFF}.{jvmti & 0xFF}",
        version("classhook"),
        python,
    )
