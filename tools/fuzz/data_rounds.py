"""Damages data files and has them read and checked by another process (data_reader.py)."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from random import Random

import classhook.measures.every  # noqa: F401  # registers the words of rules
from classhook.probes import probe_table
from classhook.probes.records import ClassRecord, ProbeRecord, RuleRecord
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from classhook.store.layout import lib
from classhook.store.opening import second
from tools.fuzz.data_damage import CUTTING, REMOVING, Case, damage
from tools.fuzz.data_layout import NAME, Places, copied_both, places, poke, written
from tools.fuzz.data_reader import GOOD

ROOT = Path(__file__).resolve().parents[2]
WHOLE = ("whole", "whole-before-cut")  # names of the undamaged file, kept beside one with data removed or truncated
PATIENCE = 60.0  # seconds until a reader is taken to hang


class Reader:
    """The reading process."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.fuzz.data_reader"], cwd=ROOT, stdin=pipe, stdout=pipe, text=True
        )

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def trouble(self, folder: Path, live: bool = False, whole: Path | None = None, cut: bool = False) -> str:
        """Reads the files in a folder; returns what went wrong, or an empty text. The arguments are `check`'s."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(
            json.dumps({"folder": str(folder), "live": live, "whole": whole and str(whole), "cut": cut}),
            file=self.process.stdin,
            flush=True,
        )
        there, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if there else ""
        if line:
            return str(json.loads(line)["trouble"])
        self.process.kill()
        self.process.communicate()
        status = self.process.returncode
        self.start()
        return f"the reader died: {status}" if there else f"more than {PATIENCE} s"


def write_good(path: Path) -> None:
    """Writes another file, of a class that is in no other file."""
    rule = "count good.G::*"
    table = probe_table.encode(
        [ClassRecord("good.G", "G.java"), RuleRecord(0, 1), ProbeRecord("count", 0, 0, "m", "()V")]
    )
    metadata = [(lib.CH_META_RULES, 0, 0, dumps(load([], [rule])).encode()), (lib.CH_META_CLASS, 0, 1, table)]
    written(path, [(lib.CH_SLOTS, 0, 0, (42).to_bytes(8, sys.byteorder))], 1, metadata, pid=4711)


class DataFiles:
    """Undamaged files, and a folder in which copies are damaged one by one."""

    def __init__(self, bases: list[Path], folder: Path) -> None:
        self.bases: list[tuple[Path, Places]] = [(path, places(path)) for path in bases]
        self.folder = folder
        self.kept = folder.with_name("kept")  # copies of the damaged files, made before reading changes them
        self.good = folder.with_name("good")
        write_good(self.good)

    def clear(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        shutil.copy(self.good, self.folder / GOOD)

    def round(self, rnd: Random, reader: Reader, may_change: bool = True) -> str:
        """Damages a file in the folder and has it read; returns what went wrong. `may_change`: it may also change while
        it is read."""
        self.clear()
        base, where = rnd.choice(self.bases)
        path = self.folder / NAME
        copied_both(base, path)
        case = Case(path, where)
        live, running = may_change and rnd.randrange(12) == 0, rnd.randrange(6) == 0
        done = damage(rnd, case)
        cut = all(one in CUTTING for one in done)
        whole = base if not live and all(one in REMOVING for one in done) else None
        shutil.rmtree(self.kept, ignore_errors=True)
        keep(self.folder, self.kept)
        trouble = self.read(rnd, case, reader, live, running, whole, cut)
        if trouble and whole:
            keep(base.parent, self.kept / WHOLE[cut])
        names = [one.__name__ for one in done]
        return f"{base.parent.name}, {names}, live {live}, running {running}: {trouble}" if trouble else ""

    def again(self, kept: Path, reader: Reader) -> str:
        """Reads damaged files that were kept, now without changing them meanwhile; returns what went wrong."""
        shutil.rmtree(self.folder, ignore_errors=True)
        keep(kept, self.folder)
        for cut, name in enumerate(WHOLE):
            if (self.folder / name).is_dir():
                return reader.trouble(self.folder, whole=self.folder / name / NAME, cut=bool(cut))
        return reader.trouble(self.folder)

    def read(
        self, rnd: Random, case: Case, reader: Reader, live: bool, running: bool, whole: Path | None, cut: bool
    ) -> str:
        """`live`: the file is changed while it is read; `running`: its lock is held, as by its JVM."""
        over = threading.Event()
        vandal = threading.Thread(target=change_until, args=(rnd, case, over))
        lock = os.open(case.path, os.O_RDONLY | os.O_NONBLOCK) if running and case.path.is_file() else -1
        try:
            if lock >= 0:
                fcntl.flock(lock, fcntl.LOCK_EX)
            if live:
                vandal.start()
            return reader.trouble(self.folder, live, whole, cut)
        finally:
            over.set()
            if live:
                vandal.join()
            if lock >= 0:
                os.close(lock)


def change_until(rnd: Random, case: Case, over: threading.Event) -> None:
    """Repeatedly truncates, extends and replaces a file."""
    while not over.wait(rnd.random() * 0.003):
        for path in (case.path, second(case.path)):
            with suppress(OSError):
                if path.is_file() and not path.is_symlink():
                    at = rnd.randrange(200_000)
                    if rnd.randrange(2):
                        os.truncate(path, at)
                    poke(path, at, rnd.randbytes(rnd.randrange(1, 5000)))


def keep(folder: Path, to: Path) -> None:
    """Copies everything in a folder and keeps holes, links and pipes."""
    subprocess.run(["cp", "-a", "--sparse=always", folder, to], check=True)
