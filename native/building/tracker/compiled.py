"""The Java sources of the tracker, compiled by the JDK whose headers the agent is compiled with."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from classhook.native.building import header
from classhook.native.building.prerequisites import javac
from classhook.native.building.tracker.names import PACKAGE
from classhook.native.jdk_releases import OLDEST

SOURCES = Path(__file__).resolve().parents[2] / "tracker"

#: The code does not depend on the JDK that compiles it: it is for the oldest release, and `jdk/` beside the sources has
#: what a JDK may lack, in place of its own classes. The other flags are for a short run.
FLAGS = (
    *("-source", str(OLDEST), "-target", str(OLDEST), "-g:none", "-proc:none", "-nowarn", "-Xlint:-options"),
    *("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"),
)


@cache
def classes() -> Mapping[str, bytes]:
    """The class files, by the names of their sources."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        constants = scratch / "Header.java"
        constants.write_text(header.java())
        sources = [*sorted(SOURCES.glob("*.java")), *sorted((SOURCES / "jdk").glob("*.java")), constants]
        patched = f"java.base={SOURCES}:{scratch}"
        subprocess.run([javac(), *FLAGS, "--patch-module", patched, "-d", scratch, *sources], check=True)
        return {path.stem: path.read_bytes() for path in (scratch / PACKAGE).glob("*.class")}
