"""Runs the small program with a cache that is damaged before it starts or while it runs, and tells what broke a
promise.

1. Whatever is in the cache, the program's output and status are those of the bare program, everything is counted, every
   line on stderr is from classhook, and no JVM crashes or hangs. For changed records with correct checksums, only the
   last is checked.
2. If the file belongs to classhook, the run after the next prints nothing. That run or the one after it is warm.
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

from tools.fuzz.pack_damage import damaged, mended
from tools.fuzz.pack_instead import INSTEAD, write
from tools.fuzz.pack_layout import HEADER, MAGIC, Pack
from tools.fuzz.program import Outcome, Program

JVMS = 3  # that run at once
KINDS = ("bytes", "bytes", "bytes", "mended", "mended", "instead", "live")


def in_order(data: bytes) -> bytes:
    """The pack without replaced records and in a fixed order, whatever order threads loaded classes in."""
    pack = Pack.parse(data)
    last = {record.key: record for record in pack.records}
    pack.records = sorted(last.values(), key=lambda record: (record.status, record.name, len(record.woven)))
    return pack.data()


class Broken(Exception):
    """A promise that was broken; the text says which."""


def is_ours(data: bytes) -> bool:
    """Returns whether a file is a pack, or the beginning of one, so that the agent may replace it."""
    return data[: len(MAGIC)] == MAGIC[: len(data)] or not any(data[: HEADER.size])


@dataclass
class Cache:
    """The program, its undamaged cache, and the program's results bare and with that cache."""

    program: Program
    folder: Path
    bare: Outcome = field(init=False)
    good: Outcome = field(init=False)
    pack: Path = field(init=False)
    whole: bytes = field(init=False)
    damaged: bytes = b""  # the last round's pack; empty if there were several, or something other than a pack

    def __post_init__(self) -> None:
        self.bare = self.program.run(None)
        for _ in range(2):
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
        """Raises Broken if a run was affected."""
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
            wrong = [
                (a, b) for a, b in zip((outcome.counts or ([], []))[0], self.good.counts[0], strict=False) if a != b
            ]
            raise Broken(f"{what}: counts otherwise: {wrong[:5]} {outcome.counts}")

    # ---- a round

    def clear(self) -> None:
        """Empties the cache's folder."""
        shutil.rmtree(self.folder)
        self.folder.mkdir(mode=0o700)
        for crash in self.program.crashes():
            crash.unlink()

    def round(self, kind: str, rnd: Random) -> None:
        """A round with one kind of damage. Raises Broken."""
        self.clear()
        self.damaged = b""
        getattr(self, f"_{kind}")(rnd)

    def try_out(self, data: bytes, mended: bool) -> None:
        """A round with these bytes as the pack."""
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
        """A round with something else in place of the pack."""
        self.clear()
        write(self.pack, self.whole)
        put(rnd, self.pack, self.whole)
        for _ in range(2):
            self.judge(self.run(), put.__name__)
        if INSTEAD[put]:
            self.healed()

    def _live(self, rnd: Random) -> None:
        """Several JVMs at once, while the pack is being damaged."""
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
    """Overwrites an existing file in place, even while others have it open."""
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)
