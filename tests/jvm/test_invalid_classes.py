"""Classes that the JVM rejects are rejected with the same error when rules match them; classes that it accepts are
woven."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Jvm, releases, report_of
from tests.jvm.invalid import (
    REFUSED,
    ROOM,
    TAKEN,
    caught,
    chain,
    deep,
    empty_frames,
    endless,
    made,
    many_handlers,
    padded,
    pool_count,
    roomy,
    with_locals,
)
from tools.fuzz.differential import differences

RULES = {"time": ("time **::*", "alloc * in **"), "count": ("count **::*",), "one method": ("time T::run",)}
BEYOND = range(30)  # where the constants of probes will be


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("version", releases(17, 25))
def test_what_the_jvm_refuses_stays_refused(
    find_jvm: Callable[[int], Jvm], tmp_path: Path, version: int, rules: str
) -> None:
    classes = [made(row, pool_count(row) + n) for row in REFUSED.values() for n in BEYOND]
    classes += [roomy(name, stack=1) for name in ROOM if ROOM[name][1]]
    classes += [roomy(name, locals_=1) for name in ROOM]
    classes += [deep(), endless(48), endless(61), padded(b"\1\0", 48), padded(b"\0\1", 50)]
    classes += [with_locals(b"LocalVariableTable", 61, 0, 1), with_locals(b"LocalVariableTable", 61, 0, 0, b"J")]
    classes += [with_locals(b"LocalVariableTable", 48, 2, 0), with_locals(b"LocalVariableTypeTable", 50, 0, 1)]
    classes += [chain(60, 48, b"\x03\x03\x58\x03\xac"), chain(60, 48, b"\x01"), many_handlers(1500)]
    classes += [caught(0), caught(1)]
    classes += [empty_frames(beyond) for beyond in range(16, 16 + len(BEYOND))]
    found, accepted = differences(find_jvm(version).java, classes, tmp_path, False, tmp_path, RULES[rules])
    assert accepted == 0
    assert found == []
    skipped = report_of(tmp_path / "data")["classes"]["skipped"]
    assert {row["reason"] for row in skipped if not row["method"]} == {"malformed-class"}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("version", releases(17, 25))
def test_what_the_jvm_takes_is_woven(find_jvm: Callable[[int], Jvm], tmp_path: Path, version: int, rules: str) -> None:
    classes = [made(row, 1) for row in TAKEN.values()]  # an index of another constant, or of none
    classes += [made(row, pool_count(row)) for row in TAKEN.values()]
    classes += [roomy(name) for name in ROOM]
    classes += [padded(b"\0\0", 48), padded(b"\1\1", 51), chain(60, 48, b"\x03\xac"), caught(0, 1), caught(1, 1)]
    classes += [with_locals(b"LocalVariableTable", 61, 0, 0), with_locals(b"LocalVariableTypeTable", 48, 0, 9)]
    found, accepted = differences(find_jvm(version).java, classes, tmp_path, True, tmp_path, RULES[rules])
    assert accepted == len(classes)
    assert found == []
    report = report_of(tmp_path / "data")
    assert [row for row in report["classes"]["skipped"] if row["class"] == "T"] == []
    assert report["classes"]["woven"] >= len(classes)
