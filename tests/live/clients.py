"""Clients of a server, in threads of the tests' own process: a JVM for them would take longer to start than they
take."""

from __future__ import annotations

import http.client
import itertools
import threading
import time

from tests.conftest import PATIENCE

# seconds between two requests of a thread if there is no end of them: the server is busy, and the processors are not
PAUSE = 0.003


class Clients:
    """Sends requests in several threads: so many in all, or until the end is asked for. None may fail."""

    def __init__(self, port: str, path: str, threads: int, wanted: int | None = None) -> None:
        self.port, self.path, self.wanted = int(port), f"/{path}", wanted
        self.answered, self.failures = 0, list[str]()
        self._begun, self._lock, self._stop = itertools.count(1), threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._send, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def _send(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        while not self._stop.is_set() and (self.wanted is None or next(self._begun) <= self.wanted):
            try:
                connection.request("GET", self.path)
                answer = connection.getresponse()
                answer.read()
                failure = "" if answer.status == 200 else f"status {answer.status}"
            except (OSError, http.client.HTTPException) as error:
                failure = f"{type(error).__name__}: {error}"
                connection.close()
            with self._lock:
                if failure:
                    self.failures.append(failure)
                else:
                    self.answered += 1
            if self.wanted is None:
                self._stop.wait(PAUSE)
        connection.close()

    def wait_for(self, answers: int) -> None:
        """Until so many requests were answered, or one was not."""
        end = time.monotonic() + PATIENCE
        while self.answered < answers and not self.failures:
            assert time.monotonic() < end, f"{self.answered} of {answers} requests answered"
            time.sleep(0.01)

    def end(self) -> None:
        """Ends them, those that send a number of requests once these are sent; all must have been answered."""
        if self.wanted is None:
            self._stop.set()
        for thread in self._threads:
            thread.join()
        assert self.failures == []
        assert self.answered > 0 if self.wanted is None else self.answered == self.wanted

    def kill(self) -> None:
        self._stop.set()
