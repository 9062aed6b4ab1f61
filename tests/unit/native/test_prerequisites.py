"""Pythons that can run inside a JVM, and others."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from classhook.native.building import prerequisites


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 13, 9), (3, 14, 2), (3, 15, 0)])
def test_a_python_that_will_do(monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...]) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    assert prerequisites.python() == sys.version.split()[0]


@pytest.mark.parametrize(
    ("version", "what"),
    [((3, 10, 9), "3.11 is the oldest"), ((3, 14, 0), "3.14.2 and later"), ((3, 14, 1), "3.14.2 and later")],
)
def test_a_python_that_will_not(monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...], what: str) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(prerequisites.Missing, match=what):
        prerequisites.python()


def test_a_free_threaded_python_will_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": 1}.get)
    with pytest.raises(prerequisites.Missing, match=r"without a GIL, on which the agent relies: use another"):
        prerequisites.python()


RELEASES = {
    "ID=debian\n": "apt install libpython3.12",
    'NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n': "apt install libpython3.12",
    'ID="rocky"\nID_LIKE="rhel centos fedora"\n': (
        "dnf install python3-libs (python3.12-libs, if this is not the default Python)"
    ),
    'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n': "zypper install libpython3_12-1_0",
    "ID=alpine\n": "apk add python3",
    "ID=ours\n": "",
}


@pytest.mark.parametrize(
    ("release", "install"), RELEASES.items(), ids=["debian", "mint", "rocky", "suse", "alpine", "unknown"]
)
def test_the_package_with_libpython_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, release: str, install: str
) -> None:
    (tmp_path / "os-release").write_text(release)
    monkeypatch.setattr(prerequisites, "RELEASES", (tmp_path / "none", tmp_path / "os-release"))
    variables = {"Py_ENABLE_SHARED": 1, "INSTSONAME": "libpython3.12.so.1.0", "LIBDIR": str(tmp_path), "MULTIARCH": "x"}
    monkeypatch.setattr(sysconfig, "get_config_var", variables.get)
    with pytest.raises(prerequisites.Missing) as missing:
        prerequisites.libpython()
    assert str(missing.value).startswith("libpython3.12.so.1.0, the shared library of ")
    assert str(missing.value).endswith(f"is not in {tmp_path}" + f": {install}" * bool(install))
    variables["Py_ENABLE_SHARED"] = 0
    with pytest.raises(prerequisites.Missing, match=r"was built without a shared libpython.*--enable-shared"):
        prerequisites.libpython()
    (tmp_path / "conda-meta").mkdir()
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    with pytest.raises(prerequisites.Missing, match=r"is missing: conda install --force-reinstall python="):
        prerequisites.libpython()
    beside = tmp_path / f"libpython{sys.version_info[0]}.{sys.version_info[1]}.so.1.0"
    beside.touch()
    assert prerequisites.libpython() == beside
