"""Third-party programs with every method timed and every allocation counted behave as before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Jvm, Run, Words, execute, need_jar

DEMO = sorted((Path(__file__).parents[2] / "tools" / "demo" / "java").glob("*.java"))
SQL = [
    "CREATE TABLE t(id INT PRIMARY KEY, name VARCHAR(100), v DECIMAL(20, 2));",
    *(f"INSERT INTO t VALUES({i}, 'name {i * 7919 % 1000}', {i * 1.37:.2f});" for i in range(500)),
    "CREATE INDEX ix ON t(name);",
    "SELECT name, COUNT(*), AVG(v) FROM t GROUP BY name ORDER BY name LIMIT 20;",
    "SELECT a.id, b.name FROM t a JOIN t b ON a.name = b.name WHERE a.id < 200 ORDER BY 1, 2 LIMIT 50;",
    "SELECT nonsense FROM nowhere;",
]


@dataclass(frozen=True)
class Program:
    """The arguments after `java -Xverify:all`, the classes to instrument, and the exit status."""

    line: Words
    pattern: str
    status: int


def javac(out: Path) -> Program:
    main = "jdk.compiler/com.sun.tools.javac.Main"
    return Program(["-m", main, "-Xlint:all", "-verbose", "-d", out, *DEMO], "com.sun.tools.javac.**", 0)


def ecj(out: Path) -> Program:
    main = "org.eclipse.jdt.internal.compiler.batch.Main"
    return Program(
        ["-cp", need_jar("eclipse-jdt-core.jar"), main, "-17", "-proc:none", "-d", out, *DEMO], "org.eclipse.jdt.**", 0
    )


def h2(out: Path) -> Program:
    script = out.parent / "script.sql"
    script.write_text("\n".join(SQL))
    line = ["org.h2.tools.RunScript", "-url", "jdbc:h2:mem:x", "-script", script, "-showResults"]
    return Program(["-cp", need_jar("h2.jar"), *line], "org.h2.**", 1)


@pytest.mark.parametrize(("jvm", "program_of"), [(17, ecj), (17, h2), (25, javac), (25, h2)], indirect=["jvm"])
def test_it_does_what_it_did(jvm: Jvm, program_of: Callable[[Path], Program], run: Run, tmp_path: Path) -> None:
    if not (jvm.java.parent / "javac").exists():
        pytest.skip("a runtime without javac")
    program = program_of(tmp_path / "out")
    line: Words = [jvm.java, "-Xverify:all", *program.line]
    bare = execute(line)
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*.class")}
    result = run([f"time {program.pattern}::*", f"alloc * in {program.pattern}"], *line)
    assert (result.status, without_times(result.stdout)) == (bare.status, without_times(bare.stdout))
    assert without_times(result.stderr) == without_times(bare.stderr)
    assert bare.status == program.status
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*.class")}
    assert len(result.report["methods"]) > 500
    assert sum(row["count"] for row in result.report["allocations"]) > 10_000
    left = {entry["reason"] for entry in result.report["classes"]["skipped"]}
    assert left <= {"code-too-large"}


def without_times(text: str) -> list[str]:
    """javac -verbose prints durations, and its order of loading depends on timing."""
    return sorted(
        line
        for line in text.splitlines()
        if not line.startswith(("[total", "[checking", "[wrote", "[loading", "[parsing completed"))
    )
