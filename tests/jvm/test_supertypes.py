"""`Type+` reaches every subtype, from its first call on."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import Compiled, FindJvm, Jvm, Result, Run


def calls(report: dict[str, list[dict[str, object]]]) -> dict[str, object]:
    return {f"{str(row['class']).rpartition('.')[2]}::{row['method']}": row["calls"] for row in report["methods"]}


FAMILY = {
    "Family$Base::<clinit>": 1, "Family$Base::<init>": 1, "Family$Base::counted": 1, "Family$Base::twice": 10, "Family$Middle::<init>": 1,
    "Family$Middle::work": 10, "Family$Leaf::<clinit>": 1, "Family$Leaf::<init>": 1, "Family$Leaf::start": 1, "Family$Leaf::twice": 10,
}  # fmt: skip


def test_every_subtype(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    done = run("count Service+::*", jvm.java, "-Xverify:all", "-cp", compiled("Family"), "Family")
    assert done.stdout == "155\n", done.stderr
    assert calls(done.report) == FAMILY


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
        words = find_jvm(17).java, "-Xlog:redefine+class+load=info", "-cp", compiled("Family"), "Family"
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
