"""The program's class loaders behave as without classhook, and the classes that they define count.

Woven classes call a class of the boot loader, for which each loader of the program must be asked once. All that a
program may see of this is one loadClass with that name, by the thread that defines the loader's first class, before the
definition has ended.
"""

from __future__ import annotations

import re
from difflib import unified_diff
from pathlib import Path

import pytest

from classhook.probes.reasons import MEANING
from tests.conftest import Compiled, Jvm, Result, Run, classhook_command, execute
from tests.pressure.conftest import ALL, assert_completed, calls

TRACKER = "java.lang.ClasshookTracker"
KINDS = {"count": ("count **::*",), "time": ALL}
COUNT = KINDS["count"]
LINE = 6  # classes that each extend the one before, as made by Maker.java


@pytest.fixture(scope="module")
def classes(compiled: Compiled) -> Path:
    """The compiled programs of tests/jvm/java/beside."""
    return compiled("beside")


@pytest.fixture(params=KINDS)
def rules(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return KINDS[request.param]


def said(result: Result) -> list[str]:
    """Status and output; only the beginning of an endless recursion."""
    return [f"status {result.status}", *result.stdout.splitlines(), *result.stderr.splitlines()[:20]]


def assert_same(bare: list[str], ours: list[str]) -> None:
    differences = list(unified_diff(bare, ours, "bare", "with us", lineterm="", n=30))
    assert not differences, "\n".join(differences)


def both(run: Run, rules: tuple[str, ...], *command: str | Path) -> tuple[Result, Result]:
    """Runs the program bare and with classhook: status and output must be the same."""
    bare, ours = execute(command), run(rules, *command)
    assert bare.status == 0, "\n".join(said(bare))
    assert_same(said(bare), said(ours))
    return bare, ours


def assert_none_left(result: Result) -> None:
    """Asserts that every class was woven and every activation has ended."""
    assert result.report["classes"]["skipped"] == []
    assert_completed(result)


def calls_of(result: Result, *owners: str) -> dict[str, int]:
    """`Class::method` -> calls, for these classes."""
    return {name: n for name, n in calls(result).items() if name.partition("::")[0] in owners}


def guests(guests: int, seconds: int = 0) -> dict[str, int]:
    """The counts of Guest and Second if this many were made and each was run once; a Second is a Guest, too."""
    n = guests + seconds
    found = {"Guest::<init>": n, "Guest::run": n, "Guest::step": 10 * n}
    return found | {f"Second::{name}": seconds for name in ("<init>", "run", "more") if seconds}


@pytest.mark.parametrize("when", ["later", "last", "first"])
def test_a_loader_calls_code_that_it_defined(
    jvm: Jvm, classes: Path, run: Run, rules: tuple[str, ...], when: str
) -> None:
    bare, ours = both(run, rules, jvm.java, "-cp", classes, "Filtered", when)
    asked = int(bare.stdout.split()[-1])
    assert calls_of(ours, "Filter") == {"Filter::<init>": asked + 1, "Filter::test": asked, "Filter::hashCode": 1}
    assert calls_of(ours, "Guest", "Second") == guests(2 if when == "last" else 1, 1)
    assert_none_left(ours)


def test_another_thread_holds_the_loaders_monitor(jvm: Jvm, classes: Path, run: Run, rules: tuple[str, ...]) -> None:
    """A first call takes no monitor that it does not take without classhook."""
    _, ours = both(run, rules, jvm.java, "-cp", classes, "Held")
    assert calls_of(ours, "Guest") == guests(1)
    assert calls_of(ours, "Made0000") == {"Made0000::<init>": 1, "Made0000::run": 1, "Made0000::step": 10}
    assert_none_left(ours)


@pytest.fixture(scope="module")
def woven_ahead(classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same programs, woven ahead of time."""
    folder = tmp_path_factory.mktemp("ahead") / "woven"
    rules = [word for rule in ALL for word in ("-e", rule)]
    woven = execute([*classhook_command(), "weave", *rules, classes, "-o", folder])
    assert woven.status == 0, woven.stderr
    return folder


@pytest.mark.parametrize("program", [("Filtered", "later"), ("Filtered", "first"), ("Held",)], ids=" ".join)
def test_classes_woven_ahead(jvm: Jvm, classes: Path, woven_ahead: Path, run: Run, program: tuple[str, ...]) -> None:
    """Classes woven ahead of time behave like classes woven as they load."""
    bare, ours = execute([jvm.java, "-cp", classes, *program]), run((), jvm.java, "-cp", woven_ahead, *program)
    assert_same(said(bare), said(ours))
    assert calls_of(ours, "Guest", "Second") == guests(1, 0 if program == ("Held",) else 1)
    assert_none_left(ours)


@pytest.mark.parametrize("no", ["not-found", "security", "error", "linkage", "endless", "null", "another"])
def test_a_loader_that_refuses_keeps_its_classes_as_they_are(jvm: Jvm, classes: Path, run: Run, no: str) -> None:
    """The same if its parent refuses; the report lists each such class, and the program's other classes count."""
    _, ours = both(run, COUNT, jvm.java, "-cp", classes, "Listed", no)
    reasons: dict[str, set[str]] = {}
    for row in ours.report["classes"]["skipped"]:
        assert row["method"] == ""
        reasons.setdefault(row["class"], set()).add(row["reason"])
    assert sorted(reasons) == ["Guest", "Second"]
    (reason,) = set.union(*reasons.values())
    assert "loader" in reason
    assert reason in MEANING
    assert calls_of(ours, "Guest", "Second") == {}
    found = calls(ours)
    assert {name: found[f"Listed::{name}"] for name in ("main", "child", "run")} == {"main": 1, "child": 1, "run": 2}


#: With archived classes, some JVMs would log a warning that they cannot be used.
AS_SYSTEM_LOADER = ("-Xshare:off", "-Djava.system.class.loader=Logging")


@pytest.mark.parametrize("options", [(), AS_SYSTEM_LOADER], ids=["three", "system"])
def test_a_loader_is_asked_once_while_it_defines_its_first_class(
    jvm: Jvm, classes: Path, run: Run, rules: tuple[str, ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    """It is asked for the tracker. All other names come in the same order, including those asked for when a call is
    resolved."""
    bare, ours, result = logs(run, rules, tmp_path, jvm.java, *options, "-cp", classes, "Caller")
    assert_same(bare, [line for line in ours if TRACKER not in line])
    loaders = {line.split()[0] for line in bare if " begin " in line}
    for loader in sorted(loaders):
        mine = [line for line in ours if line.startswith(f"{loader} ")]
        begin, end = (
            next(at for at, line in enumerate(mine) if line.startswith(f"{loader} {word} "))
            for word in ("begin", "end")
        )
        asked = [at for at, line in enumerate(mine) if line == f"{loader} asked {TRACKER}"]
        assert len(asked) <= 1, f"loader {loader} was asked {len(asked)} times"
        assert all(begin < at < end for at in asked), "not while it defined its first class:\n" + "\n".join(mine)
    assert calls_of(result, "Guest", "Second") == guests(3 * len(loaders), 3 * len(loaders))
    assert_none_left(result)
    if not options:  # the program itself did not ask for the tracker
        assert calls(result)["Logging::loadClass"] == sum(" asked " in line for line in bare)


def test_a_loader_none_of_whose_classes_a_rule_matches_is_not_asked(
    jvm: Jvm, classes: Path, run: Run, tmp_path: Path
) -> None:
    bare, ours, result = logs(run, ("count Caller::*",), tmp_path, jvm.java, "-cp", classes, "Caller")
    assert_same(bare, ours)
    assert calls(result) == {"Caller::main": 1, "Caller::call": 3}


def logs(run: Run, rules: tuple[str, ...], folder: Path, *command: str | Path) -> tuple[list[str], list[str], Result]:
    """The logs of the program's loaders, bare and with classhook."""
    log = folder / "log"
    bare = execute([*command, log])
    expected = log.read_text().splitlines()
    ours = run(rules, *command, log)
    assert said(bare) == ["status 0", "done"]
    assert_same(said(bare), said(ours))
    return expected, log.read_text().splitlines(), ours


def made(classes: int) -> dict[str, list[int]]:
    """The counts of Made0000, Made0001 and so on if each was made and run once: each calls those before it in its
    line."""
    later = [LINE - number % LINE for number in range(classes)]
    return {
        "<init>": later,
        "run": later,
        "step": [10 * n for n in later if n == LINE],
        "more": [n for n in later if n != LINE],
    }


def made_by(result: Result) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in sorted(result.report["methods"], key=lambda row: row["class"]):
        if re.fullmatch(r"Made\d{4}", row["class"]):
            found.setdefault(row["method"], []).append(row["calls"])
    return found


@pytest.mark.parametrize(("how", "threads"), [("slow", 16), ("nested", 1), ("nested", 16), ("ring", 16), ("ranks", 16)])
def test_loaders_in_use_by_many_threads(
    jvm: Jvm, classes: Path, run: Run, rules: tuple[str, ...], how: str, threads: int
) -> None:
    """There is no deadlock, and every call after the classes are loaded is counted."""
    n = 10 * LINE
    _, ours = both(run, rules, jvm.java, "-cp", classes, "Crowd", how, str(threads), str(n))
    assert made_by(ours) == made(n)
    if how == "nested":
        assert calls_of(ours, "Guest", "Second") == guests(0, 1)
        assert calls(ours)["Crowd$Unheard::of"] == 5, "with us it was called by the loader, too, which does not count"
    assert_none_left(ours)


@pytest.mark.parametrize("how", ["siblings", "chain"])
def test_short_lived_loaders_count_and_are_collected(
    jvm: Jvm, classes: Path, run: Run, rules: tuple[str, ...], how: str
) -> None:
    n = 500
    bare, ours = both(run, rules, jvm.java, "-cp", classes, "Brood", how, str(n))
    assert bare.stdout == "0 loaders are still there\n"
    assert calls_of(ours, "Guest") == guests(n)
    assert_none_left(ours)
