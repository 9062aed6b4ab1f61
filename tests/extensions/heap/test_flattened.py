"""Flattened values are parts of the objects that hold them: in a made dump, and in one of a JVM with value classes, as
the JVM says itself."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from classhook.cli import main
from tests.conftest import ENVIRONMENT, PATIENCE, FindJvm
from tests.extensions.heap.made import INT, OBJECT, SHORT, Maker
from tests.extensions.heap.test_jvms import heap, histogram_of

SOURCE = Path(__file__).parent / "java" / "Values.java"
OBJECT_CLASS, CODE, OUTER, HOLDER, CODES, TEXT = 800, 808, 816, 824, 832, 840
FIRST, SECOND, ARRAY, PLAIN, NULLS = 4000, 4024, 4048, 4096, 4200  # objects
TEXTS = {1: 5000, 2: 5016, 3: 5032, 4: 5048}


def made(shift: int = 0) -> bytes:
    """Two holders, the second one of nested values; arrays with the elements in them, with references, and of nulls.
    `shift`: added to the ids of classes."""
    maker = Maker()
    maker.class_dump(OBJECT_CLASS + shift, "java/lang/Object")
    maker.class_dump(TEXT + shift, "a/Text", OBJECT_CLASS + shift)
    maker.class_dump(CODE + shift, "a/Code", OBJECT_CLASS + shift, fields=(("text", OBJECT),))
    maker.class_dump(OUTER + shift, "a/Outer", OBJECT_CLASS + shift, fields=(("code", OBJECT), ("number", SHORT)))
    maker.class_dump(
        HOLDER + shift, "a/Holder", OBJECT_CLASS + shift, fields=(("tail", INT), ("code", OBJECT), ("outer", OBJECT))
    )
    maker.class_dump(CODES + shift, "[La/Code;", OBJECT_CLASS + shift)
    maker.instance(FIRST, HOLDER + shift, (INT, 7), (OBJECT, 1), (OBJECT, 0))
    maker.instance(1, CODE + shift, (OBJECT, TEXTS[1]))
    maker.instance(SECOND, HOLDER + shift, (INT, 8), (OBJECT, 0), (OBJECT, 2))
    maker.instance(2, OUTER + shift, (OBJECT, 3), (SHORT, 9))
    maker.instance(3, CODE + shift, (OBJECT, TEXTS[2]))
    maker.array(ARRAY, CODES + shift, 0, 4, 5)
    maker.instance(4, CODE + shift, (OBJECT, TEXTS[3]))
    maker.instance(5, CODE + shift, (OBJECT, 0))
    maker.array(PLAIN, CODES + shift, 6000, 0, 0)
    maker.instance(6000, CODE + shift, (OBJECT, TEXTS[4]))
    maker.array(NULLS, CODES + shift, 0, 0, 0)
    for text in TEXTS.values():
        maker.instance(text, TEXT + shift)
    for root in (FIRST, SECOND, ARRAY, PLAIN, NULLS):
        maker.root(0xFF, root)
    for cls in (TEXT, CODE, OUTER, HOLDER, CODES):
        maker.root(0x05, cls + shift)
    return maker.done()


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    file = tmp_path / "made.hprof"
    file.write_bytes(made())
    return file


def shown(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    assert main(["heap", *map(str, arguments), "-f", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_they_are_no_objects_but_make_their_holders_larger(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = shown(capsys, dump)
    rows = {row["class"]: (row["count"], row["bytes"]) for row in report["histogram"]}
    assert rows["a.Code"] == (1, 24)  # 12, then a reference and a byte, at a multiple of 8
    assert "a.Outer" not in rows
    # 12, the tail, and a piece of 8 for each value; the outer one has 5 of the code, whether it is null itself, and 2
    # of the number
    assert rows["a.Holder"] == (2, 2 * 32)
    # 16 and 8 each, twice; a reference each, once
    assert rows["a.Code[]"] == (3, 40 + 40 + 32)
    assert report["dump"]["flattened"] == 5
    assert main(["heap", str(dump)]) == 0
    assert "5 flattened values: part of the objects that hold them" in capsys.readouterr().out


def test_where_ids_are_no_addresses_nothing_is_flattened(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump.write_bytes(made(shift=1))
    report = shown(capsys, dump)
    rows = {row["class"]: row["count"] for row in report["histogram"]}
    assert (rows["a.Code"], rows["a.Outer"], rows["a.Holder"]) == (5, 1, 2)
    assert report["dump"]["flattened"] == 0


def test_what_they_refer_to_their_holders_refer_to(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = shown(
        capsys, dump, "--show", "biggest", *(word for text in TEXTS.values() for word in ("--path", f"{text:x}"))
    )
    assert [way["steps"] for way in report["paths"]] == [
        [f"code.text of a.Holder@{FIRST:x}"],
        [f"outer.code.text of a.Holder@{SECOND:x}"],
        [f"[1].text of a.Code[3]@{ARRAY:x}"],
        [f"text of a.Code@{6000:x}", f"[0] of a.Code[3]@{PLAIN:x}"],
    ]
    retained = {row["id"]: row["retained"] - row["bytes"] for row in report["biggest"]}
    assert (retained[FIRST], retained[SECOND], retained[ARRAY], retained[NULLS]) == (16, 16, 16, 0)


def test_a_class_of_which_they_are_has_ways(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ways = shown(capsys, dump, "--path", "a.Outer")["paths"]
    assert [(way["steps"], way["count"]) for way in ways] == [([f"outer of a.Holder@{SECOND:x}"], 1)]
    counts = {
        way["steps"][0].partition("@")[0]: way["count"] for way in shown(capsys, dump, "--path", "a.Code")["paths"]
    }
    assert counts == {"code of a.Holder": 2, "[1] of a.Code[3]": 2, "[0] of a.Code[3]": 1}


def test_levels_show_them_in_their_holders(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heap", str(dump), "--level", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index(f"instance {SECOND:x} a.Holder")
    fields = [
        "tail = 8",
        "code -> 0",
        "outer is a.Outer",
        "outer.code is a.Code",
        f"outer.code.text -> {TEXTS[2]:x}",
        "outer.number = 9",
    ]
    assert lines[at + 1 : at + 7] == [f"  {text}" for text in fields]
    at = lines.index(f"array {ARRAY:x} a.Code[] 3")
    assert lines[at + 1 : at + 6] == [
        "  [0] -> 0",
        "  [1] is a.Code",
        f"  [1].text -> {TEXTS[3]:x}",
        "  [2] is a.Code",
        "  [2].text -> 0",
    ]
    assert len([line for line in lines if line.startswith("instance")]) == 7


def test_tables_have_their_fields(dump: Path, tmp_path: Path) -> None:
    assert main(["heap", str(dump), "-f", "parquet", "-o", str(tmp_path)]) == 0
    rows = {
        name: pq.read_table(tmp_path / f"{name}.parquet").to_pylist() for name in ("objects", "references", "values")
    }
    to_objects = [row for row in rows["references"] if row["target"] in (*TEXTS.values(), 6000)]
    assert {(row["source"], row["field"], row["element"], row["target"]) for row in to_objects} == {
        (FIRST, "code.text", None, TEXTS[1]),
        (SECOND, "outer.code.text", None, TEXTS[2]),
        (ARRAY, "text", 1, TEXTS[3]),
        (PLAIN, None, 0, 6000),
        (6000, "text", None, TEXTS[4]),
    }
    values = {(row["object"], row["field"], row["element"], row["integer"]) for row in rows["values"]}
    assert values == {(FIRST, "tail", None, 7), (SECOND, "tail", None, 8), (SECOND, "outer.number", None, 9)}
    assert {row["id"] for row in rows["objects"]} >= {row["target"] for row in rows["references"]}


def test_values_that_name_each_other_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No JVM writes such values."""
    maker = Maker()
    maker.class_dump(800, "a/Loop", fields=(("a", OBJECT), ("b", OBJECT)))
    maker.instance(1, 800, (OBJECT, 1), (OBJECT, 2))
    maker.instance(4000, 800, (OBJECT, 1), (OBJECT, 2))
    maker.instance(1, 800, (OBJECT, 2), (OBJECT, 1))
    maker.instance(2, 800, (OBJECT, 1), (OBJECT, 2))
    maker.root(0xFF, 4000)
    file = tmp_path / "loop.hprof"
    file.write_bytes(maker.done())
    report = shown(capsys, file, "--show", "histogram,biggest", "--path", "a.Loop")
    assert {row["class"]: row["count"] for row in report["histogram"]} == {"java.lang.Class": 1, "a.Loop": 1}
    assert main(["heap", str(file), "--level", "2"]) == 0
    assert main(["heap", str(file), "-f", "parquet", "-o", str(tmp_path / "tables")]) == 0


