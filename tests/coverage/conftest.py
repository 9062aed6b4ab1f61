"""Helpers of the tests of coverage: JaCoCo's own analysis and agent as an oracle, and our numbers in the same form."""

from __future__ import annotations

import os
import random
import subprocess
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from classhook.classfile.code import Code
from classhook.classfile.reader import ClassFile
from classhook.coverage.analysis import DEFAULT, Options, analyze
from classhook.coverage.bundle import bundle
from classhook.coverage.class_id import class_id
from classhook.coverage.counters import Counters, Lines
from classhook.coverage.execfile import ExecFile, Executed, read, write
from classhook.coverage.placing import place
from classhook.coverage.subroutines import flat
from tests import compiling, peers
from tests.conftest import ENVIRONMENT, FindJvm, Jvm

SOURCES = Path(__file__).parent / "java"
PEERS = Path(__file__).parents[2] / ".pytest_cache" / "d" / "peers"

#: Six counters, missed and covered, and by line missed and covered instructions and branches; by kind and name of the
#: node.
Node = tuple[tuple[int, ...], dict[int, tuple[int, ...]]]
Nodes = dict[tuple[str, str], Node]
#: Types of the fixtures below.
Oracle = Callable[..., list[Nodes]]
Compile = Callable[..., Path]


@lru_cache
def peer(artifact: peers.Artifact) -> Path:
    """A jar of Maven Central; skips the test if it cannot be fetched."""
    try:
        return peers.fetch(artifact, PEERS)
    except peers.Missing as missing:
        pytest.skip(str(missing))


def tool(*line: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(line, capture_output=True, text=True, timeout=200, env=ENVIRONMENT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def class_files(path: Path) -> Iterator[bytes]:
    """The class files of a jar or folder, without module-info."""
    if path.is_dir():
        for file in sorted(path.rglob("*.class")):
            yield file.read_bytes()
        return
    with zipfile.ZipFile(path) as jar:
        for name in sorted(jar.namelist()):
            if (
                name.endswith(".class")
                and not name.startswith("META-INF/versions/")
                and not name.endswith("module-info.class")
            ):
                yield jar.read(name)


def ours(path: Path, data: bytes | None, options: Options = DEFAULT) -> Nodes:
    """Our counters of a jar or folder, with the content of a data file of JaCoCo."""
    executed = read(data).classes if data is not None else {}
    jacoco = Options(strict=options.strict)
    found = []
    for content in class_files(path):
        one = executed.get(class_id(content)) if executed else None
        found.append(analyze(content, None if one is None else one.probes, jacoco))
    return nodes_of(bundle("all", found))


def nodes_of(everything: object) -> Nodes:
    from classhook.coverage.bundle import Bundle

    assert isinstance(everything, Bundle)
    nodes: Nodes = {("bundle", "all"): node(everything.counters)}
    for package in everything.packages.values():
        nodes["package", package.name] = node(package.counters)
        for source in package.sources.values():
            nodes["source", f"{package.name}/{source.name}"] = node(source.counters, source.lines)
        for cls in package.classes:
            nodes["class", cls.name] = node(cls.counters)
            for method in cls.methods:
                nodes["method", f"{cls.name}.{method.name}{method.descriptor}"] = node(method.counters, method.lines)
    return nodes


def node(counters: Counters, lines: Lines | None = None) -> Node:
    return tuple(counters), {line: tuple(four) for line, four in (lines or {}).items()}


def theirs(text: str) -> list[Nodes]:
    """The output of Oracle.java."""
    found: list[Nodes] = []
    lines: dict[int, tuple[int, ...]] = {}
    for row in text.splitlines():
        kind, name, *numbers = row.split("\t")
        if kind == "data":
            found.append({})
        elif kind == "line":
            lines[int(name)] = tuple(map(int, numbers))
        else:
            lines = {}
            found[-1][kind, name] = tuple(map(int, numbers)), lines
    return found


def assert_equal(mine: Nodes, jacoco: Nodes) -> None:
    """Each node has the same counters and lines."""
    different = [
        (key, mine.get(key), jacoco.get(key))
        for key in sorted(mine.keys() | jacoco.keys())
        if mine.get(key) != jacoco.get(key)
    ]
    assert not different, f"{len(different)} of {len(jacoco)} nodes differ: (node, ours, JaCoCo's)\n" + "\n".join(
        map(str, different[:5])
    )


@pytest.fixture(scope="session")
def jdk(find_jvm: FindJvm) -> Jvm:
    return find_jvm(17)


@pytest.fixture(scope="session")
def oracle(jdk: Jvm, tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """JaCoCo's counters of a jar or folder, for the content of each data file, or None for no data."""
    jars = [peer(artifact) for artifact in (peers.JACOCO_CORE, *peers.JACOCO_NEEDS)]
    folder = tmp_path_factory.mktemp("oracle")
    class_path = os.pathsep.join(map(str, [folder, *jars]))
    compiling.javac(jdk.tool("javac"), "-d", folder, "-cp", class_path, SOURCES / "oracle" / "Oracle.java")

    def run(classes: Path, *data: bytes | None) -> list[Nodes]:
        files: list[str | Path] = []
        for content in data:
            files.append("-" if content is None else folder / f"{len(files)}.exec")
            if content is not None:
                (folder / f"{len(files) - 1}.exec").write_bytes(content)
        return theirs(tool(jdk.java, "-cp", class_path, "Oracle", classes, *files).stdout)

    return run


@pytest.fixture(scope="session")
def agent() -> Path:
    """JaCoCo's agent."""
    return peer(peers.JACOCO)


@pytest.fixture(scope="session")
def compile_java(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles a folder of tests/coverage/java by `javac17`, `javac25` or `ecj`."""

    @lru_cache
    def compile_with(folder: str, compiler: str, *options: str) -> Path:
        classes = tmp_path_factory.mktemp(f"{folder}-{compiler}")
        words = ["-g", *options, "-d", classes, *sorted((SOURCES / folder).glob("*.java"))]
        if compiler == "ecj":
            tool(find_jvm(25).java, "-jar", peer(peers.ECJ), "-nowarn", "-proc:none", *words)
        else:
            javac = find_jvm(int(compiler.removeprefix("javac"))).tool("javac")
            compiling.javac(javac, "-nowarn", "-Xlint:-options", *words)
        return classes

    return compile_with


def random_data(classes: Iterable[bytes], seed: int) -> bytes:
    """A data file that says of each probe whether it was hit, at random."""
    chance = random.Random(seed)
    file = ExecFile()
    for content in classes:
        cf = ClassFile.parse(content)
        count = 0
        for method in cf.methods:
            if method.code_at:
                code = Code(content, method.code_at, cf.pool)
                count += place(flat(code, cf.pool)).count
        likely = chance.choice([0.1, 0.5, 0.9])
        file.add(Executed(class_id(content), cf.name, bytes([chance.random() < likely for _ in range(count)])))
    return write(file)
