"""Rounds under a limit: of open files, of threads, or of address space, a little above what the program takes alone.

1. A short run without classhook tells what the program takes. The limit is that and a random part of `more`, so that
   the agent, its scripts and its commands meet the limit in some rounds, now here, now there.
2. The JVM and the program meet it, too: a JVM may then say that it lacks memory or a thread, and end.
3. The program's output and status must be as without a limit unless the JVM said so. Counts may be too small if stderr,
   the report or a command says that something is missing.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.conftest import ENVIRONMENT

MB = 1 << 20
OBSERVED = 6.0  # seconds
USER = 64123  # without processes of its own: the limit of threads is one of a user, and root has none
#: Messages of a JVM that could not start, or could not start a thread. With the agent it needs more than without.
JVMS_OWN = ("OutOfMemoryError", "unable to create native thread", "There is insufficient memory", "Could not reserve")
#: The same, and messages of a JVM, on stderr or in hs_err files, that meets the limit while it runs.
WANT = re.compile(
    "|".join(JVMS_OWN) + "|Out of Memory Error|failed to map segment|Too many open files|Failed to start thread"
    "|Cannot create (GC|worker) thread"
)
OF_PROGRAM = re.compile(r"\s+at |\[[\d.]+s\]\[warning\]|OpenJDK 64-Bit Server VM|Exception in thread|#|java\.|\t")


@dataclass(frozen=True, slots=True)
class Limit:
    """`option`: of prlimit; `taken`: what a process takes of it; `more`: the least and the most that is left to
    classhook. With fewer files a JVM does not answer to any tool that attaches."""

    option: str
    taken: Callable[[Path], int]
    more: tuple[int, int]


def _status(process: Path, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", (process / "status").read_text(), re.M)
    return int(found[1]) if found else 0


LIMITS = {
    "files": Limit("nofile", lambda process: len(os.listdir(process / "fd")), (10, 40)),
    "threads": Limit("nproc", lambda process: _status(process, "Threads"), (1, 30)),
    "memory": Limit("as", lambda process: _status(process, "VmPeak") * 1024, (64 * MB, 2048 * MB)),
}


def needed(name: str, line: Sequence[str | Path], folder: Path) -> int:
    """The most that this command takes in its first seconds."""
    with (folder / "alone").open("w") as out:
        process = subprocess.Popen(line, cwd=folder, env=ENVIRONMENT, stdout=out, stderr=out)
        most, until = 0, time.monotonic() + OBSERVED
        while time.monotonic() < until:
            with suppress(OSError):
                most = max(most, LIMITS[name].taken(Path(f"/proc/{process.pid}")))
            time.sleep(0.02)
        process.kill()
        process.wait()
    return most


def chosen(name: str, line: Sequence[str | Path], folder: Path, random: Random) -> int:
    """A limit for a round of this program."""
    return needed(name, line, folder) + random.randint(*LIMITS[name].more)


def as_user() -> list[str]:
    """Begins a command that root runs as another user, who may still read root's files."""
    if os.geteuid():
        return []
    kept = [f"--{which}-caps=-all,+dac_override" for which in ("inh", "ambient")]
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *kept]


def under(name: str, value: int) -> list[str]:
    """Begins a command that runs under a limit."""
    return [*as_user(), "prlimit", f"--{LIMITS[name].option}={value}"]


def of_jvm(line: str) -> bool:
    """Tells lines on stderr that the JVM or the program wrote, for want of something."""
    return bool(WANT.search(line) or OF_PROGRAM.match(line))
