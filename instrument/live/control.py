"""Talks to the agent's control socket, which it makes when it is first asked for."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from instrument.errors import Failure
from instrument.live import attachment
from instrument.live.jvms import Jvm
from instrument.live.protocol import received

PATIENCE = 600.0  # seconds that a command may take


class Control:
    """A connection. Raises Failure if there is none to be had, as do its methods."""

    def __init__(self, jvm: Jvm, data: Path) -> None:
        self.jvm = jvm
        path = data.parent / f"{jvm.inner_pid}.ctl"
        connection = connected(path)
        if connection is None:
            attachment.control(jvm)
            connection = connected(path)
        if connection is None:
            raise Failure(f"{jvm.pid}: nobody answers at {path}")
        self._connection = connection

    def ask(self, line: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Sends a command; the lines of its answer, and the last one. Raises Failure, also if the answer is an error."""
        lines: list[dict[str, Any]] = []
        try:
            self._connection.sendall(line.replace("\n", " ").encode("utf-8", "surrogateescape") + b"\n")
            for text in _lines(received(self._connection, self.jvm, PATIENCE)):
                found = json.loads(text)
                if "error" in found:
                    raise Failure(f"{self.jvm.pid}: {found['error']}")
                if "ok" in found:
                    return lines, found
                lines.append(found)
        except (OSError, ValueError) as error:
            raise Failure(f"{self.jvm.pid}: the connection broke: {error}") from None
        raise Failure(f"{self.jvm.pid}: the agent ended the connection: the JVM is ending, or somebody detached")


def _lines(parts: Iterable[bytes]) -> Iterator[str]:
    """The lines that are complete."""
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace")


def connected(path: Path) -> socket.socket | None:
    """A connection to this socket, whose path may be longer than an address; None if nobody listens. Raises Failure."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
        try:
            connection.connect(f"/proc/self/fd/{folder}/{path.name}")
            return connection
        finally:
            os.close(folder)
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except OSError as error:
        connection.close()
        raise Failure(f"{path}: {error.strerror}") from None
