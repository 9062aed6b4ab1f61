"""`classhook gate`: what grew, in which test and method."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest

from tests import compiling
from tests.conftest import Jvm, classhook_command, execute, run_line

PROGRAM = """
public class Shop {
    static int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
    static void request(String name, int n) { sum(n); }
    public static void main(String[] args) {
        request("cart", 10);
        request("pay", Integer.parseInt(args[0]));
        if (args.length > 1) request("new", 1);
    }
}
"""
RULES = ["cover Shop hits exact", "context Shop::request by arg0", "count Shop::request"]

Recorded = Callable[..., Path]


@pytest.fixture
def recorded(jvm: Jvm, tmp_path: Path) -> Recorded:
    """Runs Shop with these arguments; returns the data of this run."""
    source = tmp_path / "Shop.java"
    source.write_text(PROGRAM)
    classes = compiling.classes(jvm.tool("javac"), source)

    number = count()

    def run(*words: str, rules: Sequence[str] = RULES) -> Path:
        data = tmp_path / f"data-{next(number)}"
        assert execute(run_line(rules, data, [jvm.java, "-cp", classes, "Shop", *words])).status == 0
        return data

    return run


def gate(*words: str | Path) -> tuple[int, list[str]]:
    done = execute([*classhook_command(), "gate", *words])
    return done.status, done.stderr.splitlines()


@pytest.mark.any_jvm
def test_what_grew_is_named(recorded: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "gate.json"
    assert gate("record", file, recorded("100"))[0] == 0
    kept = json.loads(file.read_text())
    assert kept["parts"]["Shop.request [pay]"] == {"calls": 1, "bytecodes": 4 + 909}
    assert gate("check", file, recorded("100"))[0] == 0

    status, said = gate("check", file, recorded("101"))
    assert status == 1
    assert said[0] == "classhook: Shop.request [pay]: 922 bytecodes, 913 before (+1.0 %)"
    assert said[1].startswith("classhook:     in the whole run, Shop.sum(int): 1,017 bytecodes, ")
    assert len(said) == 2
    assert gate("check", file, recorded("101"), "--allow", "1%")[0] == 0


@pytest.mark.any_jvm
def test_new_parts_and_smaller_numbers_do_not_fail(recorded: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "gate.json"
    gate("record", file, recorded("100"))
    status, said = gate("check", file, recorded("90", "more"))
    assert status == 1  # main has a branch more
    assert [line for line in said if line.startswith("classhook: outside of contexts: ")]
    (remark,) = [line for line in said if "record the gate again" in line]
    assert "1 context not in the gate yet, 1 context with less than before" in remark


@pytest.mark.any_jvm
def test_what_cannot_be_compared(recorded: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "gate.json"
    data = recorded("100")
    gate("record", file, data)
    without_count = recorded("100", rules=RULES[:2])
    twice = [data, recorded("100")]
    for words, why in (
        ([without_count], "the gate holds calls, and the data has none"),
        (twice, "the data is that of 2 JVMs, and the gate has 1"),
    ):
        status, said = gate("check", file, *words)
        assert status == 2
        assert why in said[-1]
    shutil.rmtree(data / "originals")
    status, said = gate("check", file, data)
    assert status == 2
    assert "the gate holds bytecodes, and the data has none: the class files of 3 methods are missing" in said[-1]


@pytest.mark.any_jvm
def test_what_grew_from_nothing(recorded: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "gate.json"
    gate("record", file, recorded("100"))
    kept = json.loads(file.read_text())
    del kept["parts"]["Shop.request [cart]"]["calls"]
    file.write_text(json.dumps(kept))
    status, said = gate("check", file, recorded("100"))
    assert (status, said) == (1, ["classhook: Shop.request [cart]: 1 call, 0 before"])


@pytest.mark.any_jvm
def test_nothing_to_hold_and_no_gate(jvm: Jvm, recorded: Recorded, tmp_path: Path) -> None:
    data, file = tmp_path / "empty", tmp_path / "gate.json"
    execute(run_line(["time Absent::*"], data, [jvm.java, "-version"]))
    status, said = gate("record", file, data)
    assert status == 1
    assert "nothing that a gate can hold" in said[-1]
    assert not file.exists()
    data = recorded("1")
    assert "write it first with `classhook gate record" in gate("check", file, data)[1][0]
    for content in (
        "[1]",
        "[" * 100_000,
        '{"gate": 1}',
        '{"gate":1,"jvms":1,"rules":[],"unknown":[],"parts":{"":{"calls":1e999}}}',
    ):
        file.write_text(content)
        status, said = gate("check", file, data)
        assert status == 2
        assert f"{file} is no gate: " in said[0]
