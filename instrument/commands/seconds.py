"""Times as users write them: 500ms, 2s, 5m, 1h."""

from __future__ import annotations

import argparse
import re

UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


def seconds(text: str) -> float:
    """An argument that is a time."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
    if not found or float(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write 500ms, 30s, 5m or 1h")
    return float(found[1]) * UNITS[found[2]]
