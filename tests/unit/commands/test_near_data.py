"""The data that a command reads if it is given none."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.base.errors import UsageError
from classhook.commands.near_data import default_data


def test_the_data_of_a_folder_above_or_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app" / "core" / "classhook-data").mkdir(parents=True)
    (tmp_path / "app" / "core" / "src" / "main").mkdir(parents=True)
    for folder, found, said in (
        ("app/core", "classhook-data", ""),
        ("app/core/src/main", "../../classhook-data", "classhook: reading ../../classhook-data\n"),
        ("app", "core/classhook-data", "classhook: reading core/classhook-data\n"),
        (".", "app/core/classhook-data", "classhook: reading app/core/classhook-data\n"),
    ):
        monkeypatch.chdir(tmp_path / folder)
        assert (default_data(), capsys.readouterr().err) == (Path(found), said)
    (tmp_path / "app" / "web" / "classhook-data").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "app")
    with pytest.raises(UsageError, match="but core/classhook-data, web/classhook-data: name one of them"):
        default_data()


def test_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b" / "c" / "d" / "e").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b" / "c" / "d" / "e")
    assert default_data() == Path("classhook-data"), "a later message says that it does not exist"
