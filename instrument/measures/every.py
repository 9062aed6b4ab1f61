"""All measures: this module imports them, so that their words are known. Only what runs outside the JVM, or parses
rules, may afford that."""

from __future__ import annotations

from classhook.measures import NAMES, SHARED, package, register

__all__ = ["NAMES"]

for name in SHARED:
    package(name)
register(NAMES)
