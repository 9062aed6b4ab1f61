"""Rules that are paused: compiled rules keep their text, and agents leave them out."""

from __future__ import annotations

from classhook.rules.compiled import split_fields
from classhook.rules.parse import parse_text
from classhook.rules.syntax import Rule


def paused_in(text: str) -> list[tuple[int, Rule]]:
    """The rules of a compiled text that are paused, and their places."""
    found = []
    for line in text.split("\n"):
        if line.startswith("paused\t"):
            _, place, origin, number, statement = split_fields(line)
            for further, rule in enumerate(parse_text(statement, origin)):  # those that it stands for follow it
                rule.line = int(number)
                found.append((int(place) + further, rule))
    return found
