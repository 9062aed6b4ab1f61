"""Answers the browser, on this machine's loopback interface only.

1. Every address begins with a token that only the terminal shows, so that other users of the machine learn nothing and
   change nothing. The request's host is checked, too (instrument/live/observe/loopback.py).
2. The page has no script but its own: a nonce in the policy of its content says which.
3. What changes something is sent by POST, as JSON.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from classhook.base.errors import Failure, UsageError
from classhook.extensions.servers.browser.looks import Looks
from classhook.extensions.servers.browser.session_rules import SessionRules
from classhook.live.observe.loopback import is_meant
from classhook.reports.web_page import page
from classhook.rules.errors import RuleError
from classhook.store.opening import DataError

TEMPLATE = Path(__file__).parent / "live.html"
HOST = "127.0.0.1"
PATIENCE = 30.0  # seconds that a client may take
LONGEST = 1 << 16  # bytes of what a client sends
JSON, HTML = "application/json", "text/html; charset=utf-8"
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

Asked = dict[str, Any]


class Server(ThreadingHTTPServer):
    """`address`: of the page, with the token. Raises UsageError if it cannot listen."""

    daemon_threads = True

    def __init__(self, port: int, looks: Looks, rules: SessionRules, first: dict[str, Any]) -> None:
        self.looks, self.rules, self.first = looks, rules, first
        self.token = secrets.token_urlsafe(16)
        try:
            super().__init__((HOST, port), Handler)
        except (OSError, OverflowError) as error:
            raise UsageError(f"--port {port}: cannot listen there: {getattr(error, 'strerror', error)}") from None
        self.address = f"http://{HOST}:{self.server_port}/{self.token}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing if a client ends its connection early, or does not speak HTTP."""


class Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = PATIENCE
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "classhook", ""

    def do_GET(self) -> None:
        name = self._named()
        if name == "":
            self._show_page()
        elif name is not None:
            self._answer(GET.get(name), dict(parse_qsl(urlsplit(self.path).query)))

    def do_POST(self) -> None:
        name = self._named()
        if name is None:
            return
        try:
            size = int(self.headers.get("Content-Length", ""))
            found = json.loads(self.rfile.read(size)) if 0 <= size <= LONGEST else None
        except ValueError:
            found = None
        if not isinstance(found, dict) or not all(isinstance(value, (str, int)) for value in found.values()):
            self._refuse(HTTPStatus.BAD_REQUEST, f"send an object of JSON, of at most {LONGEST} bytes")
        else:
            self._answer(POST.get(name), found)

    def _named(self) -> str | None:
        """The name behind the token; None if the request is refused."""
        token, _, name = urlsplit(self.path).path.lstrip("/").partition("/")
        if is_meant(self.headers.get("Host", "")) and secrets.compare_digest(
            token.encode(), self.server.token.encode()
        ):
            return name
        self._refuse(HTTPStatus.FORBIDDEN, "only with the address that classhook top --web shows in its terminal")
        return None

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True  # what the client still sends is not read
        self._send(status, json.dumps({"error": why}), JSON)

    def _show_page(self) -> None:
        nonce = secrets.token_urlsafe(16)
        text = page(TEMPLATE, self.server.first, "classhook top")
        for tag in ("<script>", "<style>"):
            text = text.replace(tag, f'{tag[:-1]} nonce="{nonce}">', 1)
        policy = f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'"
        policy += "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        self._send(HTTPStatus.OK, text, HTML, {"Content-Security-Policy": policy})

    def _answer(self, answer: Callable[[Server, Asked], Any] | None, asked: Asked) -> None:
        if answer is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such answer")
            return
        try:
            text = json.dumps(answer(self.server, asked), separators=(",", ":"))
        except (UsageError, Failure, RuleError, DataError) as error:
            self._send(HTTPStatus.OK, json.dumps({"error": str(error)}), JSON)  # an answer: no error of the page
        except Exception as error:  # the page says so, and goes on
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, f"a defect of classhook: {type(error).__name__}: {error}")
        else:
            self._send(HTTPStatus.OK, text, JSON)

    def _send(self, status: HTTPStatus, text: str, kind: str, more: dict[str, str] | None = None) -> None:
        data = text.encode("utf-8", "backslashreplace")
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(data)), **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:
        """The terminal says where the page is, and nothing else."""


GET: dict[str, Callable[[Server, Asked], Any]] = {
    "data": lambda server, asked: server.looks.answer(asked),
    "rules": lambda server, asked: server.rules.listed(),
}
POST: dict[str, Callable[[Server, Asked], Any]] = {
    "rules": lambda server, asked: server.rules.change(asked),
    "reset": lambda server, asked: server.looks.reset(),
    "check": lambda server, asked: server.rules.check(asked),
}
