"""HPROF's file: what was measured, and the heap, in the form that its options ask for; to a file or a socket.

1. What was measured comes from data files; the heap from HotSpot's dump.
2. In the binary form they are one file. The text has the heap's objects in lines, and the dump stays beside it: `classhook heap` shows it.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from instrument.errors import Failure, UsageError
from instrument.files import output
from instrument.hprof import ascii as text_form
from instrument.hprof import binary, old
from instrument.hprof.limits import limited
from instrument.hprof.model import Profile, profile
from instrument.hprof.options import Settings
from instrument.terminal import say, show

PATIENCE = 30  # seconds for whoever takes the data
PRIVATE = 0o600  # of a file with the heap's contents, as HotSpot's own
LINES = 4096  # of text, in a piece

Piece = bytes | memoryview


def save(settings: Settings, data: list[Path], dump: Path | None, path: Path) -> None:
    """Writes what these data files hold, if there are any, and the heap of a dump if there is one. Raises Failure, UsageError."""
    if dump is not None and not dump.exists():
        dump = None  # the agent has said why
    if dump == path:  # it is all that was asked for
        _say_done(settings, path)
        return
    content = pieces(settings, data, dump)
    if settings.address is not None:
        _send(content, *settings.address)
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
    if settings.binary:
        found = measured(settings, data)[0] if data else None
        return binary.pieces(found, dump)
    return _joined(_text(settings, data, dump))


def measured(settings: Settings, data: list[Path]) -> tuple[Profile, list[str]]:
    """What the files hold, and the lines of HPROF's older table if that was asked for. Raises Failure."""
    from instrument.data.snapshot import data_files, read

    snapshot = read(data_files(data), suggest=False)
    for note in [*snapshot.notes, *(note for process in snapshot.processes for note in process.notes)]:
        say(note)
    found = profile(snapshot)
    if settings["cpu"] == "old":
        found.times.clear()
    table = [*old.lines(snapshot.contexts)] if settings["cpu"] == "old" else []
    return limited(found, settings.depth, settings.cutoff, settings.yes("lineno")), table


def _text(settings: Settings, data: list[Path], dump: Path | None) -> Iterator[str]:
    found, table = measured(settings, data) if data else (Profile(int(datetime.now().timestamp() * 1e9)), [])
    yield from text_form.lines(found)
    yield from table
    if dump is None:
        return
    if find_spec("numpy") is None:
        say(f"HEAP DUMP is written with numpy, which is not installed; the heap is in {dump} (pip install 'classhook[heap]')")
        return
    from instrument.heap.heap import opened
    from instrument.hprof import heap_text

    yield from heap_text.lines(opened(dump), text_form.time_of(found))


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


def _send(content: Iterator[Piece], host: str, port: int) -> None:
    try:
        with socket.create_connection((host, port), PATIENCE) as connection:
            for piece in content:
                connection.sendall(piece)
    except OSError as error:
        raise Failure(f"cannot send the data to {host}:{port}: {error.strerror or error}") from None


def _say_done(settings: Settings, path: Path) -> None:
    if settings.yes("verbose"):
        show(f"Dumping profile to {path} ... done.", sys.stderr)


def named(settings: Settings) -> Settings:
    """The same, with a file that may be written: with force=n one that is not there yet."""
    path = Path(settings.file)
    if settings.yes("force") or not path.exists():
        return settings
    return Settings({**settings.given, "file": str(path.with_name(f"{path.stem}.{os.getpid()}{path.suffix}"))})


def numbered(path: Path) -> Path:
    """The name of one more file of a process that goes on: `java.hprof.1.txt`."""
    number = 1
    while (found := path.with_name(f"{path.stem}.{number}{path.suffix}")).exists():
        number += 1
    return found
