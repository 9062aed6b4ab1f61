"""Calls that scripts insert into the program's methods."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, classhook_command, execute
from tests.events.conftest import HEAD, Scripted, notes, said

PLAIN = ["9 wide 9 object none"]
VERIFIED = ("-Xverify:all", "-Xlog:verification=off")


def seen(scripted: Scripted, script: str) -> list[str]:
    """Runs the program with a script; returns what its tracker saw, and asserts that its results are as ever."""
    result = scripted(script, "Inserts", options=VERIFIED)
    assert (result.status, result.stderr, said(result, "sum")) == (0, "", PLAIN), result.stderr
    assert notes(result) == []
    return said(result, "seen")


def test_entries(scripted: Scripted) -> None:
    found = seen(scripted, 'agent.insert.entry("Inserts::*(..)", call="Inserts$Tracker.enter(method, number)")')
    constructed = ["enter main", "enter <init>", "enter <init>"]
    assert found == [*constructed, *(f"enter {name}" for name in ("sum", "wide", "object", "fails") for _ in range(2))]


@pytest.mark.parametrize(
    ("pattern", "call", "expected"),
    [
        ("Inserts::sum", "got(arg0)", ["got int 1", "got int 0"]),
        ("Inserts::sum", "got(arg1)", ["got long 2", "got long 0"]),
        ("Inserts::sum", "got(arg2)", ["got double 3.5", "got double 0.0"]),
        ("Inserts::wide", "got(arg1)", ["got boolean true", "got boolean false"]),
        ("Inserts::object", "got(arg0)", ["got null", "got x"]),
        ("Inserts::sum", "all(this, args)", ["all true [1, 2, 3.5]", "all true [0, 0, 0.0]"]),
        ("Inserts::<init>(int)", "all(this, args)", ["all false [5]"]),
        ("Inserts::wide", "all(this, args)", ["all false [1, true]", "all false [2, false]"]),
    ],
)
def test_arguments(scripted: Scripted, pattern: str, call: str, expected: list[str]) -> None:
    assert seen(scripted, f'agent.insert.entry("{pattern}", call="Inserts$Tracker.{call}")') == expected


def test_exits_and_exceptions(scripted: Scripted) -> None:
    found = seen(
        scripted,
        """
results = agent.insert.exit("Inserts::sum", call="Inserts$Tracker.result(value, method)")
for name in ("wide", "object"): agent.insert.exit(f"Inserts::{name}", call="Inserts$Tracker.result(value, method)")
agent.insert.thrown("Inserts::fails", call="Inserts$Tracker.failed(exception, method)")
agent.insert.exit("Inserts::<init>(int, ..)", call="Inserts$Tracker.got(this)")
""",
    )
    assert re.sub(r"@\w+", "", found.pop(0)) == "got Inserts"
    if found[0].startswith("got"):  # of the other constructor
        found.pop(0)
    assert found == [
        "sum gave int 6",
        "sum gave int 3",
        "wide gave long 3",
        "wide gave long 6",
        "object gave none",
        "object gave [x, 1]",
        "fails threw wrong",
    ]


def test_allocations_calls_and_lines(scripted: Scripted) -> None:
    found = seen(
        scripted,
        """
agent.insert.allocations("long[], java.lang.StringBuilder", "Inserts::wide", call="Inserts$Tracker.allocated(type, line)")
agent.insert.allocations("java.lang.StringBuilder", "Inserts::object", call="Inserts$Tracker.allocated(type, line)")
agent.insert.calls("Inserts::wide", "Inserts::main", call="Inserts$Tracker.calls(called, method)")
agent.insert.calls("java.util.List::of", "Inserts::*", call="Inserts$Tracker.calls(called, method)")
agent.insert.calls("**::<init>", "Inserts::main", call="Inserts$Tracker.calls(called, method)")
""",
    )
    assert found == [
        "main calls Inserts.<init>",
        "main calls Inserts.wide",
        "allocated long[]",
        "main calls Inserts.wide",
        "allocated long[]",
        "allocated java.lang.StringBuilder",
        "object calls java.util.List.of",
    ]
    lines = seen(scripted, 'agent.insert.lines("Inserts::wide", call="Inserts$Tracker.line(line)")')
    assert len(lines) == 12 or len(set(lines)) == 1


def test_one_line_and_places(scripted: Scripted) -> None:
    result = scripted(
        """
