"""The section of docs/explained/verification.md about everything at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date

from tools.stress.outcomes import Outcome

SECTION = "stress"  # in its markers

TEXT = """## Everything at once

`python -m tools.stress` wrote this section on {date}. A program allocates, locks, waits, throws, loads and unloads
classes, and starts platform and virtual threads; JVMPI and handlers are told of all events. Meanwhile threads are
suspended, stacks taken, the heap, monitors and objects dumped and garbage collected; scripts and rules are exchanged.
In other rounds, `cpu` and `profile` take samples each ms beside another profiler, with a code cache of 8 MB, -Xcheck:jni
and stack overflows. In two rounds of five the agent is attached and detached again and again. A round takes {seconds:g} s
and ends when `main` returns, by System.exit, or by SIGTERM. It has passed if the JVM ended in time with the right exit
status, nothing was lost, and the counts are the program's own and the MXBeans'.

JVMs: {jvms}.

{table}

### What was wrong

{problems}
"""

#: Column -> its counts by name, in what the first script says.
COLUMNS = {
    "method calls": ("METHOD_ENTRY",),
    "objects": ("frees",),
    "samples": ("samples",),
    "dumps": ("heap_dumps", "monitor_dumps", "OBJECT_DUMP"),
}


@dataclass(slots=True)
class Cell:
    """The rounds of one JVM with one collector."""

    rounds: int = 0
    passed: int = 0
    told: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        self.rounds += 1
        self.passed += not outcome.problems
        self.told.update(outcome.told)
        self.problems += [f"{outcome.round}: {problem}" for problem in outcome.problems]


def page(cells: dict[tuple[str, str], Cell], jvms: list[str], seconds: float) -> str:
    problems = "\n".join(f"- {text}" for cell in cells.values() for text in cell.problems) or "Nothing."
    return TEXT.format(
        date=date.today().isoformat(), jvms=", ".join(jvms), seconds=seconds, table=table(cells), problems=problems
    )


def table(cells: dict[tuple[str, str], Cell]) -> str:
    """A line for each JVM, with all collectors together."""
    heads = ["JVM", "collectors", "passed", *COLUMNS]
    lines = ["| " + " | ".join(heads) + " |", "|---:|---|" + "---:|" * (len(heads) - 2)]
    for release in dict.fromkeys(release for release, _ in cells):
        some = {collector: cell for (of, collector), cell in cells.items() if of == release}
        passed, rounds = (sum(getattr(cell, name) for cell in some.values()) for name in ("passed", "rounds"))
        told = sum((cell.told for cell in some.values()), Counter[str]())
        shown = [release, ", ".join(some), f"{passed} of {rounds}"]
        shown += [f"{sum(told[name] for name in names):,}" for names in COLUMNS.values()]
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join(lines)
