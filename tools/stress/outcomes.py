"""Rounds to run, and their outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Round:
    """A round to run. `seconds`: how long the program works; `options`: more of the JVM's; `limit`: of
    limits.LIMITS, with `value`."""

    java: Path
    release: int
    collector: str
    end: str
    kind: str
    seconds: float
    options: tuple[str, ...] = ()
    limit: str = ""
    value: int = 0

    def __str__(self) -> str:
        limited = f", {self.value} of {self.limit}" if self.limit else ""
        return f"{self.release} {self.collector} {self.end} {self.kind}{limited}"


@dataclass(slots=True)
class Outcome:
    """A round's outcome. `truth`: the program's numbers; `told`: the first script's; `handlers`: the second one's, one
    for each time it was run."""

    round: Round
    folder: Path
    status: int | None = None
    output: str = ""
    errors: list[str] = field(default_factory=list)
    truth: dict[str, int] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)
    handlers: list[dict[str, int]] = field(default_factory=list)
    commands: int = 0
    histograms: int = 0
    refused: list[str] = field(default_factory=list)  # what commands said that failed
    problems: list[str] = field(default_factory=list)

    def said(self, word: str) -> bool:
        return f"{word}\n" in (self.folder / "stdout").read_text(errors="replace")


def numbers(output: str, word: str) -> list[dict[str, int]]:
    """Reads `WORD NAME NUMBER` lines into a dictionary for each block of such lines; a block begins where a name comes
    again."""
    found: list[dict[str, int]] = []
    for line in output.splitlines():
        match line.split():
            case [first, name, number] if first == word and number.isdecimal():
                if not found or name in found[-1]:
                    found.append({})
                found[-1][name] = int(number)
    return found
