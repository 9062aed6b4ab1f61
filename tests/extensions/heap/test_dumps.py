"""Reports of `classhook heap` about made dumps, also about torn and damaged ones."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from classhook.cli import main
from tests.extensions.heap import made

VIEWS = "histogram,biggest,dominators,strings,roots"


@pytest.fixture(params=[4, 8], ids=["ids4", "ids8"])
def zoo(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / "zoo.hprof"
    file.write_bytes(made.zoo(request.param))
    return file


def shown(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    assert main(["heap", *map(str, arguments), "-f", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_histogram_has_every_object(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = shown(capsys, zoo)
    assert report["schema"] == "classhook-heap/1"
    assert {row["class"]: row["count"] for row in report["histogram"]} == {
        "java.lang.Class": 10,
        "java.lang.String": 3,
        "java.lang.Thread": 1,
        "a.Parent": 1,
        "a.Child": 1,
        "a.Parent[]": 1,
        "java.lang.ref.WeakReference": 1,
        "byte[]": 3,
        "long[]": 1,
        "boolean[]": 1,
    }


def test_sizes_follow_from_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "zoo.hprof"
    file.write_bytes(made.zoo(8))
    sizes = {row["class"]: row["bytes"] for row in shown(capsys, file)["histogram"]}
    # compressed references: 12 + int, reference, long, then char in no gap, double, reference
    assert (sizes["a.Parent"], sizes["a.Child"], sizes["long[]"], sizes["a.Parent[]"]) == (32, 48, 40, 32)
    assert sizes["java.lang.String"] == 3 * 24


def test_sizes_in_a_heap_with_garbage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Objects that are dumped as they are reached: neighbours in the file are none in memory, and garbage of 48 bytes
    lies behind each `a.Box`."""
    made_ = made.Maker()
    made_.class_dump(8, "java/lang/Object")
    made_.class_dump(16, "java/lang/Module", 8, fields=(("name", made.OBJECT),))
    made_.class_dump(24, "a/Box", 8, fields=(("value", made.INT),))
    at = 0x10000
    objects: list[tuple[int, int]] = []
    for _ in range(50):
        for of, size in ((made.INT, 24), (24, 16 + 48), (16, 24), (made.LONG, 24)):
            objects.append((at, of))
            at += size
    random.Random(1).shuffle(objects)
    for id_, of in objects:
        if of in (made.INT, made.LONG):
            made_.primitives(id_, of, *[1] * (2 if of == made.INT else 1))
        else:
            made_.instance(id_, of, (made.OBJECT if of == 16 else made.INT, 0))
    file = tmp_path / "garbage.hprof"
    file.write_bytes(made_.done())
    sizes = {row["class"]: row["bytes"] // row["count"] for row in shown(capsys, file)["histogram"]}
    assert sizes["a.Box"] == 16
    assert sizes["java.lang.Module"] == 24  # with a field of the JVM's
    assert sizes["int[]"] == sizes["long[]"] == 24


def test_the_size_of_a_single_object_that_hotspot_enlarges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made_ = made.Maker()
    made_.class_dump(8, "java/lang/Object")
    made_.class_dump(16, "java/lang/ClassLoader", 8, fields=(("parent", made.OBJECT),))
    made_.class_dump(24, "a/Loader", 16)
    for i in range(100):
        made_.primitives(0x10000 + 24 * i, made.LONG, 1)
    made_.instance(0x10000 + 2400, 24, (made.OBJECT, 0))  # 16 bytes and a field of the JVM's
    made_.primitives(0x10000 + 2424, made.LONG, 1)
    file = tmp_path / "loader.hprof"
    file.write_bytes(made_.done())
    assert {row["class"]: row["bytes"] for row in shown(capsys, file)["histogram"]}["a.Loader"] == 24


@pytest.mark.parametrize("first", ["instance", "class"])
def test_a_record_may_pass_the_end_of_its_segment(
    first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    maker = made.Maker()
    maker.class_dump(8, "a/Node", fields=(("next", made.OBJECT), ("number", made.INT)))
    if first == "class":
        maker.segment(missing=7)
    for i in range(10):
        maker.instance(1000 + 32 * i, 8, (made.OBJECT, 1000), (made.INT, i))
        if i == 5:
            maker.segment(missing=9)
    file = tmp_path / "beyond.hprof"
    file.write_bytes(maker.done())
    assert {row["class"]: row["count"] for row in shown(capsys, file)["histogram"]} == {
        "a.Node": 10,
        "java.lang.Class": 1,
    }


def test_unpacked_and_packed_are_the_same(zoo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = zoo.read_bytes()
    packed = tmp_path / "zoo.hprof.gz"
    packed.write_bytes(gzip.compress(data[:100]) + gzip.compress(data[100:]))  # in members, as jcmd -gz writes it
    plain, other = shown(capsys, zoo, "--show", VIEWS), shown(capsys, packed, "--show", VIEWS)
    assert plain.pop("dump") != other.pop("dump")
    assert plain == other


def test_strings_with_the_same_text(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = shown(capsys, zoo, "--show", "strings")["strings"]
    assert (row["text"], row["strings"], row["arrays"]) == ("hello\x1b", 3, 2)


@pytest.mark.core
def test_a_way_names_fields_and_the_thread(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (way,) = shown(capsys, zoo, "--path", f"{3200:x}")["paths"]
    assert way["steps"] == [f"held of a.Child@{3016:x}", f"other of a.Parent@{3024:x}"]
    assert way["root"] == "local variable of thread 'hello\\x1b', at a.Child.run(Child.java:17)"
    (way,) = shown(capsys, zoo, "--path", "a.Child")["paths"]
    assert (way["to"], way["count"]) == ("a.Child", 1)


def test_a_weak_reference_keeps_nothing(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, zoo, "--path", "long[]")["paths"] == []
    assert main(["heap", str(zoo), "--path", "long[]"]) == 0
    assert "long[]: not reachable from the GC roots" in capsys.readouterr().out


def test_a_name_that_is_not_there(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.Nothing", "ffffffffffffffffff", "@zz"):
        assert main(["heap", str(zoo), "--path", name]) == 2
        assert "no object of this id and no class of this name" in capsys.readouterr().err


def test_roots_by_kind(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["root"]: row["count"] for row in shown(capsys, zoo, "--show", "roots")["roots"]}
    assert len(rows) == 16
    assert set(rows.values()) == {1}


def test_changes_between_two_dumps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.hprof", tmp_path / "new.hprof"
    old.write_bytes(made.graph([[], []], [0]))
    new.write_bytes(made.graph([[], [], [0], [1]], [0]))
    (row,) = shown(capsys, new, "--since", old)["changes"]
    assert (row["class"], row["count"], row["count_change"], row["bytes_change"]) == ("java.lang.Object[]", 4, 2, 48)
    assert "changes" in shown(capsys, new, "--since", new)


def test_levels(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def level(number: int) -> list[str]:
        assert main(["heap", str(zoo), "--level", str(number)]) == 0
        return capsys.readouterr().out.splitlines()

    objects, references, values = map(level, (0, 1, 2))
    assert len(objects) == 23
    assert f"instance {3016:x} a.Child" in objects
    at = values.index(f"instance {3016:x} a.Child")
    fields = values[at + 1 : at + 7]
    assert fields == [
        "  letter = 'A'",
        f"  held -> {3200:x}",
        "  real = 1.5",
        "  number = -3",
        "  other -> 0",
        f"  wide = {1 << 40}",
    ]
    assert "  static S = -2" in values
    assert "  = 1 2 3" in values
    assert f"root {3024:x} local variable" in references
    assert not [line for line in references if " = " in line]
    assert set(objects) < set(references) < set(values)


def test_text_shows_no_control_characters(zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heap", str(zoo), "--show", VIEWS, "--path", "a.Parent[]"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_suspects_of_a_large_dump_have_to_be_asked_for(
    zoo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["heap", str(zoo)]) == 0
    assert "\nSuspects: " in capsys.readouterr().out
    monkeypatch.setattr("classhook.extensions.heap.commands.heap.SMALL", zoo.stat().st_size - 1)
    assert main(["heap", str(zoo)]) == 0
    said = capsys.readouterr()
    assert "Suspects" not in said.out
    assert "--show suspects,histogram" in said.err


def test_to_a_file(zoo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--level", "2"], ["-f", "json"]):
        assert main(["heap", str(zoo), *words]) == 0
        text = capsys.readouterr().out
        assert main(["heap", str(zoo), *words, "-o", str(tmp_path / "out")]) == 0
        assert (capsys.readouterr().out, (tmp_path / "out").read_text()) == ("", text)
    assert main(["heap", str(zoo), "-o", str(tmp_path)]) == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--show", "nothing"], ["--level", "3"], ["--level", "0", "--path", "A"], ["--top", "-1"]]
)
def test_arguments_that_cannot_be(words: list[str], zoo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heap", str(zoo), *words]) == 2
    assert capsys.readouterr().out == ""


def test_without_numpy_it_is_said_what_to_install(
    zoo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("classhook.extensions.heap.commands.heap.find_spec", lambda name: None)
    assert main(["heap", str(zoo)]) == 2
    assert "pip install 'classhook[heap]'" in capsys.readouterr().err


# ---- what is no dump


def refused(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["heap", str(file)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("classhook: ")
    return error


def test_every_torn_dump_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = made.zoo()
    file = tmp_path / "torn.hprof"
    for end in range(len(data)):
        file.write_bytes(data[:end])
        error = refused(file, capsys)
        assert "torn" in error or "empty" in error or "no heap" in error, (end, error)


def test_a_torn_packed_dump_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = gzip.compress(made.zoo())
    file = tmp_path / "torn.hprof.gz"
    for data in (packed[:-9], packed[:2], packed[:40] + b"\xff" * 40):
        file.write_bytes(data)
        assert "compressed file" in refused(file, capsys)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"GIF89a", "not a heap dump"),
        (b"JAVA PROFILE 1.0.2\0" + b"\0\0\0\3" + bytes(8), "its ids have 3 bytes"),
        (b"JAVA PROFILE 1.0.2\0" + b"\0\0\0\x08" + bytes(8) + b"\x2d" + bytes(8), "0x2d is not a tag"),
        (b"JAVA PROFILE 1.0.2\0" + b"\0\0\0\x08" + bytes(8) + b"\x0e" + bytes(8), "holds no heap"),
        (b"JAVA PROFILE 1.0.2\0" + b"\0\0\0\x08" + bytes(8) + b"\x01\0\0\0\0\0\0\0\1x", "UTF8 is too short"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad"
    file.write_bytes(data)
    assert said in refused(file, capsys)


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No such file" in refused(tmp_path / "none", capsys)
    assert "directory" in refused(tmp_path, capsys)


def test_a_pipe_will_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, made.zoo())
    os.close(write_end)
    assert len(shown(capsys, f"/dev/fd/{read_end}")["histogram"]) == 10
    os.close(read_end)


@pytest.mark.parametrize("seed", range(300))
def test_a_damaged_dump_is_read_or_refused(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Any bytes may change: numbers, ids, types, lengths."""
    chance = random.Random(seed)
    data = bytearray(made.zoo(chance.choice([4, 8])))
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(19, len(data))
        data[at] = chance.choice([0, 1, 2, 5, 0x21, 0x22, 0x7F, 0x80, 0xFF, chance.randrange(256)])
    file = tmp_path / "damaged"
    file.write_bytes(data)
    assert main(["heap", str(file), "--show", VIEWS]) in (0, 2)
    assert main(["heap", str(file), "--level", "2"]) in (0, 2)
    assert main(["heap", str(file), "--path", "java.lang.String", "--path", "byte[]"]) in (0, 2)
    capsys.readouterr()


def test_classes_may_be_their_own_superclasses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maker = made.Maker()
    maker.class_dump(10, "A", 11, fields=(("a", made.INT),))
    maker.class_dump(11, "B", 10, fields=(("b", made.OBJECT),))
    maker.instance(20, 10, (made.INT, 1), (made.OBJECT, 10))
    file = tmp_path / "cycle"
    file.write_bytes(maker.done())
    assert {row["class"] for row in shown(capsys, file)["histogram"]} == {"A", "java.lang.Class"}
