"""What options take: times as users write them, 500ms, 2s, 5m, 1h, and numbers within limits."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


def seconds(text: str) -> float:
    """An argument that is a time."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
    if not found or float(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write 500ms, 30s, 5m or 1h")
    return float(found[1]) * UNITS[found[2]]


def number_of(what: str, least: int = 0) -> Callable[[str], int]:
    """An argument that is a number of rows, files and the like."""

    def number(text: str) -> int:
        found = int(text)
        if found < least:
            raise ValueError(text)
        return found

    number.__name__ = f"number of {what}"  # argparse says "invalid number of rows value: ..."
    return number


def percentage(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 100:
        raise ValueError(text)
    return number
