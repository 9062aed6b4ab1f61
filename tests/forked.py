"""Runs classhook's commands in forks of a process that has imported them: one takes some 10 ms to start, instead of
half a second.

A command that depends on how Python starts is executed by a process of its own: `possible` says which may be forked.
``python -m tests.forked SOCKET`` is the process that forks: once for each connection, to answer, and again to execute
the command. It ends with its stdin.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

#: Commands that may be executed so; `top` wants a terminal, and others start processes of Python's.
COMMANDS = ("run", "report", "check", "attach", "detach", "ctl", "ps")
#: Variables that do not change how Python starts, nor what is read while modules are imported.
VARIABLES = ("XDG_CACHE_HOME", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "TMPDIR")


def possible(words: Sequence[str | Path], env: Mapping[str, str] | None) -> bool:
    """Returns whether a fork may execute a command with these arguments and additional variables."""
    return bool(words) and words[0] in COMMANDS and all(name in VARIABLES for name in env or {})


# ---- the client


@cache
def _server() -> str:
    """The address of the process, which is started once."""
    folder = tempfile.mkdtemp(prefix="classhook-test-forked-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address = os.path.join(folder, "socket")
    root = Path(__file__).resolve().parents[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forked", address], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    atexit.register(process.communicate)  # it ends at the end of its input
    return address


def run(
    words: Sequence[str | Path], stdin: str, env: dict[str, str], timeout: float, folder: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Executes a command. `env`: the whole environment. Raises TimeoutExpired once the command's process was killed."""
    with tempfile.TemporaryFile() as given, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        given.write(stdin.encode())
        given.seek(0)
        server.connect(_server())
        request = (
            json.dumps({"words": [os.fspath(word) for word in words], "env": env, "folder": str(folder or Path.cwd())})
            + "\n"
        )
        out, err = _Collector(), _Collector()
        socket.send_fds(server, [b"!"], [given.fileno(), out.writes, err.writes])
        out.start()
        err.start()
        server.sendall(request.encode())
        answers = server.makefile()
        pid = int(answers.readline())
        server.settimeout(timeout)
        try:
            status = int(answers.readline())
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(map(str, words)), timeout) from None
        return subprocess.CompletedProcess(list(words), status, out.result(), err.result())


class _Collector(threading.Thread):
    """Reads a pipe to its end. A file would not do: reports have more columns in files."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._reads, self.writes = os.pipe()
        self._text = b""

    def start(self) -> None:
        """To be called once another process has the end that is written to."""
        os.close(self.writes)
        super().start()

    def run(self) -> None:
        with open(self._reads, "rb") as pipe:
            self._text = pipe.read()

    def result(self) -> bytes:
        self.join()
        return self._text


# ---- the process


def _prepare() -> None:
    """Imports what commands would."""
    for package in ("classhook.commands", "classhook.extensions", "classhook.reports", "classhook.measures"):
        try:
            found = importlib.import_module(package)
        except ImportError:
            continue
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            importlib.import_module(module.name)
    gc.freeze()


def _command(words: list[str], env: dict[str, str], folder: str) -> int:
    from classhook.cli import main

    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.argv = ["classhook", *words]
    try:
        return main() or 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        return 1


def _answer(client: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, files, _, _ = socket.recv_fds(client, 1, 3)
    request = json.loads(client.makefile().readline())
    pid = os.fork()
    if pid == 0:
        client.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        status = _command(**request)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status & 255)
    client.sendall(b"%d\n" % pid)
    _, status = os.waitpid(pid, 0)
    client.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def main(address: str) -> None:
    _prepare()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(address)
        listening.listen()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that no child is left as a zombie
        print("ready", flush=True)
        while True:
            readable, _, _ = select.select([listening, sys.stdin], [], [])
            if sys.stdin in readable:
                return
            client, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                try:
                    _answer(client)
                finally:
                    os._exit(0)
            client.close()


if __name__ == "__main__":
    main(sys.argv[1])
