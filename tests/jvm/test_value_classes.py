"""Value classes (JEP 401) and others with strict fields: all measures change nothing that the program does, the JVM
verifies what is inserted before super(), and counts are right. Java 28 needs `--enable-preview` for them.

The same sources with `class` for `value class` make identity classes, whose frames do not name fields: coverage must be
the same.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from classhook.classfile.reader import ClassFile
from classhook.probes import reasons
from tests import compiling
from tests.conftest import JAVA_SOURCES, FindJvm, Jvm, Result, Run, classhook_command, execute
from tests.unit.classfile.support import woven

SOURCE = JAVA_SOURCES / "larval" / "Larvae.java"
PREVIEW = ("--enable-preview", "-Xverify:all")
FIELDS = (
    "Branch.a",
    "Branch.b",
    "Loop.sum",
    "Caught.text",
    "Switched.third",
    "Point.x",
    "Square.edge",
    "Flexible.a",
    "Inner.held",
    "Deep.b",
    "Deep.d",
)
MEASURES = {
    "count": ["count Larvae**::*"],
    "time": ["time Larvae**::* tree"],
    "sample": ["time Larvae**::* sample 1/3"],
    "slowest": ["time Larvae**::* slowest 3"],
    "profile": ["profile Larvae**::*"],
    "cover": ["cover Larvae**"],
    "exact": ["cover Larvae** hits exact"],
    "alloc": ["alloc * in Larvae**"],
    "watch": ["watch Larvae**::* show this, args, result, exception"],
    "when": ["watch Larvae**::* when this != null first 2"],
    "keys": ["count Larvae**::* by arg0"],
    "value": ["value Larvae**::* of arg0"],
    "below": ["count Larvae**::* below Larvae::main"],
    "context": ["context Larvae::tried", "count Larvae**::*"],
    "calls": ["time calls **::* in Larvae**"],
    "lines": ["count Larvae:1-999"],
    "linewatch": ["watch Larvae:1-999 when this != null first 1"],
    "locals": ["watch Larvae$Deep:1-999 show x"],
    "reads": [f"count reads Larvae${field}" for field in FIELDS],
    "writes": [f"count writes Larvae${field}" for field in FIELDS],
    "fieldwatch": [f"watch writes Larvae${field} show old, value first 5" for field in FIELDS],
    "all": [
        "time Larvae**::* tree",
        "time calls **::* in Larvae**",
        "alloc * in Larvae** live",
        "cover Larvae** hits exact",
        "watch Larvae**::* first 1",
    ],
}


@pytest.fixture(scope="module")
def jvm(find_jvm: FindJvm) -> Jvm:
    return find_jvm(28)


def compiled(jvm: Jvm, folder: Path, source: str, *options: str) -> Path:
    (folder / "Larvae.java").write_text(source)
    compiling.javac(jvm.tool("javac"), *options, "-g", "-d", folder / "classes", folder / "Larvae.java")
    return folder / "classes"


@pytest.fixture(scope="module")
def classes(jvm: Jvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(jvm, tmp_path_factory.mktemp("values"), SOURCE.read_text(), "--release", "28", "--enable-preview")


@pytest.fixture(scope="module")
def identity(jvm: Jvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = re.sub("value (class|record)", r"\1", SOURCE.read_text())
    return compiled(jvm, tmp_path_factory.mktemp("identities"), source, "--release", "25")


@pytest.fixture(scope="module")
def bare(jvm: Jvm, classes: Path) -> str:
    done = execute([jvm.java, *PREVIEW, "-cp", classes, "Larvae"])
    assert (done.status, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) > 60
    return done.stdout


def ran(run: Run, jvm: Jvm, classes: Path, rules: list[str]) -> Result:
    result = run(rules, jvm.java, *PREVIEW, "-cp", classes, "Larvae")
    assert result.status == 0, result.stderr
    left = [
        skip for skip in result.report["classes"]["skipped"] if skip["reason"] != reasons.UNFIT
    ]  # `this` in static methods
    assert left == []
    return result


@pytest.mark.parametrize("measure", MEASURES)
def test_the_program_does_what_it_did(measure: str, jvm: Jvm, classes: Path, bare: str, run: Run) -> None:
    result = ran(run, jvm, classes, MEASURES[measure])
    assert result.stdout == bare
    assert result.report["classes"]["woven"] > 0


def test_lines_are_counted_in_constructors(jvm: Jvm, classes: Path, run: Run) -> None:
    expected = {
        number: int(match[1])
        for number, text in enumerate(SOURCE.read_text().splitlines(), 1)
        if (match := re.search(r"// (\d+)$", text))
    }
    rows = ran(run, jvm, classes, MEASURES["lines"]).report["lines"]
    assert {row["line"]: row["executions"] for row in rows if row["line"] in expected} == expected
    assert len(expected) > 90


def test_calls_are_counted(jvm: Jvm, classes: Path, run: Run) -> None:
    result = ran(run, jvm, classes, MEASURES["time"])
    counts = {
        name: result.method(f"Larvae${name}::<init>")["calls"]
        for name in ("Branch", "Loop", "Switched", "Shape", "Square", "Thrower", "Deep")
    }
    assert counts == {"Branch": 16, "Loop": 6, "Switched": 20, "Shape": 3, "Square": 4, "Thrower": 4, "Deep": 8}
    thrower = result.method("Larvae$Thrower::<init>")
    assert (thrower["completed"], thrower["exceptions"], thrower["left"]) == (4, 3, 0), "two are thrown before super()"
    point = result.method("Larvae$Point::<init>")
    assert (point["calls"], point["completed"], point["exceptions"]) == (3, 3, 1)


def test_exceptions_before_super_are_watched(jvm: Jvm, classes: Path, run: Run) -> None:
    result = ran(
        run,
        jvm,
        classes,
        ["watch Larvae$Thrower::<init> show args, exception", "watch Larvae$Point::<init> show exception"],
    )
    found = [(row["class"], row["exception"], row["message"]) for row in result.report["calls"] if row["exception"]]
    illegal = "java.lang.IllegalArgumentException"
    assert found == [
        ("Larvae$Point", illegal, "y"),
        ("Larvae$Thrower", illegal, "before"),
        ("Larvae$Thrower", "java.lang.IllegalStateException", "thirteen"),
        ("Larvae$Thrower", illegal, "after"),
    ]


def test_fields_are_watched_before_super(jvm: Jvm, classes: Path, run: Run) -> None:
    rows = ran(run, jvm, classes, MEASURES["fieldwatch"]).report["executions"]
    found = [row["values"] for row in rows if row["line"] and row["rule"].startswith("watch writes Larvae$Caught.text")]
    assert [values["value"] for values in found] == ["12", "bad", "-4"]


def test_coverage_is_that_of_identity_classes(jvm: Jvm, classes: Path, identity: Path, run: Run) -> None:
    head = next(number for number, text in enumerate(SOURCE.read_text().splitlines(), 1) if "Point {" in text)
    elsewhere = (
        f"DA:{head},",
        "FNDA:",
    )  # a value record's super() is at the end of its constructor, so it is reached less often
    for rules in (MEASURES["cover"], MEASURES["exact"]):
        reports = []
        for path in (classes, identity):
            data = ran(run, jvm, path, rules).data
            assert data is not None
            done = execute([*classhook_command(), "coverage", "-f", "lcov", data])
            assert done.status == 0, done.stderr
            reports.append([line for line in done.stdout.splitlines() if not line.startswith(elsewhere)])
        assert reports[0] == reports[1]
        assert sum(line.startswith("BRDA:") for line in reports[0]) > 80


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_inserted_verifies(seed: int, jvm: Jvm, classes: Path, bare: str, tmp_path: Path) -> None:
    """At any place and on any edge, with jumps and labels in it, and a local that all frames behind know."""
    rnd, larval = random.Random(seed), 0
    for path in classes.glob("*.class"):
        data = woven(path.read_bytes(), rnd)
        larval += data.count(b"\xf6\x00") > 0
        assert ClassFile.parse(data).major == 72
        (tmp_path / path.name).write_bytes(data)
    assert larval > 5
    done = execute([jvm.java, *PREVIEW, "-cp", tmp_path, "Larvae"])
    assert (done.stdout, done.stderr, done.status) == (bare, "", 0)


def test_a_jump_over_32_kb_before_super(jvm: Jvm, run: Run, tmp_path: Path) -> None:
    """It goes by way of a trampoline, which has its target's frame."""
    steps = "".join(f"s += {i % 100};\n" if i % 97 else f"if (s == {i}) s ^= {i % 90};\n" for i in range(10480))
    source = f"""
        public class Larvae {{
            static value class Large {{
                final int a, b;
                Large(int x) {{
                    int s = x;
                    a = s;
                    do {{
                        if (x > 1) {{
                            {steps}
                        }} else {{
                            s--;
                        }}
                    }} while (s < -5);
                    if (x > 2) {{ b = s; }} else {{ b = 1; }}
                    super();
                }}
            }}
            public static void main(String[] args) {{
                for (int i = 0; i < 4; i++) System.out.println(new Large(i).a + new Large(i).b);
            }}
        }}"""
    classes = compiled(jvm, tmp_path, source, "--release", "28", "--enable-preview")
    result = ran(run, jvm, classes, ["cover Larvae** exact"])
    assert result.stdout == execute([jvm.java, *PREVIEW, "-cp", classes, "Larvae"]).stdout
    assert result.stdout.count("\n") == 4
