"""Dumps of JVMs that wait, written in each way that a JDK has, between two of the JVM's own histograms."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from classhook.extensions.heap.dump import readable
from tests.conftest import ENVIRONMENT
from tools.compare.fetching import Failed, tool
from tools.corpus.machines import Machine

SOURCE = Path(__file__).parents[2] / "java" / "Heaps.java"
COLLECTORS = {
    "Serial": ["-XX:+UseSerialGC"],
    "Parallel": ["-XX:+UseParallelGC"],
    "G1": ["-XX:+UseG1GC"],
    "Z": ["-XX:+UseZGC"],
    "Shenandoah": ["-XX:+UseShenandoahGC"],
    "Epsilon": ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"],
}
OOPS = {"compressed": "-XX:+UseCompressedOops", "uncompressed": "-XX:-UseCompressedOops"}
ALWAYS_WIDE = ("Z",)  # references of 8 bytes, whatever the option
PATIENCE = 600  # seconds
Histogram = dict[str, tuple[int, int]]  # class -> objects and bytes

#: By name: jcmd's commands, or the options of jmap, for the histogram and the dump; in all collectors or only in those
#: that MOST_FORMS names; and since which release.
JCMD = {
    "jcmd GC.heap_dump": ("GC.class_histogram", "GC.heap_dump", 17),
    "jcmd GC.heap_dump -all": ("GC.class_histogram -all", "GC.heap_dump -all", 17),
    "jcmd GC.heap_dump -gz=1": ("GC.class_histogram", "GC.heap_dump -gz=1", 17),
    "jcmd GC.heap_dump -parallel=2": ("GC.class_histogram", "GC.heap_dump -parallel=2", 22),
}
JMAP = {
    "jmap -dump:live": ("-histo:live", "-dump:live,format=b"),
    "jmap -dump": ("-histo", "-dump:format=b"),
    "jmap -dump:live,gz=1": ("-histo:live", "-dump:live,format=b,gz=1"),
}
EVERYWHERE = ("jcmd GC.heap_dump", "jcmd GC.heap_dump -all")
MOST_FORMS = ("G1", "Parallel")


@dataclass(frozen=True, slots=True)
class Dumped:
    """A dump, and what the JVM said of its heap right before and after it."""

    file: Path
    before: Histogram
    after: Histogram


def compiled(java: Machine, folder: Path) -> Path:
    """The class path of the program. Raises Failed."""
    tool(java.java.parent / "javac", "--release", "17", "-d", folder, SOURCE)
    return folder


def has(java: Machine, options: list[str]) -> bool:
    return not subprocess.run([java.java, *options, "-version"], capture_output=True, env=ENVIRONMENT).returncode


@contextmanager
def waiting(java: Machine, options: list[str], class_path: Path, count: int) -> Iterator[str]:
    """The process id of the program, which has filled its collections."""
    line = [java.java, "-Xlog:disable", *options, "-Xmx800m", "-cp", class_path, "Heaps", str(count)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as program:
        try:
            assert program.stdout is not None
            if not (said := program.stdout.readline()):
                raise Failed(f"{' '.join(map(str, line))} ended")
            yield said.strip()
            program.communicate("\n", timeout=PATIENCE)
        finally:
            program.kill()


def dumped(java: Machine, pid: str, form: str, folder: Path) -> Dumped:
    """Writes a dump. Raises Failed."""
    file = folder / "dump.hprof"
    file.unlink(missing_ok=True)
    if form in JCMD:
        histogram, dump, _ = JCMD[form]
        commands = folder / "commands"
        commands.write_text(f"{histogram}\n{dump} {file}\n{histogram}\n")
        said = tool(java.java.parent / "jcmd", pid, "-f", commands)
        before, _, after = said.partition("Heap dump file created")
        return Dumped(file, histogram_of(before), histogram_of(after))
    jmap, (histogram, dump) = java.java.parent / "jmap", JMAP[form]
    before = tool(jmap, histogram, pid)
    tool(jmap, f"{dump},file={file}", pid)
    return Dumped(file, histogram_of(before), histogram_of(tool(jmap, histogram, pid)))


def out_of_memory(java: Machine, class_path: Path, folder: Path, count: int) -> Path:
    """The dump that a JVM writes at the end of its memory."""
    file = folder / "full.hprof"
    file.unlink(missing_ok=True)
    options = ["-Xmx32m", "-XX:+HeapDumpOnOutOfMemoryError", f"-XX:HeapDumpPath={file}"]
    tool(java.java, *options, "-cp", class_path, "Heaps", str(count), "fill")
    return file


def histogram_of(text: str) -> Histogram:
    """Reads the histogram that GC.class_histogram and jmap print. Classes of one name are summed."""
    found: Histogram = {}
    for count, size, name in re.findall(r"^ *\d+: +(\d+) +(\d+) +(\S+)", text, re.M):
        name = readable(name) if name.startswith("[") else name.replace("+0x", "/0x")
        before = found.get(name, (0, 0))
        found[name] = (before[0] + int(count), before[1] + int(size))
    return found
