"""The section of docs/explained/verification.md about other agents and loaders."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date

from tools.beside.cells import Cell

SECTION = "beside"  # in its markers
SHOWN = 2  # packages of classes that were not woven

TEXT = """## Beside other agents and loaders

`python -m tools.beside` wrote this section on {date}. A program runs with another agent, or with classes from
another loader, first without and then with classhook: exit status and output must be the same, the other agent must log no new
warning, and the program's own methods and allocations must be counted correctly. The rules are `count **::*`, and `time **::*` with
`alloc * in **`, so the other agents' own classes are woven, too. Only the sending of data is switched off in these agents.

*Hello* has three classes, five threads and a library. It runs by itself, from Spring Boot's executable jar, in a web application in Tomcat,
and in bundles in Felix. *ecj* compiles three files, and the calls of its {methods:,} methods are compared with a run without another agent.
classhook's agent is the first or the last of the JVM's options, with Hello also in JAVA_TOOL_OPTIONS.

JVMs: {jvms}. How many of the runs passed, with both JVMs and both sets of rules:

{table}

*Woven* is the largest number of classes that were woven in one run.

### What went wrong

{problems}

### Classes that were not woven

{left}
"""


@dataclass(frozen=True, slots=True)
class Key:
    """A cell's place in the table."""

    other: str  # title of the other agent, with its version; empty if there is none
    program: str
    release: int
    rules: str
    order: str


Cells = dict[Key, Cell]


def page(cells: Cells, jvms: list[str], methods: int) -> str:
    return TEXT.format(
        date=date.today().isoformat(),
        jvms=", ".join(jvms),
        methods=methods,
        table=table(cells),
        problems=problems(cells),
        left=left(cells),
    )


def table(cells: Cells) -> str:
    """One line per other agent; one column per program."""
    programs = list(dict.fromkeys(key.program for key in cells))
    lines = ["| " + " | ".join(["other agent", *programs, "woven"]) + " |", "|---|" + "---:|" * (len(programs) + 1)]
    for other in dict.fromkeys(key.other for key in cells):
        mine = {key: cell for key, cell in cells.items() if key.other == other}
        shown = [other or "none"]
        for program in programs:
            some = [cell for key, cell in mine.items() if key.program == program]
            good = sum(not cell.problems for cell in some)
            shown.append(
                "" if not some else f"{good} of {len(some)}" if good == len(some) else f"**{good} of {len(some)}**"
            )
        shown.append(f"{max(cell.woven for cell in mine.values()):,}")
        lines.append("| " + " | ".join(shown) + " |")
    good = sum(not cell.problems for cell in cells.values())
    return "\n".join([*lines, "", f"{good} of {len(cells)} in all."])


def problems(cells: Cells) -> str:
    """The first problem of each cell that has any, equal ones grouped."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for key, cell in cells.items():
        if cell.problems:
            where = ", ".join(filter(None, (str(key.release), f"`{key.rules}`", key.order)))
            found.setdefault((key.other, key.program, "; ".join(cell.problems[:2])), []).append(where)
    lines = [
        f"- {other or 'none'}, {program}: `{what.replace('`', '')}` ({'; '.join(where)})"
        for (other, program, what), where in found.items()
    ]
    return "\n".join(lines or ["Nothing."])


def left(cells: Cells) -> str:
    """Classes that were not instrumented, by other agent, reason and package."""
    found: dict[tuple[str, str], set[str]] = {}
    for key, cell in cells.items():
        for reason, name in cell.left:
            found.setdefault((key.other or key.program, reason), set()).add(name)
    lines = []
    for (whose, reason), names in sorted(found.items()):
        packages = Counter(name.rpartition(".")[0] or "(no package)" for name in names)
        shown = [f"{package} ({n})" for package, n in packages.most_common(SHOWN)] + (
            ["..."] if len(packages) > SHOWN else []
        )
        lines.append(f"- {whose}: {len(names):,} `{reason}`, in {', '.join(shown)}")
    return "\n".join(lines or ["No class was."])
