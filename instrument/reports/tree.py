"""The call tree as indented text: each path with its total and self time; what is below a part of the whole is left out and counted."""

from __future__ import annotations

from typing import TextIO

from instrument.data.calls import Call
from instrument.data.rows import Snapshot
from instrument.names import method_label, time_label
from instrument.reports import Options
from instrument.reports.paths import CLOCKS, UNITS, chosen, clock, totals

DEEPEST = 60


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes a line for each call of options.cut percent of all time, or more."""
    tree, by = chosen(snapshot, options), clock(snapshot, options)
    root = tree.root(snapshot)
    weight, sums = CLOCKS[by], totals(root, by)
    calls = max((len(f"{call.calls:,}") for call, entered in root.walk() if entered), default=0) if tree.exact else 0
    calls = max(calls, len("calls")) + 2 if tree.exact else 0
    whole = sums[id(root)] - weight(root)
    least = 0 if options.all else whole * options.cut / 100
    out.write(f"{UNITS[by]}: {time_label(whole).strip()} {tree.where}\n\n")
    out.write(f"   total               self{'calls':>{calls}}  method\n" if tree.exact else "   total               self  method\n")
    todo: list[tuple[Call | str, int]] = [(root, -1)]
    while todo:
        call, depth = todo.pop()
        if isinstance(call, str):
            out.write(f"{'':{26 + calls}}{indented(depth)}{call}\n")
            continue
        if call.method is not None:
            total = sums[id(call)]
            share = f"{100 * total / whole:5.1f}%" if whole else "     -"
            number = f"{call.calls:>{calls},}" if tree.exact else ""
            out.write(f"{time_label(total):>8}  {share}  {time_label(weight(call)):>7}{number}  {indented(depth)}{method_label(*call.method)}\n")
        called = sorted(call.children.values(), key=lambda one: (-sums[id(one)], one.method or ()))
        shown = [one for one in called if sums[id(one)] >= least]
        rest = sum(sums[id(one)] for one in called[len(shown) :])
        if rest:
            todo.append((f"{len(called) - len(shown):,} more, {time_label(rest).strip()} together", depth + 1))
        todo += [(one, depth + 1) for one in reversed(shown)]
    if least:
        out.write(f"\ncalls below {options.cut:g}% are summed up; --cut 0 shows all\n")


def indented(depth: int) -> str:
    """The place in front of a method; below a depth that nobody can see, its number."""
    return "  " * depth if depth <= DEEPEST else "  " * DEEPEST + f"[{depth}] "
