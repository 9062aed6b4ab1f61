"""Threads of the program, and dumps of threads and monitors: they are in data files if HPROF's files were asked for."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.base.names import shortened
from classhook.model import thread_dump
from classhook.model.added_fields import AddedField
from classhook.model.reader import Reader
from classhook.model.thread_dump import ThreadDump
from classhook.native._layout import lib


@dataclass(slots=True)
class JavaThread:
    """A thread that began; `ended`: and ended."""

    name: str
    group: str
    ended: bool = False


THREADS: AddedField[dict[int, JavaThread]] = AddedField(dict)  # of a process, by number
DUMPS: AddedField[list[ThreadDump]] = AddedField(list)  # of a process, the last one last


class ThreadReader(Reader):
    """Beginnings and ends of threads, and dumps."""

    records = (lib.CH_META_THREAD, lib.CH_META_THREAD_END, lib.CH_META_DUMP)

    def record(self, kind: int, number: int, more: int, text: bytes) -> None:
        threads = THREADS.get(self.reading.process)
        if kind == lib.CH_META_DUMP:
            DUMPS.get(self.reading.process).append(thread_dump.parse(text.decode("utf-8", "replace"), number))
        elif kind == lib.CH_META_THREAD:
            name, group, _ = (shortened(part.decode("utf-8", "replace")) for part in text.split(b"\0"))
            threads[number] = JavaThread(name, group)
        elif number in threads:
            threads[number].ended = True
