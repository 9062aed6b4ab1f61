"""Dumps of JVMs that run, beside what the JVM itself says of the same objects."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from classhook.extensions.heap.dump import readable
from tests import compiling, peers
from tests.conftest import ENVIRONMENT, PATIENCE, FindJvm

SOURCE = Path(__file__).parent / "java" / "Kept.java"
WAYS = {
    "default": [],
    "compact": ["-XX:+UseCompactObjectHeaders"],
    "full": ["-XX:-UseCompressedOops"],
    "full, compact": ["-XX:-UseCompressedOops", "-XX:+UseCompactObjectHeaders"],
    "serial": ["-XX:+UseSerialGC"],
    "parallel": ["-XX:+UseParallelGC"],
    "z": ["-XX:+UseZGC"],
    "z, compact": ["-XX:+UseZGC", "-XX:+UseCompactObjectHeaders"],
    "z, aligned": ["-XX:+UseZGC", "-XX:ObjectAlignmentInBytes=16"],
    "shenandoah": ["-XX:+UseShenandoahGC"],
    "shenandoah, full": ["-XX:+UseShenandoahGC", "-XX:-UseCompressedOops"],
    "shenandoah, compact": ["-XX:+UseShenandoahGC", "-XX:+UseCompactObjectHeaders"],
    "wide": ["-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"],
    "aligned": ["-XX:ObjectAlignmentInBytes=16"],
}
CELLS = [
    (17, "default"),
    (17, "full"),
    (17, "wide"),
    (17, "aligned"),
    (25, "default"),
    (25, "compact"),
    (25, "full"),
    (25, "z"),
]
#: Other collectors and layouts, for which the histogram is compared.
MORE = [(17, way) for way in ("serial", "parallel", "z", "z, aligned", "shenandoah", "shenandoah, full")]
MORE += [(25, way) for way in WAYS if (25, way) not in CELLS and way not in ("wide", "aligned")]


@dataclass
class Stopped:
    """A dump of a program that waited, the same packed, and the JVM's own histogram: class -> objects, bytes."""

    plain: Path
    packed: Path
    histogram: dict[str, tuple[int, int]]


def cell_id(cell: tuple[int, str]) -> str:
    return f"jdk{cell[0]}-{cell[1]}"


