"""HotSpot's attach protocol.

1. A JVM listens at /tmp/.java_pidN of its own file system, N being its process id in its own namespace, from the first time on that it was asked to:
   by a file .attach_pidN in its working directory or /tmp, and SIGQUIT. A JVM that does not catch that signal would die of it, so it is not sent.
2. A request is the protocol's version, a command and three arguments, each ended by a zero byte; the answer is a status in a line, then text.
3. The JVM answers nobody but its own user and root, so root becomes that user for it.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISSOCK

from instrument.errors import Failure, UsageError
from instrument.live.jvms import Jvm

LISTENS_WITHIN = 10.0  # seconds after the signal
LOOKS_EVERY = 0.5  # seconds: whether the JVM is stopped
LONGEST = 1024  # bytes of an argument
STOPPED = "is stopped (SIGSTOP, or a debugger); it goes on with SIGCONT"


def execute(jvm: Jvm, command: str, *arguments: str, patience: float | None = None) -> tuple[int, str]:
    """Executes a command in the JVM; its status and text. `patience`: seconds that it may take. Raises Failure."""
    words = [command, *arguments, *[""] * (3 - len(arguments))]
    for word in words:
        if len(word.encode("utf-8", "surrogateescape")) >= LONGEST:
            raise UsageError(f"{jvm.pid}: too long for the JVM, which takes {LONGEST} bytes: {word[:60]}...; use shorter paths")
    if jvm.is_stopped:
        raise Failure(f"{jvm.pid}: the JVM {STOPPED}")
    with as_its_user(jvm):
        connection = connected(jvm)
    with connection:
        try:
            connection.sendall(b"".join(word.encode("utf-8", "surrogateescape") + b"\0" for word in ("1", *words)))
            answer = b"".join(received(connection, jvm, patience))
        except OSError as error:
            raise Failure(f"{jvm.pid}: the JVM ended the connection: {error.strerror}") from None
    status, _, text = answer.decode("utf-8", "replace").partition("\n")
    if not status.strip().lstrip("-").isdigit():
        raise Failure(f"{jvm.pid}: the JVM ended before it answered")
    return int(status), text


def received(connection: socket.socket, jvm: Jvm, patience: float | None) -> Iterator[bytes]:
    """What the JVM sends, until it ends the connection. Raises Failure if it is stopped meanwhile, or sends nothing for so many seconds; OSError."""
    deadline = time.monotonic() + (patience or float("inf"))
    connection.settimeout(LOOKS_EVERY)
    while True:
        try:
            part = connection.recv(65536)
        except TimeoutError:
            if jvm.is_stopped:
                raise Failure(f"{jvm.pid}: the JVM does not answer: it {STOPPED}") from None
            if time.monotonic() > deadline:
                raise Failure(f"{jvm.pid}: the JVM does not answer: it hangs") from None
            continue
        if not part:
            return
        deadline = time.monotonic() + (patience or float("inf"))
        yield part


@contextmanager
def as_its_user(jvm: Jvm) -> Iterator[None]:
    """As the JVM's user, if this is root."""
    user, group = os.geteuid(), os.getegid()
    if user != 0 or jvm.uid == 0:
        yield
        return
    os.setegid(jvm.gid)
    os.seteuid(jvm.uid)
    try:
        yield
    finally:
        os.seteuid(user)
        os.setegid(group)


def connected(jvm: Jvm) -> socket.socket:
    """A connection to the JVM, which begins to listen if it does not yet. Raises Failure."""
    path = jvm.root / "tmp" / f".java_pid{jvm.inner_pid}"
    for first in (True, False):
        if not listens(path, jvm):
            wake(jvm, path)
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
            return connection
        except OSError as error:
            connection.close()
            if not first or not isinstance(error, ConnectionRefusedError | FileNotFoundError):
                raise Failure(f"{jvm.pid}: cannot connect to the JVM at {path}: {error.strerror}") from None
            with suppress(OSError):
                path.unlink()  # of an earlier process with the same id
    raise AssertionError


def listens(path: Path, jvm: Jvm) -> bool:
    """Whether the socket is there. Raises Failure if somebody else made it."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise Failure(f"{jvm.pid}: {path}: {error.strerror}") from None
    if not S_ISSOCK(status.st_mode) or status.st_uid not in (jvm.uid, 0):
        raise Failure(f"{jvm.pid}: {path} is not the JVM's: its owner is user {status.st_uid}; remove it, or attach as the JVM's user")
    return True


def wake(jvm: Jvm, path: Path) -> None:
    """Makes the JVM listen. Raises Failure."""
    refuse_unless_it_can(jvm)
    trigger = make_trigger(jvm)
    try:
        deadline, pause = time.monotonic() + LISTENS_WITHIN, 0.005
        send_quit(jvm)
        while not listens(path, jvm):
            if time.monotonic() > deadline:
                raise Failure(f"{jvm.pid}: the JVM does not begin to listen within {LISTENS_WITHIN:g} s: {why_silent(jvm)}")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.2)
    finally:
        with suppress(OSError):
            trigger.unlink()


def refuse_unless_it_can(jvm: Jvm) -> None:
    """Raises Failure if the JVM would not understand SIGQUIT."""
    if any("+DisableAttachMechanism" in word for word in jvm.command):
        raise Failure(f"{jvm.pid}: the JVM was started with -XX:+DisableAttachMechanism: nobody can attach to it")
    if not jvm.catches_quit:
        why = "it was started with -Xrs" if "-Xrs" in jvm.command else "it is just starting (try again), or was started with -Xrs"
        raise Failure(f"{jvm.pid}: the JVM does not catch SIGQUIT and would die of it: {why}")


def send_quit(jvm: Jvm) -> None:
    try:
        os.kill(jvm.pid, signal.SIGQUIT)
    except ProcessLookupError:
        raise Failure(f"{jvm.pid}: the JVM has ended") from None
    except PermissionError:
        raise Failure(f"{jvm.pid}: this user may not send signals to the JVM") from None


def make_trigger(jvm: Jvm) -> Path:
    """The file that tells SIGQUIT from a request for a thread dump."""
    name = f".attach_pid{jvm.inner_pid}"
    for folder in (jvm.proc / "cwd", jvm.root / "tmp"):
        path = folder / name
        with suppress(OSError):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            return path
    raise Failure(f"{jvm.pid}: cannot create {name} in the JVM's working directory or /tmp, as one must to attach")


def why_silent(jvm: Jvm) -> str:
    if not jvm.proc.exists():
        return "it has ended"
    return f"it {STOPPED}" if jvm.is_stopped else "it hangs, or cannot be attached to"
