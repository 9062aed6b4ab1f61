"""Puts measured figures into instrument/measures/costs.py, from where the editor says what a rule costs."""

from __future__ import annotations

import re

from classhook.measures.costs import BY_CLAUSE, BY_WORD
from tools.bench.common import ROOT

PATH = ROOT / "instrument" / "measures" / "costs.py"
FIGURE = re.compile(r"-?\d[\d.]* ns|x\d[\d.]*")


def renewed(page: str) -> str:
    """The module's text with the figures of this page, docs/explained/performance.md; where the page lacks a row, the
    figure stays."""
    lines = PATH.read_text().splitlines(keepends=True)
    for cost in [*BY_WORD.values(), *BY_CLAUSE.values()]:
        _, _, cells = next((line for line in page.splitlines() if cost.row in line), "").partition(cost.row)
        if found := FIGURE.search(cells):
            lines = [
                line.replace(f'"{cost.figure}"', f'"{found[0]}"') if f'"{cost.row}"' in line else line for line in lines
            ]
    return "".join(lines)
