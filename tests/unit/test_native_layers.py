"""The agent's C files: which calls which, by their symbols; and they compile without warnings."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from native.building import build

ROOT = Path(__file__).parents[2]
LAYERS = ["base", "counting", "locks", "objects", "classes", "events", "watch", "live", "native"]  # the last is agent.c's own folder


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, Path]]:
    """Each source with its object file."""
    scratch = tmp_path_factory.mktemp("objects")
    home = build.jdk_home()
    from native.building import tracker

    (scratch / "tracker_class.h").write_text(tracker.c_header())
    includes = [f"-I{folder}" for folder in (build.HERE, scratch, home / "include", home / "include" / "linux")]
    found = []
    for source in build.agent_sources():
        target = scratch / f"{source.parent.name}-{source.stem}.o"
        line = [build.compiler(), *build.C_FLAGS, "-Werror", '-DCH_BUILD_ID="x"', *includes, "-c", source, "-o", target]
        done = subprocess.run(line, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.append((source, target))
    return found


def symbols(target: Path, *kinds: str) -> Iterator[str]:
    """The agent's symbols of these kinds, as nm prints them."""
    done = subprocess.run(["nm", target], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        *_, kind, name = line.split()
        if kind in kinds and name.startswith(("ch_", "Java_")):
            yield name


def test_each_file_calls_only_what_is_before_it(objects: list[tuple[Path, Path]]) -> None:
    owner = {name: source for source, target in objects for name in symbols(target, "T", "D", "B", "R")}
    calls = {source: {owner[name] for name in symbols(target, "U")} for source, target in objects}
    upwards = [
        (source.name, called.name)
        for source, all_called in calls.items()
        for called in all_called
        if LAYERS.index(source.parent.name) < LAYERS.index(called.parent.name)
    ]
    assert upwards == []
    order = [*TopologicalSorter(calls).static_order()]  # raises CycleError
    assert order[-1].name == "agent.c"


# ---- the build ID, so that no build uses another's woven classes


def test_every_source_file_decides_which_build_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("classfile", "instrument", "native", "rules"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    monkeypatch.setattr(build, "HERE", tmp_path / "native")
    before = build.build_id()
    for name in ("instrument/measures/time.py", "instrument/weaving/plan.py", "native/classes/hook.c", "native/classhook.h", "rules/words.py"):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text + "\n")
        assert build.build_id() != before, name
        (tmp_path / name).write_text(text)
    (tmp_path / "native" / "_layout.py").write_text("made by the build")
    assert build.build_id() == before


# ---- the library of heap dumps, which is no part of the agent


def test_the_loops_of_heap_dumps_compile_without_warnings(tmp_path: Path) -> None:
    sources = sorted((ROOT / "native" / "heap").glob("*.c"))
    assert sources
    for source in sources:
        line = [build.compiler(), *build.C_FLAGS, "-Werror", "-c", source, "-o", tmp_path / "x.o"]
        done = subprocess.run(line, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
