"""Clients of a JVM trust neither a socket's owner, nor what comes out of the socket, nor where a link leads."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from classhook.base.errors import Failure, UsageError
from classhook.commands.control import agent
from classhook.live import rooted
from classhook.live.control_socket import Control
from classhook.live.jvms import Jvm
from classhook.live.observe.metrics import Server
from classhook.live.sockets import connected
from tests.conftest import until

ITSELF = Jvm(os.getpid(), "/nowhere/lib/server/libjvm.so", "")


@contextmanager
def listening(path: Path, then: Callable[[socket.socket], None]) -> Iterator[None]:
    """A socket of this process, which does something with its first client."""

    def serve() -> None:
        client, _ = listener.accept()
        with client:
            then(client)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "1-abc.classhook"


def answering(data: Path, *parts: bytes, ask: Callable[[], object] | None = None) -> Callable[[], None]:
    """A function that asks, as `ctl threads` does by default, and is answered with these bytes."""

    def answer(client: socket.socket) -> None:
        client.recv(100)
        try:
            for part in parts:
                client.sendall(part)
        except OSError:
            return  # it has seen enough

    def asking() -> None:
        with listening(data.with_suffix(".ctl"), answer):
            if ask is not None:
                ask()
            else:
                agent.agents("threads")(ITSELF, data, [], False)

    return asking


WRONG = {
    "no JSON": (b"hello\n", "Expecting value"),
    "a number": (b"1\n", "not an object"),
    "a list": (b"[]\n", "not an object"),
    "nested": (b"[" * 100_000 + b"\n", "nested too deeply"),
    "a type": (b'{"line": 5}\n', "`line` is not a text"),
    "repeated by a number": (
        b'{"name": "x", "state": "x", "daemon": 1000000000, "priority": 1}\n',
        "`daemon` is not true or false",
    ),
    "a large number": (b'{"ok": true, "took_ns": ' + b"9" * 400 + b"}\n", "`took_ns` is not a number"),
    "a larger one": (b'{"ok": true, "took_ns": ' + b"9" * 9000 + b"}\n", "the agent sent an invalid answer"),
    "an error": (b'{"error": []}\n', "`error` is not a text"),
    "a field less": (b'{"name": "x"}\n', "lacks `state`"),
    "no end": (b'{"line": "x"}\n', "the agent ended the connection"),
}


@pytest.mark.parametrize("which", WRONG)
def test_odd_answers(data: Path, which: str) -> None:
    text, expected = WRONG[which]
    with pytest.raises(Failure, match=expected):
        answering(data, text)()


def test_a_line_without_end(data: Path) -> None:
    with pytest.raises(Failure, match="a line is longer than 16 MB"):
        answering(data, *[b"x" * (1 << 20)] * 40)()


def test_lines_that_nobody_asked_for(data: Path) -> None:
    with pytest.raises(Failure, match="an unexpected line"):
        answering(data, b'{"line": ""}\n' * 1000, ask=lambda: Control(ITSELF, data).ask("status"))()


def test_a_refusal_before_the_command(data: Path) -> None:
    with listening(data.with_suffix(".ctl"), lambda client: client.sendall(b'{"error": "too many clients"}\n')):
        control = Control(ITSELF, data)
        time.sleep(0.1)
        with pytest.raises(Failure, match="too many clients"):
            control.ask("status")


def test_a_command_that_is_too_long(data: Path) -> None:
    with (
        listening(data.with_suffix(".ctl"), lambda client: None),
        pytest.raises(UsageError, match="at most 65535 bytes"),
    ):
        Control(ITSELF, data).ask("heap dump " + "x" * 70_000)


def test_escape_sequences(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answering(data, b'{"line": "a\\u001b[2Jb"}\n{"o', b'k": true}\n')()
    assert capsys.readouterr().out == "a\\x1b[2Jb\n"


def test_a_socket_of_another_process(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    code = (
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); print(flush=True);"
        " s.accept()[0].recv(1)"
    )
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(Failure, match=rf"the socket of process {other.pid}, not of this JVM: look"):
            connected(path, ITSELF, "look")
    assert path.exists()
    assert connected(path, ITSELF, "") is None


def test_a_client_that_is_killed_leaves_no_file() -> None:
    """While it waits for the JVM's answer."""
    path = Path(f"/tmp/.java_pid{os.getpid()}")
    code = (
        "import sys; from classhook.live import attachment, jvms; attachment.detach(jvms.Jvm(int(sys.argv[1]), '', ''))"
    )
    before = set(Path("/tmp").glob(".classhook-*"))

    def kill(client: socket.socket) -> None:
        assert client.recv(1000).startswith(b"1\0load\0")
        started.kill()
        assert client.recv(1000) == b""

    try:
        with listening(path, kill), subprocess.Popen([sys.executable, "-c", code, str(os.getpid())]) as started:
            started.wait()
    finally:
        path.unlink(missing_ok=True)
    assert started.returncode == -signal.SIGKILL
    assert set(Path("/tmp").glob(".classhook-*")) <= before


# ---- files


def test_the_release_of_a_jdk(tmp_path: Path) -> None:
    """Another user's, for root: nothing there may block or be large, and links do not lead elsewhere."""
    jvm = Jvm(os.getpid(), str(tmp_path / "lib/server/libjvm.so"), "")
    release = tmp_path / "release"
    release.write_text('IMPLEMENTOR="x"\nJAVA_VERSION="17.0.1"\n')
    assert jvm.version == "17.0.1"
    release.write_text("\n" * (1 << 20) + 'JAVA_VERSION="17.0.1"\n')
    assert jvm.version == "?"
    release.unlink()
    os.mkfifo(release)
    assert jvm.version == "?"
    release.unlink()
    release.symlink_to("/dev/zero")
    assert jvm.version == "?"


def test_links_stay_within_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "real/deep").mkdir(parents=True)
    (root / "real/file").write_text("inside")
    (tmp_path / "real").mkdir()
    (tmp_path / "real/file").write_text("outside")
    (root / "absolute").symlink_to("/real")
    (root / "real/deep/up").symlink_to("../../../../../real")
    (root / "loop").symlink_to("loop")
    for path in (
        "/real/file",
        "real/file",
        "/absolute/file",
        "/real/deep/up/deep/up/file",
        "/../../real/./deep/../file",
    ):
        assert rooted.located(root, path) == root / "real/file"
        assert rooted.read(root, path, 3) == b"ins"
    assert rooted.located(root, "/absolute/new/folder") == root / "real/new/folder"
    for path, expected in (("/loop/x", "Too many levels"), ("/real/file/x", "Not a directory")):
        with pytest.raises(OSError, match=expected):
            rooted.located(root, path)
    with pytest.raises(FileNotFoundError):
        rooted.read(root, "/absolute/none", 1)


# ---- metrics


def test_a_client_of_metrics_that_leaves_early(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Server, "text", lambda self: b"x" * (64 << 20))
    server = Server("127.0.0.1:0", tmp_path)
    server.start()
    before = threading.active_count()
    try:
        with socket.create_connection(server.server_address[:2]) as client:
            client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            assert client.recv(4) == b"HTTP"
        until(lambda: threading.active_count() <= before)
    finally:
        server.shutdown()
        server.server_close()
    assert capfd.readouterr().err == ""
