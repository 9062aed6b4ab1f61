"""HotSpot's attach protocol.

1. A JVM listens at /tmp/.java_pidN of its own file system, N being its process id in its own namespace, from the first
   time on that it was asked to: by a file .attach_pidN in its working directory or /tmp, and SIGQUIT. A JVM that does
   not catch that signal would die of it, so it is not sent.
2. A request is the protocol's version, a command and three arguments, each ended by a zero byte; the answer is a status
   in a line, then text.
3. The JVM answers only its own user and root, so root becomes that user for it.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG, S_ISSOCK

from classhook.base.errors import Failure, UsageError
from classhook.base.terminal import say
from classhook.live import sockets
from classhook.live.jvms import Jvm

LISTENS_WITHIN = 10.0  # seconds after the signal
LOOKS_EVERY = 0.2  # seconds: whether the JVM is stopped, and what it does
SILENT = 10.0  # seconds, after which the user is told that the JVM does not answer
LONGEST = 1024  # bytes of an argument
LARGEST = 16 << 20  # bytes of an answer; most are a line or two
SAID = (
    "has not answered for {:g} s: it is busy, or a debugger has suspended its threads, which must let them go on;"
    " waiting (Ctrl-C gives up)"
)
STOPPED = "is stopped (by SIGSTOP or a debugger); continue it with SIGCONT"


def execute(
    jvm: Jvm, command: str, *arguments: str, patience: float | None = None, look: Callable[[], bool] | None = None
) -> tuple[int, str]:
    """Executes a command in the JVM; its status and text. `patience`: seconds that it may take; `look`: as of
    `received`. Raises Failure."""
    words = [command, *arguments, *[""] * (3 - len(arguments))]
    for word in words:
        if len(word.encode("utf-8", "surrogateescape")) >= LONGEST:
            raise UsageError(
                f"{jvm.pid}: too long for the JVM, which takes {LONGEST} bytes: {word[:60]}...; use shorter paths"
            )
    if jvm.is_stopped:
        raise Failure(f"{jvm.pid}: the JVM {STOPPED}")
    with as_its_user(jvm):
        connection = connected(jvm)
    with connection:
        try:
            connection.sendall(b"".join(word.encode("utf-8", "surrogateescape") + b"\0" for word in ("1", *words)))
            answer = b""
            for part in received(connection, jvm, patience, look):
                answer += part
                if len(answer) > LARGEST:
                    raise Failure(f"{jvm.pid}: the answer is too long for a JVM: more than {LARGEST >> 20} MB")
        except OSError as error:
            raise Failure(f"{jvm.pid}: the JVM ended the connection: {error.strerror}") from None
    status, _, text = answer.decode("utf-8", "replace").partition("\n")
    if not status.strip().lstrip("-").isdigit():
        raise Failure(f"{jvm.pid}: the JVM ended before it answered")
    return int(status), text


def received(
    connection: socket.socket, jvm: Jvm, patience: float | None, look: Callable[[], bool] | None = None
) -> Iterator[bytes]:
    """The bytes that the JVM sends until it ends the connection; it is said once if it is silent. `look`: called
    meanwhile, says whether the JVM does something. Raises Failure if the JVM is stopped or sends nothing for `patience`
    seconds; OSError."""
    silent_from, said = time.monotonic(), False
    deadline = time.monotonic() + (patience or float("inf"))
    connection.settimeout(LOOKS_EVERY)
    while True:
        try:
            part = connection.recv(65536)
        except TimeoutError:
            if look is not None and look():
                silent_from = time.monotonic()
            if jvm.is_stopped:
                raise Failure(f"{jvm.pid}: the JVM does not answer: it {STOPPED}") from None
            if time.monotonic() > deadline:
                raise Failure(f"{jvm.pid}: the JVM does not answer: it hangs") from None
            if not said and time.monotonic() - silent_from > SILENT:
                said = True
                say(f"{jvm.pid}: the JVM {SAID.format(SILENT)}")
            continue
        if not part:
            return
        silent_from = time.monotonic()
        deadline = silent_from + (patience or float("inf"))
        yield part


@contextmanager
def as_its_user(jvm: Jvm) -> Iterator[None]:
    """Acts as the JVM's user, if this is root."""
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
    """A connection to the JVM, which begins to listen if it does not yet. Raises Failure, OSError."""
    number, tmp = jvm.inner_pid, jvm.outside("/tmp")
    path, triggers = tmp / f".java_pid{number}", [folder / f".attach_pid{number}" for folder in (jvm.proc / "cwd", tmp)]
    hint = f"both have the process id {number} in their containers and share /tmp; give each container its own /tmp"
    try:
        for _ in range(2):
            before = there(path, jvm) or woken(jvm, path, triggers)
            connection = sockets.connected(path, jvm, hint)
            if connection is not None:
                return connection
            remove_stale(path, before)
    finally:
        for trigger in triggers:  # a client that was killed may have left it
            with suppress(OSError):
                trigger.unlink()
    raise Failure(f"{jvm.pid}: cannot connect to the JVM at {path}: no process listens there")


