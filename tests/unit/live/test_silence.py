"""A JVM whose threads a debugger has suspended: it takes the request and does not answer."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from classhook.live import protocol


def test_a_silent_jvm_is_told_of_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(protocol, "SILENT", 0.0)
    monkeypatch.setattr(protocol, "LOOKS_EVERY", 0.01)
    looks = iter([False] * 5)
    ours, theirs = socket.socketpair()

    class Jvm:
        pid = 7

        @property
        def is_stopped(self) -> bool:
            if not next(looks, True):
                return False
            theirs.sendall(b"0\n")
            theirs.close()
            return False

    jvm: Any = Jvm()
    with ours:
        assert b"".join(protocol.received(ours, jvm, None)) == b"0\n"
    assert (
        capsys.readouterr().err.count(
            "classhook: 7: the JVM has not answered for 0 s: it is busy, or a debugger has suspended its threads"
        )
        == 1
    )
