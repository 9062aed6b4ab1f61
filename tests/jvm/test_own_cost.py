"""The agent's own time in a thread of the program, to weave the classes that the thread loads, is no method's time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import jars
from tests.conftest import Compiled, Jvm, Result, Run, classhook_command, execute

pytestmark = pytest.mark.every_jvm

CLASSES = 600  # so many that the errors of samples are small beside the time for weaving
WOVEN = "count it.unimi.**::*"
MOST = 0.5  #: of the time for weaving may seem to be the program's: the JVM needs longer for larger classes


def loaded(rules: list[str], jvm: Jvm, compiled: Compiled, run: Run, cache: Path, classes: int = CLASSES) -> Result:
    command = [jvm.java, "-cp", compiled("Loads"), "Loads", jars.find("fastutil.jar"), str(classes)]
    result = run(rules, *command, env={"XDG_CACHE_HOME": str(cache)})
    assert result.stdout.split() == [str(classes)], result.stderr
    return result


def weaving(result: Result) -> int:
    ns: int = result.report["processes"][0]["weaving_ns"]
    return ns


@pytest.mark.alone
@pytest.mark.parametrize(
    ("rule", "rows", "times"),
    [
        ("time Loads::*", "methods", ("total_ns", "max_ns")),
        ("profile Loads::* every 1ms", "methods", ("cpu_total_ns", "wall_total_ns")),
        ("watch Loads::all", "calls", ("took_ns",)),
    ],
)
def test_no_method_has_it(
    rule: str, rows: str, times: tuple[str, ...], jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path
) -> None:
    bare, woven = (loaded(rules, jvm, compiled, run, tmp_path / str(len(rules))) for rules in ([rule], [rule, WOVEN]))
    for column in times:
        before, now = (
            next(row[column] for row in one.report[rows] if (row["class"], row["method"]) == ("Loads", "all"))
            for one in (bare, woven)
        )
        assert now < before + MOST * weaving(woven), column


def test_the_report_shows_it_once(jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path) -> None:
    """The line about classes mentions the time for weaving, if that is long enough to be worth a word."""
    result = loaded(["time Loads::*", WOVEN], jvm, compiled, run, tmp_path, classes=1200)
    done = execute([*classhook_command(), "report", result.data])
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("  classes: ")]
    assert line.endswith(", which no method's time includes")
