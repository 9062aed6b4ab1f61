"""Unsteady tests as text, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from classhook.base.names import numbered, printable
from classhook.extensions.selection.blame.names import method
from classhook.extensions.selection.blame.runs import TestsOfRun
from classhook.extensions.selection.blame.unsteady import Unsteady, Varying


def text(runs: Sequence[TestsOfRun], found: Sequence[Unsteady], top: int) -> str:
    """A line for each test, with lines of its methods. `top`: of each test; 0: all."""
    return "\n".join(_lines(runs, found, top)) + "\n"


def _lines(runs: Sequence[TestsOfRun], found: Sequence[Unsteady], top: int) -> Iterator[str]:
    every: list[set[str]] = [{one.context for one in run.tests} for run in runs]
    in_all = every[0].intersection(*every[1:])
    tests, others = len(in_all), len(every[0].union(*every[1:]) - in_all)
    left = f"; {numbered(others, 'tests')} more did not run in all of them" if others else ""
    yield f"{len(found):,} of {numbered(tests, 'tests')} did not do the same in {numbered(len(runs), 'runs')}{left}."
    for one in found:
        ends = f": {', '.join(one.statuses)}" if len({*one.statuses}) > 1 else ""
        yield f"{printable(one.test)}{ends}"
        shown = one.varying[:top] if top else one.varying
        yield from (f"    {method(runs[0].snapshot, varying.method)}: {_numbers(varying)}" for varying in shown)
        if len(one.varying) > len(shown):
            yield f"    {len(one.varying) - len(shown):,} more methods; --top N or --top 0 shows them"


def _numbers(one: Varying) -> str:
    return f"{one.what} {', '.join(f'{n:,}' for n in one.numbers)}" if one.numbers else "other branches"


def as_json(runs: Sequence[TestsOfRun], found: Sequence[Unsteady], top: int) -> str:
    """All of them."""
    content = {
        "runs": len(runs),
        "unsteady": [
            {
                "test": one.test,
                "statuses": one.statuses,
                "methods": [
                    {"method": method(runs[0].snapshot, row.method), "what": row.what, "numbers": row.numbers}
                    for row in one.varying
                ],
            }
            for one in found
        ],
    }
    return json.dumps(content, indent=1) + "\n"
