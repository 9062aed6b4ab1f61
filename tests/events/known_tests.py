"""Helpers of the tests of `run --tests`: suites of each framework, and what a report says of their tests."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.conftest import JAVA_SOURCES, Jvm, Result, classhook_command, execute

SUITES = JAVA_SOURCES / "suites"
RULE = "count suite.**::leaf"
CONSOLE = ("org.junit.platform.console.ConsoleLauncher", "execute", "--details=none", "--disable-banner")
#: Compilers of other languages than Java: by the files' suffix, the main class and its options.
COMPILERS = {
    ".groovy": ("org.codehaus.groovy.tools.FileSystemCompiler",),
    ".kt": ("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect", "-nowarn"),
}
#: (folder of suites/, jars of the framework, jars of the compiler, if it is not javac) -> the compiled classes, with
#: the folder's other files
Suite = Callable[..., Path]


def path_of(parts: Iterable[Path]) -> str:
    return os.pathsep.join(map(str, parts))


def run_tests(jvm: Jvm, data: Path, parts: Sequence[Path], *words: str | Path, options: Sequence[str] = ()) -> Result:
    ours = [*classhook_command(), "run", "--tests", "-e", RULE, "-o", data, "--"]
    return execute([*ours, jvm.java, *jvm.sets_final_fields, *options, "-cp", path_of(parts), *words])


def listed(data: Path) -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = report_of(data)["tests"]
    return tests


def report_of(data: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(
        execute([*classhook_command(), "report", "-f", "json", "--by", "test", data]).stdout
    )
    return report


def calls(data: Path) -> dict[str | None, int]:
    """Calls of `leaf` by context."""
    found: dict[str | None, int] = {}
    for one in report_of(data)["contexts"]:
        if number := sum(row["calls"] for row in one["methods"] if row["method"] == "leaf"):
            found[one["context"]] = number
    return found


def statuses(tests: list[dict[str, Any]]) -> dict[str, set[str]]:
    """By status, the last part of the names of tests that did not pass."""
    found: dict[str, set[str]] = {}
    for test in tests:
        if test["status"] != "passed":
            found.setdefault(test["status"], set()).add(test["context"].rpartition("::")[2])
    return found


def exceptions(tests: list[dict[str, Any]]) -> dict[str, str | None]:
    """Why tests failed, by the last part of their names."""
    return {
        test["context"].rpartition("::")[2]: test["exception"]
        for test in tests
        if test["kind"] == "test" and test["exception"] is not None
    }
