"""Tests of BTrace and Byteman, said in rules and handlers: the tables, and what they record in a JVM."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from classhook.rules import parse
from tests.conftest import Jvm
from tools.corpus.machines import Machine
from tools.strangers.suite import Place
from tools.strangers.suites.peers import PEERS, SUITE
from tools.strangers.suites.peers.tables import LINE, OF_CLASS, Peer

PAGE = Path(__file__).parents[2] / "docs" / "questions" / "btrace.md"
CLONES = os.environ.get("CLASSHOOK_TEST_CLONES")


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.title)
def test_each_test_is_said_or_has_a_reason(peer: Peer) -> None:
    entries = peer.entries()
    tests = [test for entry in entries for test in entry.tests]
    assert len(tests) == len(set(tests))
    for entry in entries:
        assert entry.verdict == "said" or entry.kind, entry
        for rule in entry.rules:
            assert parse.load([], [LINE.sub("1", rule) if OF_CLASS.search(rule) else rule])


def rows(page: str) -> list[list[str]]:
    """The cells of the page's tables."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:1] == "|"]


def test_the_page_has_all_kinds() -> None:
    """With the number of tests of each peer, and rules that are rules."""
    kinds = {
        kind: [sum(entry.kind == kind for entry in peer.entries() for _ in entry.tests) for peer in PEERS]
        for kind in {entry.kind for peer in PEERS for entry in peer.entries()} - {""}
    }
    text = PAGE.read_text()
    assert {kind: [int(number) for number in numbers] for kind, *numbers, _ in rows(text) if kind in kinds} == kinds
    (names,) = re.findall(r"each of the (\d+) scripts .*?Byteman's (\d+) tests", text, re.S)
    tests = [{test.partition(":")[0] for entry in peer.entries() for test in entry.tests} for peer in PEERS]
    assert [int(number) for number in names] == [len(one) for one in tests]
    rules = [rule for *_, cell in rows(text) for rule in re.findall(r"`((?:watch|count|time|alloc) [^`]+)`", cell)]
    assert len(rules) > 20
    for rule in rules:
        assert parse.load([], [rule])


@pytest.mark.slow
@pytest.mark.skipif(not CLONES, reason="CLASSHOOK_TEST_CLONES names no folder of clones (see tools/strangers)")
def test_short_form(find_jvm: Callable[[int], Jvm], tmp_path: Path) -> None:
    outcome = SUITE.run(Place(tmp_path, Path(CLONES or ""), {25: Machine(25, find_jvm(25).java)}, short=True))
    assert not outcome.unexplained
    assert all(row.tests for row in outcome.rows)
