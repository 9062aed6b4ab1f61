"""Serves the counts as OpenMetrics over HTTP, for Prometheus and the like, to this machine only.

1. GET /metrics reads the data files of JVMs that run, at most once a second. The program does nothing for it.
2. Clients do not prove who they are, so the address must be one of the loopback interface, and the request must be for
   it (instrument/live/observe/loopback.py).
"""

from __future__ import annotations

import io
import ipaddress
import socket
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.live.observe.loopback import is_meant
from classhook.live.observe.watching import Watched
from classhook.model.reading.files import read
from classhook.reports import Options
from classhook.reports.openmetrics import report

FRESH = 1.0  # seconds for which an answer is good
PATIENCE = 10.0  # seconds that a client may take
TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def address_of(text: str) -> tuple[str, int]:
    """`127.0.0.1:9464`. Raises UsageError."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    try:
        number = int(port)
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise UsageError(f"--metrics {text}: not an address; write 127.0.0.1:9464") from None
    if not loopback or not 0 <= number <= 65535:
        raise UsageError(
            f"--metrics {text}: only addresses of this machine's loopback interface, such as 127.0.0.1:9464, "
            "because anyone who can connect can read the program's figures"
        )
    return host, number


class Server(ThreadingHTTPServer):
    """Answers for the data in a directory; listens from the first moment on. Raises UsageError if it cannot."""

    daemon_threads = True

    def __init__(self, text: str, folder: Path) -> None:
        host, port = address_of(text)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.folder = folder
        self._lock = threading.Lock()
        self._text, self._at = b"", 0.0
        try:
            super().__init__((host, port), Handler)
        except OSError as error:
            raise UsageError(f"--metrics {text}: cannot listen there: {error.strerror}") from None

    def start(self) -> None:
        threading.Thread(target=self.serve_forever, name="metrics", daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing if a client ends its connection early or does not speak HTTP: the terminal is the program's."""

    def text(self) -> bytes:
        """The metrics."""
        with self._lock:
            if not self._text or time.monotonic() - self._at > FRESH:
                out = io.StringIO()
                report(read(Watched([self.folder], FRESH).files(), suggest=False, exact_tree=False), Options(), out)
                self._text, self._at = out.getvalue().encode("utf-8", "backslashreplace"), time.monotonic()
            return self._text


class Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = PATIENCE
    server_version, sys_version = "classhook", ""

    def do_GET(self) -> None:
        if not is_meant(self.headers.get("Host", "localhost")):
            self.send_error(HTTPStatus.FORBIDDEN, "only for this machine")
        elif self.path.partition("?")[0] not in ("/", "/metrics"):
            self.send_error(HTTPStatus.NOT_FOUND, "see /metrics")
        else:
            try:
                text = self.server.text()
            except Exception as error:  # the client is told, not the program's terminal
                self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR, explain=f"{type(error).__name__}: {error}")
                return
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", TYPE)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    def log_message(self, format: str, *arguments: object) -> None:
        """The terminal is the program's."""
