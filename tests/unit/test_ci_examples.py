"""The CI configurations in docs/examples/ci: their commands are classhook's, with options that it has."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import classhook.measures.every  # noqa: F401  # registers the words of rules
from classhook.cli import parser_for
from classhook.reports.comparison import thresholds

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

FOLDER = Path(__file__).parents[2] / "docs" / "examples" / "ci"


def scripts(file: Path) -> Iterator[str]:
    """What shells run."""
    read: dict[str, Any] = yaml.safe_load(file.read_text())
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
