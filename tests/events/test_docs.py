"""The first program of docs/reference/python-agents.md is what a newcomer writes first: it works as printed."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests import compiling
from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, classhook_command

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python-agents.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


def test_the_first_program(jvm: Jvm, tmp_path: Path) -> None:
    (tmp_path / "Orders.java").write_text(blocks("java")[0])
    (tmp_path / "my.py").write_text(blocks("python")[0])
    command, *expected = blocks("console")[0].splitlines()
    assert command.startswith("$ classhook ")
    assert len([line for line in blocks("python")[0].splitlines() if line]) <= 10
    env = {**ENVIRONMENT, "PATH": f"{jvm.java.parent}{os.pathsep}{os.environ['PATH']}"}
    line = [*classhook_command(), *command.split()[2:]]
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, expected, "")


def test_a_name_that_is_mistyped(jvm: Jvm, tmp_path: Path) -> None:
    """The newcomer is told that no call will ever come."""
    (tmp_path / "Orders.java").write_text(blocks("java")[0])
    (tmp_path / "my.py").write_text(blocks("python")[0].replace('exit("Orders::place', 'exit("Orders::plase'))
    line = [*classhook_command(), "run", "--agent", "my.py", "--no-cache", "--", jvm.java, "Orders.java"]
    done = subprocess.run(line, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout.count("place (")) == (0, 3)
    assert done.stderr.count("never called") == 1
    assert "matched no method: Orders::plase(..);" in done.stderr
    report = subprocess.run(
        [*classhook_command(), "report"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert "did you mean" in report.stdout


def test_the_other_scripts_are_valid() -> None:
    for script in blocks("python"):
        compile(script, str(PAGE), "exec")


def test_the_page_names_each_event() -> None:
    source = (PAGE.parents[2] / "instrument" / "agent" / "event_kinds.py").read_text()
    events = re.findall(r'^    "(\w+)": Kind', source, re.MULTILINE)
    assert len(events) > 9
    assert all(f"`{event}`" in PAGE.read_text() for event in events)


def test_faults(jvm: Jvm, tmp_path: Path) -> None:
    (script,) = [block for block in blocks("python") if "insert.throws" in block]
    (tmp_path / "faults.py").write_text(script)
    for name, body in {
        "Stock": "static String find(String item) throws java.io.IOException { return item; }",
        "Db": "static int query() { return 1; }",
        "Mail": "static boolean send(String to, String text) { return true; }",
    }.items():
        (tmp_path / f"{name}.java").write_text(f"package com.acme; public class {name} {{ public {body} }}")
    (tmp_path / "Main.java").write_text(
        """
import com.acme.*;
class Main {
    public static void main(String[] words) throws Exception {
        long start = System.nanoTime();
        System.out.println(Stock.find("item-1") + Db.query() + Mail.send("a@b.c", "") + Mail.send("a@example.org", ""));
        System.out.println(System.nanoTime() - start > 199_000_000L);
        Stock.find("item-500");
    }
}
"""
    )
    compiling.javac(jvm.tool("javac"), "-d", tmp_path, *tmp_path.glob("*.java"))
    line = [*classhook_command(), "run", "--quiet", "--agent", "faults.py", "--no-cache", "--"]
    done = subprocess.run(
        [*line, jvm.java, "-Xverify:all", "-cp", ".", "Main"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.stdout.splitlines() == ["item-11truefalse", "true"], done.stderr
    assert "java.io.IOException: no stock\n\tat com.acme.Stock.find(Stock.java:1)" in done.stderr
