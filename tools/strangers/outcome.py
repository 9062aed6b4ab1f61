"""Results of a suite's run: rows of verdicts that are compared, kept as JSON beside this file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
WHOLE = RESULTS / "whole.json"
AGAIN = 2  # how often a test with another verdict is repeated, both without and with classhook


@dataclass(frozen=True, slots=True)
class Difference:
    """A test whose verdict is another with classhook; `why` is empty if nobody has explained it yet."""

    test: str
    what: str
    why: str = ""


@dataclass(slots=True)
class Row:
    """One part of a suite on one JVM with one set of rules; `tests` are those compared."""

    part: str
    jvm: str
    rules: str
    tests: int
    differences: list[Difference] = field(default_factory=list)


@dataclass(slots=True)
class Outcome:
    """A suite's result: `version` of what was fetched; `notes` say what was left out and why."""

    version: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    day: str = field(default_factory=lambda: date.today().isoformat())
    minutes: float = 0.0

    @property
    def unexplained(self) -> list[Difference]:
        return [one for row in self.rows for one in row.differences if not one.why]


def keep(name: str, outcome: Outcome) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(asdict(outcome), indent=1) + "\n")


def kept(name: str) -> Outcome | None:
    file = RESULTS / f"{name}.json"
    return read(file.read_text()) if file.exists() else None


def keep_whole(minutes: float) -> None:
    """Keeps how long all suites took together."""
    found = {"minutes": round(minutes), "day": date.today().isoformat(), "processors": os.cpu_count()}
    WHOLE.write_text(json.dumps(found, indent=1) + "\n")


def kept_whole() -> str:
    """Says how long all suites took together; empty if that is not known."""
    if not WHOLE.exists():
        return ""
    found = json.loads(WHOLE.read_text())
    return (
        f"All suites without `--more` took {found['minutes']} min on {found['processors']} processors, {found['day']}."
    )


def read(text: str) -> Outcome:
    """Reads the text that `keep` wrote."""
    found = json.loads(text)
    rows = [
        Row(**{**row, "differences": [Difference(**one) for one in row["differences"]]}) for row in found.pop("rows")
    ]
    return Outcome(**found, rows=rows)


def compared(
    bare: Mapping[str, str],
    ours: Mapping[str, str],
    explained: Mapping[str, str],
    again: Callable[[Iterable[str], bool], Mapping[str, str]] | None = None,
) -> list[Difference]:
    """The tests whose verdicts differ.

    1. A test that differs is repeated (`again(tests, with_classhook)` returns verdicts), for many suites have tests
       that fail now and then. It counts if no verdict without classhook is among those with it.
    2. `explained` maps a test's name, or the begin of it, to a sentence.
    """
    seen = {name: ({bare[name]}, {ours.get(name, "not run")}) for name in bare if ours.get(name) != bare[name]}
    for _ in range(AGAIN if again else 0):
        left = [name for name, (one, other) in seen.items() if not one & other]
        if not left or again is None:
            break
        for at, with_classhook in enumerate((False, True)):
            for name, verdict in again(left, with_classhook).items():
                seen[name][at].add(verdict)
    found = []
    for name, (one, other) in sorted(seen.items()):
        if not one & other:
            why = next((text for begin, text in explained.items() if name.startswith(begin)), "")
            found.append(
                Difference(name, f"{' or '.join(sorted(one))}, with classhook {' or '.join(sorted(other))}", why)
            )
    return found
