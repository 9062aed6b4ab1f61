"""The agent's C files: which calls which, by their symbols; and they compile without warnings."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from classhook.native.building import build, embed
from tests.unit.native.conftest import Objects, compiled

ROOT = Path(__file__).parents[3]
LIBRARIES = {  # the folders of each, from the lowest on, and the file on top
    "agent": ([*build.LAYERS, "native", *build.EXTENSIONS], build.HERE / "agent.c"),
    "embedding": ([*embed.LAYERS], embed.ENTRY),
}

BY_CFFI = "ch_py_"  # functions in code that cffi generates


@pytest.fixture(scope="module")
def embedding_objects(includes: list[str], tmp_path_factory: pytest.TempPathFactory) -> Objects:
    scratch = tmp_path_factory.mktemp("objects")
    # Python's headers are GNU's C
    options = ["-std=gnu11", "-Wno-missing-field-initializers", "-Wno-unused-function"]
    options += [f'-D{name}="{value}"' for name, value in build.python_macros().items()]
    options += [*includes, f"-I{sysconfig.get_paths()['include']}"]
    strict = {embed.ENTRY: []}  # it calls functions that cffi defines
    return [
        (source, compiled(source, scratch / f"{source.stem}.o", *strict.get(source, ["-Werror"]), *options))
        for source in (*embed.sources(), embed.ENTRY)
    ]


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> tuple[str, Objects]:
    """A library's name, and each of its sources with its object file."""
    return request.param, request.getfixturevalue(f"{request.param}_objects")


def symbols(objects: Objects) -> Iterator[tuple[Path, str, str]]:
    """A source, and the kind and name of a symbol of the agent's in its object file, as nm prints them."""
    sources = {str(target): source for source, target in objects}
    done = subprocess.run(["nm", "--print-file-name", *sources], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        target, _, symbol = line.partition(":")
        *_, kind, name = symbol.split()
        if name.startswith(("ch_", "Java_")):
            yield sources[target], kind, name


def folder(source: Path) -> str:
    """Returns the name that a source's folder has in the lists of layers."""
    return source.parent.name if source.parent == build.HERE else str(source.parent.relative_to(build.HERE))


def test_each_file_calls_only_what_is_before_it(library: tuple[str, Objects]) -> None:
    library_name, objects = library
    layers, top = LIBRARIES[library_name]
    found = [*symbols(objects)]
    owner = {name: source for source, kind, name in found if kind in "TDBR"}
    calls: dict[Path, set[Path]] = {source: set() for source, _ in objects}
    for source, kind, name in found:
        if kind == "U" and not name.startswith(BY_CFFI):
            calls[source].add(owner[name])
    upwards = [
        (source.name, called.name)
        for source, all_called in calls.items()
        for called in all_called
        if source != top and layers.index(folder(source)) < layers.index(folder(called))
    ]
    assert upwards == []
    order = [*TopologicalSorter(calls).static_order()]  # raises CycleError
    assert top in order
    assert not [source.name for source, all_called in calls.items() if top in all_called]


def test_no_two_files_share_a_name() -> None:
    names = Counter(path.name for path in build.HERE.rglob("*.[ch]"))
    assert [name for name, count in names.items() if count > 1] == []


# ---- the build ID, so that no build uses another's woven classes


def test_every_source_file_decides_which_build_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("classfile", "instrument", "native", "rules"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    monkeypatch.setattr(build, "HERE", tmp_path / "native")
    before = build.build_id()
    for name in (
        "instrument/measures/time/__init__.py",
        "instrument/weaving/plan.py",
        "native/classes/hook.c",
        "native/classhook.h",
        "rules/words.py",
    ):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text + "\n")
        assert build.build_id() != before, name
        (tmp_path / name).write_text(text)
    (tmp_path / "native" / "_layout.py").write_text("made by the build")
    assert build.build_id() == before
