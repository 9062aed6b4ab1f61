"""Tests that `python -m tools.strangers hotspot` runs and compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from tools.strangers.suite import Place
from tools.strangers.suites import hotspot
from tools.strangers.suites.hotspot.differences import EXPLAINED
from tools.strangers.suites.hotspot.jtreg import HOTSPOT
from tools.strangers.suites.hotspot.parts import Part, chosen

KNOWN = f"{next(iter(EXPLAINED))}/TestDescription.java"


@dataclass
class Harness:
    """Stands for Jtreg: verdicts by test, without and with classhook, and what was asked for."""

    bare: dict[str, str]
    ours: dict[str, str]
    asked: list[tuple[list[str], bool]] = field(default_factory=list)
    jvm: Any = field(default_factory=lambda: SimpleNamespace(release=17, version=lambda: "17"))

    def verdicts(self, suite: str, tests: Sequence[str], option: str | None = None) -> dict[str, str]:
        self.asked.append((list(tests), option is not None))
        found = self.ours if option else self.bare
        return {
            name: verdict for name, verdict in found.items() if name.removeprefix(f"{suite}/").startswith(tuple(tests))
        }


def test_what_passes_is_not_run_without_classhook_and_what_differs_is_repeated(tmp_path: Path) -> None:
    names = {one: f"{HOTSPOT}/a/{one}.java" for one in ("passes", "fails", "differs")}
    bare = {names["passes"]: "Error", names["fails"]: "FAILED", names["differs"]: "Passed", KNOWN: "Passed"}
    ours = {names["passes"]: "Passed", names["fails"]: "FAILED", names["differs"]: "FAILED", KNOWN: "FAILED"}
    harness = Harness(bare, ours)
    part = Part("a", HOTSPOT, ("a", KNOWN.removeprefix(f"{HOTSPOT}/")))
    ((row, failing),) = hotspot.rows(Place(tmp_path, None, {}, short=False), cast(Any, harness), part)
    assert row.tests == 4
    assert failing == [names["fails"]]
    assert {one.test: bool(one.why) for one in row.differences} == {names["differs"]: False, KNOWN: True}
    first, without, *repeated = harness.asked
    assert first == ([*part.tests], True)
    assert without == (["a/fails.java", "a/differs.java", KNOWN.removeprefix(f"{HOTSPOT}/")], False)
    assert repeated == [(["a/differs.java"], with_classhook) for with_classhook in (False, True, False, True)]


def test_parts_run_on_the_jvms_that_are_there(tmp_path: Path) -> None:
    usual, more = (Place(tmp_path, None, {}, short=False, more=more) for more in (False, True))
    assert list(chosen(usual, ())) == []
    assert {release for _, release in chosen(usual, (28,))} == {28}
    some, every = ({part.name: part.tests for part, _ in chosen(place, (17,))} for place in (usual, more))
    assert some.keys() == every.keys()
    assert some["java.lang.instrument"] == every["java.lang.instrument"]
    assert len(some["nsk/jdi"]) > 1 == len(every["nsk/jdi"])
