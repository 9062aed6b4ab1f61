"""Invalid class files: the JVM accepts or rejects them exactly as without classhook, and the report says why they are
not instrumented. Each is also given to `check` and `weave`."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from classhook.classfile.reader import ClassFile
from tests.cli.conftest import Agent, Classhook
from tests.cli.tools import WORK_OUT, calls

Counts = Callable[..., dict[str, Any]]

NAME = "victim.Victim"


def put(data: bytes, at: int, value: bytes) -> bytes:
    return data[:at] + value + data[at + len(value) :]


def code_at(data: bytes, method: str) -> int:
    """Offset of the Code attribute's content, after its length."""
    (found,) = [m.code_at for m in ClassFile.parse(data).methods if m.name == method]
    at = data.index(data[found : found + 12], found)
    return at


def damaged(whole: bytes) -> Iterator[tuple[str, bytes]]:
    """Name -> class file."""
    yield "whole", whole
    yield "empty", b""
    yield "magic-only", whole[:4]
    yield "magic-wrong", put(whole, 0, b"\xca\xfe\xba\xbf")
    yield "random-behind-magic", whole[:4] + random.Random(1).randbytes(500)
    yield "random-behind-version", whole[:8] + random.Random(1).randbytes(500)
    for length in range(10, len(whole), 97):
        yield f"cut-{length:04}", whole[:length]
    yield "cut-last", whole[:-1]
    yield "one-more", whole + b"\0"
    for version, name in ((200, "new"), (65535, "newest"), (44, "old"), (0, "zero")):
        yield f"major-{name}", put(whole, 6, version.to_bytes(2, "big"))
    yield "preview", put(whole, 4, b"\xff\xff")
    yield "pool-count-0", put(whole, 8, b"\0\0")
    yield "pool-count-huge", put(whole, 8, b"\xff\xff")
    yield "pool-tag-unknown", put(whole, 10, b"\x63")
    at = code_at(whole, "work")
    stack, locals_ = whole[at + 6 : at + 8], whole[at + 8 : at + 10]
    for name, offset, value in (
        ("stack-low", 6, (int.from_bytes(stack, "big") - 1).to_bytes(2, "big")),
        ("stack-0", 6, b"\0\0"),
        ("locals-low", 8, (int.from_bytes(locals_, "big") - 1).to_bytes(2, "big")),
        ("attribute-length-long", 2, b"\x7f\xff\xff\xff"),
        ("attribute-length-short", 2, b"\0\0\0\1"),
        ("attribute-length-off", 2, b"\0\0\0\x7f"),
        ("locals-0", 8, b"\0\0"),
        ("locals-huge", 8, b"\xff\xff"),
        ("code-length-0", 10, b"\0\0\0\0"),
        ("code-length-short", 10, b"\0\0\0\1"),
        ("code-length-huge", 10, b"\xff\xff\xff\xff"),
        ("code-length-over", 10, b"\0\1\0\0"),
        ("opcode-unknown", 14, b"\xfe"),
        ("opcode-wide", 14, b"\xc4\xc4"),
        ("opcode-goto-out", 14, b"\xa7\x7f\xff"),
        ("opcode-jsr", 14, b"\xa8\0\3"),
        ("opcode-switch", 14, b"\xaa\0\0\0\0\0\0\0\x7f\xff\xff\xff\0\0\0\0"),
    ):
        yield name, put(whole, at + offset, value)
    for seed in range(40):
        spoilt = bytearray(whole)
        chance = random.Random(seed)
        for _ in range(chance.choice((1, 1, 2, 8))):
            spoilt[chance.randrange(8, len(spoilt))] = chance.randrange(256)
        yield f"spoilt-{seed:02}", bytes(spoilt)


def verdicts(said: str) -> list[str]:
    """The JVM's result for each class. An error may name a bytecode offset, which weaving changes, so offsets are left
    out."""
    return [re.sub(r"(?<= )-?\d+", "N", line) if " refused: " in line else line for line in said.splitlines()]


