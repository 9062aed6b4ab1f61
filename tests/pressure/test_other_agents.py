"""Another agent in the JVM, before or after classhook's: both work as they do alone."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests import peers
from tests.conftest import OLDEST_AND_NEWEST, Compiled, Jvm, Result, execute
from tests.pressure.conftest import ALL, Armed, assert_completed, calls, jar_of, leave_nothing, reported, sized

ORDERS = ("ours first", "ours last")


@pytest.fixture(scope="session")
def jacoco(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """JaCoCo's agent, kept in pytest's cache."""
    cache: pytest.Cache | None = getattr(pytestconfig, "cache", None)
    try:
        return peers.fetch(peers.JACOCO, cache.mkdir("peers") if cache else tmp_path_factory.mktemp("peers"))
    except peers.Missing as missing:
        pytest.skip(str(missing))


def in_order(order: str, ours: str, other: str) -> list[str]:
    return [ours, other] if order == "ours first" else [other, ours]


def executed(path: Path) -> dict[tuple[int, str], tuple[bool, ...]]:
    """(class id, class) -> probes, from JaCoCo's execution data: blocks of a type byte and big-endian fields."""
    data, at = path.read_bytes(), 0
    found: dict[tuple[int, str], tuple[bool, ...]] = {}

    def text() -> str:
        nonlocal at
        length = int.from_bytes(data[at : at + 2])
        at += 2 + length
        return data[at - length : at].decode()

    while at < len(data):
        kind = data[at]
        at += 1
        if kind == 0x01:  # magic number and version
            at += 4
        elif kind == 0x10:  # a session: its name, begin and end
            text()
            at += 16
        elif kind == 0x11:  # a class: ID, name, booleans, eight per byte
            (identity,) = struct.unpack_from(">q", data, at)
            at += 8
            name = text()
            length, shift = 0, 0
            while True:
                byte = data[at]
                at += 1
                length |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
            bits = data[at : at + (length + 7) // 8]
            at += len(bits)
            found[identity, name] = tuple(bool(bits[i // 8] >> i % 8 & 1) for i in range(length))
        else:
            raise AssertionError(f"block {kind} at {at} of {path}")
    return found


@OLDEST_AND_NEWEST
@pytest.mark.parametrize("order", ORDERS)
def test_jacoco(
    jvm: Jvm, compiled: Compiled, jacoco: Path, armed: Armed, data: Path, tmp_path: Path, order: str
) -> None:
    """JaCoCo covers the same in the same classes, and classhook counts the same."""
    program = ["-cp", str(compiled("Loaders")), "Loaders", str(compiled("Plugin"))]

    def other(name: str) -> str:
        return f"-javaagent:{jacoco}=destfile={tmp_path / name},inclnolocationclasses=true"

    bare = execute([jvm.java, other("bare.exec"), *program])
    result = reported(execute([jvm.java, *in_order(order, armed(*ALL), other("ours.exec")), *program]), data)
    assert (result.status, result.stdout, result.stderr) == (bare.status, bare.stdout, bare.stderr) == (0, "", "")
    theirs = executed(tmp_path / "bare.exec")
    assert {name for _, name in theirs} >= {"Loaders", "Plugin", "Plugin$Item"}
    assert executed(tmp_path / "ours.exec") == theirs
    found = calls(result)
    assert {name: found[f"Plugin::{name}"] for name in ("<init>", "run", "step")} == {
        "<init>": 32,
        "run": 32,
        "step": 32000,
    }
    sites = {site["type"]: site["count"] for site in result.report["allocations"] if site["method"] == "step"}
    assert sites == {"Plugin$Item": 32000, "java.lang.IllegalStateException": 320}
    assert_completed(result)
    # some of its own classes were loaded before the agent, by a loader of its own
    assert {
        (row["class"].rpartition(".internal_")[0], row["reason"]) for row in result.report["classes"]["skipped"]
    } <= {("org.jacoco.agent.rt", "loader-not-asked")}
    leave_nothing(data)


@pytest.fixture(scope="session")
def meddler(classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    manifest = "Premain-Class: Meddler\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n"
    return jar_of(classes, tmp_path_factory.mktemp("meddler") / "meddler.jar", manifest, "Meddler")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("how", ["identity", "original", "seen"])
def test_classes_are_retransformed_and_redefined_while_they_count(
    jvm: Jvm, classes: Path, meddler: Path, armed: Armed, data: Path, how: str, order: str
) -> None:
    phases, n = sized(10, 100) if how != "identity" else sized(3, 30), 20_000
    options = in_order(
        order, armed(*ALL, "time java.util.ArrayList::*", "count java.lang.String::*"), f"-javaagent:{meddler}={how}"
    )
    result = reported(execute([jvm.java, *options, "-cp", classes, "Phases", str(phases), str(n)]), data)
    assert (result.status, result.stdout, result.stderr) == (0, "done\n", "")
    assert_counted(result, phases, n)
    leave_nothing(data)


def assert_counted(result: Result, phases: int, n: int) -> None:
    call, work, whole = (result.method(f"Phases::{name}") for name in ("call", "work", "whole"))
    times = 4 * phases * n
    assert (call["calls"], call["completed"], call["exceptions"]) == (times, times, times // 1000)
    assert (work["calls"], work["completed"], whole["calls"], whole["completed"]) == (4, 4, 1, 1)
    sites = {site["type"]: site["count"] for site in result.report["allocations"] if site["method"] == "call"}
    assert sites == {"Phases$Item": times, "java.lang.IllegalStateException": times // 1000}
    assert work["total_ns"] >= call["total_ns"]
