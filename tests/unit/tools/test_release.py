"""Parts of `make release` that need nothing from elsewhere."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from tools.release import extension
from tools.release.__main__ import SUMS, sums
from tools.release.dependencies import NOT_SAID, document


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
