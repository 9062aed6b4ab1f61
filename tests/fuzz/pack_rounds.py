"""Runs the small program with a cache that was damaged, before it starts or while it runs, and tells what broke a promise.

1. Whatever lies in the cache: the program's output and status are those of the bare program, all is counted, each line on stderr is
   ours, and no JVM crashes or hangs. Where a record's damage has a right checksum, only the last of that is asked.
2. The run after the next one says nothing, where the file is ours, and if it is not warm yet, the one behind it is: only a run that
   found the cache's verdicts on methods looks for the classes that are woven by them.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.pack_damage import damaged, mended
from tests.fuzz.pack_instead import INSTEAD, write
from tests.fuzz.pack_layout import HEADER, MAGIC, Pack
from tests.fuzz.program import Outcome, Program

JVMS = 3  # that run at once
KINDS = ("bytes", "bytes", "bytes", "mended", "mended", "instead", "live")


def in_order(data: bytes) -> bytes:
    """The same pack, whatever the order in which threads loaded the classes: without records that others replaced."""
    pack = Pack.parse(data)
    last = {record.key: record for record in pack.records}
    pack.records = sorted(last.values(), key=lambda record: (record.status, record.name, len(record.woven)))
    return pack.data()


class Broken(Exception):
    """A promise that was broken; the text says which."""


def is_ours(data: bytes) -> bool:
    """Whether a file is a pack, or the beginning of one, and so may be begun anew."""
    return data[: len(MAGIC)] == MAGIC[: len(data)] or not any(data[: HEADER.size])


@dataclass
class Cache:
    """The program, its cache as it is when all is well, and how the program fares bare and with that."""

    program: Program
    folder: Path
    bare: Outcome = field(init=False)
    good: Outcome = field(init=False)
    pack: Path = field(init=False)
    whole: bytes = field(init=False)
    damaged: bytes = b""  # what the last round made of it; empty where there were several things, or something else

    def __post_init__(self) -> None:
        self.bare = self.program.run(None)
        for _ in range(5):  # until it is settled which methods are too short for their budget
            self.good = self.run()
        assert self.good.warm, self.good
        (self.pack,) = self.folder.glob("*.pack")
        self.whole = in_order(self.pack.read_bytes())
        write(self.pack, self.whole)
        self.judge(self.run(), "the undamaged cache")
        self.healed()

    @contextmanager
    def data(self) -> Iterator[Path]:
        path = self.program.folder / f"data-{os.urandom(4).hex()}"
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def run(self) -> Outcome:
        with self.data() as data:
            return self.program.run(data, self.folder)

    def judge(self, outcome: Outcome, what: str, mended: bool = False) -> None:
        """Raises Broken where a run was hurt."""
        if found := self.program.crashes():
            raise Broken(f"{what}: the JVM crashed: {found[0].read_text(errors='replace')[:3000]}")
        if outcome.status < 0 or outcome.status >= 128:
            raise Broken(f"{what}: the JVM was killed by a signal ({outcome.status}): {outcome.err[-2000:]}")
        if mended:
            return
        if (outcome.status, outcome.out) != (self.bare.status, self.bare.out):
            raise Broken(f"{what}: status {outcome.status}, output {outcome.out!r}, stderr {outcome.err[-2000:]!r}")
        if not all(line.startswith("classhook: ") for line in outcome.err.splitlines()):
            raise Broken(f"{what}: says {outcome.err!r}")
        if outcome.counts != self.good.counts:
            wrong = [(a, b) for a, b in zip((outcome.counts or ([], []))[0], self.good.counts[0], strict=False) if a != b]
            raise Broken(f"{what}: counts otherwise: {wrong[:5]} {outcome.counts}")

    # ---- a round

    def clear(self) -> None:
        """Makes the cache's folder empty."""
        shutil.rmtree(self.folder)
        self.folder.mkdir(mode=0o700)
        for crash in self.program.crashes():
            crash.unlink()

    def round(self, kind: str, rnd: Random) -> None:
        """One kind of damage. Raises Broken."""
        self.clear()
        self.damaged = b""
        getattr(self, f"_{kind}")(rnd)

    def try_out(self, data: bytes, mended: bool) -> None:
        """A pack of these bytes."""
        self.clear()
        self.damaged = data
        write(self.pack, data)
        self.judge(self.run(), "the damaged cache", mended)
        if not mended:
            self.judge(self.run(), "the next run")
            if is_ours(data):
                self.healed()

    def healed(self) -> None:
        first, second = self.run(), self.run()
        for outcome in (first, second):
            self.judge(outcome, "the run after the next")
            if outcome.err or (outcome is second and not outcome.warm):
                raise Broken(f"not healed: {outcome.cached} of {outcome.woven} from the cache, says {outcome.err!r}")

    def _bytes(self, rnd: Random) -> None:
        self.try_out(damaged(rnd, self.whole), mended=False)

    def _mended(self, rnd: Random) -> None:
        self.try_out(mended(rnd, self.whole), mended=True)

    def _instead(self, rnd: Random) -> None:
        self.in_place(rnd.choice(list(INSTEAD)), rnd)

    def in_place(self, put: Callable[[Random, Path, bytes], None], rnd: Random) -> None:
        """Something else in the pack's place."""
        self.clear()
        write(self.pack, self.whole)
        put(rnd, self.pack, self.whole)
        for _ in range(2):
            self.judge(self.run(), put.__name__)
        if INSTEAD[put]:
            self.healed()

    def _live(self, rnd: Random) -> None:
        """Several JVMs, and somebody who damages the pack meanwhile."""
        if rnd.randrange(2):
            write(self.pack, self.whole)
        over = threading.Event()
        vandal = threading.Thread(target=self._damage_until, args=(rnd, over))
        with self.data() as base:
            folders = [base / str(i) for i in range(JVMS)]
            started = [(self.program.start(folder, self.folder), folder) for folder in folders]
            vandal.start()
            outcomes = []
            try:
                for process, folder in started:
                    outcomes.append(self.program.ended(process, folder))
            finally:
                over.set()
                vandal.join()
                for process, _ in started:
                    process.kill()
                    process.wait()
        for outcome in outcomes:
            self.judge(outcome, "a pack damaged while it is used")
        ours = not self.pack.exists() or is_ours(self.pack.read_bytes())
        for _ in range(2):
            self.judge(self.run(), "after a pack was damaged while it was used")
        if ours:
            self.healed()

    def _damage_until(self, rnd: Random, over: threading.Event) -> None:
        deeds: tuple[Callable[[], object], ...] = (
            lambda: os.truncate(self.pack, rnd.randrange(2 * len(self.whole))),
            lambda: os.truncate(self.pack, 0),
            lambda: overwrite(self.pack, rnd.randrange(len(self.whole)), rnd.randbytes(rnd.randrange(1, 5000))),
            lambda: overwrite(self.pack, 0, damaged(rnd, self.whole)),
            lambda: overwrite(self.pack, 0, self.whole),
            lambda: write(self.pack, damaged(rnd, self.whole)),
            lambda: write(self.pack, self.whole),
            lambda: self.pack.unlink(missing_ok=True),
        )
        while not over.wait(rnd.random() * 0.02):
            with suppress(FileNotFoundError):
                rnd.choice(deeds)()


def overwrite(path: Path, at: int, data: bytes) -> None:
    """Writes into a file that is there, whoever has it open."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)
