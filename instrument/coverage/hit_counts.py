"""Execution counts of lines and branches, from counted hits.

A line ran as often as its most frequent instruction; copies of an instruction (`finally`, field initialisers in
constructors) add up. A branch that a filter has put in place of others ran as often as those together.
Bytecodes of a line are all that it executed, also those that filters leave out of a method's coverage.
"""

from __future__ import annotations

from classhook.coverage.counters import ClassCoverage, MethodCoverage
from classhook.coverage.filter_effects import Effects
from classhook.coverage.method_body import UNKNOWN
from classhook.coverage.propagation import Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def add_counts(method: MethodCoverage, flow: Flow, effects: Effects, hits: Sequence[int]) -> None:
    """Fills in `line_hits`, `line_bytecodes` and `branch_hits` of a method whose effects have been applied to the
    flow's branches."""
    body = flow.body
    counts, by_branch = flow.counts(hits)
    for line, count in zip(body.lines, counts, strict=False):
        if count and line != UNKNOWN:
            method.line_bytecodes[line] = method.line_bytecodes.get(line, 0) + count
    kept = effects.kept()
    for i, root in kept.items():
        if i != root:
            counts[root] += counts[i]
            for way in range(flow.branches[i]):
                more = by_branch.get(i << 16 | way, 0)
                if more:
                    by_branch[root << 16 | way] = by_branch.get(root << 16 | way, 0) + more
    for i in range(body.count):
        line = body.lines[i]
        if effects.ignored[i] or line == UNKNOWN:
            continue
        replaced = effects.replaced.get(i)
        branches: list[int] = []
        if replaced is not None:
            for pairs in replaced:
                branches.append(sum([by_branch.get(kept.get(source, source) << 16 | way, 0) for source, way in pairs]))
            count = sum(branches)
        else:
            count = counts[i]
            if flow.branches[i] > 1:
                branches = [by_branch.get(i << 16 | way, 0) for way in flow.switch_ways.get(i, range(flow.branches[i]))]
        if count > method.line_hits.get(line, -1):
            method.line_hits[line] = count
        if len(branches) > 1:
            method.branch_hits.setdefault(line, []).append(branches)


def bytecodes(classes: list[ClassCoverage]) -> dict[int, int]:
    """The bytecodes that each line of a source file executed, in all methods of its classes."""
    found: dict[int, int] = {}
    for cls in classes:
        for method in cls.methods:
            for line, count in method.line_bytecodes.items():
                found[line] = found.get(line, 0) + count
    return found


def united(classes: list[ClassCoverage]) -> tuple[dict[int, int], dict[int, list[list[int]]]]:
    """`line_hits` and `branch_hits` of a source file's classes. A line of two methods, as of a lambda, ran as often as
    in that of most."""
    lines: dict[int, int] = {}
    branches: dict[int, list[list[int]]] = {}
    for cls in classes:
        constructed: dict[int, int] = {}  # each constructor has a copy of the field initialisers
        for method in cls.methods:
            into = constructed if method.name == "<init>" else lines
            for line, count in method.line_hits.items():
                before = into.get(line, 0)
                into[line] = before + count if into is constructed else max(before, count)
            for line, more in method.branch_hits.items():
                branches.setdefault(line, []).extend(more)
        for line, count in constructed.items():
            lines[line] = max(lines.get(line, 0), count)
    return lines, branches
