"""Runs a library's tests with JaCoCo's agent and with `cover`, and compares what both say.

1. Once with JaCoCo's agent, once with `cover`.
2. The same data: JaCoCo's analysis of the data of its own agent, and ours of the same data, must be equal in each
   counter of each node and in each line's four numbers. So must its analysis of the file that we write for it
   (`-f jacoco-exec`) and our report of our own data.
3. The same tests: our report of our data is compared with JaCoCo's of its own. If something differs, both run again,
   some times at most: where runs with one agent differ from each other the tests depend on time or on the garbage
   collector, and what they did is unsteady. What differs though all of JaCoCo's runs agree and all of ours is a
   difference.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from classhook.coverage.analysis import Options, analyze, as_jacoco
from classhook.coverage.bundle import bundle
from classhook.coverage.class_id import class_id
from classhook.coverage.counters import ClassCoverage
from classhook.coverage.execfile import ExecFile, Executed, write
from classhook.measures.cover.reader_classes import covered
from classhook.model.reading.files import data_files
from classhook.store.reading import read_file
from tests import peers
from tests.conftest import ENVIRONMENT, run_line
from tests.coverage.conftest import SOURCES, Nodes, class_files, nodes_of, ours, theirs
from tools.compare.fetching import Failed, tool
from tools.compare.libraries import Built, Workshop

PATIENCE = 1200  # seconds for a run of tests
MOST = 4  # runs of each agent
PASSED = re.compile(r"\[ *(\d+) tests successful|(\d+) succeeded, failed")


#: The data file of the n-th run of a command, and what it printed; kept from earlier, or made by the last argument.
#: Takes what was built, the command, n.
Runs = Callable[[Built, list[str | Path], int, Callable[[Path], str]], tuple[Path, str]]


@dataclass
class Compared:
    """The result: how much was compared, what differs in the same data, what is unsteady, and what differs in the same
    tests."""

    classes: int = 0
    ran: int = 0
    methods: int = 0
    lines: int = 0
    counters: int = 0
    passed: list[str] = field(default_factory=list)
    same_data: list[str] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)
    differ: list[str] = field(default_factory=list)
    coarse: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{len(self.same_data)} nodes differ in the same data, {len(self.differ)} in the same tests;"
            f" {self.counters:,} numbers"
        )


def execute(line: Iterable[str | Path], folder: Path | None) -> str:
    """Runs tests; some of them may fail. Raises Failed if it takes too long."""
    try:
        done = subprocess.run(
            list(line),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            cwd=folder,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"not done after {PATIENCE} s: {error.cmd}") from None
    if done.returncode not in (0, 1):
        raise Failed(f"status {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    return done.stdout + done.stderr


def passed(text: str) -> str:
    """The number of tests that passed, in words; all that a program prints, if it does not say one."""
    found = PASSED.search(text)
    return f"{int(found[1] or found[2]):,} passed" if found else text


class Oracle:
    """JaCoCo's analysis."""

    def __init__(self, shop: Workshop) -> None:
        jars = [shop.fetcher.jar(artifact) for artifact in (peers.JACOCO_CORE, *peers.JACOCO_NEEDS)]
        self.folder = shop.scratch / "oracle"
        self.path = ":".join(map(str, [self.folder, *jars]))
        self.java = shop.jdk(25) / "java"
        self.folder.mkdir(parents=True, exist_ok=True)
        tool(shop.jdk(17) / "javac", "-d", self.folder, "-cp", self.path, SOURCES / "oracle" / "Oracle.java")

    def __call__(self, classes: Path, *data: Path) -> list[Nodes]:
        return theirs(tool(self.java, "-Xmx3g", "-cp", self.path, "Oracle", classes, *data))


def our_run(data: Path, classes: Path, compared: Compared) -> tuple[Nodes, bytes]:
    """Our own report of our data, and the data as JaCoCo's. Raises Failed if our data has other classes than were
    built."""
    known = {class_id(content): content for content in class_files(classes)}
    found: list[ClassCoverage] = []
    file = ExecFile()
    for one in covered([read_file(path) for path in data_files([data])]):
        if one.data is None or class_id(one.data) not in known:
            continue  # a test's class, or another version of a class, from another jar
        known.pop(class_id(one.data))
        options = Options(one.level, one.levels)
        if one.levels:
            compared.coarse.append(one.name)
        found.append(analyze(one.data, one.hits, options))
        file.add(Executed(class_id(one.data), one.name.replace(".", "/"), as_jacoco(one.data, one.hits, options)))
    compared.ran = len(found)
    found += [analyze(content) for content in known.values()]
    return nodes_of(bundle("all", found)), write(file)


