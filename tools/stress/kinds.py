"""The kinds of rounds: what runs in the JVM from the start, and what is done to it from outside.

1. `run`: the scripts are there from the start, and no event may be missing. From outside come the commands of `ctl`,
   SIGQUIT, and exchanges of the second script; these stop before the program compares its counts with the MXBeans'.
2. `attach`: the agent with the scripts comes and goes while the program runs.
3. `sample`: `cpu` and `profile` take samples each ms, beside another profiler. The code cache is small, so that the
   JVM removes compiled code; threads overflow their stacks; JNI is checked. Rules come and go.
4. `sample-attach`: the same, and the agent comes and goes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random

from tests.conftest import ENVIRONMENT, classhook_command
from tools.bench.attached import async_profiler
from tools.stress.hanging import keep_stacks
from tools.stress.limits import as_user
from tools.stress.outcomes import Outcome, Round

COMMAND_PATIENCE = 120.0
RULES = ("count Stress::work(..)", "time Stress::generate", "alloc Stress$Drop in Stress::*", "locks parks")
CPU, PROFILE = "cpu every 1ms", "profile Stress::* every 1ms"
SAMPLING = (CPU, PROFILE, "alloc Stress$Drop in Stress::*")
WITH_CPU_SAMPLER = 25  # the first JDK whose flight recorder samples by CPU time
COMMANDS = (
    ("status",),
    ("threads",),
    ("gc",),
    ("heap", "histogram"),
    ("told",),
    ("agent", "reload", "handler_script.py"),
    ("jvmpi", "dump"),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """`words`: of the agent, from the start; empty: it is attached. `options`: of the JVM; `arguments`: of the
    program. `drive`: does one thing to the JVM with this number."""

    words: tuple[str, ...]
    options: Callable[[Round, Path], list[str]]
    arguments: tuple[str, ...]
    drive: Callable[[Outcome, int, Random], None]


def rules(*texts: str) -> tuple[str, ...]:
    return tuple(word for text in texts for word in ("-e", text))


SCRIPTS = ("--agent", "jvmpi_script.py=quiet=quiet-script,stop=quiet-driver", "--agent", "handler_script.py")


# ---- commands


def ctl(outcome: Outcome, pid: int, *words: str, may_fail: bool = True) -> None:
    """A command. That it fails is a problem if it should not, and that Python fails always is."""
    outcome.commands += 1
    try:
        done = subprocess.run(
            [*(as_user() if outcome.round.limit else ()), *classhook_command(), *words],
            cwd=outcome.folder,
            capture_output=True,
            text=True,
            timeout=COMMAND_PATIENCE,
            env=ENVIRONMENT,
        )
    except subprocess.TimeoutExpired:
        outcome.problems.append(
            f"no answer to `{' '.join(words)}` in {COMMAND_PATIENCE:.0f} s; stacks in"
            f" {keep_stacks(outcome.round.java, pid, outcome.folder)}"
        )
        return
    outcome.histograms += words[-1] == "histogram"
    may_fail = may_fail or bool(outcome.round.limit) or "no JVM" in done.stderr or outcome.said("stopping")
    if done.returncode:
        outcome.refused.append(done.stderr.strip())
    if "Traceback" in done.stderr or (done.returncode and not may_fail):
        outcome.problems.append(f"`{' '.join(words)}` answered {done.returncode}: {done.stderr.strip()[-300:]}")


def change_rules(outcome: Outcome, pid: int, rule: str, *ways: str) -> None:
    for way in ways:
        ctl(outcome, pid, "ctl", str(pid), "rules", way, rule, may_fail=False)


def commanded(outcome: Outcome, pid: int, random: Random) -> None:
    choice = random.randrange(9)
    if choice < len(COMMANDS):
        ctl(outcome, pid, "ctl", str(pid), *COMMANDS[choice], may_fail=False)
    elif choice == len(COMMANDS):
        change_rules(outcome, pid, "count Stress::pause", "add", "remove")
    else:
        os.kill(pid, signal.SIGQUIT)


def session(outcome: Outcome, pid: int, random: Random, words: tuple[str, ...]) -> None:
    """Attaches the agent, and mostly detaches it."""
    ctl(outcome, pid, "attach", str(pid), *words, "-o", "data")
    time.sleep(random.random() * 2)
    ctl(outcome, pid, "ctl", str(pid), *random.choice(COMMANDS[:4]))
    if random.random() < 0.9:  # else the JVM may end with it
        ctl(outcome, pid, "detach", str(pid))


def attached(outcome: Outcome, pid: int, random: Random) -> None:
    session(outcome, pid, random, (*SCRIPTS, *rules(RULES[0])))


def sampled(outcome: Outcome, pid: int, random: Random) -> None:
    choice = random.randrange(5)
    if choice == 0:
        change_rules(outcome, pid, CPU, "remove", "add")
    elif choice == 1:
        change_rules(outcome, pid, "profile StressGen::* every 1ms", "add", "remove")
    else:
        ctl(outcome, pid, "ctl", str(pid), *(("status",), ("threads",), ("gc",))[choice - 2], may_fail=False)


def sampled_attached(outcome: Outcome, pid: int, random: Random) -> None:
    session(outcome, pid, random, rules(*random.choice(((CPU,), (PROFILE,), SAMPLING))))


# ---- options of the JVM


def no_options(one: Round, folder: Path) -> list[str]:
    return []


def beside_async_profiler(folder: Path) -> str:
    return f"-agentpath:{async_profiler()}=start,event=ctimer,interval=1ms,collapsed,file={folder}/async.collapsed"


def beside_jfr(folder: Path) -> str:
    return f"-XX:StartFlightRecording:jdk.CPUTimeSample#enabled=true,filename={folder}/x.jfr"


_peers = {kind: cycle((beside_jfr, beside_async_profiler)) for kind in ("sample", "sample-attach")}


def small_code_cache(one: Round, folder: Path) -> list[str]:
    beside = next(_peers[one.kind]) if one.release >= WITH_CPU_SAMPLER else beside_async_profiler
    return ["-XX:ReservedCodeCacheSize=8m", "-Xcheck:jni", "-Xlog:jfr*=off", "-Doverflows=true", beside(folder)]


KINDS = {
    "run": Kind((*SCRIPTS, *rules(*RULES)), no_options, ("quiet-driver", "quiet-script"), commanded),
    "attach": Kind((), no_options, (), attached),
    "sample": Kind(rules(*SAMPLING), small_code_cache, ("quiet-driver",), sampled),
    "sample-attach": Kind((), small_code_cache, (), sampled_attached),
}
