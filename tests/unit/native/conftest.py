"""The agent's object files, compiled once for all tests, and soon: without optimization."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from classhook.native.building import build
from classhook.native.building.flags import STRICT

#: Each source, with its object file.
Objects = list[tuple[Path, Path]]


def compiled(source: Path, target: Path, *options: str) -> Path:
    flags = [flag for flag in build.C_FLAGS if flag != "-fvisibility=hidden"]
    line = [build.compiler(), *flags, "-O0", "-U_FORTIFY_SOURCE", "-g0", *options, "-c", source, "-o", target]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="session")
def includes(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The options with which the agent's sources find their headers."""
    home = build.jdk_home()
    java = [str(home / "include"), str(home / "include" / "linux")]
    return build.agent_includes(tmp_path_factory.mktemp("includes"), java)


@pytest.fixture(scope="session")
def agent_objects(includes: list[str], tmp_path_factory: pytest.TempPathFactory) -> Objects:
    """All of the agent's code; its internal functions can be called from elsewhere. No source gives a warning."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "agent-objects"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the first of pytest's processes compiles
        return [(source, once(source, folder, includes)) for source in build.agent_sources()]


def once(source: Path, folder: Path, includes: list[str]) -> Path:
    target = folder / f"{source.parent.name}-{source.stem}.o"
    if not target.exists():
        part = compiled(source, target.with_suffix(".part"), *STRICT, "-Werror", '-DCH_BUILD_ID="x"', *includes)
        part.rename(target)
    return target