# ---- of a JVM


@pytest.mark.parametrize(
    "way", [[], ["-XX:-UseCompactObjectHeaders"], ["-XX:-UseCompressedOops"]], ids=["default", "wide-headers", "full"]
)
def test_the_jvm_counts_the_same(way: list[str], find_jvm: FindJvm, tmp_path: Path) -> None:
    jvm = find_jvm(28)
    line = [jvm.tool("javac"), "--release", "28", "--enable-preview", "-Xlint:-preview", "-d", tmp_path, SOURCE]
    subprocess.run(line, check=True, timeout=PATIENCE, env=ENVIRONMENT)
    line = [jvm.java, "--enable-preview", "-Xmx200m", *way, "-cp", tmp_path, "Values"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as program:
        assert program.stdout is not None
        pid = program.stdout.readline().split()[1]

        def jcmd(*words: str) -> str:
            return subprocess.run(
                [jvm.tool("jcmd"), pid, *words], check=True, capture_output=True, text=True, timeout=PATIENCE
            ).stdout

        jcmd("GC.heap_dump", str(tmp_path / "values.hprof"))
        theirs = histogram_of(jcmd("GC.class_histogram"))
        program.communicate("\n", timeout=PATIENCE)
    report = heap(tmp_path / "values.hprof", "--show", "histogram", "--path", "java.lang.StringBuilder")
    ours = {row["class"]: (row["count"], row["bytes"]) for row in report["histogram"]}
    assert report["dump"]["flattened"] > 1400
    of_values = re.compile(
        r"Values\W.*|java\.(lang\.(Integer|Byte|Short|Long|Character|Boolean)|util\.Optional|time\.LocalDate)(\[\])?"
    )
    names = {name for name in theirs if of_values.fullmatch(name)}
    full = way == ["-XX:-UseCompressedOops"]
    if full:  # a field of null says nothing of its width, 4 or 8, and there is but one instance
        names.remove("Values$Single")
    assert names >= {
        "Values$Holder",
        "Values$Small",
        "Values$Wide",
        "Values$Small[]",
        "Values$Code[]",
        "java.util.Optional[]",
    }
    assert {name: ours.get(name) for name in names} == {name: theirs[name] for name in names}
    ways = {way["steps"][0].partition("@")[0]: way["count"] for way in report["paths"] if "Values" in way["steps"][0]}
    expected = {"maybe.value of Values$Holder": 100, "maybe.value of Values$Single": 1}
    assert ways == ({} if full else expected)  # a reference of 8 bytes and the byte for null are too many
