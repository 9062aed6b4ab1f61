"""Addresses and settings for OpenTelemetry's messages, from the variables that its own SDKs read:
https://opentelemetry.io/docs/specs/otel/protocol/exporter/ and
https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/.

A variable of a signal, such as OTEL_EXPORTER_OTLP_METRICS_HEADERS, comes before that of all signals,
OTEL_EXPORTER_OTLP_HEADERS.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from classhook.base import run_labels
from classhook.base.errors import UsageError

LOCAL = "http://localhost:4318"
METRICS, PROFILES = "METRICS", "PROFILES"
#: By signal, what its address has behind that of all signals.
PATHS = {METRICS: "v1/metrics", PROFILES: "v1development/profiles"}
INTERVAL = "OTEL_METRIC_EXPORT_INTERVAL"
PROTOCOL = "http/protobuf"
TEMPORALITY = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
MS_OF_S = 1000
HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)  # RFC 9110, 5.6.2


class Target(NamedTuple):
    """The target of a signal. `timeout`: in s; `gzip`: whether messages are compressed; `certificates`: files for TLS:
    of authorities, of this client, its key; empty where there is none."""

    url: str
    headers: dict[str, str]
    timeout: float
    gzip: bool
    certificates: tuple[str, str, str]


class Settings(NamedTuple):
    """`targets`: by signal; `interval`: between two messages, in s."""

    targets: dict[str, Target]
    interval: float


def settings(endpoint: str, environment: Mapping[str, str]) -> Settings:
    """`endpoint`: what the user gives, empty: by the variables. Raises UsageError, which names the variable."""
    return Settings(
        {signal: _target(signal, endpoint, environment) for signal in PATHS},
        _milliseconds(INTERVAL, 60_000, environment),
    )


def _target(signal: str, endpoint: str, environment: Mapping[str, str]) -> Target:
    def variable(what: str) -> tuple[str, str]:
        """The variable's name and value."""
        names = (f"OTEL_EXPORTER_OTLP_{signal}_{what}", f"OTEL_EXPORTER_OTLP_{what}")
        return next(((name, value) for name in names if (value := environment.get(name, "").strip())), (names[1], ""))

    if not endpoint:
        name, protocol = variable("PROTOCOL")
        if protocol not in ("", PROTOCOL):
            say_so = "give the address that takes it: --otlp=http://HOST:4318"
            raise UsageError(f"{name} is {protocol}, and classhook sends {PROTOCOL} only; {say_so}")
    name, given = ("--otlp", endpoint) if endpoint else variable("ENDPOINT")
    url = address(name, given or LOCAL)
    if f"_{signal}_" not in name:
        parts = urlsplit(url)
        url = parts._replace(path=f"{parts.path.rstrip('/')}/{PATHS[signal]}").geturl()
    name, text = variable("COMPRESSION")
    if text not in ("", "none", "gzip"):
        raise UsageError(f"{name} is {text}; supported are gzip and none")
    certificate, client_certificate, client_key = (
        variable(what)[1] for what in ("CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY")
    )
    timeout = _milliseconds(variable("TIMEOUT")[0], 10_000, environment)
    certificates = (certificate, client_certificate, client_key)
    return Target(url, headers(*variable("HEADERS")), timeout, text == "gzip", certificates)


def ignored(environment: Mapping[str, str]) -> str:
    """The message about a setting that is not followed; empty if there is none."""
    wish = environment.get(TEMPORALITY, "").lower()
    if wish in ("", "cumulative"):
        return ""
    return (
        f"{TEMPORALITY} is {wish}, but metrics are sent as sums since the JVM's start; the collector's processor"
        " cumulativetodelta changes that"
    )


def address(name: str, text: str) -> str:
    """Raises UsageError if it is not one."""
    try:
        parts = urlsplit(text)
        valid = (
            parts.scheme in ("http", "https")
            and parts.hostname
            and parts.port != 0
            and text.isprintable()
            and " " not in text
        )
        (parts.hostname or "").encode("idna")  # raises UnicodeError
        valid = valid and (parts.path + parts.query).isascii()
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(f"{name} {text}: not an address; write one such as {LOCAL}")
    if "@" in parts.netloc:
        raise UsageError(
            f"{name}: the address has a user's name in it; put `Authorization=...` into OTEL_EXPORTER_OTLP_HEADERS"
            " instead"
        )
    return text


def headers(name: str, text: str) -> dict[str, str]:
    """`key=value,other=value`, with %XX. Raises UsageError."""
    found = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        key, is_pair, value = pair.partition("=")
        key, value = key.strip(), run_labels.decoded(value.strip())
        if not is_pair or not HEADER.fullmatch(key) or not (value.isascii() and value.isprintable()):
            raise UsageError(
                f"{name}: {key or 'a header'} is not of the form NAME=VALUE, with %XX for characters that are no"
                " letters"
            )
        found[key] = value
    return found


def _milliseconds(name: str, usual: int, environment: Mapping[str, str]) -> float:
    """The seconds that a variable gives in ms. Raises UsageError."""
    text = environment.get(name, "").strip() or str(usual)
    if not text.isdecimal() or not 0 < int(text) < 1 << 40:
        raise UsageError(f"{name} is {text}, and must be a number of milliseconds")
    return int(text) / MS_OF_S
