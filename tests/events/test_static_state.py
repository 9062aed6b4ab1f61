"""`run --tests` notes the static fields that a later test finds changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.model.reading.files import data_files, read
from classhook.model.test_runs import WATCHED, Watched
from tests import peers
from tests.conftest import Jvm, classhook_command, execute
from tests.coverage.conftest import peer
from tests.events.known_tests import CONSOLE, Suite, path_of

CHANGED = {
    *("cache", "numbers", "boxes", "list", "counter", "ofThread", "thread", "text", "flag", "number", "late"),
    *("clock", "money", "format", "method", "ofClass"),
}
STEADY = ("Steady", "Box", "Size", "Registers")
PARALLEL = "junit.jupiter.execution.parallel"


def watched(
    jvm: Jvm, suite: Suite, data: Path, *options: str, rule: str = "count suite.**::*", test: str = "StateTest"
) -> dict[str, Watched]:
    """By class, its name without what all have in common."""
    jar = peer(peers.JUNIT_CONSOLES["1.13.4"])
    classes = suite("state", [jar])
    command = [*classhook_command(), "run", "--tests", "--quiet", "-e", rule, "-o", data, "--"]
    words = [jvm.java, "-Xcheck:jni", *options, "-cp", path_of([jar, classes]), *CONSOLE, "-c", f"suite.{test}"]
    done = execute([*command, *words])
    assert (done.status, done.stderr) == (0, "")
    assert "WARNING" not in done.stdout
    (file,) = data_files([data])
    found = WATCHED.get(read([file], suggest=False, exact_tree=False))
    return {name.removeprefix("suite/StateTest$"): one for name, one in found.items()}


@pytest.mark.parametrize("options", [(), ("-XX:+UseSerialGC", "-Xcomp"), ("-XX:+UseZGC",)], ids=" ".join)
def test_fields_that_a_later_test_finds_changed(
    options: tuple[str, ...], jvm: Jvm, suite: Suite, tmp_path: Path
) -> None:
    found = watched(jvm, suite, tmp_path, *options)
    assert found["Changed"].changed == CHANGED
    assert not [name for name in STEADY if found[name].changed]
    assert found["NoInitialiser"].changed == {"changed", "number"}
    assert found["Day"].changed == {"month", "day"}
    assert "Unused" not in found


def test_fields_that_initialisers_of_other_classes_change(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    found = watched(jvm, suite, tmp_path)
    registers = {"suite/StateTest$Registers"}
    assert (found["Steady"].left, found["NoInitialiser"].left) == ({"registered": registers}, {"steady": registers})
    assert not found["Changed"].left


def test_while_tests_run_at_once_all_fields_count_as_changed(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    modes = ("enabled=true", "config.strategy=fixed", "config.fixed.parallelism=2")
    found = watched(jvm, suite, tmp_path, *(f"-D{PARALLEL}.{mode}" for mode in modes), test="ParallelTest")
    assert found["Steady"].changed >= {"map", "text", "restored", "itself"}


def test_classes_that_no_rule_counts_are_not_watched(jvm: Jvm, suite: Suite, tmp_path: Path) -> None:
    assert [*watched(jvm, suite, tmp_path / "one", rule="count suite.**$Steady::*")] == ["Steady"]
    assert not watched(jvm, suite, tmp_path / "two", rule="cover suite.**")
