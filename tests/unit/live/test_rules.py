"""Rules of a session, changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from classhook.base.errors import Failure, UsageError
from classhook.live import rule_changes
from classhook.live.answers import Refused
from classhook.live.rule_changes import add, adding, exchanged, pause, remove, written
from classhook.rules.parse import load

COUNTED, TIMED = "count a.B::c", "time a.B::d slowest 3"


@pytest.mark.parametrize("which", ["2", TIMED])
def test_a_rule_goes_with_the_one_that_keeps_its_slowest_calls(which: str) -> None:
    every = add(TIMED)(add(COUNTED)([]))
    assert [one.rule.kind for one in every] == ["count", "time", "watch"]
    paused = pause(which, True)(every)
    assert [one.paused for one in paused] == [False, True, True]
    assert pause(which, False)(paused) == every
    assert [one.rule.text for one in remove(which)(every)] == [COUNTED]


def test_the_slowest_calls_may_be_given_up_alone() -> None:
    every = add(TIMED)([])
    assert [one.rule.text for one in remove(every[1].rule.text)(every)] == [TIMED]
    with pytest.raises(UsageError, match="no such rule"):
        remove("2")(every)


@pytest.mark.parametrize("which", ["1", " count  a.B :: c as 'x y'".replace("'", '"'), "x y"])
def test_blanks_do_not_matter_and_a_name_is_enough(which: str) -> None:
    every = add(TIMED)(add('count a.B::c as "x y"')([]))
    assert [one.rule.kind for one in remove(which)(every)] == ["time", "watch"]
    for wrong in ("0", "x  y", "a.B::c"):
        with pytest.raises(UsageError, match="no such rule"):
            remove(wrong)(every)


def test_rules_that_nobody_wrote_have_no_numbers() -> None:
    every = add(COUNTED)(add(TIMED)([]))
    assert [one.rule.text for one in written(every).values()] == [TIMED, COUNTED]
    assert [one.rule.text for one in remove("2")(every)][:1] == [TIMED]


def test_the_rules_of_a_file_are_added() -> None:
    every = adding(load(["jdbc"]))(add(COUNTED)([]))
    assert len(every) > 3
    assert every[1].rule.origin == "stock rules jdbc"


# ---- two that change the rules at once


class Agent:
    """An agent that refuses the first exchanges, with this code."""

    def __init__(self, refusals: int, code: str) -> None:
        self.refusals, self.code = refusals, code
        self.taken: list[str] = []

    def ask(self, line: str) -> dict[str, Any]:
        word, *rest = line.split(" ")
        if word == "status":
            return {"rules": "0" * 32}
        if self.refusals:
            self.refusals -= 1
            raise Refused("4711: any words", self.code)
        self.taken.append(Path(rest[-1]).read_text())
        return {"classes": 1}


def changed(agent: Agent, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    @contextmanager
    def filed(text: str) -> Iterator[str]:
        (folder / "new.rules").write_text(text)
        yield str(folder / "new.rules")

    monkeypatch.setattr(rule_changes, "entries", lambda data: [])
    return exchanged(folder / "data", add(COUNTED), agent.ask, filed)


def test_a_change_is_tried_again_after_one_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Agent(3, "rules-changed")
    assert changed(agent, tmp_path, monkeypatch) == {"classes": 1}
    assert len(agent.taken) == 1
    assert COUNTED in agent.taken[0]


def test_changes_that_never_end_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Failure, match="other commands changed the rules at the same time; try again"):
        changed(Agent(1000, "rules-changed"), tmp_path, monkeypatch)


def test_another_refusal_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Agent(1, "")
    with pytest.raises(Refused, match="any words"):
        changed(agent, tmp_path, monkeypatch)
    assert not agent.taken


def test_where_contexts_come_or_go_covered_classes_change_too() -> None:
    """Their probes count then."""

    def changed(before: str, after: str) -> list[str]:
        text = rule_changes.compiled(*(_every(texts) for texts in (before, after)))
        return [
            line.split("\t")[1]
            for line in text.split("\n")
            if line.startswith("changed\t") and line.split("\t")[1] and "renamed" not in line
        ]

    assert changed("cover a.B", "cover a.B; context c.D::e") == ["context", "cover"]
    assert changed("cover a.B; context c.D::e", "cover a.B") == ["context", "cover"]
    assert changed("cover a.B; context c.D::e", "cover a.B; context c.D::e; context c.F::g") == ["context"]


def _every(texts: str) -> list[rule_changes.Entry]:
    found: list[rule_changes.Entry] = []
    for text in texts.split("; "):
        found = add(text)(found)
    return found
