"""The tests of data files, without their counts: what `classhook run` says at its end."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from classhook.measures.tests.reader import TestReader
from classhook.model.file_reading import FileReading
from classhook.model.reading.files import process_of_file
from classhook.model.snapshot import Snapshot
from classhook.store.opening import DataError
from classhook.store.reading import read_file


def read_tests(files: Iterable[Path]) -> Snapshot:
    """A snapshot with processes and tests only. Records that cannot be read are left out."""
    snapshot = Snapshot()
    for path in files:
        with suppress(DataError):
            file = read_file(path)
            process = process_of_file(file)
            reader = TestReader(FileReading(snapshot, process, file, exact_tree=False))
            for kind, number, more, text in file.descriptions():
                if kind in reader.records:
                    with suppress(ValueError):
                        reader.record(kind, number, more, text)
            reader.finish()
            snapshot.processes.append(process)
    TestReader.conclude(snapshot)
    return snapshot
