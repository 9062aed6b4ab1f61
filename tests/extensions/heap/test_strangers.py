"""The suite `heaps` of tools/strangers: its shapes in small, and its short form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from classhook.cli import main
from tests.extensions.heap.made import OBJECT, Maker
from tools.corpus import machines
from tools.strangers.suite import Place
from tools.strangers.suites import heaps
from tools.strangers.suites.heaps import made, measured
from tools.strangers.suites.heaps.readers import Agreed, notes


@pytest.mark.parametrize("shape", made.SHAPES)
def test_a_shape_is_read_as_it_was_made(shape: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    count = 10 if shape == "orders" else 2000
    objects = made.write(tmp_path / "made.hprof", shape, count)
    sought = measured.SOUGHT[shape].format(last=count - 1)
    assert main(["heap", str(tmp_path / "made.hprof"), *measured.ALL, sought, "-f", "json", "--top", "0"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [*measured.wrong(shape, objects, report)] == []
    assert report["paths"][0]["to"] == sought


def test_a_way_over_many_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each object of a way has another class, and the ways to all objects are asked for."""
    count, maker = 3000, Maker()
    for i in range(count):
        maker.class_dump(8 + 8 * i, f"C{i}", fields=(("next", OBJECT),))
        maker.instance(0x100000 + 16 * i, 8 + 8 * i, (OBJECT, 0x100000 + 16 * (i + 1)))
    maker.root(0xFF, 0x100000)
    (tmp_path / "many.hprof").write_bytes(maker.done())
    assert main(["heap", str(tmp_path / "many.hprof"), "--path", f"C{count - 1}", "-f", "json"]) == 0
    (way,) = json.loads(capsys.readouterr().out)["paths"]
    assert way["steps"][0] == f"next of C{count - 2}@{0x100000 + 16 * (count - 2):x}"
    assert f"... {count - 21:,} more steps ..." in way["steps"]


@pytest.mark.slow
def test_the_short_form(tmp_path: Path) -> None:
    java = machines.machine(25)
    if java is None:
        pytest.skip("no Java 25")
    outcome = heaps.run(Place(tmp_path / "heaps", None, {25: java}, short=True))
    assert len(outcome.rows) > 5
    assert outcome.unexplained == []


def test_readers_share_a_note() -> None:
    assert notes({}) == []
    (note,) = notes({"one": Agreed(2, 2000, 1999), "other": Agreed(1, 10, 10)})
    assert note.endswith(": one 1,999 of 2,000 in 2 dumps, other 10 of 10 in 1 dumps")
