"""Sends what JVMs count to a collector of OpenTelemetry: metrics and profiles, while they run and once when they have
ended.

1. The data files are read, as for `top`: the program does nothing for it. Data that takes long to read is sent less
   often.
2. Metrics are sums since a JVM's start, so that nothing is lost with one that is not received. A profile has what was
   added since the last one.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from classhook.base.errors import Failure
from classhook.live.observe.otlp_http import Collector
from classhook.live.observe.otlp_settings import METRICS, PROFILES, Settings
from classhook.live.observe.watching import SHARE
from classhook.model.call_tree import Call
from classhook.model.reading.files import read
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, chosen
from classhook.reports.otlp import Span, message
from classhook.reports.otlp_metrics import Highest, messages

NICE = 5
LEAVING = 2.0  # seconds that the last message may take if the one before failed
AGAIN = 1.0  # seconds after which the last message is sent again to a collector that was busy
Period = tuple[int, int, int]  # a process, its start, and since when it has counted
NOTHING = Call(None)


class Sent(NamedTuple):
    """The data of a period that a collector has: the largest values; the call tree, and until when, by where its time
    was spent."""

    highest: Highest
    trees: dict[str, tuple[Call, int]]


def all_of_it(snapshot: Snapshot) -> None:
    """`choose` of all that was counted."""


class Push:
    """`files`: gives the data files that there are; `said`: is called with each complaint, once; `choose`: leaves of a
    snapshot what is to be sent. Raises UsageError."""

    def __init__(
        self,
        settings: Settings,
        files: Callable[[], Iterable[Path]],
        environment: Mapping[str, str],
        said: Callable[[str], None],
        choose: Callable[[Snapshot], None] = all_of_it,
    ) -> None:
        self.interval, self.files, self.environment, self.choose = settings.interval, files, environment, choose
        self.collector = Collector(settings, said)
        self._ended: set[Path] = set()
        self._sent: dict[Period, Sent] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._repeat, name="otlp", daemon=True)

    def push(self, most: float | None = None) -> float:
        """Sends all that is new; `most`: seconds that an answer may take. Returns for how many seconds to pause."""
        began = time.monotonic()
        found = [(path, read([path], suggest=False)) for path in self.files() if path not in self._ended]
        reading = time.monotonic() - began
        readable = [(path, snapshot.processes[0], snapshot) for path, snapshot in found if snapshot.processes]
        for path, process, snapshot in sorted(readable, key=lambda one: (one[1].begin_unix_ns, one[0])):
            if self._push(process, snapshot, most) and process.end != "running":
                self._ended.add(path)
            if self.collector.silent:
                break  # each further message would take as long; all is sent next time
        return max(self.interval, reading / SHARE)

    def _push(self, process: Process, snapshot: Snapshot, most: float | None) -> bool:
        """Pushes the data that was read; returns whether all of it is sent."""
        self.choose(snapshot)
        sent = self._sent.setdefault((process.pid, process.start_unix_ns, process.since_unix_ns), Sent({}, {}))
        done = True
        for one in messages(snapshot, process, Options(), self.environment, sent.highest):
            done &= self.collector.send(METRICS, one, most)
            if self.collector.silent:
                return False
        try:
            tree = chosen(snapshot, Options())
        except Failure:
            return done  # no tree was recorded
        root = tree.root(snapshot)
        before, until = sent.trees.get(tree.where, (NOTHING, process.begin_unix_ns))
        new = grown(root, before)
        if new is None or PROFILES in self.collector.refuses:
            return done
        when = Span(until, max(until, process.end_unix_ns))
        if not self.collector.send(PROFILES, message(snapshot, tree, new, when, self.environment), most):
            return done and PROFILES in self.collector.refuses
        sent.trees[tree.where] = (root, when.end)
        return done

    def start(self) -> None:
        """Sends again and again, on a thread of its own."""
        self._thread.start()

    def _repeat(self) -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)  # of this thread: the program first
        pause = self.interval
        while not self._stop.wait(pause):
            try:
                pause = self.push()
            except Exception as error:  # it is told once, and the program goes on
                self.collector.tell(METRICS, f"{type(error).__name__}: {error}", "error")

    def finish(self) -> None:
        """Sends what is left, once, and once more if the collector was busy; takes no longer than an answer may, and
        these waits."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(LEAVING)
        if self._thread.is_alive():
            self.collector.tell(METRICS, "the collector does not answer; the latest counts are not sent")
            return
        self.collector.busy = False
        self.push(LEAVING if self.collector.failed else None)
        if self.collector.busy:
            time.sleep(AGAIN)
            self.push(LEAVING)


def grown(now: Call, before: Call) -> Call | None:
    """A tree with what was added to each path; None if nothing was."""
    whole, any_is = Call(None), False
    todo = [(now, before, whole)]
    while todo:
        one, old, new = todo.pop()
        new.calls = max(0, one.calls - old.calls)
        new.cpu, new.wall = (max(0, of(one) - of(old)) for of in (CLOCKS["cpu"], CLOCKS["wall"]))
        any_is |= new.calls + new.cpu + new.wall > 0
        todo += [
            (child, old.children.get(method, NOTHING), new.child(method)) for method, child in one.children.items()
        ]
    return whole if any_is else None
