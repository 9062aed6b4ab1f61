"""The tables of translations, and the clones that their tests lie in."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests import peers
from tools.compare.fetching import Failed, tool
from tools.strangers.suite import Place

HERE = Path(__file__).parent
JAVA = HERE.parents[1] / "java"
OF_CLASS = re.compile(r"([\w.]+):<")  # the class whose lines are named by their texts
LINE = re.compile(r"<([^<>#]+)(?:#(\d+))?>")
VERDICTS = ("said", "said in part", "not said")


@dataclass(frozen=True, slots=True)
class Said:
    """An entry of a table, described there."""

    tests: tuple[str, ...]
    wants: str
    rules: tuple[str, ...] = ()
    script: bool = False
    gives: tuple[tuple[str, int], ...] | None = None
    lacks: str = ""
    kind: str = ""
    alone: bool = False
    classfile: str = ""

    @property
    def verdict(self) -> str:
        if self.gives is None:
            return "not said"
        return "said in part" if self.lacks else "said"


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool whose tests are translated. `scripts`: where they are, in which `folders`, and how their names end;
    `targets`: where the sources of their classes are; `levels`: the folder of the scripts that are there once more,
    with levels; `note`: what is to be known of the numbers."""

    title: str
    owner: str
    name: str
    table: str
    scripts: str
    ending: str
    targets: tuple[str, ...]
    main: str
    levels: str = ""
    folders: tuple[str, ...] = ("**",)
    jars: tuple[peers.Artifact, ...] = ()
    note: str = ""

    def entries(self) -> list[Said]:
        found = tomllib.loads((HERE / f"{self.table}.toml").read_text())["said"]
        return [
            Said(
                **{name: tuple(value) if isinstance(value, list) else value for name, value in one.items()}
                | {"gives": tuple(one["gives"].items()) if "gives" in one else None}
            )
            for one in found
        ]


PEERS = (
    Peer(
        title="BTrace",
        owner="btraceio",
        name="btrace",
        table="btrace",
        scripts="btrace-instr/src/test/btrace",
        ending=".java",
        targets=("btrace-instr/src/test/java", "btrace-core/src/main/java"),
        main="BTraceTargets",
        levels="onmethod/leveled/",
        note="`@Self` counts at the entry and the return, where the scripts use it",
    ),
    Peer(
        title="Byteman",
        owner="bytemanproject",
        name="byteman",
        table="byteman",
        scripts="agent/src/test/resources/scripts",
        ending=".btm",
        folders=("location", "misc", "helpertests"),
        targets=("agent/src/test/java",),
        main="BytemanTargets",
        jars=peers.JUNIT4,
        note="left out: its tests of the language of rules and of its own errors; numbers are parts of tests",
    ),
)


@dataclass(frozen=True, slots=True)
class Clone:
    """A peer's clone, with its targets compiled."""

    peer: Peer
    root: Path
    version: str
    class_path: str

    def rule(self, text: str) -> str:
        """A rule with the numbers of the lines that it names by their texts."""
        named = OF_CLASS.search(text)
        if not named:
            return text
        source = next(self.root.rglob(f"{named[1].replace('.', '/')}.java"))
        lines = source.read_text().splitlines()

        def number(found: re.Match[str]) -> str:
            at = [number for number, line in enumerate(lines, 1) if found[1] in line]
            if len(at) < int(found[2] or 1):
                raise Failed(f"{source} has no line with {found[0]}")
            return str(at[int(found[2] or 1) - 1])

        return LINE.sub(number, text)

    def tests(self) -> set[str]:
        at = self.root / self.peer.scripts
        return {
            str(path.relative_to(at)).removesuffix(self.peer.ending)
            for folder in self.peer.folders
            for path in at.glob(f"{folder}/*{self.peer.ending}")
        }


def clone(peer: Peer, place: Place) -> Clone:
    root, version = place.clone(peer.owner, peer.name)
    jars = [str(place.fetcher.jar(one)) for one in peer.jars]
    made = place.folder / "classes" / peer.name
    shutil.rmtree(made, ignore_errors=True)
    javac = min(place.jvms.items())[1].java.with_name("javac")
    sources = ":".join(str(root / one) for one in peer.targets)
    class_path = ":".join([str(made), *jars])
    tool(javac, "-g", "-nowarn", "-d", made, "-cp", class_path, "-sourcepath", sources, JAVA / f"{peer.main}.java")
    return Clone(peer, root, version, class_path)


def complete(one: Clone, entries: Iterable[Said]) -> set[str]:
    """The tests that exist with levels, too. Raises Failed if the table has other tests than the clone."""
    found = one.tests()
    levels = one.peer.levels
    leveled = {test.replace(levels, "onmethod/") for test in found if levels and test.startswith(levels)}
    plain = {test for test in found if not levels or not test.startswith(levels)}
    told = {test.partition(":")[0] for entry in entries for test in entry.tests}
    if told != plain or not leveled <= plain:
        raise Failed(f"{one.peer.table}.toml: not as in the clone: {sorted((told ^ plain) | (leveled - plain))}")
    return leveled
