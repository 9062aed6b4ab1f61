"""Real limits: of open files, address space, file sizes and threads, from what the bare JVM needs upwards."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tools.strangers.outcome import Difference
from tools.strangers.suites.faults.program import Program, Unfit
from tools.stress.limits import JVMS_OWN

MB = 1 << 20
OWN_FILES = 6  # that the agent has open at once: its data, the cache, a class file, the control socket
NOBODY = 65534  # a user without processes of its own: root has no limit of threads


@dataclass(frozen=True, slots=True)
class Limit:
    """`tried`: where the least value is looked for with which the bare JVM runs. The agent gets `own` more, and then
    `further` steps of `step`. `strict`: the program must end as without the agent; else the JVM may say that it lacks
    what the agent took."""

    name: str
    which: int
    tried: range
    step: int
    further: int
    strict: bool = True
    own: int = 0


LIMITS = (
    Limit("open files", resource.RLIMIT_NOFILE, range(4, 80), 1, 16, own=OWN_FILES),
    Limit("bytes of a file", resource.RLIMIT_FSIZE, range(0, MB, 4096), 512 * 1024, 8),
    Limit("MB of address space", resource.RLIMIT_AS, range(256 * MB, 4096 * MB, 64 * MB), 128 * MB, 10, strict=False),
    Limit("threads", resource.RLIMIT_NPROC, range(6, 60), 1, 10, strict=False),
)


def limited(limit: Limit, value: int) -> Callable[[], None]:
    def take() -> None:
        if limit.which == resource.RLIMIT_NPROC and not os.geteuid():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        resource.setrlimit(limit.which, (value, value))

    return take


def under_limits(program: Program) -> Iterator[tuple[str, int, list[Difference]]]:
    """The name, the number of runs and the differences of each limit; none where the bare JVM runs with none of its values."""
    program.folder.chmod(0o777)
    for limit in LIMITS:
        least = next((value for value in limit.tried if runs(program, limit, value)), None)
        differences = []
        for value in [] if least is None else values(limit, least):
            for _ in range(2):
                if not (what := wrong(program, limit, value)):
                    break
            else:
                shown = value // MB if limit.which == resource.RLIMIT_AS else value
                differences.append(Difference(f"{limit.name} {shown}", what))
        yield limit.name, (limit.further + 1 if least is not None else 0), differences


def values(limit: Limit, least: int) -> range:
    first = least + limit.own
    return range(first, first + limit.further * limit.step + 1, limit.step)


def runs(program: Program, limit: Limit, value: int) -> bool:
    bare = program.run({}, agent=False, limit=limited(limit, value))
    for crash in program.folder.glob("hs_err*"):
        crash.unlink()
    return (bare.returncode, bare.stdout) == program.bare


def wrong(program: Program, limit: Limit, value: int) -> str:
    """Runs the program under a limit, and returns what is wrong; empty: nothing."""
    try:
        ended = program.run({}, limit=limited(limit, value))
        said = ended.stdout + ended.stderr
        if not limit.strict and ended.returncode and any(text in said for text in JVMS_OWN):
            for crash in program.folder.glob("hs_err*"):
                crash.unlink()  # HotSpot writes one for want of memory, too
            return ""
        program.judge_end(ended, f"{limit.name} {value}")
        program.judge_data(ended.stderr)
    except subprocess.TimeoutExpired:
        return "hung"
    except Unfit as unfit:
        return str(unfit)
    return ""