@pytest.fixture(scope="module", params=CELLS, ids=cell_id)
def stopped(request: pytest.FixtureRequest, find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    return dumped(*request.param, find_jvm, tmp_path_factory)


def dumped(version: int, way: str, find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    folder = tmp_path_factory.mktemp("heap")
    jvm = find_jvm(version)
    compiling.javac(find_jvm(17).tool("javac"), "-d", folder, SOURCE)
    line = [jvm.java, "-Xmx200m", *WAYS[way], "-cp", folder, "Kept"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as program:
        assert program.stdout is not None
        pid = program.stdout.readline().split()[1]

        def jcmd(*words: str) -> str:
            return subprocess.run(
                [jvm.tool("jcmd"), pid, *words], check=True, capture_output=True, text=True, timeout=PATIENCE
            ).stdout

        jcmd("GC.heap_dump", str(folder / "kept.hprof"))
        text = jcmd("GC.class_histogram")
        jcmd("GC.heap_dump", "-gz=1", str(folder / "kept.hprof.gz"))
        program.communicate("\n", timeout=PATIENCE)
    return Stopped(folder / "kept.hprof", folder / "kept.hprof.gz", histogram_of(text))


def histogram_of(text: str) -> dict[str, tuple[int, int]]:
    """Objects and bytes by class, as GC.class_histogram prints them."""
    found: dict[str, tuple[int, int]] = {}
    for count, size, name in re.findall(r"^ *\d+: +(\d+) +(\d+) +(\S+)", text, re.M):
        name = readable(name) if name.startswith("[") else name
        before = found.get(name, (0, 0))
        found[name] = (before[0] + int(count), before[1] + int(size))
    return found


def heap(*words: str | Path) -> dict[str, Any]:
    line = [sys.executable, "-m", "classhook.cli", "heap", *map(str, words), "-f", "json", "--top", "0"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


#: The JVM itself allocates between the dump and its histogram, and counts the archive's classes that are not loaded.
ITS_OWN = re.compile(r"java\.lang\.Class|jdk\.internal\..*|java\.lang\.(invoke|ref)\..*|sun\..*|.*Thread.*")


def test_the_histogram_is_the_jvms(stopped: Stopped) -> None:
    report = heap(stopped.plain)
    ours = {row["class"]: (row["count"], row["bytes"]) for row in report["histogram"]}
    for name in ("Kept$Node", "Kept$Sub", "Kept$Held", "java.util.HashMap$Node", "java.lang.Object[][]"):
        assert ours[name] == stopped.histogram[name], name
    both = [name for name in ours if name in stopped.histogram]
    for name in both:
        (count, size), (their_count, their_size) = ours[name], stopped.histogram[name]
        if min(count, their_count) > 2 and not name.endswith("[]") and name != "java.lang.Class":
            assert size / count == their_size / their_count, name
    both = [name for name in both if not ITS_OWN.fullmatch(name)]
    same = [name for name in both if ours[name] == stopped.histogram[name]]
    assert len(both) > 90
    assert len(same) >= 0.9 * len(both), {
        name: (ours[name], stopped.histogram[name]) for name in both if name not in same
    }


@pytest.mark.slow
@pytest.mark.parametrize("cell", MORE, ids=cell_id)
def test_the_histogram_is_the_jvms_in_other_layouts(
    cell: tuple[int, str], find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory
) -> None:
    test_the_histogram_is_the_jvms(dumped(*cell, find_jvm, tmp_path_factory))


def test_a_packed_dump_has_the_same(stopped: Stopped) -> None:
    plain, packed = (
        {row["class"]: row["count"] for row in heap(file)["histogram"]} for file in (stopped.plain, stopped.packed)
    )
    for name in ("Kept$Node", "Kept$Sub", "Kept$Held", "java.util.HashMap$Node"):
        assert plain[name] == packed[name]


def test_what_the_program_keeps_is_found(stopped: Stopped) -> None:
    report = heap(stopped.plain, "--show", "biggest,dominators,strings", "--path", "Kept$Held", "--path", "Kept$Sub")
    sizes = {name: size for name, (_, size) in stopped.histogram.items()}
    (held,) = [row for row in report["biggest"] if row["class"] == "Kept$Held"]
    assert held["retained"] - held["bytes"] in range(100_016, 100_033)  # the array, with its header
    by_class = {row["class"]: row for row in report["dominators"]}
    texts = [row for row in report["strings"] if row["text"].startswith("again ")]
    assert sum(row["strings"] for row in texts) == 1000
    assert {row["strings"] for row in texts} == {100}
    nodes = by_class["Kept$Sub"]["retained"]
    assert nodes > sizes["Kept$Node"] + sizes["Kept$Sub"] - 200  # all of the list but its first objects
    way = next(one for one in report["paths"] if one["to"] == "Kept$Held")
    assert way["steps"] == []
    assert re.fullmatch(r"local variable of thread 'main', at .*", way["root"])
    way = next(one for one in report["paths"] if one["to"] == "Kept$Sub")
    assert way["count"] >= 999
    assert "elementData of java.util.ArrayList" in " ".join(way["steps"])


def test_suspects_are_what_retains_most(stopped: Stopped) -> None:
    """Each with the fields by which a root keeps it."""
    report = heap(stopped.plain)
    found = {" < ".join(one["steps"]): one for one in report["suspects"]}
    (in_map,) = [one for way, one in found.items() if "MAP of class Kept" in way]
    assert (in_map["class"], in_map["holds"]) == ("java.util.HashMap$Node[]", "java.util.HashMap$Node")
    assert in_map["steps"][0].startswith("table of java.util.HashMap@")
    biggest = {row["id"]: row["retained"] for row in heap(stopped.plain, "--show", "biggest", "--top", "0")["biggest"]}
    assert in_map["retained"] == biggest[in_map["id"]]
    sizes = [one["retained"] for one in report["suspects"]]
    assert sizes == sorted(sizes, reverse=True)
    assert report["histogram"]


# ---- beside another reader


def objects_of(lines: list[str]) -> dict[str, list[str]]:
    """By an object's id, its class, its references and its numbers, in order; text of characters and fractions is each
    reader's own."""
    found: dict[str, list[str]] = {}
    entry: list[str] = []
    for line in lines:
        words = line.split(" ")
        if not line.startswith("  "):
            entry = found[words[0]] = words[1:2]
        elif re.fullmatch(r"  \S+ (-> .*|= -?\d+|= true|= false)", line):
            entry.append(line)
    return found


def test_another_reader_finds_the_same(stopped: Stopped, find_jvm: FindJvm, tmp_path: Path) -> None:
    """Each instance and array, its class, each reference and each number."""
    try:
        jars = [peers.fetch(artifact, tmp_path / "jars") for artifact in peers.HPROF_HEAP]
    except peers.Missing as missing:
        pytest.skip(str(missing))
    java = find_jvm(17)
    line = [
        java.java,
        "-Xmx1g",
        "-cp",
        ":".join(map(str, jars)),
        Path(__file__).parent / "java" / "Other.java",
        stopped.plain,
    ]
    done = subprocess.run(line, check=True, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    theirs = objects_of(done.stdout.replace("+0x", "/0x").splitlines())
    ours_line = [sys.executable, "-m", "classhook.cli", "heap", stopped.plain, "--level", "2"]
    listed = subprocess.run(
        ours_line, check=True, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT
    ).stdout.splitlines()
    at = [i for i, text in enumerate(listed) if not text.startswith("  ")]
    kept = [
        text
        for first, next_ in zip(at, [*at[1:], len(listed)], strict=True)
        if listed[first].startswith(("instance", "array"))
        for text in [listed[first].partition(" ")[2], *listed[first + 1 : next_]]
    ]
    known = {listed[i].split(" ")[1] for i in at}
    dangling = re.compile(r" -> (\w+)$")  # to the archive's classes that are not loaded; the other reader has null
    ours = objects_of([dangling.sub(lambda found: found[0] if found[1] in known else " -> 0", text) for text in kept])
    assert len(ours) == len(theirs) > 20_000
    assert {id_: (entry, theirs.get(id_)) for id_, entry in ours.items() if entry != theirs.get(id_)} == {}
