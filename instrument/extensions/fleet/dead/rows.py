"""A verdict as the columns of files."""

from __future__ import annotations

from typing import Any

from classhook.base.names import method_text, printable
from classhook.extensions.fleet.dead.observations import LAST
from classhook.extensions.fleet.dead.verdicts import Verdict

Row = dict[str, Any]
NAMES = (
    "group",
    "class",
    "method",
    "descriptor",
    "readable",
    "file",
    "line",
    "body_hash",
    "loaded",
    "calls",
    "runs",
    "runs_used",
    "hosts",
    "versions",
    "observed_from",
    "observed_to",
    "days",
    "last_used",
    "last_version",
    "test_runs",
)


def row(one: Verdict) -> Row:
    """Times of day are ISO 8601 in UTC; what is unknown is None."""
    production = one.production
    values = (
        one.group,
        printable(one.key[0]),
        printable(one.key[1]),
        printable(one.key[2]),
        printable(one.about.readable) if one.about.readable else None,
        printable(one.file) or None,
        one.about.line,
        one.about.body,
        one.loaded,
        production.calls,
        production.runs,
        production.used,
        len(production.hosts),
        sorted(map(printable, production.versions)),
        production.first.isoformat(timespec="seconds"),
        production.last.isoformat(timespec="seconds"),
        production.days,
        production.last_used.isoformat(timespec="seconds") if production.last_used != LAST else None,
        printable(production.last_version) or None,
        one.tests,
    )
    return dict(zip(NAMES, values, strict=True))


def name(one: Verdict) -> str:
    """The method's name in its language."""
    return printable(one.about.readable) if one.about.readable else method_text(*one.key)


def last_used(one: Verdict) -> str:
    """`2026-11-26, 4.1`; `never`; `never loaded`."""
    production = one.production
    if production.last_used == LAST:
        return "never" if one.loaded else "never loaded"
    version = f", {printable(production.last_version)}" if production.last_version else ""
    return f"{production.last_used:%Y-%m-%d}{version}"
