"""Coverage of lines."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from classhook.coverage.analysis import Options, analyze
from classhook.coverage.smap import BadMap
from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows import Row
from classhook.measures.cover.reader_classes import Covered, covered
from classhook.model.snapshot import Snapshot
from classhook.store.opening import DataError
from classhook.store.reading import read_file
from classhook.store.runs import Run


def lines(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    if not snapshot.covered:
        return
    files = []
    for path in run.files:
        try:
            files.append(read_file(path))
        except DataError:
            continue  # the snapshot has a note of it
    given = {sha256(data).hexdigest(): data for data in bodies.given.values()}
    for one in covered(files, given):
        if one.data is not None:
            yield from _lines_of(one, one.data)


def _lines_of(one: Covered, data: bytes) -> Iterator[Row]:
    try:
        found = analyze(data, one.hits, Options(one.level, one.levels))
    except (BadMap, ValueError):
        return  # the report of coverage says so
    package, slash, _ = one.name.replace(".", "/").rpartition("/")
    for line, numbers in sorted(found.lines.items()):
        of_line = dict(
            zip(
                ("instructions_missed", "instructions_covered", "branches_missed", "branches_covered"),
                numbers,
                strict=False,
            )
        )
        yield {
            "class": one.name.replace("/", "."),
            "source": package + slash + found.source if found.source else None,
            "line": line,
            **of_line,
        }
