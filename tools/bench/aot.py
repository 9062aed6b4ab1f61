"""Measures how much of the time that an AOT cache saves at the start is left with an agent: programs start and end,
with a cache and without.

1. A cache is recorded without the agent, with the same modules; for OpenTelemetry's agent, as its makers say, with its
   jar in the boot class path. JaCoCo's agent is measured with a cache that was recorded with it as well.
2. All variants run by turns. What is kept is what the cache saves with the agent, of the median of what it saves
   without one.
3. A cache that the JVM does not take ends the program (`-XX:AOTMode=on`). How many classes an agent wove or has data of
   is told: one may be fast because it sees nothing.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from classhook.store.data_file import DataFile
from tests import peers
from tools.bench.common import Agent, compiled, jvms, peer, peer_with_needs, run, scratch
from tools.bench.figures import BenchError, Figure, Results, Values, runs, table
from tools.beside.agents import AGENTS

FIRST_WITH_CACHES = 25
MODULES = "--add-modules=java.instrument"  # which -javaagent adds: another set of modules is another cache
KINDS = ("cpu", "wall")
SESSION = 0x10
PROGRAMS = {"streams": "a small program with lambdas", "spring": "Spring Boot, a web application"}


@dataclass(frozen=True, slots=True)
class Variant:
    """`rule`: ours, where {} stands for the program's own classes; `agent`: options of another one. `recording`: those
    when the cache is recorded."""

    title: str
    rule: str = ""
    agent: Callable[[], list[str]] = list
    recording: Callable[[], list[str]] = list


def jacoco() -> list[str]:
    return [f"-javaagent:{peer(peers.JACOCO)}=append=false,destfile={scratch() / 'jacoco.exec'}", MODULES]


def opentelemetry() -> list[str]:
    return [*in_boot_class_path(), *AGENTS["opentelemetry"].words(scratch())]


def in_boot_class_path() -> list[str]:
    return [MODULES, f"-Xbootclasspath/a:{peer(peers.OPENTELEMETRY)}"]


VARIANTS = {
    "bare": Variant("no agent"),
    "nothing": Variant("rules that match nothing", "count com.acme.**::*"),
    "count": Variant("`count`", "count {}::*"),
    "time": Variant("`time`", "time {}::*"),
    "cover": Variant("`cover`", "cover {}"),
    "all": Variant("`count **::*`, all classes but the JDK's", "count **::*"),
    "jacoco": Variant("JaCoCo's agent", agent=jacoco, recording=lambda: [MODULES]),
    "jacoco-trained": Variant("JaCoCo's agent, also while recording", agent=jacoco, recording=jacoco),
    "opentelemetry": Variant("OpenTelemetry's agent", agent=opentelemetry, recording=in_boot_class_path),
}


@dataclass(frozen=True, slots=True)
class Program:
    words: list[str]
    own: str  # its classes


def packed(classes: Path) -> Path:
    """Packs a folder into a jar, for no AOT cache has classes of folders."""
    path = scratch() / f"{classes.name}.jar"
    with zipfile.ZipFile(path, "w") as jar:
        for file in sorted(classes.rglob("*.class")):
            jar.write(file, file.relative_to(classes))
    return path


def programs() -> dict[str, Callable[[], Program]]:
    def streams() -> Program:
        return Program(["-cp", str(packed(compiled("Streams.java"))), "Streams"], "Streams")

    def spring() -> Program:
        jars = peer_with_needs(peers.SPRING_WEB)
        return Program(["-cp", ":".join(map(str, [packed(compiled("Boot.java", *jars)), *jars])), "Boot"], "Boot*")

    return {"streams": streams, "spring": spring}


def recorded(java: str, name: str, words: list[str]) -> str:
    """The option for a cache of this run."""
    path = scratch() / f"{name}.aot"
    run([java, f"-XX:AOTCacheOutput={path}", *words])
    if not path.exists():
        raise BenchError("the JVM made no cache")
    return f"-XX:AOTCache={path}"


def woven(file: DataFile) -> Values:
    return {"classes": file.header.woven}


def in_exec_file(data: bytes) -> int:
    """The classes in a file of JaCoCo's: blocks of a type, 0x11, an id of 8 bytes, a name, and a bit for each probe
    (ExecutionDataWriter)."""
    found, at = 0, 5  # behind the head
    while at < len(data):
        block, at = data[at], at + (1 if data[at] == SESSION else 9)
        at += 2 + int.from_bytes(data[at : at + 2])
        if block == SESSION:
            at += 16
            continue
        probes = shift = 0
        more = True
        while more:
            probes |= (data[at] & 0x7F) << shift
            more, shift, at = data[at] > 0x7F, shift + 7, at + 1
        found, at = found + 1, at + (probes + 7) // 8
    return found


def with_jacoco(line: list[str]) -> Values:
    return {**run(line), "classes": in_exec_file((scratch() / "jacoco.exec").read_bytes())}


def measure(results: Results) -> None:
    for release, java in jvms().items():
        if int(release) < FIRST_WITH_CACHES:
            continue
        for name, program in programs().items():
            try:
                results.by_turns(
                    variants(release, java, name, program()),
                    runs(21 if name == "streams" else 11),
                    f"{name} on {release}",
                )
            except BenchError as error:
                results.absent[f"{name} on {release}"] = str(error)


def variants(release: str, java: str, name: str, program: Program) -> dict[str, Callable[[], Values]]:
    """Each variant without a cache and with one."""
    found: dict[str, Callable[[], Values]] = {}
    bare = recorded(java, f"{name}-{release}", program.words)
    for key, variant in VARIANTS.items():
        cache = bare
        if added := variant.recording():
            cache = recorded(java, f"{name}-{release}-{key}", [*added, *program.words])
        for state, options in {"without": [], "with": [cache, "-XX:AOTMode=on"]}.items():
            words = [*variant.agent(), *options, *program.words]
            if variant.rule:
                ours = Agent(
                    (variant.rule.format(program.own),), f"{name}-{release}-{key}-{state}"
                )  # classes of a cache have other bytes
                ours.run(java, words)
                found[f"{release}/{name}/{key}/{state}"] = partial(ours.run, java, words, woven)
            else:
                line: list[str | Path] = [java, *words]
                found[f"{release}/{name}/{key}/{state}"] = partial(
                    with_jacoco if variant.agent is jacoco else run, line
                )
    return found


def saved(results: Results, *name: str) -> Figure:
    """Without a cache, less with one."""
    *start, kind = name
    return results.figure(*start, "without", kind).minus(results.figure(*start, "with", kind))


def kept(results: Results, release: str, name: str, key: str, kind: str) -> Figure:
    """In percent of the median of what it saves without an agent."""
    return Figure(
        tuple(
            100 * one / saved(results, release, name, "bare", kind).median
            for one in saved(results, release, name, key, kind).values
        )
    )


def in_ms(figure: Figure) -> str:
    return Figure(tuple(1000 * one for one in figure.values)).text("{:.0f} ms")


def tables(results: Results) -> str:
    rows = []
    for release in results.names(0):
        for name, title in PROGRAMS.items():
            for key, variant in VARIANTS.items():
                if not saved(results, release, name, key, "cpu"):
                    continue
                states = [in_ms(results.figure(release, name, key, state, "cpu")) for state in ("without", "with")]
                shares = [kept(results, release, name, key, kind).text("{:.0f} %") for kind in KINDS]
                classes = results.figure(release, name, key, "with", "classes")
                rows.append(
                    [release, title, variant.title, *states, *shares, f"{classes.median:.0f}" if classes else ""]
                )
    heads = [
        "JDK",
        "program",
        "agent",
        "CPU without a cache",
        "CPU with it",
        "saved of CPU",
        "saved of wall",
        "classes seen",
    ]
    return table(heads, rows)
