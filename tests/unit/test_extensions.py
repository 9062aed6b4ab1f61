"""The extensions: the core works without each of them, and says what is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from classhook.extensions import ALL, EXTENSIONS
from classhook.native import library
from classhook.native.building import build
from tests.conftest import OF_EXTENSIONS
from tools.without import ROOT, TOOLS, copied, environment, removed

#: Imports all modules that are left, lists the commands, and shows what help says of an extension's commands and options.
IMPORTS = """
import importlib
from classhook.commands import ctl, groups
from classhook.commands.self import agent
from classhook.native.building import imports

SKIPPED = ("native.building", "agent.testing.script", "measures.parser_tables")
for name in imports.sources():
    if name and not name.startswith(SKIPPED):
        importlib.import_module(f"classhook.{name}")
print(*groups.COMMANDS)
print(ctl.EPILOG, agent.EPILOG)
"""


#: An import at the top of a module.
IMPORT = re.compile(r"^(?:from|import) (?:classhook|tests)\.extensions\.(\w+)", re.MULTILINE)


@pytest.fixture
def checkout() -> None:
    if subprocess.run(["git", "rev-parse"], cwd=ROOT, capture_output=True).returncode:
        pytest.skip("no checkout")


def test_an_extension_has_a_folder_of_its_name() -> None:
    folder = ROOT / "instrument" / "extensions"
    found = {path.name for path in folder.iterdir() if (path / "__init__.py").exists()}
    assert found == {one.name for one in EXTENSIONS}
    for one in EXTENSIONS:
        modules = {path.stem for path in (folder / one.name / "commands").glob("[!_]*.py")}
        assert modules == one.commands.keys()
        assert {*one.needs} <= found


@pytest.mark.usefixtures("checkout")
@pytest.mark.core("jvmpi")
@pytest.mark.parametrize("name", [one.name for one in ALL if one in EXTENSIONS])
def test_without_an_extension_all_else_is_imported(name: str, tmp_path: Path) -> None:
    copy = copied(name, tmp_path / "copy")
    for file in library.HERE.iterdir():  # what the build made
        if file.is_file() and not (copy / "native" / file.name).exists():
            (copy / "native" / file.name).symlink_to(file)
    for made in (build.TABLES, Path("instrument", build.RECORDS)):
        (copy / made).symlink_to(ROOT / made)
    subprocess.run([sys.executable, "native/building/tree.py"], cwd=copy, check=True, capture_output=True)
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=copy, env=environment(copy), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    unsaid = {word for one in ALL if one.name in removed(name) for word in (*one.controls, *one.options)}
    gone = {command for one in ALL if one.name in removed(name) for command in one.commands}
    left = {command for one in EXTENSIONS for command in one.commands} - gone
    commands, _, said = done.stdout.partition("\n")
    assert left <= set(commands.split())
    assert not gone & set(commands.split())
    assert not unsaid & set(said.split())


def test_tests_and_tools_that_need_an_extension_are_listed() -> None:
    """So that they are not there without it."""
    of = {f"tests/{file}": names for file, names in OF_EXTENSIONS.items()}
    of |= {path: {one} for one, paths in TOOLS.items() for path in paths}
    of |= {f"tests/extensions/{one.name}/": {one.name, *one.needs} for one in ALL}
    imported = {
        str(path.relative_to(ROOT)): {*IMPORT.findall(path.read_text())}
        for folder in ("tests", "tools")
        for path in (ROOT / folder).rglob("*.py")
    }
    unknown = {
        file: left
        for file, names in imported.items()
        if (left := names.difference(*(known for path, known in of.items() if file.startswith(path))))
    }
    assert unknown == {}


def test_scripts_find_the_modules_of_extensions() -> None:
    import classhook

    for one in EXTENSIONS:
        for name in one.modules:
            assert getattr(classhook, name).__name__ == f"classhook.extensions.{name}"
    with pytest.raises(AttributeError, match="has no attribute 'jvmti'"):
        getattr(classhook, "jvmti")  # noqa: B009