lines = agent.insert.lines("Inserts::wide", call="Inserts$Tracker.line(line)")
entries = agent.insert.entry("Inserts::wide", call="Inserts$Tracker.enter(method, number)")
@agent.on.end
def end(e):
    for place in [*lines.places.values(), *entries.places.values()]: print("place", place, place.number >= 0)
""",
        "Inserts",
    )
    found = said(result, "place")
    lines = [
        int(one.split(":")[-1].split()[0].rstrip(">")) for one in found if one.startswith("<line Inserts::wide(JZ)J:")
    ]
    assert lines == sorted(lines)
    assert len(lines) >= 3
    assert found[-1].startswith("<entry Inserts::wide(JZ)J:")


def test_counters(scripted: Scripted) -> None:
    result = scripted(
        """
entries, wide = agent.insert.counter(), agent.insert.counter()
agent.insert.entry("Shop::place(..)", call=entries)
agent.insert.entry("Shop::greet(..)", call=wide)
@agent.on.end
def end(e): print("counted", entries.value, wide)
""",
        "Shop",
        "5000",
        options=VERIFIED,
        rules=("count Shop::greet(..)",),
    )
    (greeted,) = (row["calls"] for row in result.report["methods"])
    assert said(result, "counted") == [f"5000 <counter {greeted}>"], result.stderr
    assert notes(result) == []


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (
            "Inserts$Trakker.enter(method, number)",
            "Inserts$Trakker is not found by its class loader: public static void enter(Ljava/lang/String;I)V",
        ),
        (
            "Inserts$Tracker.enter(number, method)",
            "Inserts$Tracker has no such method: public static void enter(ILjava/lang/String;)V",
        ),
        (
            "Inserts$Tracker.hidden()",
            "Inserts$Tracker has the method, which is not public and static: public static void hidden()V",
        ),
        ("Inserts$Tracker.got(arg3)", "it has no arg3"),
    ],
)
def test_what_cannot_be_called_is_left_out(scripted: Scripted, call: str, why: str) -> None:
    """The program runs as it was, and the report says why."""
    result = scripted(f'agent.insert.entry("Inserts::sum", call="{call}")', "Inserts", options=VERIFIED)
    assert (result.status, result.stderr, said(result, "sum"), said(result, "seen")) == (0, "", PLAIN, [])
    owner = call.partition("(")[0]
    assert notes(result) == [f"Inserts::sum(IJD)I has no call of {owner} (entry): {why}"]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ('entry("Inserts::sum", call="enter")', "write a static method and its arguments"),
        ('entry("Inserts::sum", call="T.enter(nothing)")', "there is no `nothing`; there are class, method, "),
        ('entry("Inserts::sum", call="T.enter(value)")', "`value` is there at `exit` only"),
        ('exit("Inserts::sum", call="T.enter(method, value)")', "`value` comes first"),
        ('exit("Inserts::sum", call="T.enter(arg0)")', "`arg0` is there at `entry` only"),
        ('entry("Inserts sum", call="T.enter()")', "handlers.py:3: "),
        ("jar(None)", "TypeError"),
    ],
)
def test_mistakes(scripted: Scripted, script: str, why: str) -> None:
    result = scripted(f"agent.insert.{script}", "Inserts")
    assert why in result.stderr
    assert said(result, "sum") == PLAIN


TRACKER = """
package my;
public class Tracker {
    static final java.util.concurrent.atomic.LongAdder CALLS = new java.util.concurrent.atomic.LongAdder();
    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.println("tracked " + (CALLS.sum() > 1000))));
    }
    public static void hit(String method, int number) { CALLS.increment(); }
    public static void done(String method, String descriptor, int line) { CALLS.increment(); }
}
"""
EVERYWHERE = (
    HEAD
    + """
