"""Connections to sockets of a JVM, and to no other process: two JVMs may have the same process id in their containers,
and share a folder."""

from __future__ import annotations

import os
import socket
import struct
from pathlib import Path

from classhook.base.errors import Failure
from classhook.live.jvms import Jvm

ACCEPTED_WITHIN = 10  # seconds; a listener that hangs accepts no client
CREDENTIALS = struct.Struct("3i")  # process id, user, group


def connected(path: Path, jvm: Jvm, hint: str) -> socket.socket | None:
    """A connection to the JVM by this socket, whose path may be longer than an address; None if no process listens
    there. Raises Failure, with the hint if the process is another one."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", ACCEPTED_WITHIN, 0))
        folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            connection.connect(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)
        listener = CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))[0]
        if listener == jvm.pid:
            return connection
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except BlockingIOError:
        connection.close()
        raise Failure(
            f"{jvm.pid}: the JVM does not answer at {path}: it hangs, or too many clients are waiting"
        ) from None
    except OSError as error:
        connection.close()
        raise Failure(f"{jvm.pid}: cannot connect to the JVM at {path}: {error.strerror}") from None
    connection.close()
    whose = (
        f"process {listener}" if listener else "a process that cannot be seen from here"
    )  # 0: it has no number in this namespace
    raise Failure(f"{jvm.pid}: {path} is the socket of {whose}, not of this JVM: {hint}")
