"""The call tree as indented text: each path with its total and self time; paths below a part of the whole are left out
and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from classhook.base.names import several, time_label
from classhook.model.call_tree import Call
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, UNITS, chosen, clock, totals

DEEPEST = 60
FOLDED = 4  # calls of a chain, at least, that are shown as one line


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
    out.write(
        f"   total               self{'calls':>{calls}}  method\n"
        if tree.exact
        else "   total               self  method\n"
    )
    todo: list[tuple[Call | str, int]] = [(root, -1)]
    folded = False
    while todo:
        call, depth = todo.pop()
        if isinstance(call, str):
            out.write(f"{'':{27 + calls}}{indented(depth)}{call}\n")
            continue
        if call.method is not None:
            total = sums[id(call)]
            share = f"{100 * total / whole:5.1f}%" if whole else "     -"
            number = f"{call.calls:>{calls},}" if tree.exact else ""
            name = snapshot.readable.text(*call.method)
            out.write(
                f"{time_label(total):>8}  {share}  {time_label(weight(call)):>7}{number}  {indented(depth)}{name}\n"
            )
        hidden, last = _chain(call, sums, weight, least) if not options.all and call.method is not None else (0, call)
        if hidden >= FOLDED:
            folded = True
            todo += [(last, depth + 2), (f"... {several(hidden, 'call')}, each making only the next one", depth + 1)]
            continue
        called = sorted(call.children.values(), key=lambda one: (-sums[id(one)], one.method or ()))
        shown = [one for one in called if sums[id(one)] >= least]
        rest = sum(sums[id(one)] for one in called[len(shown) :])
        if rest:
            others = len(called) - len(shown)
            together = " together" if others > 1 else ""
            todo.append((f"{others:,} more, {time_label(rest).strip()}{together}", depth + 1))
        todo += [(one, depth + 1) for one in reversed(shown)]
    summed_up = [f"calls below {options.cut:g}% are summed up; --cut 0 shows all"] if least else []
    chains = ["chains of calls are one line; --all shows them"] if folded else []
    if summed_up or chains:
        out.write(f"\n{'; '.join(summed_up + chains)}\n")


def _chain(call: Call, sums: dict[int, int], weight: Callable[[Call], int], least: float) -> tuple[int, Call]:
    """Follows a call while it makes a single call. Returns how many calls lie on the way, which take next to nothing
    themselves, and the last one."""
    hidden = -1
    while True:
        below = [one for one in call.children.values() if sums[id(one)] or not least]
        if len(below) != 1 or sums[id(below[0])] < least or (hidden >= 0 and weight(call) > least / 10):
            return max(hidden, 0), call
        call = below[0]
        hidden += 1


def indented(depth: int) -> str:
    """The place in front of a method; below a depth that no page can show, its number."""
    return "  " * depth if depth <= DEEPEST else "  " * DEEPEST + f"[{depth}] "
