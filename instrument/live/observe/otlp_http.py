"""A collector of OpenTelemetry, which receives messages by HTTP. Losses are reported once, and nothing is kept for
it."""

from __future__ import annotations

import gzip
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import TypeVar

from classhook.base.errors import UsageError
from classhook.live.observe.otlp_settings import METRICS, PROFILES, Settings, Target
from classhook.reports.protobuf import fields

Found = TypeVar("Found")

TYPE = "application/x-protobuf"
MOST_ANSWERED = 1 << 16  # bytes of an answer that are read
WORDS = {METRICS: "metrics", PROFILES: "profiles"}
#: Answers to profiles of collectors that do not know them.
UNKNOWN = (
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    HTTPStatus.NOT_IMPLEMENTED,
)
#: Answers of collectors that can take the message later, as the protocol says.
BUSY = (
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
)
PARTIAL, COUNT, TEXT = 1, 1, 2  # fields of the answer, and of ExportPartialSuccess in it


class Collector:
    """`said`: is called with each complaint; `failed`: the last message was not received; `silent`: it had no answer;
    `busy`: an answer since this was reset asks to send it later; `refuses`: signals that it does not take. Raises
    UsageError if files for TLS cannot be read."""

    def __init__(self, settings: Settings, said: Callable[[str], None]) -> None:
        self.targets = settings.targets
        self.said = said
        self.failed = self.silent = self.busy = False
        self.refuses: set[str] = set()
        self._told: set[str] = set()
        self._openers = {signal: opener(target) for signal, target in settings.targets.items()}

    def send(self, signal: str, data: bytes, most: float | None = None) -> bool:
        """Sends a message; returns whether it was received. `most`: seconds that the answer may take."""
        target = self.targets[signal]
        headers = {
            "Content-Type": TYPE,
            "User-Agent": "classhook",
            **({"Content-Encoding": "gzip"} if target.gzip else {}),
            **target.headers,
        }
        self.silent = False
        request = urllib.request.Request(
            target.url, gzip.compress(data) if target.gzip else data, headers, method="POST"
        )
        seconds = min(target.timeout, most or target.timeout)

        def answered() -> bytes:
            with self._openers[signal].open(request, timeout=seconds) as answer:
                found: bytes = answer.read(MOST_ANSWERED)
                return found

        try:
            lost = rejected(within(seconds, answered))
        except urllib.error.HTTPError as error:
            self.busy |= error.code in BUSY
            if signal == PROFILES and error.code in UNKNOWN:
                self.refuses.add(signal)
                self.tell(signal, f"the collector does not take them (HTTP {error.code}); they are not sent any more")
                return False
            return self._trouble(signal, f"the answer is HTTP {error.code} {error.reason}")
        except (HTTPException, ValueError):  # ValueError: numbers that are none
            self.silent = True
            return self._trouble(signal, "the answer is not HTTP")
        except OSError as error:
            self.silent = True
            reason = getattr(error, "reason", error)
            return self._trouble(signal, str(getattr(reason, "strerror", None) or reason))
        self.failed = False
        if lost:
            self.tell(signal, f"the collector did not take all: {lost}", "in part")
        return True

    def tell(self, signal: str, what: str, of: str = "") -> None:
        """Says something of a signal once. `of`: what else there is to say of it once."""
        if (told := signal + of) not in self._told:
            self._told.add(told)
            self.said(f"{WORDS[signal]} to {self.targets[signal].url}: {what}")

    def _trouble(self, signal: str, why: str) -> bool:
        self.failed = True
        self.tell(signal, why)
        return False


def within(seconds: float, call: Callable[[], Found]) -> Found:
    """Returns or raises what the call does; TimeoutError after so many seconds. A timeout of a socket is for each piece
    that is received."""
    found: list[Found] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            found.append(call())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, name="otlp answer", daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not found:
        raise TimeoutError("timed out")
    return found[0]


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: the other address would be asked by GET, without the message."""

    def redirect_request(self, *about: object) -> None:
        return None


def rejected(answer: bytes) -> str:
    """The collector's text about a message that it took only in part; empty if it took all."""
    partial = fields(answer).get(PARTIAL, b"")
    found = fields(partial) if isinstance(partial, bytes) else {}
    text, count = found.get(TEXT, b""), found.get(COUNT, 0)
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else ""
    return said or (f"{count} were rejected" if isinstance(count, int) and count else "")


def opener(target: Target) -> urllib.request.OpenerDirector:
    """Raises UsageError."""
    authorities, certificate, key = target.certificates
    try:
        context = ssl.create_default_context(cafile=authorities or None)
        if certificate:
            context.load_cert_chain(certificate, key or None)
    except OSError as error:  # ssl.SSLError, too
        named = next(
            (path for path in target.certificates if path and not Path(path).is_file()), certificate or authorities
        )
        raise UsageError(
            f"OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE or _CLIENT_KEY: {named}: {error.strerror or error}"
        ) from None
    return urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), NoRedirects)
