"""Threads that work while the server listens. They end with the process, whatever they are doing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from time import monotonic

Job = Callable[[], None]


class Worker:
    """A thread that does jobs one after another. A job replaces another one with the same key that has not begun."""

    def __init__(self, name: str) -> None:
        self._jobs: dict[Hashable, tuple[float, Job]] = {}
        self._changed = threading.Condition()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def submit(self, key: Hashable, job: Job, delay: float = 0.0) -> None:
        """`delay`: seconds to wait first, for a job that replaces this one."""
        with self._changed:
            self._jobs[key] = monotonic() + delay, job
            self._changed.notify()

    def _work(self) -> None:
        while True:
            job = self._next()
            try:
                job()
            except Exception:  # a defect of classhook must not end what comes next
                logging.getLogger(__name__).exception("a defect of classhook")

    def _next(self) -> Job:
        with self._changed:
            while True:
                key, (due, job) = min(
                    self._jobs.items(), key=lambda item: item[1][0], default=(None, (float("inf"), _nothing))
                )
                left = due - monotonic()
                if left <= 0:
                    del self._jobs[key]
                    return job
                self._changed.wait(left if self._jobs else None)


def _nothing() -> None:
    pass
