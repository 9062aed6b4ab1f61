"""Attaches the agent to a JVM that runs, and detaches it.

1. The agent library and the rules must be where the JVM sees them; a JVM in a container may have another file system.
2. HotSpot loads the library, or calls it again if it has it, with options as for `-agentpath`, and `do=attach` or
   `do=detach`.
3. The agent writes its messages, and its result in the last line, to a memory file whose name it is given; it is read
   through /proc/PID/fd. So no file is left if this process is killed meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classhook.base import launch, run_labels
from classhook.base.errors import Failure, UsageError
from classhook.base.names import printable, several, time_label
from classhook.live import protocol, rooted
from classhook.live.answers import answer_of
from classhook.live.class_changes import AS_USUAL, Follower, Manner, undone
from classhook.live.jvms import Jvm
from classhook.native import library

MOST_SAID = 1 << 20  # bytes of an answer
MOST_LOOPS = 5  # that are named
LOADING_OFF = "Dynamic agent loading is not enabled"


@dataclass(frozen=True)
class Done:
    """The result of a session's begin or end. `data`: its data file, as this process sees it; `classes`: how many were
    retransformed, in `stops` batches, each of which stopped the program for `longest_stop_ns` at most; `says`: the
    agent's messages; `moved`: the session has ended, and its data file is complete; `postponed`: loops that run, method
    and thread, until whose end their classes stay as they are; `unfinished`: why not all classes were changed; then the
    session has ended."""

    data: Path
    classes: int
    stops: int
    longest_stop_ns: int
    stopped_ns: int
    says: list[str]
    moved: bool = False
    postponed: tuple[str, ...] = ()
    unfinished: str = ""

    def changed(self, how: str) -> str:
        """The number of classes that were changed, in words."""
        return changed(self.classes, self.stops, self.longest_stop_ns, how)


def changed(classes: int, stops: int, longest_stop_ns: int, how: str) -> str:
    """The number of classes that were changed, in words."""
    if not classes:
        return f"no loaded class {how}"
    longest = time_label(longest_stop_ns).strip()
    within = f"in {stops:,} stops of {longest} at most" if stops > 1 else f"in a stop of {longest}"
    return f"{several(classes, 'class')} {how}, {within}"


def postponed(loops: Sequence[str], how: str, now: str) -> list[str]:
    """Says which classes wait for their loops. `how`: what is done with these then; `now`: the command that does it at
    once."""
    if not loops:
        return []
    several_loops = len(loops) > 1
    until = f"when their loops end, which would become slow otherwise; `{now}` does it at once"
    return [
        (
            f"{several(len(loops), 'class')} will be {how}"
            f" {until if several_loops else until.replace('their loops end', 'its loop ends')}:"
        ),
        *(f"    {printable(loop)}" for loop in loops[:MOST_LOOPS]),
        *([f"    and {len(loops) - MOST_LOOPS} more"] if len(loops) > MOST_LOOPS else []),
    ]


def attach(
    jvm: Jvm,
    rules: Path,
    data: Path,
    cache: str = "",
    script: str = "",
    manner: Manner = AS_USUAL,
    labels: Sequence[str] = (),
) -> Done:
    """Attaches the agent, or begins a new session of one that is detached. `rules`: compiled; `script`: of handlers.
    Raises Failure, UsageError; Cancelled."""
    values = {"rules": str(rules), "data": str(data)}
    if script:
        values["script"] = script
    if cache:
        values["cache"] = cache
    if jvm.is_apart:
        values["tmpfs"] = "no"  # the link would lead to this machine's /dev/shm
    if packages := launch.packages():
        values["pythonpath"] = packages
    if found := launch.known_library():
        values["libpython"] = found
    values["labels"] = run_labels.written(run_labels.of_process(jvm.pid, labels))
    done = ask(jvm, "attach", values, manner)
    if done.unfinished:
        raise undone(jvm, done.unfinished, manner, done.longest_stop_ns)
    return done


def loops_in(answer: dict[str, Any]) -> tuple[str, ...]:
    """The loops in an answer for whose end classes wait."""
    return tuple(map(str, answer.get("postponed", ())))


def check_is_free(jvm: Jvm) -> None:
    """Raises Failure if a session is on, which continues unchanged."""
    data = jvm.session()
    if data is not None:
        raise Failure(
            f"{jvm.pid}: classhook is attached already, and its data goes to {data}: `classhook detach {jvm.pid}` ends"
            f" that session, and `classhook ctl {jvm.pid} rules add RULE` adds rules to it"
        )


def detach(jvm: Jvm, manner: Manner = AS_USUAL) -> Done:
    """Ends the session. A manner of `now` is also for classes that the last session left to be restored. Raises
    Failure."""
    return ask(jvm, "detach", {}, manner)


def control(jvm: Jvm) -> None:
    """Makes the control socket. Raises Failure."""
    ask(jvm, "control", {})


def ask(jvm: Jvm, action: str, values: dict[str, str], manner: Manner = AS_USUAL) -> Done:
    """Has the agent do something. Raises Failure, UsageError."""
    check_library(jvm)
    name = os.urandom(12).hex()
    with Follower(jvm, manner) as follower:
        options = {"do": action, "answer": name, **values, **manner.options(follower.name)}
        text = ",".join(f"{key}={launch.encode_value(value)}" for key, value in options.items())
        status, said = protocol.execute(jvm, "load", str(library.AGENT), "true", text, look=follower.look)
    return understood(jvm, answer(jvm, name), status, said)


def answer(jvm: Jvm, name: str) -> str:
    """The agent's messages; empty if it was not loaded. Raises Failure."""
    link = f"/memfd:classhook-{name} (deleted)"
    try:
        for file in (jvm.proc / "fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                if os.readlink(file) != link:
                    continue
                at = os.open(file, os.O_PATH | os.O_CLOEXEC)
                try:
                    return rooted.contents(at, MOST_SAID).decode("utf-8", "surrogateescape")
                finally:
                    os.close(at)
    except OSError as error:
        raise Failure(f"{jvm.pid}: cannot read the agent's answer: {error.strerror}") from None
    return ""


def check_library(jvm: Jvm) -> None:
    """Raises UsageError or Failure if the JVM cannot load the agent."""
    if not library.AGENT.is_file():
        raise UsageError(
            f"the agent library {library.AGENT} is missing: it was not built; reinstall classhook with `pip install`"
        )
    there = jvm.outside(library.AGENT)
    if jvm.is_apart and not there.is_file():
        raise Failure(
            f"{jvm.pid}: the JVM runs in a container that has no {library.AGENT}; mount or install classhook there, at"
            " the same path"
        )


def understood(jvm: Jvm, answer: str, status: int, said: str) -> Done:
    """The agent's answer. Raises Failure."""
    lines = answer.splitlines()
    if lines and lines[-1].startswith("{"):
        try:
            done = answer_of(lines.pop().encode("utf-8", "surrogateescape"))
        except ValueError as error:
            raise Failure(f"{jvm.pid}: the agent sent an invalid answer: {error}") from None
        data, says = jvm.outside(done["data"], follow=False), [printable(line) for line in lines]
        loops = loops_in(done)
        stops = done["classes"], done["stops"], done["longest_stop_ns"], done["stopped_ns"]
        return Done(data, *stops, says, done["moved"], loops, done.get("unfinished", ""))
    if lines:
        raise Failure(f"{jvm.pid}: " + "\n".join(map(printable, lines)))
    if LOADING_OFF in said:
        raise Failure(
            f"{jvm.pid}: the JVM was started with -XX:-EnableDynamicAgentLoading, and so loads no agent; "
            "start it without that option, or with `classhook run`"
        )
    text = " ".join(map(printable, said.split("\n"))).strip()
    raise Failure(f"{jvm.pid}: the JVM did not load the agent{f': {text}' if text else f' (status {status})'}")
