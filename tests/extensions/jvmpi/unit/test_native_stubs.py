"""The stubs of native methods, on this processor, and on aarch64 if there is a compiler and an emulator for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from classhook.native.building import build

HERE = Path(__file__).parent
ROOM = build.HERE / "extensions" / "jvmpi"
MANY = "1 1 1.5 2.5 1 -2 3 4 5 6 -7 8 3 4 5 6 7 8 9 10.5 -9"
LAST = 4095


@pytest.mark.parametrize(
    ("compiler", "run"),
    [("", []), ("aarch64-linux-gnu-gcc", ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"])],
    ids=["here", "aarch64"],
)
def test_arguments_and_results_are_kept(tmp_path: Path, compiler: str, run: list[str]) -> None:
    if compiler and not (shutil.which(compiler) and shutil.which(run[0])):
        pytest.skip(f"needs {compiler} and {run[0]}")
    home, out = build.jdk_home(), tmp_path / "stubs"
    folders = [f"-I{folder}" for folder in (ROOM, home / "include", home / "include" / "linux")]
    subprocess.run(
        [
            compiler or build.compiler(),
            "-O2",
            "-fPIC",
            *folders,
            HERE / "native_stubs.c",
            ROOM / "native_stubs.c",
            "-o",
            out,
        ],
        check=True,
    )
    said = subprocess.run([*run, out], check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    assert said[:3] == [MANY, "42.5", str(2 << 40)]
    assert said[3:] == [
        f"enters {LAST} 1 1",
        MANY,
        f"leaves {LAST} 1",
        "42.5",
        "enters 0 1 1",
        "leaves 0 1",
        str(2 << 40),
    ]
