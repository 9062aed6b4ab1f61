"""Reports of a snapshot, whatever names the program has."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.measures.alloc.reader import SiteRow
from classhook.measures.locks import reader as locks
from classhook.measures.methods.reader import MethodRow
from classhook.measures.profile.reader import SAMPLING
from classhook.model.call_tree import Sampling
from classhook.model.estimates import Spread
from classhook.model.snapshot import Process, RuleRow, Snapshot
from classhook.reports import Options, matched_rows
from classhook.reports.json import as_dict, report
from classhook.reports.text import report as text_report
from classhook.reports.titles import title
from classhook.reports.tree import report as tree_report


def times(row: MethodRow) -> tuple[int, ...]:
    row.finish()
    return row.calls, row.completed, row.exceptions, row.total_ns, row.self_ns


def test_estimates_are_of_the_calls_that_were_not_timed() -> None:
    """Eleven activations stand for 100 each; ten others for themselves. There were 1,020, of which 20 were in a process
    that only counted."""
    spread = Spread(n=11, w=1100, ww=110_000, wx=22_000, wwx=2_200_000, wwxx=44_000_000)
    row = MethodRow(
        calls=1020,
        timed=True,
        completed=10,
        exceptions=550,
        total_ns=500,
        self_ns=400,
        sample=100,
        not_timed=20,
        total_spread=spread,
        self_spread=spread,
    )
    assert times(row) == (1020, 1000, 550, 500 + 990 * 20, 400 + 990 * 20)
    assert (row.estimated, row.total_error, row.self_error) == (True, 0, 0)
    row = MethodRow(calls=3, timed=True, completed=2, exceptions=1, total_ns=20, self_ns=10)
    assert times(row) == (3, 2, 1, 20, 10), "one has not ended, and nothing is estimated"
    row = MethodRow(calls=3, timed=True, sample=100)
    assert times(row) == (3, 0, 0, 0, 0)


@pytest.mark.parametrize(("self_ns", "marked"), [(900, True), (1_100, False)])
def test_a_self_time_that_is_mostly_probes_is_marked(self_ns: int, marked: bool) -> None:
    row = MethodRow(calls=10, timed=True, completed=10, total_ns=5000, self_ns=self_ns, probes_ns=1000, timings=10)
    snapshot = Snapshot()
    snapshot.tables["methods"]["a.B", "c", "()V"] = row
    out = io.StringIO()
    text_report(snapshot, Options(), out)
    assert ("a.B.c() !\n" in out.getvalue()) == ("`profile`" in out.getvalue()) == marked
    assert as_dict(snapshot, Options())["methods"][0].get("mostly_probes", False) is marked


def test_an_estimated_self_time_is_at_most_the_total() -> None:
    spread, own = (
        Spread(n=11, w=1100, ww=110_000, wx=x, wwx=100 * x, wwxx=most)
        for x, most in ((22_000, 44_000_000), (33_000, 10**12))
    )
    row = MethodRow(
        calls=1000,
        timed=True,
        completed=10,
        total_ns=500,
        self_ns=400,
        sample=100,
        total_spread=spread,
        self_spread=own,
    )
    row.finish()
    assert row.self_ns == row.total_ns == 500 + 990 * 20
    assert 0 < row.self_error <= row.total_ns + row.total_error


def test_an_estimate_of_nothing_has_its_error_and_no_mark() -> None:
    """Chance put it below nothing; the probes are less than what it may be."""
    row = MethodRow(
        calls=1000, timed=True, completed=1000, total_ns=5_000_000, self_ns=-2_000_000, probes_ns=1000, timings=10
    )
    row.estimated, row.self_error = True, 3_000_000
    snapshot = Snapshot()
    snapshot.tables["methods"]["a.B", "c", "()V"] = row
    out = io.StringIO()
    text_report(snapshot, Options(), out)
    assert "~0 ns ±3.00 ms" in out.getvalue()
    assert "a.B.c() !" not in out.getvalue()


def process(pid: int, main: str, contributed: int, notes: tuple[str, ...] = ()) -> Process:
    return Process(
        pid,
        "17",
        "x",
        f"java -cp a {main}",
        pid,
        10**9,
        "exit",
        "f",
        0,
        0,
        0,
        0,
        notes=list(notes),
        contributed=contributed,
    )


def text_of(snapshot: Snapshot, **options: Any) -> list[str]:
    out = io.StringIO()
    text_report(snapshot, Options(**options), out)
    return out.getvalue().splitlines()


def test_processes_that_counted_most_come_first_and_others_take_one_line() -> None:
    every = [
        process(1, "Maven", 0),
        process(2, "Fork", 7),
        process(3, "Tests", 900),
        process(4, "Torn", 0, ("truncated",)),
        process(5, "Idle", 0),
    ]
    lines = text_of(Snapshot(processes=every))
    assert [line for line in lines if line.startswith("java")] == [
        f"java -cp a {main}" for main in ("Tests", "Fork", "Torn")
    ]
    assert "2 JVMs counted nothing: 1 (Maven), 5 (Idle); --all shows them" in lines
    assert sum(line.startswith("java") for line in text_of(Snapshot(processes=every), all=True)) == 5
    idle = text_of(Snapshot(processes=every[::4]))
    assert [line for line in idle if "java" in line or "nothing" in line] == ["java -cp a Maven", "java -cp a Idle"]
    assert "1 JVM counted nothing: 5 (Idle); --all shows it" in text_of(Snapshot(processes=every[2:5:2]))


def test_the_sessions_of_a_jvm_are_in_the_order_of_time() -> None:
    first, second, third = process(7, "First", 5), process(7, "Second", 0, ("a note",)), process(7, "Third", 900)
    for at, session in enumerate((first, second, third)):
        session.start_unix_ns, session.attached_ns = at, 1
    lines = text_of(Snapshot(processes=[process(1, "Little", 9), first, process(2, "Much", 1000), second, third]))
    assert [line.removeprefix("java -cp a ") for line in lines if line.startswith("java")] == [
        "Much",
        "First",
        "Second",
        "Third",
        "Little",
    ]


def test_only_marks_that_are_shown_are_explained() -> None:
    snapshot = Snapshot()
    snapshot.tables["methods"]["a.B", "long", "()V"] = MethodRow(
        calls=10, timed=True, completed=10, total_ns=5000, self_ns=5000, timings=10
    )
    brief = MethodRow(calls=10, timed=True, completed=10, total_ns=50, self_ns=5, probes_ns=1000, timings=10)
    snapshot.tables["methods"]["a.B", "brief", "()V"] = brief
    assert any("! in most calls" in line for line in text_of(snapshot))
    assert not any("! in most calls" in line for line in text_of(snapshot, top=1))


def test_lines_of_the_header_wrap_at_the_terminals_width() -> None:
    one = process(1, "Main", 1)
    locks.DEADLOCKS.set(
        one,
        [
            [
                locks.Stuck(
                    "a thread with a long name",
                    "java.lang.Object",
                    "another thread with a long name",
                    "a.B.c(B.java:17)",
                )
            ]
            * 2
        ],
    )
    one.time_cost_ns = 50
    SAMPLING.set(one, Sampling(10**7, 1000, 10, 10**6, 10**6, seen_cpu_ns=1, probes_cpu_ns=10**6))
    snapshot = Snapshot(processes=[one], alike={"com.acme.generated.Proxy*"})
    assert max(map(len, text_of(snapshot))) > 80
    assert max(len(re.sub(r"\x1b\[[\d;]*m", "", line)) for line in text_of(snapshot, terminal=True, width=60)) <= 60


def test_one_of_a_kind_is_not_in_the_plural() -> None:
    snapshot = Snapshot()
    snapshot.tables["allocations"]["a.B", "c", "()V", 1, 1, "a.T"] = SiteRow(count=1, bytes=16)
    snapshot.tables["allocations"]["a.B", "c", "()V", 2, 2, "a.U"] = SiteRow(count=2, bytes=8)
    assert "1 more site; --top N or --top 0 shows it" in text_of(snapshot, top=1)
    assert "2 allocation sites: 3 objects, 24 B" in text_of(snapshot)
    out = io.StringIO()
    assert matched_rows.report(snapshot, Options(), out)
    assert [line.split("  ")[0].strip() for line in out.getvalue().splitlines()] == ["1 object", "2 objects"]


def test_remarks_go_on_in_the_next_line_between_words() -> None:
    snapshot = Snapshot(processes=[process(1, "Main", 1, ("/tmp/a.classhook: " + "its counts are missing " * 9,))])
    snapshot.tables["methods"]["a.B", "c", "()V"] = MethodRow(
        calls=3, timed=True, completed=3, total_ns=900, self_ns=9, probes_ns=100, timings=3
    )
    for width in (40, 80):
        lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in text_of(snapshot, width=width, terminal=True)]
        remarks = [line for line in lines if "counts" in line or "profile" in line or "taken off" in line]
        assert len(remarks) > 3
        assert max(map(len, remarks)) <= width
        assert any("rule" in line.split() for line in lines)
    assert any(len(line) > 200 for line in text_of(snapshot, width=80)), "programs read whole lines"


def test_chains_of_calls_are_one_line_in_trees() -> None:
    snapshot = Snapshot()
    call = snapshot.stacks
    for name in "abcdefg":
        call = call.child(("p.C", name, "()V"))
    call.cpu = 400
    call.child(("p.C", "h", "()V")).cpu = 300
    side = snapshot.stacks.child(("p.C", "a", "()V"))
    side.cpu = 300

    def shown(**options: Any) -> list[str]:
        out = io.StringIO()
        tree_report(snapshot, Options(**options), out)
        return [line[27:] for line in out.getvalue().splitlines()[3:] if line.startswith(" ")]

    assert shown() == ["p.C.a()", "  ... 5 calls, each making only the next one", "    p.C.g()", "      p.C.h()"]
    assert shown(all=True) == [f"{'  ' * depth}p.C.{name}()" for depth, name in enumerate("abcdefgh")]


names = st.text(max_size=8) | st.lists(
    st.sampled_from(['{"class": ', '], "rules": ', ', {"rule": ', '[{"pid": ', '"', "\\", "\n", "}", "\ud800"]),
    max_size=4,
).map("".join)


@given(methods=st.lists(st.tuples(names, names, names), max_size=4), rule=names)
def test_the_lines_of_json_break_no_name(methods: list[tuple[str, str, str]], rule: str) -> None:
    snapshot = Snapshot(notes=[rule], rules={rule: RuleRow()})
    for key in methods:
        snapshot.tables["methods"][key] = MethodRow(calls=1, rule=rule)
    out = io.StringIO()
    report(snapshot, Options(), out)
    assert json.loads(out.getvalue()) == as_dict(snapshot, Options())
    assert len(out.getvalue().splitlines()) >= len(snapshot.tables["methods"])


def started(command: str) -> Process:
    return Process(1, "17", "x", command, 0, 1, "exit", "f", 0, 0, 0, 0)


LONG = "java -cp " + ":".join(f"/lib/{i}.jar" for i in range(100))
AGENT = "-agentpath:/x/libclasshook.so=data=d"


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        ([f"java {AGENT} -cp classes shop.Shop 3"], "shop.Shop: java -cp classes shop.Shop 3"),
        (["/jdk/bin/java -jar /opt/app.jar --port 1"], "app.jar: /jdk/bin/java -jar /opt/app.jar --port 1"),
        (
            ["java -m jdk.compiler/com.sun.tools.javac.Main"] * 2,
            "com.sun.tools.javac.Main: java -m jdk.compiler/com.sun.tools.javac.Main",
        ),
        (["java a.A", "java b.B"], "a.A, b.B: java a.A, java b.B"),
        (
            ["java a.A 1", "java a.A 2", "java a.A 3", "java b.B", "java c.C"],
            "a.A, b.B and 1 more: java a.A 1, java a.A 2 and 3 more",
        ),
        ([f"{LONG} a.A"], f"a.A: {LONG[:78]}...{LONG[-75:]} a.A"),
        ([], ""),
    ],
)
def test_titles_name_programs_and_commands(commands: list[str], expected: str) -> None:
    assert title([started(command) for command in commands]) == expected


FORK = "java -jar /w/shop/target/surefire/surefirebooter-20261128140312345_3.jar /w/shop/target/surefire"
PLACE = {"run.folder": "shop", "commit": "1f2e3d4c5b6a79", "host": "h"}


@pytest.mark.parametrize(
    ("command", "labels", "expected"),
    [
        (FORK, {"run.command": "mvn -q test", **PLACE}, "mvn -q test in shop, commit 1f2e3d4c5b"),
        (FORK, {"run.command": "./gradlew test", "run.folder": "shop"}, "./gradlew test in shop"),
        (FORK, {"run.folder": "shop"}, "surefirebooter-20261128140312345_3.jar in shop: " + FORK),
        (
            "/bin/java -cp a S",
            {"run.command": "java -cp a S", **PLACE},
            "S in shop, commit 1f2e3d4c5b: /bin/java -cp a S",
        ),
    ],
)
def test_titles_name_the_run(command: str, labels: dict[str, str], expected: str) -> None:
    process = started(command)
    process.labels = labels
    assert title([process, process]) == expected


def test_titles_name_the_programs_that_counted_most() -> None:
    found = [process(1, "mvn.Launcher", 0), process(2, "a.Small", 3), process(3, "a.Large", 50)]
    assert title(found) == "a.Large, a.Small: java -cp a a.Large, java -cp a a.Small"
    assert title(found[:1]) == "mvn.Launcher: java -cp a mvn.Launcher"
