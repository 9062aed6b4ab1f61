"""Places of datasets: a folder, or a place in object storage that fsspec reaches, such as s3://bucket/name.

A file is written as a whole or not at all: readers never see a part of one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from classhook.base.errors import UsageError
from classhook.base.files import whole
from classhook.extensions.fleet.dataset.columns import PARTITIONS
from classhook.extensions.fleet.dataset.tables import TABLES

MISSING = "{} needs fsspec, which is not installed: pip install 'classhook[dataset]', or pip install fsspec"
FILES = "{}/*/*/*.parquet"  # of a table
REMOTE = "://"
LOCAL = "file://"
#: Forbidden begins of the names of folders above a dataset: readers would take them for the run's own.
PARTITIONED = tuple(f"{column.name}=" for column in PARTITIONS)


class Storage(Protocol):
    """`text`: as the user wrote it; `filesystem`: fsspec's, None for a folder."""

    text: str
    filesystem: Any

    def write(self, name: str, data: bytes) -> None:
        """Writes a file, over one that is there. Raises UsageError."""

    def remove(self, name: str) -> None:
        """Removes a file if it is there. Raises UsageError."""

    def has(self, name: str) -> bool: ...

    def pattern(self, table: str) -> str:
        """The pattern by which DuckDB finds a table's files."""

    def tables(self) -> list[str]:
        """The tables that have files. Raises UsageError."""


def storage_at(text: str) -> Storage:
    """Raises UsageError."""
    path = text.removeprefix(LOCAL)
    if folder := next((one for one in path.split("/") if one.startswith(PARTITIONED)), ""):
        raise UsageError(
            f"{text}: a dataset cannot be in a folder with a name such as {folder}, which is read as the"
            f" {folder.partition('=')[0]} of all runs"
        )
    return ObjectStorage(text) if REMOTE in path else Folder(path)


def is_dataset(text: str) -> bool:
    """True if it is one, rather than a data directory or file."""
    path = text.removeprefix(LOCAL)
    return REMOTE in path or (Path(path) / "runs").is_dir()


class Folder:
    filesystem = None

    def __init__(self, text: str) -> None:
        self.text = text
        self.path = Path(text)

    def write(self, name: str, data: bytes) -> None:
        with self._answering("write"), whole(self.path / name) as file:
            file.write(data)

    def remove(self, name: str) -> None:
        with self._answering("write"):
            (self.path / name).unlink(missing_ok=True)

    def has(self, name: str) -> bool:
        return (self.path / name).exists()

    def pattern(self, table: str) -> str:
        quoted = "".join(f"[{c}]" if c in "*?[" else c for c in str(self.path))
        return os.path.join(quoted, FILES.format(table))

    def tables(self) -> list[str]:
        with self._answering("read"):
            os.scandir(self.path).close()
            return [table.name for table in TABLES if next(self.path.glob(FILES.format(table.name)), None)]

    @contextmanager
    def _answering(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UsageError(f"cannot {what} {error.filename or self.text}: {error.strerror}") from None


class ObjectStorage:
    """A place that fsspec reaches."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise UsageError(MISSING.format(text)) from None
        self.protocol = text.partition(REMOTE)[0]
        with self._answering("reach"):
            self.filesystem, self.root = url_to_fs(text)
        self.root = self.root.rstrip("/")

    def write(self, name: str, data: bytes) -> None:
        with self._answering("write"):
            self.filesystem.pipe_file(f"{self.root}/{name}", data)

    def remove(self, name: str) -> None:
        with self._answering("write"):
            if self.filesystem.exists(f"{self.root}/{name}"):
                self.filesystem.rm_file(f"{self.root}/{name}")

    def has(self, name: str) -> bool:
        with self._answering("read"):
            return bool(self.filesystem.exists(f"{self.root}/{name}"))

    def pattern(self, table: str) -> str:
        return f"{self.protocol}{REMOTE}{self.root.lstrip('/')}/{FILES.format(table)}"

    def tables(self) -> list[str]:
        with self._answering("read"):
            try:
                found = {path.rstrip("/").rpartition("/")[2] for path in self.filesystem.ls(self.root, detail=False)}
            except FileNotFoundError:
                return []
        return [table.name for table in TABLES if table.name in found]

    @contextmanager
    def _answering(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # each kind of storage has its own
            said = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(f"cannot {what} {self.text}: {said}") from None
