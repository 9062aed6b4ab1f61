"""Talks to the agent's control socket, which the agent creates when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from classhook.base.errors import Failure, UsageError
from classhook.live import attachment
from classhook.live.answers import Answer, Refused, answer_of, lines
from classhook.live.jvms import Jvm
from classhook.live.protocol import received
from classhook.live.sockets import connected

PATIENCE = 600.0  # seconds that a command may take
LONGEST = (1 << 16) - 1  # bytes of a command (LINE in native/live/control_socket.c)


class Control:
    """A connection. It and its methods raise Failure if the agent cannot be reached."""

    def __init__(self, jvm: Jvm, data: Path) -> None:
        self.jvm = jvm
        path, hint = data.with_suffix(".ctl"), "remove it"
        connection = connected(path, jvm, hint)
        if connection is None:
            attachment.control(jvm)
            connection = connected(path, jvm, hint)
        if connection is None:
            raise Failure(f"{jvm.pid}: no process answers at {path}")
        self._connection = connection

    def close(self) -> None:
        self._connection.close()

    def ask(
        self, line: str, each: Callable[[Answer], None] | None = None, look: Callable[[], bool] | None = None
    ) -> Answer:
        """Sends a command; the last line of its answer, which says that all is well. `each` is given the lines before
        it, as they come; None: there must be none; `look`: as of protocol.received. Raises Failure; Refused if the
        answer is an error; UsageError."""
        command = line.replace("\n", " ").encode("utf-8", "surrogateescape")
        if len(command) > LONGEST:
            raise UsageError(
                f"{self.jvm.pid}: the command is too long, the agent accepts at most {LONGEST} bytes: {line[:60]}..."
            )
        for found in self._answers(command, look):
            if "ok" in found:
                return found
            if each is None:
                raise self._strange("an unexpected line")
            each(found)
        raise Failure(f"{self.jvm.pid}: the agent ended the connection: the JVM is ending, or classhook was detached")

    def _answers(self, command: bytes, look: Callable[[], bool] | None) -> Iterator[Answer]:
        """The lines of the answer."""
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it may have said why it takes no command
                self._connection.sendall(command + b"\n")
            for text in lines(received(self._connection, self.jvm, PATIENCE, look)):
                found = answer_of(text)
                if "error" in found:
                    raise Refused(f"{self.jvm.pid}: {found['error']}", found.get("code", ""))
                yield found
        except ValueError as error:
            raise self._strange(str(error)) from None
        except OSError as error:
            raise Failure(f"{self.jvm.pid}: the connection broke: {error.strerror}") from None

    def _strange(self, what: str) -> Failure:
        return Failure(f"{self.jvm.pid}: the agent sent an invalid answer: {what}")
