"""The cost of a part of a program: the sums of each kind of rows."""

from __future__ import annotations

from classhook.measures.cpu.reader import CPU_SAMPLING
from classhook.measures.profile.reader import SAMPLING
from classhook.measures.tables import tables
from classhook.model.costs import COSTS, Costs
from classhook.model.snapshot import Snapshot

#: Costs that rows have under their own name, and not as their main column.
NAMED = ("calls", "bytecodes")
NAMES = {kind: name for name, kinds in COSTS.items() if name not in NAMED for kind in kinds}


def add_costs_of(row: Costs, part: Snapshot) -> None:
    """Adds them to the part's row."""
    row.cost("calls", part.summed_calls)
    both = all(CPU_SAMPLING.get(process) for process in part.processes if SAMPLING.get(process))
    twice = {"profiled"} if part.tables["cpu"] and both else set()  # the same samples
    for table in tables():
        for entry in part.tables[table.name].values():
            section = table.section(entry)
            for name in NAMED:
                if section.kind in COSTS[name]:
                    row.cost(name, getattr(entry, name))
            if section.kind in NAMES and section.kind not in twice:
                value = section.main.value(entry)
                row.cost(NAMES[section.kind], int(value) if isinstance(value, (int, float)) else None)