@pytest.fixture(scope="module")
def folder(classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for name, data in damaged((classes / "victim" / "Victim.class").read_bytes()):
        (folder / name).write_bytes(data)
    return folder


def test_the_jvm_says_what_it_says_without_us(
    classhook: Classhook, java: Agent, counts: Counts, classes: Path, folder: Path
) -> None:
    bare = java("-cp", classes, "p.Hostile", folder)
    done = classhook(
        "run",
        "-e",
        "time **::*",
        "-e",
        "alloc * in **",
        "-o",
        "data",
        "--",
        "java",
        "-cp",
        classes,
        "p.Hostile",
        folder,
    )
    assert done.status == bare.status == 0
    assert verdicts(done.out) == verdicts(bare.out)
    assert bare.err == ""
    assert done.err == "classhook: 1 JVM instrumented; to see what was counted: classhook report data\n"
    said = dict(line.split(" ", 1) for line in bare.out.splitlines())
    assert said["whole"] == "ran: null!12"
    report = counts("data")
    skipped = {(row["class"], row["reason"]) for row in report["classes"]["skipped"]}
    assert (NAME, "malformed-class") in skipped
    assert {reason for _, reason in skipped} <= {"malformed-class", "unsupported-code"}, (
        "internal-error is a defect of ours"
    )
    assert {name for name, _ in skipped} == {NAME}
    assert calls(report)[f"{NAME}::work"] >= 1


#: Classes that the reader must reject -> part of the reason.
UNREADABLE = {
    "empty": None,
    "magic-only": "",
    "random-behind-magic": "",
    "cut-0010": "",
    "cut-last": "",
    "pool-tag-unknown": "tag",
    "pool-count-huge": "",
    "attribute-length-long": "",
}


@pytest.mark.parametrize("name", [name for name, words in UNREADABLE.items() if words is not None])
def test_the_report_names_class_and_reason(
    classhook: Classhook, counts: Counts, classes: Path, folder: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / name).write_bytes((folder / name).read_bytes())
    classhook("run", "-e", "time victim.*::*", "-o", "data", "--", "java", "-cp", classes, "p.Hostile", "one")
    (row,) = counts("data")["classes"]["skipped"]
    assert (row["class"], row["method"], row["reason"]) == (NAME, "", "malformed-class")
    assert re.search(r"\bat \d+", row["detail"]), row["detail"]
    assert f"  {NAME}: malformed-class: {row['detail']}" in classhook("report", "data").out


def test_classes_without_a_name(classhook: Classhook, java: Agent, counts: Counts, classes: Path, folder: Path) -> None:
    """ClassLoader.defineClass(null, ...): the name is only in the class file."""
    bare = java("-cp", classes, "p.Hostile", folder, "nameless")
    done = classhook(
        "run", "-e", "time **::*", "-o", "data", "--", "java", "-cp", classes, "p.Hostile", folder, "nameless"
    )
    assert done.status == bare.status
    assert verdicts(done.out) == verdicts(bare.out)
    assert calls(counts("data"))[f"{NAME}::work"] >= 1


def test_check_and_weave_survive_them(classhook: Classhook, folder: Path, tmp_path: Path) -> None:
    classes = tmp_path / "in"
    for file in folder.iterdir():
        (classes / file.name).mkdir(parents=True)
        (classes / file.name / "Victim.class").write_bytes(file.read_bytes())
    done = classhook("check", "-e", "time victim.*::work", "in")
    assert done.status == 1
    assert "skipped: in:cut-0010/Victim.class: malformed-class: " in done.out
    assert "skipped: in:whole" not in done.out
    done = classhook("weave", "-e", "time victim.*::work", "in", "-o", "out")
    assert done.status == 1
    assert "skipped: cut-0010/Victim.class: malformed-class: " in done.err
    for file in folder.iterdir():
        before, after = (tmp_path / top / file.name / "Victim.class" for top in ("in", "out"))
        assert after.is_file()
        if f"skipped: {file.name}/Victim.class: malformed" in done.err or file.name in ("empty", "magic-wrong"):
            assert after.read_bytes() == before.read_bytes()
    assert (tmp_path / "out" / "whole" / "Victim.class").read_bytes().endswith(b"CLSHOOK\n")


def test_a_class_of_more_than_8_mb_is_left_at_once(
    classhook: Classhook, counts: Counts, classes: Path, tmp_path: Path
) -> None:
    whole = (classes / "p" / "Work.class").read_bytes()
    cf = ClassFile.parse(whole)
    at = cf.attributes_at
    filler = (
        whole[cf.methods[0].code_at :][:2] + (8 << 20).to_bytes(4, "big") + bytes(8 << 20)
    )  # named Code: meaningless on a class
    large = tmp_path / "large" / "p" / "Work.class"
    large.parent.mkdir(parents=True)
    large.write_bytes(whole[:at] + (len(cf.attributes()) + 1).to_bytes(2, "big") + whole[at + 2 :] + filler)
    done = classhook("run", "-e", "count p.Work::*", "-o", "data", "--", "java", "-cp", f"large:{classes}", "p.Work")
    assert (done.status, done.out) == (0, WORK_OUT)
    report = counts("data")
    (row,) = report["classes"]["skipped"]
    assert (row["class"], row["method"], row["reason"]) == ("p.Work", "", "class-too-large")
    assert row["detail"] == f"{large.stat().st_size} bytes; the limit is 8388608"
    assert report["processes"][0]["python_start_ns"] == 0, "nobody asked Python"
    assert report["methods"] == []
    done = classhook("weave", "-e", "count p.Work::*", "large", "-o", "out")
    assert f"skipped: p/Work.class: class-too-large: {row['detail']}" in done.err
    assert (tmp_path / "out" / "p" / "Work.class").read_bytes() == large.read_bytes()


# ---- classes that claim to be woven ahead of time (instrument/ahead/jars.py)


def sealed(whole: bytes) -> Iterator[tuple[str, bytes]]:
    from struct import pack

    magic = b"CLSHOOK\n"
    yield "only-magic", whole + magic
    for name, at, slots, table in (
        ("at-0", 0, 1, 0),
        ("at-9", 9, 1, 0),
        ("beyond", 1 << 31, 1, 0),
        ("many", 10, 1 << 31, 0),
        ("too-many", 11, (1 << 23) + 1, 0),
        ("long-table", 10, 0, 1 << 31),
        ("no-probes", 10, 0, 0),
        ("table-of-pool", 11, 0, 60),
    ):
        yield name, whole + pack(">III", at, slots, table) + magic


def test_classes_that_only_claim_to_be_woven(
    classhook: Classhook, java: Agent, counts: Counts, classes: Path, tmp_path: Path
) -> None:
    (tmp_path / "claims").mkdir()
    for name, data in sealed((classes / "victim" / "Victim.class").read_bytes()):
        (tmp_path / "claims" / name).write_bytes(data)
    bare = java("-cp", classes, "p.Hostile", "claims")
    done = classhook("run", "-e", "time victim.*::*", "-o", "data", "--", "java", "-cp", classes, "p.Hostile", "claims")
    assert (done.status, done.out) == (bare.status, bare.out)
    assert "refused: java.lang.ClassFormatError: Extra bytes" in bare.out
    assert classhook("report", "data").status in (0, 1)
