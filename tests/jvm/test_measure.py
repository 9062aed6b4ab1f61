"""A measure needs nothing of other files but a place in their lists: the one defined here works from rule text to
reports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from classhook.classfile.code import Code
from classhook.classfile.insertions import BEFORE, Insertion
from classhook.cli import main
from classhook.measures import BY_KIND, MEASURES, add
from classhook.measures.readers import READERS
from classhook.measures.tables import TABLES
from classhook.measures.tables import add as add_table
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.native import library
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.method_weaver import MethodWeaver
from classhook.probes.records import ProbeRecord
from classhook.rules.words import METHODS, WORDS, Word
from classhook.tables.columns import Column
from classhook.tables.table import Section, Table
from tests.conftest import Compiled, Jvm, execute

# ---- the measure: how often methods enter monitors


@dataclass
class Row:
    rule: str = ""
    entered: int = 0


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    if not entries(code):
        return ()
    probes.append(Probe(MONITORS, "monitors", 1, rules[0]))
    return rules


def entries(code: Code) -> list[int]:
    return [pc for pc in code.scan().monitors if code.code[pc] == 0xC2]


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    count = weaver.number(slot) + weaver.call("count", b"(I)V")
    weaver.insertions += [Insertion(pc, count, BEFORE, guarded=True, stack=1) for pc in entries(weaver.code)]


ROWS = RowKind("monitors", Row, ran=lambda row: row.entered > 0)


class MonitorsReader(Reader):
    kinds = {"monitors": 1}  # noqa: RUF012  # never changed
    rows = (ROWS,)

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        reader.row(ROWS, probe).entered += reader.total(probe.slot)


SECTION = Section(
    kind="locking",
    what="methods",
    columns=(Column("entered", "entered", lambda row: row.entered),),
    shown=("entered",),
    title=lambda number, rows, sort, whole: f"Monitors: {whole}",
)
MONITORS = Measure(Word("monitors", METHODS), {"monitors": 1}, plan, insert, lost="its monitors are not counted")

# ---- using it


@pytest.fixture
def known() -> Iterator[None]:
    add(MONITORS)
    READERS.append(MonitorsReader)
    add_table(Table.from_rows(ROWS, SECTION))
    yield
    READERS.remove(MonitorsReader)
    del WORDS["monitors"], MEASURES["monitors"], BY_KIND["monitors"], TABLES["monitors"]


@pytest.mark.core
@pytest.mark.usefixtures("known")
def test_from_rule_to_reports(jvm: Jvm, compiled: Compiled, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    classes = compiled("Monitors")
    assert main(["check", "-v", "-e", "monitors Monitors::*", str(classes / "Monitors.class")]) == 0
    assert "1 class, 1 method\n    Monitors.locked(int)\n" in capsys.readouterr().out
    assert (
        main(
            [
                "weave",
                "--quiet",
                "-e",
                "monitors Monitors::*",
                "-e",
                "time Monitors::*",
                str(classes),
                "-o",
                str(tmp_path / "woven"),
            ]
        )
        == 0
    )
    assert execute(
        [
            jvm.java,
            "-Xverify:all",
            f"-agentpath:{library.AGENT}=data={tmp_path / 'data'}",
            "-cp",
            tmp_path / "woven",
            "Monitors",
        ]
    ).stdout
    assert main(["report", "-f", "json", str(tmp_path / "data")]) == 0
    report = json.loads(capsys.readouterr().out)
    rule = "monitors Monitors::*"
    names = {"class": "Monitors", "method": "locked", "descriptor": "(I)I", "rule": rule, "name": None}
    assert report["monitors"] == [{**names, "kind": "locking", "entered": 30, "readable": None}]
    assert {row["method"]: row["calls"] for row in report["methods"]}["locked"] == 15
    assert {row["rule"]: row["matched_methods"] for row in report["rules"]}[rule] == 1
    assert main(["report", str(tmp_path / "data")]) == 0
    assert "Monitors: 30\nentered  method\n     30  Monitors.locked(int)\n" in capsys.readouterr().out


@pytest.mark.usefixtures("known")
def test_its_word_is_one_of_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-e", "monitor a.B::c"]) == 2
    assert "did you mean `monitors`?" in capsys.readouterr().err
    assert main(["check", "-e", "monitors a.B::c sample 1/2"]) == 2
    assert "`sample` is for `time`, not for `monitors`" in capsys.readouterr().err
