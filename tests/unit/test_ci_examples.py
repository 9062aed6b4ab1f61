"""The CI configurations in docs/examples/ci: their commands are classhook's, with options that it has."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import classhook.measures.every  # noqa: F401  # registers the words of rules
from classhook.cli import parser_for
from classhook.reports.comparison import thresholds
from tests import compiling
from tests.conftest import ENVIRONMENT, FindJvm

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

FOLDER = Path(__file__).parents[2] / "docs" / "examples" / "ci"


def scripts(file: Path) -> Iterator[str]:
    """Yields the shell scripts and commands of an example of a CI configuration."""
    read: dict[str, Any] = [*yaml.safe_load_all(file.read_text())][-1]  # a component begins with its inputs
    if file.stem == "github":
        for job in read["jobs"].values():
            yield from (step["run"] for step in job["steps"] if "run" in step)
        return
    for job in read.values():
        for name in ("before_script", "script", "after_script"):
            yield from job.get(name, [])


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_each_command_is_one_of_classhook(name: str) -> None:
    lines = "\n".join(scripts(FOLDER / name))
    subprocess.run(["bash", "-n"], input=lines, text=True, check=True)
    commands = [shlex.split(found) for found in re.findall(r"(?:^|\|\| |&& )classhook (.*)", lines, re.MULTILINE)]
    seen = set()
    for words in commands:
        args = parser_for(*words[:2]).parse_args(words)
        assert callable(args.execute)
        seen.add(args.command)
        for text in getattr(args, "fail_if", []):
            assert thresholds.parse(text)
    assert {"run", "report", "coverage"} <= seen
    assert len(commands) == len(re.findall(r"(?<![\w/.\"$])classhook (?=[a-z])", lines)), "one was not found"


INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")


def action_steps(inputs: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The scripts of the composite action, with the variables that these inputs give them."""
    read = yaml.safe_load((FOLDER / "action" / "action.yml").read_text())
    known = {name: one.get("default", "") for name, one in read["inputs"].items()} | inputs
    for step in read["runs"]["steps"]:
        condition = step.get("if", "always()")
        needs = re.match(r"inputs\.([\w-]+) != ''", condition)
        if needs is None or known[needs[1]]:
            yield step["run"], {name: INPUT.sub(lambda one: known[one[1]], text) for name, text in step["env"].items()}


@pytest.fixture
def shop(tmp_path: Path, find_jvm: FindJvm) -> str:
    """A folder with a program and rules; the command that runs it."""
    jvm = find_jvm(17)
    sources = sorted((FOLDER.parent / "shop").glob("*.java"))
    compiling.javac(jvm.tool("javac"), "-g", "-d", tmp_path / "target" / "classes", *sources)
    (tmp_path / "a.rules").write_text("cover shop.**\n")
    return f"{jvm.java} -cp target/classes shop.ShopTests"


def shell(name: str, script: str, folder: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{ENVIRONMENT['PATH']}"
    environment = ENVIRONMENT | {"PATH": path, "GITHUB_STEP_SUMMARY": "summary.md"} | variables
    return subprocess.run([name, "-e", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)


LIMITS = pytest.mark.parametrize(("limits", "status"), [("line=20", 0), ("line=99", 1), ("", 0)])


@LIMITS
def test_the_composite_action(tmp_path: Path, shop: str, limits: str, status: int) -> None:
    inputs = {"command": shop, "package": "", "fail-under": limits, "rules": "a.rules" if limits else ""}
    found = [shell("bash", script, tmp_path, variables) for script, variables in action_steps(inputs)]
    assert [one.returncode for one in found] == [0, 0, *([status] if limits else [])], found
    assert (tmp_path / "classhook-data" / "report.html").exists()
    assert (tmp_path / "classhook-data" / "coverage.html").exists() == bool(limits)
    assert ("profiled methods" in (tmp_path / "summary.md").read_text()) == (not limits)


@LIMITS
def test_the_component(tmp_path: Path, shop: str, limits: str, status: int) -> None:
    file = FOLDER / "component" / "templates" / "classhook.yml"
    (job,) = [*yaml.safe_load_all(file.read_text())][-1].values()
    variables = {"COMMAND": shop, "RULES": "a.rules" if limits else "", "LIMITS": limits}
    done = shell("sh", "\n".join(job["script"]), tmp_path, variables)
    assert done.returncode == status, done.stdout + done.stderr
    done = shell("sh", "\n".join(job["after_script"]), tmp_path, variables)
    assert (done.returncode, (tmp_path / "classhook-data" / "report.html").exists()) == (0, True), done.stderr
    assert (tmp_path / "classhook-data" / "cobertura.xml").exists() == bool(limits)
