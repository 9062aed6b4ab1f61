"""A JVM that runs all tests of a library, many times, each with a class replaced (java/Mutants.java). It is started
anew now and then, and where it hangs."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import ENVIRONMENT
from tools.cpu_time import cpu_time

RUNS = 30  # of a JVM
IDLE, WORKING = 60.0, 0.5  # seconds in which a run that goes on, on however busy a machine, takes this much CPU time


@dataclass
class Outcome:
    """A run of all tests: those that failed, all that began; `hung`: it did not end, and those that ran then count as
    failed."""

    failed: set[str] = field(default_factory=set)
    began: set[str] = field(default_factory=set)
    hung: bool = False
    died: bool = False
    seconds: float = 0.0


class Worker:
    """`line`: the command, with the library's and the tests' folder; `most`: seconds of CPU time that a run may take,
    on however busy a machine."""

    def __init__(self, line: list[str | Path], folder: Path | None, most: float) -> None:
        self.line, self.folder, self.most = line, folder, most
        self.process: subprocess.Popen[bytes] | None = None
        self.runs = 0

    def run(self, class_name: str = "-", file: Path | str = "-") -> Outcome:
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        outcome, begun, rest, before = Outcome(), dict[str, int](), b"", self._cpu()
        seen, since = before, time.monotonic()
        process.stdin.write(f"{class_name}\t{file}\n".encode())
        process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            done = False
            while not done:
                if not selector.select(1):
                    cpu, now = self._cpu(), time.monotonic()
                    outcome.hung = cpu - before > self.most or (now - since > IDLE and cpu - seen < WORKING)
                    if now - since > IDLE:
                        seen, since = cpu, now
                    if outcome.hung:
                        break
                    continue
                data = os.read(process.stdout.fileno(), 1 << 16)
                if not data:
                    outcome.died = True
                    break
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    what, _, name = line.decode().partition(" ")
                    if what == "S":
                        begun[name] = begun.get(name, 0) + 1
                        outcome.began.add(name)
                    elif what == "E":
                        begun[name] = begun.get(name, 0) - 1
                    elif what == "F":
                        outcome.failed.add(name)
                    elif what == ".":
                        done = True
        outcome.seconds = 0 if outcome.died else self._cpu() - before
        self.runs += 1
        if outcome.hung or outcome.died:
            outcome.failed |= {name for name, open_ in begun.items() if open_ > 0 and not name.endswith("*")}
        if outcome.hung or outcome.died or self.runs >= RUNS:
            self.stop()
        return outcome

    def _cpu(self) -> float:
        """Seconds of CPU time that the JVM has taken."""
        assert self.process is not None
        return cpu_time(self.process.pid)

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            self.process = subprocess.Popen(
                list(map(str, self.line)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self.folder,
                env=ENVIRONMENT,
            )
            self.runs = 0
        return self.process

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None