agent.insert.jar("JAR")
for where in WHERE:
    agent.insert.entry(f"{where}::*", call="my.Tracker.hit(method, number)")
    agent.insert.exit(f"{where}::*", call="my.Tracker.done(method, descriptor, line)")
    agent.insert.thrown(f"{where}::*", call="my.Tracker.hit(method, number)")
    agent.insert.allocations("*", f"{where}::*", call="my.Tracker.hit(type, number)")
    agent.insert.calls("**::*", f"{where}::*", call="my.Tracker.hit(called, number)")
    agent.insert.lines(f"{where}::*", call="my.Tracker.hit(method, line)")
"""
)


@pytest.mark.any_jvm
@pytest.mark.parametrize(
    ("tool", "where"),
    [
        ("javac", ["com.sun.tools.javac.parser.**", "com.sun.tools.javac.comp.**"]),
        ("javap", ["com.sun.tools.javap.**", "com.sun.tools.classfile.**"]),
        ("jar", ["sun.tools.jar.**", "java.util.zip.**"]),
    ],
)
def test_the_tools_of_the_jdk_do_what_they_do(jvm: Jvm, tmp_path: Path, tool: str, where: list[str]) -> None:
    """All kinds of insertions together; the JVM verifies all classes, and what the tools write is the same."""
    home = jvm.java.parent
    (tmp_path / "my").mkdir()
    (tmp_path / "my" / "Tracker.java").write_text(TRACKER)
    (tmp_path / "Some.java").write_text(
        'record Some<T>(T a, int b) { static String f(Object o) { return o instanceof String s ? s : "" + o; } }'
    )

    def run(*words: object) -> None:
        subprocess.run(
            [str(word) for word in words],
            check=True,
            capture_output=True,
            timeout=PATIENCE,
            env=ENVIRONMENT,
            cwd=tmp_path,
        )

    run(home / "javac", "-d", tmp_path, "my/Tracker.java", "Some.java")
    run(home / "jar", "--create", "--date=2026-01-01T00:00:00Z", "--file", "tracker.jar", "my")
    words = {
        "javac": ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-d", tmp_path / "out", tmp_path / "Some.java"],
        "javap": ["-m", "jdk.jdeps/com.sun.tools.javap.Main", "-v", "-p", tmp_path / "Some.class"],
        "jar": [
            "-m",
            "jdk.jartool/sun.tools.jar.Main",
            "--create",
            "--date=2026-01-01T00:00:00Z",
            "--file",
            tmp_path / "out" / "some.jar",
            "-C",
            tmp_path,
            "my",
        ],
    }[tool]
    (tmp_path / "everywhere.py").write_text(
        EVERYWHERE.replace("JAR", str(tmp_path / "tracker.jar")).replace("WHERE", repr(where))
    )
    own = ["run", "--quiet", "--agent", tmp_path / "everywhere.py", "-o", tmp_path / "data", "--no-cache", "--"]
    results = []
    for line in ([], [*classhook_command(), *own]):
        (tmp_path / "out").mkdir()
        done = execute([*line, jvm.java, "-Xverify:all", *words])
        assert done.status == 0, done.stderr
        results.append((done.stdout, {path.name: path.read_bytes() for path in sorted((tmp_path / "out").iterdir())}))
        if line:
            assert "tracked true" in done.stderr
            assert "VerifyError" not in done.stderr + done.stdout
        for path in (tmp_path / "out").iterdir():
            path.unlink()
        (tmp_path / "out").rmdir()
    assert results[0] == results[1]
    report = execute([*classhook_command(), "report", tmp_path / "data"]).stdout
    assert "refuses" not in report
    assert "transformer" not in report
