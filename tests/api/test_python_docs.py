"""The examples of docs/reference/python.md, as they are written there."""

from __future__ import annotations

import doctest
import importlib.util
import os
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, FindJvm, releases

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
PANDAS = doctest.register_optionflag("PANDAS")  # examples that need it


def without_fences(text: str) -> str:
    """Doctest would take the end of a block for output."""
    return "\n".join(line for line in text.split("\n") if not line.startswith("```"))


@pytest.mark.parametrize("version", releases(17, 25))
def test_examples(version: int, find_jvm: FindJvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in set(os.environ) - set(ENVIRONMENT):
        monkeypatch.delenv(name)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{find_jvm(version).java.parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(without_fences(DOCS.read_text()), {}, "python.md", str(DOCS), 0)
    assert examples.examples
    if importlib.util.find_spec("pandas") is None:
        examples.examples = [one for one in examples.examples if PANDAS not in one.options]
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(examples, out=said.append)
    assert not runner.failures, "".join(said)
