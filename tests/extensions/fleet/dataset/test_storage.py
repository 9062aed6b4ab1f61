"""Datasets in object storage, with fsspec's file system in memory; and the names of files."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from unittest.mock import ANY
from uuid import UUID

import pytest

from classhook.base.errors import UsageError
from classhook.extensions.fleet.dataset import queries, writing
from classhook.extensions.fleet.dataset.queries import Dataset
from classhook.extensions.fleet.dataset.run_rows import RunRows
from classhook.extensions.fleet.dataset.storage import is_dataset, storage_at
from classhook.extensions.fleet.dataset.tables import BY_NAME, TABLES
from classhook.extensions.fleet.dataset.writing import name_of, write
from tests.unit.test_architecture_page import ROOT
from tools.fleet.trino import statements

fsspec = pytest.importorskip("fsspec")
URL = "memory://fleet/a"


def facts(service: str = "shop", **tables: list[dict[str, object]]) -> RunRows:
    run = {"start": datetime(2026, 11, 26), "labels": {"team": "a"}, "rules": ["count a.**::*"]}
    return RunRows(
        str(UUID(int=1)), ("2026-11-26", service), {**{table.name: [] for table in TABLES}, "runs": [run], **tables}, []
    )


def test_a_dataset_in_storage_is_written_replaced_and_asked() -> None:
    called = {
        "class": "a.B",
        "method": "c",
        "descriptor": "()V",
        "calls": 1 << 70,
        "ran": True,
        "annotations": ("x.Y",),
    }
    write(
        facts(methods=[called], samples=[{"stack_id": 1, "tree": "cpu", "kind": "cpu_ns", "value": 2}]), storage_at(URL)
    )
    write(facts(methods=[called]), storage_at(URL))
    dataset = Dataset(storage_at(URL))
    columns, rows = dataset.answer(
        "select class, calls, annotations, date, service, labels['team'], rules from methods join runs using (run_id,"
        " date, service)"
    )
    assert columns[:2] == ["class", "calls"]
    (row,) = rows
    assert [*map(str, row)] == ["a.B", str((1 << 63) - 1), "['x.Y']", "2026-11-26", "shop", "a", "['count a.**::*']"]
    assert [*dataset.answer("from samples")[1]] == [], "its file is removed: the run has no samples any more"
    assert {path.rpartition("/")[2] for path in fsspec.filesystem("memory").find("/fleet/a")} == {
        f"{UUID(int=1)}.parquet"
    }


@pytest.mark.parametrize("duckdb_knows_schemas", [True, False])
def test_what_an_earlier_version_wrote_is_asked_together_with_new_files(
    monkeypatch: pytest.MonkeyPatch, duckdb_knows_schemas: bool
) -> None:
    """It lacks tables, and columns."""
    url = f"memory://earlier/{duckdb_knows_schemas}"
    runs = BY_NAME["runs"]
    with monkeypatch.context() as earlier:
        earlier.setattr(writing, "TABLES", (runs._replace(columns=runs.columns[:-4]),))
        earlier.setattr(writing, "_SCHEMAS", {})
        write(facts("a"), storage_at(url))
    new = facts("b")
    new.tables["runs"][0]["gc_count"] = 7
    write(new, storage_at(url))
    if not duckdb_knows_schemas:
        monkeypatch.setattr(queries, "schema_of", lambda table: "unknown")
    dataset = Dataset(storage_at(url))
    assert sorted(dataset.answer("select service, gc_count, rules from runs")[1]) == [("a", None, ANY), ("b", 7, ANY)]
    assert [*dataset.answer("from keys")[1]] == []


def test_what_is_no_dataset_is_said() -> None:
    with pytest.raises(UsageError, match="no runs in it"):
        Dataset(storage_at("memory://nowhere"))


def test_a_service_cannot_leave_its_folder() -> None:
    name = name_of("runs", facts("../../é=/" + "x" * 500))
    assert name.count("/") == 3
    assert len(name.split("/")[2]) < 255
    assert len(name_of("runs", facts("服" * 500)).split("/")[2].encode()) < 255, "file systems have no longer names"
    write(facts("../é=b c"), storage_at("memory://odd"))
    assert [*Dataset(storage_at("memory://odd")).answer("select service from runs")[1]] == [("../é=b c",)]


def test_a_services_folder_is_read_alike_by_hive_and_by_others() -> None:
    """Hive, Spark and Trino take each %XX for a character."""
    folder = name_of("runs", facts("日本 é/%\u200b")).split("/")[2]
    assert folder == "service=日本%20é%2F%25%E2%80%8B"


def test_names_of_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in ("a[b]*?{c}", f"file://{tmp_path}/new/dataset"):
        write(facts(), storage_at(text))
        assert is_dataset(text)
        assert [*Dataset(storage_at(text)).answer("select service from runs")[1]] == [("shop",)], text
    assert (tmp_path / "new" / "dataset" / "runs").is_dir()
    with pytest.raises(UsageError, match="service=q, which is read as the service of all runs"):
        storage_at("measurements/service=q/fleet")


def test_trino_is_told_all_columns() -> None:
    page = ROOT / "docs" / "examples" / "fleet" / "trino.sql"
    assert page.read_text() == statements(), "python -m tools.fleet.trino > docs/examples/fleet/trino.sql"
