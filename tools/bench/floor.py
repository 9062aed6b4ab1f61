"""The least that a timed call can cost: two readings of the processor's counter, each in a native method (or, where the
JVM has java.lang.foreign, a critical downcall); beside `time` and JFR's method timing."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from classhook.native.building import build, prerequisites
from tools.bench.common import HERE, Agent, compiled, jvms, printed, scratch, tool
from tools.bench.figures import Results, Values, runs, table
from tools.bench.probes import with_agent
from tools.bench.startup import FIRST_WITH_METHOD_TIMING

FIRST_WITH_FOREIGN = 22
NOT_INLINED = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Floor*::empty"]
PARTS = {
    "call": "a native method that does nothing",
    "read": "one that reads the counter",
    "around": "two of these around the call",
}
RULES = {"time": "time Floor::empty", "tree": "time Floor::empty tree", "sample": "time Floor::empty sample 1/100"}
NAMES = {
    **PARTS,
    "downcalls": "two critical downcalls that read it, around the call",
    "time": "`time`",
    "tree": "`time ... tree`",
    "sample": "`time ... sample 1/100`",
    "jfr": "JFR method timing",
}


@cache
def native() -> Path:
    library, home = scratch() / "libfloor.so", prerequisites.jdk_home() / "include"
    places = [f"-I{place}" for place in (home, home / "linux", build.HERE / "base")]
    tool(prerequisites.compiler(), "-O2", "-shared", "-fPIC", *places, HERE / "floor.c", "-o", library)
    return library


def downcalls(java: str) -> list[str]:
    """The command of FloorOfDowncalls.java, whose classes older JVMs do not have."""
    out = scratch() / f"downcalls-{Path(java).parents[1].name}"
    if not out.exists():
        tool(Path(java).with_name("javac"), "-d", out, HERE / "java" / "FloorOfDowncalls.java")
    options = [*NOT_INLINED, "--enable-native-access=ALL-UNNAMED", f"-Dlibrary={native()}"]
    return [java, *options, "-cp", str(out), "FloorOfDowncalls"]


def measure(results: Results) -> None:
    for release, java in jvms().items():
        line = [*NOT_INLINED, "-cp", str(compiled("Floor.java")), "Floor"]
        variants: dict[str, Callable[[], Values]] = {"bare": partial(printed, "ns", [java, *line, "bare"])}
        for name in PARTS:
            variants[name] = partial(printed, "ns", [java, *line, name, str(native())])
        for name, rule in RULES.items():
            variants[name] = partial(with_agent, Agent((rule,)), java, [*line, "bare"])
        if int(release) >= FIRST_WITH_FOREIGN:
            variants["downcalls"] = partial(printed, "ns", downcalls(java))
            variants["setup"] = partial(printed, "ms", [*downcalls(java), "setup"])
        if int(release) >= FIRST_WITH_METHOD_TIMING:
            jfr = [
                f"-XX:StartFlightRecording:method-timing=Floor::empty,filename={scratch() / 'floor.jfr'}",
                "-Xlog:jfr*=off",
            ]
            variants["jfr"] = partial(printed, "ns", [java, *jfr, *line, "bare"])
        results.by_turns(
            {f"{release}/{name}": one for name, one in variants.items()}, runs(), f"a timed call, on {release}"
        )


def tables(results: Results) -> str:
    rows = []
    for release in results.names(0):
        for name, what in NAMES.items():
            if results.figure(release, name, "ns"):
                rows.append(
                    [release, what, results.minus(f"{release}/{name}/ns", f"{release}/bare/ns").text("{:.1f} ns")]
                )
        if setup := results.figure(release, "setup", "ms"):
            rows.append([release, "once, to prepare a critical downcall", setup.text("{:.0f} ms")])
    return table(["JDK", "what", "a call, over bare"], rows)
