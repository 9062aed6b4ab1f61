"""Parts of `make release` that need nothing from elsewhere."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tools.release import extension
from tools.release.__main__ import SUMS, sums
from tools.release.dependencies import NOT_SAID, document
from tools.release.version import TOP
from tools.wheels.building import same_each_time


@pytest.mark.skipif(not (TOP / ".git").exists(), reason="only a clone has the time of the list")
def test_each_dependency_has_a_licence() -> None:
    made = document()
    licences = {one["name"]: one["licenseDeclared"] for one in made["packages"]}
    assert {"cffi", "lark", "rich", "pyarrow", "vscode-languageclient"} <= licences.keys()
    assert [name for name, licence in licences.items() if licence == NOT_SAID] == []
    assert not licences.keys() & {"pytest", "mypy", "ruff", "@vscode/vsce"}, "they are for work on classhook"
    assert len({one["SPDXID"] for one in made["packages"]}) == len(made["packages"])
    assert len(made["relationships"]) == len(made["packages"])


def test_checksums(tmp_path: Path) -> None:
    (tmp_path / "b.whl").write_bytes(b"b")
    (tmp_path / "a.tar.gz").write_bytes(b"a")
    sums(tmp_path)
    sums(tmp_path)
    expected = [f"{hashlib.sha256(text).hexdigest()}  {name}" for text, name in ((b"a", "a.tar.gz"), (b"b", "b.whl"))]
    assert (tmp_path / SUMS).read_text().splitlines() == expected


def test_a_package_does_not_know_when_it_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for year in (2001, 2026):
        with zipfile.ZipFile(tmp_path / f"{year}.zip", "w") as archive:
            archive.writestr(zipfile.ZipInfo("extension/extension.js", (year, 1, 2, 3, 4, 6)), "code")
            archive.writestr(zipfile.ZipInfo("extension.vsixmanifest", (year, 1, 2, 3, 4, 6)), "<xml>")
        extension._same_each_time(tmp_path / f"{year}.zip", tmp_path / "to.vsix")
        made.append((tmp_path / "to.vsix").read_bytes())
    assert made[0] == made[1]


def test_a_source_distribution_does_not_know_who_packed_it(tmp_path: Path) -> None:
    made = []
    for seconds, names in ((1_000_000_000, ("b.py", "a.py")), (1_700_000_000, ("a.py", "b.py"))):
        packed = tmp_path / "x.tar.gz"
        with tarfile.open(packed, "w:gz") as archive:
            for name in names:
                one = tarfile.TarInfo(f"x/{name}")
                one.size, one.mtime, one.uname = len(name), seconds, f"user{seconds}"
                archive.addfile(one, io.BytesIO(name.encode()))
        same_each_time(packed, 5)
        made.append(packed.read_bytes())
    assert made[0] == made[1]
    with tarfile.open(packed) as archive:
        assert [(one.name, one.mtime) for one in archive] == [("x/a.py", 5), ("x/b.py", 5)]
        assert archive.extractfile("x/b.py").read() == b"b.py"  # type: ignore[union-attr]
