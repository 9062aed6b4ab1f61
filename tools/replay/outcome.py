"""Outcomes of replays: what was selected for each commit, kept as JSON beside this file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

from classhook.extensions.selection.changes import compare
from classhook.extensions.selection.deciding import class_of, select
from classhook.extensions.selection.hierarchy import Hierarchy
from classhook.extensions.selection.observed import Observed, observed
from classhook.extensions.selection.program import read_program
from classhook.extensions.selection.recording import Recording
from classhook.model.reading.files import data_files, read
from tools.replay.cases import Base, Case, Replay
from tools.replay.history import short

RESULTS = Path(__file__).parent / "results"


@dataclass(slots=True)
class Row:
    """A commit or bug. `tests`: all that there are; `ran`: those that ran a method which changed; `selected`; `of_time`:
    the selected tests' share of the time, 0 to 1; `failing`: the number that fail with it, but not before;
    `missed`: those of them that were not selected; `every`: why all tests are selected, empty if they are not."""

    commit: str
    day: str
    title: str
    base: str
    tests: int
    ran: int
    selected: int
    of_time: float
    failing: int
    missed: list[str] = field(default_factory=list)
    every: str = ""


@dataclass(slots=True)
class Outcome:
    """A project. `dropped`: how many commits do not count, by reason."""

    rows: list[Row]
    dropped: dict[str, int]
    day: str = field(default_factory=lambda: date.today().isoformat())

    @property
    def missed(self) -> list[tuple[Row, str]]:
        return [(row, name) for row in self.rows for name in row.missed]


def compared(replay: Replay, cases: Sequence[Case]) -> Outcome:
    """Selects tests for commits that were replayed, with the present code."""
    rows, dropped = list[Row](), dict[str, int]()
    by_base: dict[str, list[Case]] = {}
    for case in cases:
        if case.dropped:
            dropped[case.dropped] = dropped.get(case.dropped, 0) + 1
        else:
            by_base.setdefault(case.base, []).append(case)
    for number, some in by_base.items():
        base = replay.base(replay.history.commit(number))
        known = replay.recorded(base)
        what_ran = ran(base)
        rows += [row(replay, case, known, what_ran) for case in some]
    return Outcome(rows, dropped)


def ran(base: Base) -> Observed:
    """The methods that ran in each test."""
    found, program = Observed(), read_program(base.built.roots)
    for file in data_files([base.folder / "data"]):
        found.add(observed(read([file], suggest=False, exact_tree=False), program.classes))
    return found


def row(replay: Replay, case: Case, known: Recording, what_ran: Observed) -> Row:
    program = read_program(replay.classes(case).roots)
    found = select([known], program, [], [case.files])
    changed = compare(known, program, Hierarchy(program.classes), frozenset()).bodies.keys()
    direct = sum(not changed.isdisjoint(test.ran) for test in what_ran.tests.values())
    classes = {class_of(name) for name in found.reasons}
    missed = [
        name
        for name in case.failed
        if name not in found.reasons and not (name.endswith("#*") and class_of(name) in classes)
    ]
    return Row(
        case.name,
        case.day,
        case.title,
        short(case.base),
        len(found.known),
        direct,
        len(found.reasons),
        round(found.share_of_time, 4),
        len(case.failed),
        missed,
        (found.anything or [""])[0],
    )


def kept_as(name: str, kind: str) -> str:
    """The name under which the results of a library are kept. `kind`: of the changes, empty if they are applied."""
    return "-".join(filter(None, (name, kind)))


def keep(name: str, outcome: Outcome) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(asdict(outcome), indent=1) + "\n")


def kept(name: str) -> Outcome | None:
    file = RESULTS / f"{name}.json"
    if not file.exists():
        return None
    found = json.loads(file.read_text())
    return Outcome(**{**found, "rows": [Row(**one) for one in found["rows"]]})
