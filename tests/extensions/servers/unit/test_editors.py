"""The files for editors name the words that rules have now."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from classhook.extensions.servers.editor.completion import WORDS_BETWEEN
from classhook.extensions.servers.editor.definitions import ABOUT
from classhook.rules.explain import written
from classhook.rules.syntax import METHOD_FLAGS

ROOT = Path(__file__).parents[4]
EDITORS = ROOT / "docs" / "examples" / "editors"
VSCODE = EDITORS / "vscode"


def read(name: str) -> Any:
    return json.loads((VSCODE / name).read_text())


def test_the_grammar_has_all_words() -> None:
    patterns = read("classhook-rules.tmLanguage.json")["repository"]
    for word in written():
        found = re.match(patterns["word"]["match"], f"{word.text} x")
        assert found is not None, word.text
        assert found.group() == word.text
        for clause in word.clauses:
            assert re.search(patterns["clause"]["match"], f"x {clause.word} x"), clause.word
    for between in WORDS_BETWEEN.values():
        assert re.search(patterns["clause"]["match"], f"x {between} x"), between
    for modifier in METHOD_FLAGS:
        assert re.search(patterns["modifier"]["match"], f"time !{modifier} x"), modifier
    assert not re.match(patterns["word"]["match"], "timer x")
    for word in ABOUT:
        assert re.match(patterns["word"]["match"], f"{word} x"), word
    assert re.search(patterns["parameter"]["match"], "time a.B$${min}::c").group() == "${min}"


def test_the_extension_has_what_it_names() -> None:
    package = read("package.json")
    (language,), (grammar,) = package["contributes"]["languages"], package["contributes"]["grammars"]
    for name in (package["main"], language["configuration"], grammar["path"]):
        assert (VSCODE / name).is_file()
    assert grammar["scopeName"] == read("classhook-rules.tmLanguage.json")["scopeName"]
    assert language["id"] == grammar["language"]
    assert language["id"] in (EDITORS / "neovim" / "classhook.lua").read_text()
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert package["version"] == tomllib.load(file)["project"]["version"]
    assert f"classhook-rules-{package['version']}.vsix" in (ROOT / "docs" / "questions" / "editor.md").read_text()


def test_the_extension_is_javascript() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here")
    subprocess.run([node, "--check", VSCODE / "extension.js"], check=True, timeout=60)