def compare(
    built: Built, agent: Path, oracle: Oracle, scratch: Path, runs: Runs, say: Callable[[str], None]
) -> Compared:
    """Runs and compares. Raises Failed."""
    found = Compared()
    jacoco: list[Nodes] = []
    mine: list[Nodes] = []
    analysed: Nodes = {}
    while not mine or (len(mine) < MOST and differing(jacoco, mine)):
        number = len(mine)
        say(f"JaCoCo's run {number + 1}")
        file, said = by_jacoco(built, agent, number, runs)
        found.passed.append(passed(said))
        jacoco.append(oracle(built.classes, file)[0])
        analysed = analysed or ours(built.classes, file.read_bytes())
        say(f"our run {number + 1}")
        mine.append(by_us(built, oracle, scratch / f"data{number}", found))
    found.same_data = list(dict.fromkeys([*named(analysed, jacoco[0]), *found.same_data]))
    found.unsteady = [" ".join(key) for key in jacoco[0] if not (steady(jacoco, key) and steady(mine, key))]
    found.differ = [told(key, mine[0].get(key), jacoco[0][key]) for key in differing(jacoco, mine)]
    kinds = [kind for kind, _ in jacoco[0]]
    found.classes, found.methods = kinds.count("class"), kinds.count("method")
    found.lines = sum(len(lines) for (kind, _), (_, lines) in jacoco[0].items() if kind == "source")
    found.counters = sum(12 + 4 * len(lines) for _, lines in jacoco[0].values())
    return found


def by_jacoco(built: Built, agent: Path, number: int, runs: Runs) -> tuple[Path, str]:
    """The data of the n-th run with JaCoCo's agent, and what it printed."""
    includes = ":".join(f"{name}.*" if name else "*" for name in built.packages)
    java = Workshop.jdk(built.release) / "java"

    def run(file: Path) -> str:
        return execute([java, f"-javaagent:{agent}=destfile={file},includes={includes}", *built.words], built.folder)

    return runs(built, [java, agent], number, run)


def by_us(built: Built, oracle: Oracle, data: Path, found: Compared) -> Nodes:
    """A run with `cover`; JaCoCo's analysis of its data is compared, too."""
    rules = [f"cover {name}.**" if name else "cover **" for name in built.packages]
    found.passed.append(
        passed(execute(run_line(rules, data, [Workshop.jdk(built.release) / "java", *built.words]), built.folder))
    )
    found.coarse = []
    mine, exported = our_run(data, built.classes, found)
    file = data.with_suffix(".exec")
    file.write_bytes(exported)
    found.same_data += named(
        without_coarse(mine, found.coarse), without_coarse(oracle(built.classes, file)[0], found.coarse)
    )
    return mine


def steady(runs: list[Nodes], key: tuple[str, str]) -> bool:
    return all(one.get(key) == runs[0].get(key) for one in runs)


def differing(jacoco: list[Nodes], mine: list[Nodes]) -> list[tuple[str, str]]:
    """The nodes of which all of JaCoCo's runs say the same, all of ours as well, but something else."""
    return [
        key
        for key in sorted(jacoco[0])
        if jacoco[0][key] != mine[0].get(key) and steady(jacoco, key) and steady(mine, key)
    ]


def told(key: tuple[str, str], mine: object, jacoco: object) -> str:
    return f"{' '.join(key)}\n    ours   {mine}\n    JaCoCo {jacoco}"


def without_coarse(nodes: Nodes, coarse: list[str]) -> Nodes:
    """Without classes with fewer probes than JaCoCo would need, and without what sums them up."""
    left_out = {one.replace(".", "/") for one in coarse}
    return (
        nodes
        if not coarse
        else {
            key: node for key, node in nodes.items() if key[0] == "method" and key[1].rpartition(".")[0] not in left_out
        }
    )


def named(mine: Nodes, jacoco: Nodes) -> list[str]:
    """The nodes that differ, with both results."""
    return [
        told(key, mine.get(key), jacoco.get(key))
        for key in sorted(mine.keys() | jacoco.keys())
        if mine.get(key) != jacoco.get(key)
    ]
