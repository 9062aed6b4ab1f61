"""HPROF's file: what was measured, and the heap, in the form that its options ask for; to a file or a socket.

1. Measurements come from data files; the heap from HotSpot's dump.
2. In the binary form they are one file. The text has the heap's objects in lines, and the dump stays beside it:
   `classhook heap` shows it.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.base.errors import Failure, UsageError
from classhook.base.files import output
from classhook.base.names import quantity
from classhook.base.terminal import say, show
from classhook.extensions.hprof import ascii as text_form
from classhook.extensions.hprof import binary
from classhook.extensions.hprof import cpu_old as old
from classhook.extensions.hprof.from_snapshot import profile
from classhook.extensions.hprof.limits import limited
from classhook.extensions.hprof.options import Settings
from classhook.extensions.hprof.profile_data import Profile

if TYPE_CHECKING:
    from classhook.extensions.heap.heap import Heap

PATIENCE = 30  # seconds that the data's reader may take
PRIVATE = 0o600  # of a file with the heap's contents, as HotSpot's own
LINES = 4096  # of text, in a piece

Piece = bytes | memoryview


def save(
    settings: Settings, data: list[Path], dump: Path | None, path: Path, connection: socket.socket | None = None
) -> None:
    """Writes what these data files hold, if there are any, and the heap of a dump if there is one. `connection`: to who
    reads it, if there is one yet. Raises Failure, UsageError."""
    if dump is not None and not dump.exists():
        dump = None  # the agent has said why
    content = pieces(settings, data, dump)
    if settings.address is not None:
        _send(content, settings, connection)
    else:
        try:
            with output(path, 0o666 if dump is None else PRIVATE) as file:
                for piece in content:
                    file.write(piece)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from None
        _say_done(settings, path)
    if dump is not None and settings.binary:
        dump.unlink(missing_ok=True)


def pieces(settings: Settings, data: list[Path], dump: Path | None) -> Iterator[Piece]:
    """The file's content. Raises Failure, UsageError."""
    if dump is not None and find_spec("numpy") is None:
        what = "objects have no traces" if settings.binary else f"HEAP DUMP is left out, and the heap is in {dump}"
        say(f"numpy is not installed: {what} (pip install 'classhook[heap]')")
        return _pieces(settings, data, dump, None)
    return _pieces(settings, data, dump, _opened(dump) if dump is not None else None)


def _opened(dump: Path) -> Heap:
    from classhook.extensions.heap.heap import opened

    return opened(dump)


def _pieces(settings: Settings, data: list[Path], dump: Path | None, heap: Heap | None) -> Iterator[Piece]:
    now = int(datetime.now().timestamp() * 1e9)
    found, table = measured(settings, data) if data else (Profile(now, now), [])
    if heap is not None:
        from classhook.extensions.hprof.heap_ties import tie

        tie(found, heap)
    found = limited(found, settings.depth, settings.cutoff, settings.yes("lineno"))
    return binary.pieces(found, dump, heap) if settings.binary else _joined(_text(found, table, heap))


def measured(settings: Settings, data: list[Path]) -> tuple[Profile, list[str]]:
    """The contents of the files, and the lines of HPROF's older table if asked for. Raises Failure."""
    from classhook.model.reading.files import data_files, read

    snapshot = read(data_files(data), suggest=False)
    for note in [*snapshot.notes, *(note for process in snapshot.processes for note in process.notes)]:
        say(note)
    found = profile(
        snapshot,
        asked=settings.tables,
        cpu_times=settings.own_rules and settings["cpu"] == "times" and settings.yes("msa"),
    )
    if found.live and (
        of_values := sum(row.allocated.bytes for row in snapshot.tables["objects"].values() if row.values)
    ):
        say(
            f"of value objects, {quantity(round(of_values))} allocated, it is unknown which are live: SITES counts none"
            " as live"
        )
    if settings.own_rules and settings.heap == "dump":
        found.sites.clear()  # they were measured for the objects' traces
    if settings["cpu"] == "old":
        found.times.clear()
    return found, [*old.lines(snapshot.exact_tree)] if settings["cpu"] == "old" else []


def _text(found: Profile, table: list[str], heap: Heap | None) -> Iterator[str]:
    yield from text_form.lines(found)
    yield from table
    if heap is not None and found.heap is not None:
        from classhook.extensions.hprof import heap_text

        yield from heap_text.lines(heap, found.heap, text_form.time_of(found))


def _joined(lines: Iterator[str]) -> Iterator[bytes]:
    some: list[str] = []
    for line in lines:
        some.append(line)
        if len(some) == LINES:
            yield _bytes(some)
            some.clear()
    yield _bytes(some)


def _bytes(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


@contextmanager
def reader(settings: Settings) -> Iterator[socket.socket | None]:
    """A connection to who reads the data, if it is to be sent: as HPROF did, before the program runs. Raises
    Failure."""
    if settings.address is None:
        yield None
        return
    try:
        connection = socket.create_connection(settings.address, PATIENCE)
    except OSError as error:
        raise _not_sent(settings, error) from None
    with connection:
        yield connection


def _send(content: Iterator[Piece], settings: Settings, connection: socket.socket | None) -> None:
    try:
        with reader(settings) if connection is None else nullcontext(connection) as to:
            assert to is not None
            for piece in content:
                to.sendall(piece)
    except OSError as error:
        raise _not_sent(settings, error) from None


def _not_sent(settings: Settings, error: OSError) -> Failure:
    return Failure(f"cannot send the data to {settings.given['net']}: {error.strerror or error}")


def _say_done(settings: Settings, path: Path) -> None:
    if settings.yes("verbose"):
        show(f"Dumping profile to {path} ... done.", sys.stderr)


def named(settings: Settings) -> Settings:
    """The same, with a file that may be written: with force=n one that is not there yet. Raises UsageError for one that
    cannot be there."""
    path = Path(settings.file)
    if settings.address is None and not path.parent.is_dir():
        raise UsageError(f"file={path}: there is no folder {path.parent}; make it first, or name another file")
    if settings.address is None and path.is_dir():
        raise UsageError(f"file={path}: that is a folder; name a file")
    if settings.yes("force") or not path.exists():
        return settings
    return Settings({**settings.given, "file": str(path.with_name(f"{path.stem}.{os.getpid()}{path.suffix}"))})


def numbered(path: Path) -> Path:
    """The name of one more file of a process that goes on: `java.hprof.1.txt`."""
    number = 1
    while (found := path.with_name(f"{path.stem}.{number}{path.suffix}")).exists():
        number += 1
    return found
