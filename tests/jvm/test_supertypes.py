"""`Type+` reaches every subtype, from its first call on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Compiled, FindJvm, Jvm, Result, Run, classhook_command, execute, on
from tests.originals import kept


def calls(report: dict[str, list[dict[str, object]]]) -> dict[str, object]:
    return {f"{str(row['class']).rpartition('.')[2]}::{row['method']}": row["calls"] for row in report["methods"]}


FAMILY = {
    "Family$Base::<clinit>": 1,
    "Family$Base::<init>": 1,
    "Family$Base::counted": 1,
    "Family$Base::twice": 10,
    "Family$Middle::<init>": 1,
    "Family$Middle::work": 10,
    "Family$Leaf::<clinit>": 1,
    "Family$Leaf::<init>": 1,
    "Family$Leaf::start": 1,
    "Family$Leaf::twice": 10,
}


def test_every_subtype(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    done = run("count Service+::*", jvm.java, "-Xverify:all", "-cp", compiled("Subtypes"), "Family")
    assert done.stdout == "155\n", done.stderr
    assert calls(done.report) == FAMILY


@on(21, 25)
def test_on_a_virtual_thread(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    done = run("count Service+::*", jvm.java, "-cp", compiled("Subtypes"), "Family", "virtual")
    assert done.stdout == "155\n", done.stderr
    assert calls(done.report) == FAMILY


@pytest.mark.parametrize(
    ("rule", "methods"),
    [
        ("count java.lang.Object+::twice", {"Family$Base::twice", "Family$Leaf::twice"}),
        ("count **+::work", {"Family::work", "Family$Middle::work", "Family$Other::work"}),
        ("count Family$*+::twice", {"Family$Base::twice", "Family$Leaf::twice"}),
        (
            "count java.util.Collection+::size except java.util.**, java.util.concurrent.**, jdk:**",
            {"Family$Ours::size"},
        ),
        ("count jdk:**.AbstractSequentialList+::listIterator", set()),
        ("time Family$B*+::work except Family$Leaf+", {"Family$Middle::work"}),
        ("count @Deprecated Service+::*", set()),
    ],
)
def test_patterns_with_a_plus(rule: str, methods: set[str], find_jvm: FindJvm, compiled: Compiled, run: Run) -> None:
    done = run(rule, find_jvm(17).java, "-cp", compiled("Subtypes"), "Family")
    assert set(calls(done.report)) == methods


def test_classes_that_were_loaded_before_the_agent_looked(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    done = run("count java.util.AbstractMap+::get", jvm.java, "-cp", compiled("Subtypes"), "Family")
    assert calls(done.report)["HashMap::get"]


def test_coverage_has_one_version_of_a_class(find_jvm: FindJvm, compiled: Compiled, tmp_path: Path) -> None:
    words = [find_jvm(17).java, "-cp", compiled("Subtypes"), "Family"]
    for _ in range(2):
        line = [
            *classhook_command(),
            "run",
            "--quiet",
            "-e",
            "cover Service+",
            "-o",
            tmp_path / "data",
            "--cache",
            tmp_path / "cache",
            "--",
            *words,
        ]
        assert execute(line).stdout == "155\n"
    own = {file.name: file.read_bytes() for file in compiled("Subtypes").iterdir()}
    assert {*kept(tmp_path / "data")} == {own[f"Family${name}.class"] for name in ("Base", "Middle", "Leaf")}


def test_classes_of_one_name_in_many_loaders_and_generated_ones(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = ["count Wanted+::run", "count Wanted+::begin", "count Families$Wish+::run"]
    done = run(rules, jvm.java, "-Xverify:all", "-cp", compiled("Families"), "Families")
    assert (done.stdout, done.stderr) == ("done\n", "")
    found = calls(done.report)
    (proxy,) = [name for name in found if "Proxy" in name]
    assert found.pop(proxy) == 100
    assert found == {"Families$Middle::run": 4800, "Families$Low::run": 4800, "Families$Low::begin": 16}
    assert done.report["classes"]["skipped"] == []


def test_an_exception_for_subtypes(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    done = run("count Families$**::run except Wanted+", jvm.java, "-cp", compiled("Families"), "Families")
    assert calls(done.report) == {"Families$Middle::run": 4800, "Families$Low::run": 4800}


def test_the_next_run_weaves_at_once(find_jvm: FindJvm, compiled: Compiled, run: Run, tmp_path: Path) -> None:
    def changed_when_linked() -> set[str]:
        words = find_jvm(17).java, "-Xlog:redefine+class+load=info", "-cp", compiled("Subtypes"), "Family"
        done = run("count Service+::*", *words, env={"XDG_CACHE_HOME": str(tmp_path)})
        assert calls(done.report) == FAMILY
        return set(re.findall(r"redefined name=(Family\$\w+)", done.stdout))

    assert changed_when_linked() == {"Family$Base", "Family$Middle", "Family$Leaf"}
    assert changed_when_linked() == set()


def allocated(done: Result) -> dict[tuple[str, str], int]:
    return {(row["type"].rpartition(".")[2], row["rule"]): row["count"] for row in done.report["allocations"]}


def test_allocations_of_subtypes(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = ["alloc java.util.Map+ in Kinds", "alloc java.util.**, java.util.AbstractMap+[] in Kinds"]
    done = run(rules, jvm.java, "-cp", compiled("Kinds"), "Kinds")
    maps, second = done.report["rules"]
    assert done.stdout == "40\n"
    assert allocated(done) == {
        ("Kinds$Own", maps["rule"]): 10,
        ("LinkedHashMap", maps["rule"]): 10,
        ("Kinds$Own[]", second["rule"]): 10,
    }
    assert (maps["matched_classes"], maps["matched_methods"]) == (1, 1)
