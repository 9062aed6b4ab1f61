"""Installation with pip: one package, beside others with names that our folders have."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BOTH = """
import classhook
import rules
from classhook.rules.parse import parse_text
assert rules.is_authenticated and rules.__file__.startswith(WHERE) and classhook.__file__.startswith(WHERE)
import classhook.measures.every
print(parse_text("count a.B::c", "-e"), classhook.run.__module__)
"""


@pytest.mark.slow
def test_beside_a_package_that_is_called_rules(tmp_path: Path) -> None:
    """PyPI's `rules` are permissions for Django."""
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        tmp_path,
    ]
    subprocess.run([*install, ROOT, "rules"], env=os.environ | {"CLASSHOOK_PURE": "1"}, check=True, capture_output=True)
    assert {path.name for path in tmp_path.iterdir() if path.suffix != ".dist-info"} == {"bin", "classhook", "rules"}
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); WHERE = {str(tmp_path)!r}{BOTH}"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout.endswith("classhook.api.programs\n")) == (0, True), done.stderr + done.stdout
    found = subprocess.run(
        [tmp_path / "bin" / "classhook", "self", "agent"],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == f"{tmp_path}/classhook/native/libclasshook.so\n"


@pytest.mark.slow
def test_the_source_distribution_has_all_that_a_build_needs(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    clone.joinpath("native", "left.so").write_text("of an earlier build")
    build = "import sys; sys.path.insert(0, '.'); from native.building import backend; backend.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, tmp_path], cwd=clone, check=True, capture_output=True)
    (made,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(made) as archive:
        there = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=clone, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    rooms = ("classfile", "instrument", "native", "rules", "tests", "tools", "docs")
    assert {name for name in tracked if name.startswith(rooms)} - there == set()
    assert not [name for name in there if name.endswith(".so")]
