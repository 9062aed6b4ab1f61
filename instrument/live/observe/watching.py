"""The data files that are watched while their JVMs run.

1. For a directory: the files of JVMs that run, and those that come later. If none runs, all, as a report would show
   them.
2. Reading takes a part of one processor at most: what takes long is read less often. The program that is watched does
   nothing for it.
3. A file that is gone, or cannot be read, leaves what was last read of it on the screen.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable
from pathlib import Path

from classhook.model.reading.files import data_files, read
from classhook.model.snapshot import Snapshot
from classhook.reports.contexts import add_costs
from classhook.store.opening import DataError, opened
from classhook.store.rotation import is_whole

SHARE = 0.1  # of a processor, for reading
ENDS = {
    "exit": "has ended",
    "halt": "has ended by Runtime.halt",
    "killed": "was killed",
    "detached": "goes on; classhook was detached from it",
}


class Watched:
    """`ended`: what became of JVMs that ran, in words; `pause`: seconds until the next look."""

    def __init__(self, paths: Iterable[Path], every: float) -> None:
        self.paths = list(paths)
        self.every = self.pause = every
        self.ended: list[str] = []
        self._running: dict[tuple[int, int], str] = {}
        self._left = {path for path in self.files() if not running(path)}
        if self._left == set(self.files()):
            self._left = set()

    def files(self) -> list[Path]:
        """The data files that there are now; of a directory without those of earlier periods."""
        found = data_files(path for path in self.paths if path.is_dir() or path.exists() or path.is_symlink())
        return [path for path in found if is_whole(path) or path in self.paths]

    @property
    def alive(self) -> bool:
        """True if a JVM ran at the last look."""
        return bool(self._running)

    def read(self, tree: bool = True, costs: bool = False) -> Snapshot:
        """All of them, added up. `tree`: with the exact tree of calls, which takes long; `costs`: with what each
        context cost."""
        began = time.monotonic()
        gc.collect()  # what was read before refers to itself, and commands with many rows switch collections off
        snapshot = read([path for path in self.files() if path not in self._left], suggest=False, exact_tree=tree)
        if costs:
            add_costs(snapshot, snapshot)
        self._note(snapshot)
        self.pause = max(self.every, (time.monotonic() - began) / SHARE)
        return snapshot

    def _note(self, snapshot: Snapshot) -> None:
        now = {(process.pid, process.start_unix_ns): process.end for process in snapshot.processes}
        at = time.strftime("%H:%M:%S")
        for key in list(self._running):
            if now.get(key) != "running":
                del self._running[key]
                self.ended.append(f"{key[0]} {ENDS.get(now.get(key, ''), 'has ended, and its data is gone')} ({at})")
        self._running |= {key: end for key, end in now.items() if end == "running"}


def running(path: Path) -> bool:
    """True if a data file's JVM runs."""
    try:
        with opened(path) as (_, alive):
            return alive
    except (DataError, OSError):
        return False
