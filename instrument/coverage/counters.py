"""Counters of methods, classes, source files, packages and bundles.

A node has six counters, missed and covered, in one list (`counters[LINE]` missed, `counters[LINE + 1]` covered), and
its lines: by number [missed instructions, covered instructions, missed branches, covered branches].
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.missed_branches import Missed

INSTRUCTION: Final = 0
BRANCH: Final = 2
LINE: Final = 4
COMPLEXITY: Final = 6
METHOD: Final = 8
CLASS: Final = 10
KINDS: Final = (
    "INSTRUCTION",
    "BRANCH",
    "LINE",
    "COMPLEXITY",
    "METHOD",
    "CLASS",
)  # in the order of reports; counter 2 * i

Counters = list[int]
Lines = dict[int, list[int]]


def nothing() -> Counters:
    """Counters of nothing."""
    return [0] * 12


def add(counters: Counters, more: Counters) -> None:
    """Adds to the first."""
    for i in range(12):
        counters[i] += more[i]


def add_lines(lines: Lines, more: Lines) -> None:
    """Adds to the first; a line of both is one line."""
    for number, four in more.items():
        known = lines.get(number)
        if known is None:
            lines[number] = four.copy()
        else:
            for i in range(4):
                known[i] += four[i]


def count_lines(counters: Counters, lines: Lines) -> None:
    """Sets LINE: a line counts if it has an instruction, and is covered if one of them is."""
    covered = 0
    missed = 0
    for four in lines.values():
        if four[1]:
            covered += 1
        elif four[0]:
            missed += 1
    counters[LINE] = missed
    counters[LINE + 1] = covered


class MethodCoverage:
    """A method's counters. Only if asked for: `missed`, the branches of lines that ran in part; how often each line
    ran, how many bytecodes it executed, and for each condition of a line, in order, each of its branches (a condition's
    false way may be either of the two; a switch's default is the first). `only_entry`: it is only known whether it was
    called.
    """

    __slots__ = (
        "branch_hits",
        "counters",
        "descriptor",
        "line_bytecodes",
        "line_hits",
        "lines",
        "missed",
        "name",
        "only_entry",
    )

    def __init__(self, name: str, descriptor: str) -> None:
        self.name: str = name
        self.descriptor: str = descriptor
        self.counters: Counters = nothing()
        self.lines: Lines = {}
        self.missed: list[Missed] = []
        self.line_hits: dict[int, int] = {}
        self.line_bytecodes: dict[int, int] = {}
        self.branch_hits: dict[int, list[list[int]]] = {}
        self.only_entry: bool = False

    @property
    def first_line(self) -> int:
        """The first line that counts; -1 if none is known."""
        return min(self.lines, default=-1)


class ClassCoverage:
    """A class's counters; the name is in internal form; `source` is empty if unknown.

    `fragments`: of Kotlin's inlined functions, by the name of the class that declares them: what was counted here of
    its lines.
    """

    __slots__ = ("counters", "fragments", "interfaces", "lines", "methods", "name", "source", "super_name")

    def __init__(self, name: str, source: str) -> None:
        self.name: str = name
        self.source: str = source
        self.super_name: str = ""
        self.interfaces: list[str] = []
        self.methods: list[MethodCoverage] = []
        self.counters: Counters = nothing()
        self.lines: Lines = {}
        self.fragments: dict[str, Lines] = {}

    @property
    def package(self) -> str:
        """The package's name in internal form; empty for the unnamed one."""
        return self.name.rpartition("/")[0]

    def total(self) -> None:
        """Adds up the methods."""
        if len(self.methods) == 1:
            self.lines = {number: four.copy() for number, four in self.methods[0].lines.items()}
        else:
            for method in self.methods:
                add_lines(self.lines, method.lines)
        for method in self.methods:
            add(self.counters, method.counters)
        count_lines(self.counters, self.lines)
        covered = self.counters[METHOD + 1] > 0
        self.counters[CLASS] = 1 if self.methods and not covered else 0
        self.counters[CLASS + 1] = 1 if covered else 0
