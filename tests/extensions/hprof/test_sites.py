"""SITES of known objects (java/Sites.java): from samples, and exactly; and beside HotSpot's own dump of the heap."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from math import exp, sqrt
from pathlib import Path
from typing import NamedTuple

import pytest

from classhook.extensions.heap.heap import opened
from classhook.extensions.heap.record_batches import batches
from tests.conftest import ERRORS, OLDEST_AND_NEWEST, FindJvm, Jvm, classhook_command, execute
from tests.extensions.hprof.conftest import compiled
from tests.extensions.hprof.reader import Text, read

SOURCE = Path(__file__).parent / "java" / "Sites.java"
INNER = 176  # bytes of an int[40]


class Numbers(NamedTuple):
    live_bytes: int
    live: int
    bytes: int
    objects: int


@pytest.fixture(scope="module")
def classes(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(find_jvm(17), SOURCE, tmp_path_factory.mktemp("sites"))


def profiled(jvm: Jvm, classes: Path, file: Path, options: str, *of_jvm: str) -> tuple[str, Text]:
    done = execute(
        [
            *classhook_command(),
            "hprof",
            f"{options},cutoff=0,file={file}",
            "--",
            jvm.java,
            *of_jvm,
            "-cp",
            classes,
            "Sites",
        ]
    )
    assert done.status == 0, done.stderr
    text = file.read_text()
    return text.partition("--------")[0], read(text)


def numbers(found: Text) -> dict[tuple[str, str], Numbers]:
    """By type and the method of the program."""
    sums: dict[tuple[str, str], Counter[str]] = {}
    for *_, live_bytes, live, bytes_, objects, trace, name in found.tables["SITES"]:
        own = next((method for cls, method, *_ in found.frames[int(trace)] if cls == "Sites"), "")
        row = Numbers(int(live_bytes), int(live), int(bytes_), int(objects))
        sums.setdefault((name, own), Counter()).update(row._asdict())
    return {key: Numbers(**one) for key, one in sums.items()}


@OLDEST_AND_NEWEST
def test_each_object_if_that_is_asked_for(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    head, text = profiled(jvm, classes, tmp_path / "out.txt", "heap=all,exact=y")
    assert "exact: each object was looked at" in head
    found = numbers(text)
    some, every = found["Sites$Some", "some"], found["Sites$All", "all"]
    assert (some.live, some.objects) == (500, 10_000)
    assert some.live_bytes * 20 == some.bytes
    assert (every.live, every.objects, every.live_bytes) == (30_000, 30_000, every.bytes)
    assert found["int[][]", "nested"][1::2] == (1_000, 5_000)
    assert found["int[]", "nested"] == (3_000 * INNER, 3_000, 15_000 * INNER, 15_000)
    assert found["java.lang.Object[]", "jdks"][1::2] == (250, 1_000), "what the JDK allocates for the program"
    dumped = Counter(what[1] for what in objects(text))
    assert (dumped["Sites$Some"], dumped["Sites$All"]) == (500, 30_000), "HotSpot's own dump"
    assert "Objects in HEAP DUMP have the TRACE that allocated them" in head
    of_some = {trace for trace, name in objects(text) if name == "Sites$Some"}
    assert [text.methods(trace)[0] for trace in of_some] == ["some"], "all of them have it"
    assert {
        text.methods(trace)[0]
        for trace, name in objects(text)
        if name == "int" and text.methods(trace)[1:2] == ["work"]
    } == {"nested"}
    check_ties(text)


@OLDEST_AND_NEWEST
def test_from_samples_no_more_is_live_than_was_allocated(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    head, text = profiled(jvm, classes, tmp_path / "out.txt", "heap=sites")
    assert "the standard error of b bytes is at most the square root of 4096 b." in head
    rows = [Numbers(*map(int, row[3:7])) for row in text.tables["SITES"]]
    assert not [row for row in rows if row.live > row.objects or row.live_bytes > row.bytes]
    found = numbers(text)
    assert found["Sites$Some", "some"].objects == 10_000
    every = found["Sites$All", "all"]
    assert (every.live, every.objects) == (30_000, 30_000), (
        "all samples are alive, and what they are samples of was counted"
    )
    assert found["int[][]", "nested"].objects == 5_000
    outer = 24 if jvm.version >= 27 else 32  # bytes of an int[3][], with a header of 12 (JDK 27) or 16
    assert found["int[][]", "nested"].bytes + found["int[]", "nested"].bytes == pytest.approx(
        5_000 * (outer + 3 * INNER), abs=10
    )
    assert found["int[]", "nested"].objects == pytest.approx(15_000, abs=2)


def objects(found: Text) -> list[tuple[str, str]]:
    """Traces, and classes of instances or elements of arrays."""
    lines = [
        re.search(r"trace=(\d+), (?:nelems=\d+, elem type=|class=)([^@]+)", what) for _, what, _ in found.heap.values()
    ]
    return [(line[1], line[2]) for line in lines if line]


def check_ties(found: Text) -> None:
    """Asserts that the traces, threads and objects to which lines of HEAP DUMP refer are there."""
    lines = [what for _, what, _ in found.heap.values()] + [what for _, what in found.roots]
    traces = {int(trace) for what in lines for trace in re.findall(r"trace=(\d+)", what)}
    assert traces <= found.frames.keys()
    assert not found.frames[300_000]
    threads = {int(thread) for what in lines for thread in re.findall(r"(?:thread|kind=<thread>, id)=(\d+)", what)}
    assert threads <= found.threads.keys()
    of_threads = [
        (id_, int(number[1]))
        for id_, what in found.roots
        for number in [re.match(r"kind=<thread>, id=(\d+)", what)]
        if number
    ]
    assert len(of_threads) > 3
    assert all(found.objects[number] == id_ for id_, number in of_threads)
    assert "Reference Handler" in {found.threads[number] for _, number in of_threads}
    assert found.counted[0] == len(found.heap)
    for kind, what, references in found.heap.values():
        element = re.search(r"elem type=(.*)@(\w+)$", what) if kind == "ARR" else None
        assert not element or f"name={element[1]}," in found.heap[element[2]][1], what
        assert not [name for name in references if name.startswith(("static <", "<"))]


@OLDEST_AND_NEWEST
def test_a_dump_has_traces_of_sampled_objects_in_both_forms(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    head, text = profiled(jvm, classes, tmp_path / "out.txt", "heap=dump")
    assert "Objects in HEAP DUMP that were sampled have the TRACE that allocated them" in head
    assert "SITES" not in text.tables
    check_ties(text)
    traces = Counter(trace for trace, name in objects(text) if name == "Sites$All")
    (known,) = [trace for trace in traces if trace != "300000"]
    assert text.frames[int(known)][0][:3] == ("Sites", "all", "Sites.java")
    expected = 30_000 * (1 - exp(-40 / 4096))  # the chance of each one
    assert abs(traces[known] - expected) < ERRORS * sqrt(expected)

    done = execute(
        [
            *classhook_command(),
            "hprof",
            f"heap=dump,format=b,file={tmp_path}/out.hprof",
            "--",
            jvm.java,
            "-cp",
            classes,
            "Sites",
        ]
    )
    assert done.status == 0, done.stderr
    found = opened(tmp_path / "out.hprof")
    (of,) = [one.id for one in found.classes.all if one.name == "Sites$All"]
    numbers: Counter[int] = Counter()
    for batch in batches(found.dump):
        for at in batch.at[batch.of == of].tolist():
            numbers[int.from_bytes(found.dump.data[at - 16 : at - 12], "big")] += 1
    assert sum(numbers.values()) == 30_000
    (number,) = [number for number in numbers if number > 300_000]
    assert abs(numbers[number] - expected) < ERRORS * sqrt(expected)
    _, frames = found.dump.traces[number]
    assert found.dump.frame_label(frames[0]).startswith("Sites.all(Sites.java:")
    assert not list(tmp_path.glob("*.heap.hprof"))


@pytest.mark.parametrize("collector", ["Z", pytest.param("Shenandoah", marks=pytest.mark.slow)])
def test_a_dump_has_no_garbage(collector: str, jvm_17: Jvm, classes: Path, tmp_path: Path) -> None:
    """HotSpot 17 does not collect before a dump with these."""
    _, text = profiled(jvm_17, classes, tmp_path / "out.txt", "heap=dump,exact=y,depth=1", f"-XX:+Use{collector}GC")
    assert sum(name == "Sites$Some" for _, name in objects(text)) == 500


def test_an_image_without_management_is_dumped_at_the_end(jvm_17: Jvm, classes: Path, tmp_path: Path) -> None:
    image = tmp_path / "image"
    assert execute([jvm_17.tool("jlink"), "--add-modules", "java.base", "--output", image]).status == 0
    _, text = profiled(
        replace(jvm_17, java=image / "bin" / "java"), classes, tmp_path / "out.txt", "heap=dump,exact=y,depth=1"
    )
    assert sum(name == "Sites$Some" for _, name in objects(text)) == 500
