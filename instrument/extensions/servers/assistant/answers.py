"""Answers of bounded length: the command's output, below the command that a person would type."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

MOST = 10_000  # characters
LONGEST = 400  # of a line
LONGEST_COMMAND = 2000  # of the command
#: The part of the room for the end of a long output: notes and problems stand there.
END = 0.25
PROMPT = "command: classhook "


def command(line: Sequence[str]) -> str:
    text = PROMPT + shlex.join(line)
    return text if len(text) <= LONGEST_COMMAND else f"{text[: LONGEST_COMMAND - 1]}…"


def answer(line: Sequence[str], output: str, status: int, more: str = "") -> str:
    """`more`: what a person would do to see more, if the output is cut."""
    said = [command(line), *bounded(output, more)]
    if status:
        said.append(f"(exit status {status})")
    return "\n".join(said)


def bounded(output: str, more: str = "", most: int = MOST) -> list[str]:
    """The lines of an output: the first ones and the last ones, if there are too many."""
    lines = [line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…" for line in output.rstrip().splitlines()]
    if sum(len(line) + 1 for line in lines) <= most:
        return lines
    last = _fitting(lines[::-1], int(most * END))
    first = _fitting(lines[: len(lines) - last], most - int(most * END))
    left_out = len(lines) - first - last
    cut = f"... {left_out} more lines{f'; {more}' if more else ''}"
    return [*lines[:first], cut, *lines[len(lines) - last :]]


def _fitting(lines: list[str], room: int) -> int:
    """The number of lines that fit."""
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return number
    return len(lines)
