"""A dump of all threads and monitors, read from HotSpot's text (Thread.print -l), which the agent keeps in the data
file.

1. A thread's line has its name, its number and the numbers that the system gives it; then come its state and its
   frames.
2. Below a frame is what is locked there, and what the thread waits for; then the locks of java.util.concurrent that it
   owns.
3. The owners follow from all threads together. Lines that are not known are passed over: other JVMs have more of
   them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from classhook.base.names import shortened
from classhook.model.stacks import LAMBDA, Frame

THREAD = re.compile(r'"(?P<name>.*)" #(?P<number>\d+) (?P<more>.*)')
STATE = re.compile(r"   java\.lang\.Thread\.State: (\w+)(?: \((.*)\))?")
FRAME = re.compile(r"\tat (?P<cls>.+)\.(?P<method>[^.(]+)\((?:[^/()]*/)*(?P<source>[^:()]*)(?::(?P<line>\d+))?\)")
MONITOR = re.compile(r"\t- (?P<how>[a-z -]+?)(?: in \w+\(\))? +<0x(?P<address>[0-9a-f]+)> \(an? (?P<type>[^)]+)\)")
OWNED = re.compile(r"\t- <0x(?P<address>[0-9a-f]+)> \(an? (?P<type>[^)]+)\)")
CARRYING = re.compile(r"   Carrying virtual thread #(\d+)")
NO_SOURCES = ("Unknown Source", "Native Method", "Redefined")
ENTERS, WAITS, PARKS = ("waiting to lock", "waiting to re-lock"), "waiting on", "parking to wait for"
MOST_FRAMES = 1024
LONGEST_LINE = 4096


@dataclass(slots=True)
class Monitor:
    """A lock of threads: a monitor, or a lock of java.util.concurrent. `type`: its class; `owner`: a thread's number,
    0: nobody's; `entries`: how often it is entered; `entering`, `waiting`: numbers of the threads that wait to have it,
    or to be notified."""

    type: str
    owner: int = 0
    entries: int = 0
    entering: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Thread:
    """`state`: as java.lang.Thread.State, `how`: HotSpot's word on it; `virtual`: the number of the virtual thread that
    it carries; `stack`: the innermost frame first."""

    name: str
    number: int
    state: str = ""
    how: str = ""
    virtual: int = 0
    stack: list[Frame] = field(default_factory=list)


@dataclass(slots=True)
class ThreadDump:
    """`ms`: after the JVM's start; `monitors`: by address, those that a thread owns or waits for."""

    ms: int = 0
    threads: list[Thread] = field(default_factory=list)
    monitors: dict[str, Monitor] = field(default_factory=dict)


def parse(text: str, ms: int = 0) -> ThreadDump:
    """The dump of a text; of a damaged one what can be read."""
    found = ThreadDump(ms)
    thread: Thread | None = None
    parked: list[tuple[str, int]] = []
    for line in text.splitlines():
        if len(line) > LONGEST_LINE:
            continue  # of damaged data: matching it takes long
        if start := THREAD.match(line):
            thread = Thread(shortened(start["name"]), int(start["number"][:9]))
            found.threads.append(thread)
        elif line.startswith(('"', "JNI global", "Found ")):
            thread = None  # one of the JVM's own, or what follows the threads
        elif thread is not None:
            _add(found, thread, line, parked)
    for address, number in parked:  # for a lock that a thread has, or for a condition, a latch or work
        monitor = found.monitors[address]
        (monitor.entering if monitor.owner else monitor.waiting).append(number)
    return found


def _add(found: ThreadDump, thread: Thread, line: str, parked: list[tuple[str, int]]) -> None:
    if frame := FRAME.match(line):
        source = "" if frame["source"] in NO_SOURCES else frame["source"]
        names = (LAMBDA.sub("", shortened(frame["cls"])), shortened(frame["method"]))
        if len(thread.stack) < MOST_FRAMES:
            thread.stack.append(Frame(*names, "", shortened(source), int((frame["line"] or "0")[:9])))
    elif state := STATE.match(line):
        thread.state, thread.how = state[1], state[2] or ""
    elif carrying := CARRYING.match(line):
        thread.virtual = int(carrying[1][:9])
    elif owned := MONITOR.match(line) or OWNED.match(line):
        monitor = found.monitors.setdefault(owned["address"], Monitor(shortened(owned["type"])))
        how = owned.groupdict().get("how", "locked")
        if how in ENTERS:
            monitor.entering.append(thread.number)
        elif how == WAITS:
            monitor.waiting.append(thread.number)
        elif how == PARKS:
            parked.append((owned["address"], thread.number))
        elif how == "locked" and thread.number not in monitor.waiting:  # Object.wait has given it back
            monitor.owner = thread.number
            monitor.entries += 1
