"""Verdicts about dead methods, from runs whose calls are known."""

from __future__ import annotations

import zipfile
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.run_rows import RunRows
from classhook.extensions.fleet.dead.exclusions import EXCLUSIONS, SERVICE
from classhook.extensions.fleet.dead.from_data import add_facts
from classhook.extensions.fleet.dead.observations import Observed
from classhook.extensions.fleet.dead.rows import NAMES
from classhook.extensions.fleet.dead.services import providers
from classhook.extensions.fleet.dead.verdicts import Options, Verdict, Verdicts, verdicts

ROOT = Path(__file__).parents[4]
BEGIN = datetime(2026, 1, 1)
DAY = timedelta(days=1)
IDS = count()
RULE = "count a.**::*"
NEVER = {"class": "a.B", "method": "m", "descriptor": "()V", "ran": False, "calls": 0, "body_hash": "1"}


def run(
    day: int,
    *methods: tuple[str, bool, str | None],
    version: str = "1",
    tests: bool = False,
    rule: str = RULE,
    **more: Any,
) -> RunRows:
    """A run of an hour. `methods`: name, whether it ran, the hash of its body; of class a.B unless the name has one:
    `C.m`."""
    start = BEGIN + day * DAY
    head = {
        "start": start,
        "stop": start + DAY / 24,
        "host": f"h{day % 2}",
        "version": version,
        "rules": [rule],
        "is_test": tests,
    }
    rows = []
    for name, ran, body in methods:
        cls, dot, method = name.rpartition(".")
        rows.append(
            {
                "class": f"a.{cls}" if dot else "a.B",
                "method": method,
                "descriptor": "()V",
                "ran": ran,
                "calls": int(ran),
                "body_hash": body,
                **more,
            }
        )
    return RunRows(
        str(next(IDS)),
        ("", ""),
        {"runs": [head], "methods": rows, "tests": [{"class": "a.BTest"}] if tests else []},
        [],
    )


def verdicts_of(*runs: RunRows, **options: Any) -> Verdicts:
    observed = Observed()
    for one in runs:
        add_facts(observed, one, None)
    return verdicts(observed, Bodies(), Options(**options))


def groups(found: Verdicts) -> dict[str, str]:
    return {one.key[1]: one.group for one in found.found}


def only(found: Verdicts) -> Verdict:
    (one,) = found.found
    return one


def test_four_groups() -> None:
    production = run(0, ("none", False, "1"), ("tested", False, "1"), ("used", True, "1"), ("both", True, "1"))
    tests = run(
        9,
        ("none", False, "1"),
        ("tested", True, "1"),
        ("used", False, "1"),
        ("both", True, "1"),
        ("BTest.t", True, "1"),
        tests=True,
    )
    found = verdicts_of(production, run(92, ("used", False, "1")), tests)
    assert groups(found) == {"none": "dead", "tested": "unused", "used": "untested", "both": "normal"}
    assert (found.production.days, found.production.runs, len(found.production.hosts), found.tests.runs) == (
        92,
        2,
        1,
        1,
    )
    assert found.doubt.startswith("production was observed for 92 days: what runs once a quarter or a year")


def test_calls_of_another_body_say_nothing() -> None:
    called, changed = run(0, ("m", True, "old"), version="1"), run(50, ("m", False, "new"), version="2")
    one = only(verdicts_of(called, changed, run(60, ("m", False, "new"), version="3")))
    assert (one.group, one.production.runs, one.production.days, sorted(one.production.versions)) == (
        "dead",
        2,
        10,
        ["2", "3"],
    )
    same = only(verdicts_of(called, run(50, ("m", False, "old"), version="2")))
    assert (same.group, same.production.runs, same.production.last_version) == ("untested", 2, "1")
    unknown = only(verdicts_of(run(0, ("m", True, None)), changed))
    assert unknown.group == "untested", "where no body is known, the method may be the same"


def test_code_that_production_has_not_run_is_not_dead() -> None:
    """Neither a new body, nor a class of a version that has not been released."""
    found = verdicts_of(
        run(0, ("m", True, "old"), ("n", True, "1")),
        run(5, ("m", True, "new"), ("C.x", True, "1"), version="2", tests=True),
    )
    assert (groups(found), found.unseen) == ({"n": "untested"}, 2)


def test_classes_that_were_never_loaded() -> None:
    tests = run(5, ("C.x", True, None), tests=True)
    found = verdicts_of(run(0, ("n", True, None)), run(30, ("n", True, None)), tests)
    assert {one.key[1]: (one.group, one.loaded, one.production.runs) for one in found.found} == {
        "n": ("untested", True, 2),
        "x": ("unused", False, 2),
    }
    unruled = verdicts_of(run(0, ("n", True, None), rule="count a.B::*"), tests)
    assert (groups(unruled), unruled.unseen) == ({"n": "untested"}, 1), "no rule would have counted it"
    below = verdicts_of(run(0, ("n", True, None), rule="count a.**::* below a.D::*"), tests)
    assert below.unseen == 1


def test_idle_and_new_methods() -> None:
    runs = run(0, ("m", True, "1")), run(100, ("m", False, "1"), ("n", False, "1"))
    assert groups(verdicts_of(*runs)) == {"m": "untested", "n": "dead"}
    assert groups(verdicts_of(*runs, idle=90)) == {"m": "dead", "n": "dead"}
    assert groups(verdicts_of(*runs, idle=101)) == {"m": "untested", "n": "dead"}
    young = verdicts_of(*runs, days=30)
    assert (groups(young), young.recent) == ({"m": "untested"}, 1)


def test_what_a_program_needs_is_excluded() -> None:
    made = run(0, *((name, False, "1") for name in ("<clinit>", "lambda$m$0", "access$000", "bridge")), flags=0x1000)
    found = verdicts_of(
        made, run(1, ("readResolve", False, "1")), run(1, ("asked", False, "1"), annotations=["a.Scheduled"])
    )
    assert set(groups(found)) == {"lambda$m$0"}
    assert found.excluded == {"static initializer": 1, "serialization": 1, "generated": 2, "annotated": 1}
    enum = RunRows(
        "",
        ("", ""),
        run(0).tables
        | {"methods": [{**NEVER, "method": "<init>", "descriptor": "(Ljava/lang/String;I)V", "flags": 2}]},
        [],
    )
    assert verdicts_of(enum).excluded == {"generated": 1}
    asked = verdicts_of(
        run(0, ("asked", False, "1"), annotations=["java.lang.Deprecated"]), excepts=lambda key: key[1] == "other"
    )
    assert set(groups(asked)) == {"asked"}


def test_service_files(tmp_path: Path) -> None:
    folder, jar = tmp_path / "classes" / "META-INF" / "services", tmp_path / "b.jar"
    folder.mkdir(parents=True)
    (folder / "a.Codec").write_text("# ours\na.C # the fast one\n\n")
    with zipfile.ZipFile(jar, "w") as made:
        made.writestr("META-INF/services/a.Codec", "a.D\n")
        made.writestr("META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports", "a.E\n")
    named = providers([tmp_path / "classes", jar])
    assert named == {"a.C", "a.D", "a.E"}
    found = verdicts_of(run(0, ("C.m", False, "1"), ("B.m", False, "1")), services=named)
    assert (groups(found), found.excluded) == ({"m": "dead"}, {"service": 1})


def test_the_page_names_all_columns() -> None:
    page = (ROOT / "docs" / "commands" / "dead.md").read_text()
    assert [name for name in NAMES if f"`{name}`" not in page] == []
    assert [one.name for one in (*EXCLUSIONS, SERVICE) if f"`{one.name}`" not in page] == []
