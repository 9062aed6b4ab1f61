"""Measures together: what several of them insert into one method, and what they must not have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from classhook.classfile.code import Code
from classhook.classfile.insertions import Insertion, Label
from classhook.measures import BY_KIND, MEASURES, add
from classhook.measures.count import COUNT
from classhook.measures.tables import TABLES
from classhook.measures.tables import add as add_table
from classhook.model.snapshot import Snapshot
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.method_weaver import MethodWeaver
from classhook.probes.records import ProbeRecord, SkipRecord
from classhook.reports import Options
from classhook.reports.json import as_dict
from classhook.rules.parse import load
from classhook.rules.words import METHODS, NO_VALUE, WORDS, Clause, Word
from classhook.tables.columns import Column
from classhook.tables.table import Section, Table
from classhook.weaving.class_weaver import Woven
from classhook.weaving.weave import weave
from tests.unit.classfile.support import Builder, link

Insert = Callable[[MethodWeaver, Probe, int], None]


@pytest.fixture
def anew() -> Iterator[None]:
    """The measures are afterwards what they were before."""
    tables: tuple[dict[str, object], ...] = (WORDS, MEASURES, BY_KIND, TABLES)  # type: ignore[assignment]
    before = [dict(table) for table in tables]
    yield
    for table, content in zip(tables, before, strict=True):
        table.clear()
        table.update(content)


def another(insert: Insert = COUNT.insert, word: Word | None = None, kind: str = "other") -> Measure:
    def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
        probes.append(Probe(measure, kind, 1, rules[0]))
        return rules

    word = word or Word("another", METHODS)
    measure = Measure(word, {kind: 1}, plan, insert, lost="not done")
    return measure


def woven() -> Woven:
    """Timed, and measured by the other one."""
    data = Builder(52).method(b"m", b"(I)I", b"\x1a\xac").build()
    return weave(data, load([], ["another T::*", "time T::*"]), False)


def skips(woven: Woven) -> list[str]:
    return [record.detail for record in woven.table if isinstance(record, SkipRecord)]


def kinds(woven: Woven) -> list[str]:
    return [record.kind for record in woven.table if isinstance(record, ProbeRecord)]


def branch(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    """At the entry, with a frame."""
    count = weaver.number(slot) + weaver.call("count", b"(I)V")
    code = b"\x04\x99" + (3 + len(count)).to_bytes(2, "big") + count + b"\0"
    weaver.insertions.append(Insertion(0, code, stack=1, labels=[Label(4 + len(count), [])]))


@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize("first", [True, False])
def test_a_branch_at_the_entry_of_a_timed_method(tmp_path: Path, first: bool) -> None:
    add(another(branch))
    if first:
        WORDS["time"] = WORDS.pop("time")
    result = woven()
    assert result.data
    assert skips(result) == []
    assert link(tmp_path, {"T.class": result.data}) == "linked 1\n"


def local(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    load = weaver.new_local(b"\x09", 2, local_type=b"\x04")  # a long
    weaver.insertions.append(Insertion(0, load + b"\x58", stack=2))


def branching_local(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    weaver.new_local(b"\x03\x04\x99\x00\x03", 2, [Label(5, [b"\x01"])])  # iconst_0, iconst_1, ifeq to the store


def handler(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    weaver.handle(weaver.number(slot) + weaver.call("count", b"(I)V"), weaver.handled(), 1)


def other_handler(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    weaver.handle(b"", [(0, 2)], 0)


@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize("insert", [local, branching_local, handler])
def test_what_measures_share(tmp_path: Path, insert: Insert) -> None:
    add(another(insert))
    result = woven()
    assert kinds(result) == ["time", "other"]
    assert skips(result) == []
    assert result.data
    assert link(tmp_path, {"T.class": result.data}) == "linked 1\n"


@pytest.mark.usefixtures("anew")
def test_what_a_method_can_have_only_once() -> None:
    add(another(other_handler))
    result = woven()
    assert kinds(result) == ["count", "other"]
    assert skips(result) == ["not timed, only counted: two measures need a handler in the same method"]


@dataclass
class Row:
    rule: str = "r"


@pytest.mark.usefixtures("anew")
def test_a_table_may_have_the_name_of_a_key_that_is_always_there() -> None:
    section = Section("x", "rows", (Column("n", "n", lambda row: 1),), ("n",), title=lambda rows, sort, whole: "")
    assert as_dict(Snapshot(), Options())["coverage"] == []
    del TABLES["coverage"]
    add_table(Table("coverage", Row, ran=lambda row: True, sections=(section,)))
    snapshot = Snapshot()
    snapshot.tables["coverage"]["T", "m", "()V"] = Row()
    assert [row["n"] for row in as_dict(snapshot, Options())["coverage"]] == [1]


@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize(
    ("measure", "why"),
    [
        (another(word=Word("time", METHODS)), "the word `time`"),
        (another(kind="count"), "the kind `count`, like `count`"),
        (another(kind="a b"), "the kind `a b`, which is not a word"),
        (
            another(word=Word("another", METHODS, (Clause("sample", NO_VALUE, lambda value: None),))),
            "with no value, `time` with FRACTION",
        ),
    ],
)
def test_what_two_measures_cannot_share(measure: Measure, why: str) -> None:
    before = dict(WORDS), dict(MEASURES), dict(BY_KIND)
    with pytest.raises(ValueError, match=why):
        add(measure)
    assert before == (WORDS, MEASURES, BY_KIND)


@pytest.mark.usefixtures("anew")
def test_a_clause_of_two_measures() -> None:
    add(another(word=Word("another", METHODS, (Clause("sample", "FRACTION", lambda value: None),))))
    assert len(load([], ["another T::* sample 1/2", "time T::* sample 1/3"])) == 2
