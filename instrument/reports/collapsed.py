"""The call tree in lines of `outermost;...;innermost N`, N in microseconds: what flamegraph.pl and many others read."""

from __future__ import annotations

from typing import TextIO

from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, clock, stacks, tree

TAKEN = str.maketrans({";": ":", " ": "_"})  # they divide a line


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes a line for each path on which time was spent."""
    weight = CLOCKS[clock(snapshot, options)]
    for path, call in stacks(tree(snapshot, options)):
        if microseconds := round(weight(call) / 1000):
            out.write(
                f"{';'.join(snapshot.readable.frame(*method).translate(TAKEN) for method in path)} {microseconds}\n"
            )