def there(path: Path, jvm: Jvm) -> os.stat_result | None:
    """The socket, if there is one. Raises Failure if another user made it."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Failure(f"{jvm.pid}: {path}: {error.strerror}") from None
    if not S_ISSOCK(status.st_mode) or status.st_uid not in (jvm.uid, 0):
        raise Failure(
            f"{jvm.pid}: {path} is not the JVM's: its owner is user {status.st_uid}; remove it, or attach as the JVM's"
            " user"
        )
    return status


def remove_stale(path: Path, before: os.stat_result) -> None:
    """Removes the socket of an earlier process with the same id, at which no process listens, unless another one has
    taken its place."""
    with suppress(OSError):
        if os.path.samestat(path.lstat(), before):
            path.unlink()


def woken(jvm: Jvm, path: Path, triggers: list[Path]) -> os.stat_result:
    """Makes the JVM listen; its socket. Raises Failure."""
    refuse_unless_it_can(jvm)
    make_trigger(jvm, triggers)
    deadline, pause = time.monotonic() + LISTENS_WITHIN, 0.005
    send_quit(jvm)
    while (found := there(path, jvm)) is None:
        if time.monotonic() > deadline:
            raise Failure(f"{jvm.pid}: the JVM did not begin to listen within {LISTENS_WITHIN:g} s: {why_silent(jvm)}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.2)
    return found


def refuse_unless_it_can(jvm: Jvm) -> None:
    """Raises Failure if the JVM would not understand SIGQUIT."""
    if any("+DisableAttachMechanism" in word for word in jvm.command):
        raise Failure(f"{jvm.pid}: the JVM was started with -XX:+DisableAttachMechanism, which disables attaching")
    if not jvm.catches_quit:
        gone = f"was started with -Xrs, and its socket /tmp/.java_pid{jvm.inner_pid} is gone"
        why = f"it {gone}" if "-Xrs" in jvm.command else f"it is just starting (try again), or {gone}"
        raise Failure(f"{jvm.pid}: the JVM does not catch SIGQUIT, which would kill it: {why}")


def send_quit(jvm: Jvm) -> None:
    try:
        os.kill(jvm.pid, signal.SIGQUIT)
    except ProcessLookupError:
        raise Failure(f"{jvm.pid}: the JVM has ended") from None
    except PermissionError:
        raise Failure(f"{jvm.pid}: this user may not send signals to the JVM") from None


def make_trigger(jvm: Jvm, places: list[Path]) -> None:
    """The file that tells SIGQUIT from a request for a thread dump, in one of these places. Raises Failure."""
    for path in places:
        with suppress(OSError):
            file = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600
            )  # a pipe must not block
            regular = S_ISREG(os.fstat(file).st_mode)
            os.close(file)
            if regular:
                return
    raise Failure(
        f"{jvm.pid}: attaching requires creating {places[0].name} in the JVM's working directory or /tmp, which failed"
    )


def why_silent(jvm: Jvm) -> str:
    if not jvm.proc.exists():
        return "it has ended"
    return f"it {STOPPED}" if jvm.is_stopped else "it hangs, or cannot be attached to"
