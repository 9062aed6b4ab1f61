"""Groups data files by run, and runs that are repetitions of each other.

1. `classhook run` gives all JVMs of a run the same name, which is in their files. Their counts add up, whatever their
   commands are.
2. A file without such a name is a run by itself, or together with files of the same program that ran at the same time
   with another command: the workers of a build. The same command at the same time is a repetition. Rotated files are of
   one process; a session is a run.
3. Runs are repetitions of each other if they have a program in common. The agent names the program
   (native/base/program_name.c); its name is the same in each run, even if the command line has a time, a port or a
   temporary file in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from classhook.store.baseline import last_time
from classhook.store.layout import command_of, text_of
from classhook.store.opening import DataError, opened, read_header


@dataclass(slots=True)
class Run:
    """Some files. `programs`, `commands`: of their JVMs; `begin`, `end`: Unix times in ns; `name`: from
    `classhook run`, empty for others."""

    files: list[Path] = field(default_factory=list)
    programs: set[str] = field(default_factory=set)
    commands: set[str] = field(default_factory=set)
    begin: int = 1 << 63
    end: int = 0
    name: str = ""

    def add(self, path: Path, header: Any, running: bool) -> None:
        command = "\0".join(command_of(header))
        self.files.append(path)
        self.commands.add(command)
        self.programs.add(text_of(header.program) or command)
        self.begin = min(self.begin, header.session_unix_ns or header.start_unix_ns)
        self.end = max(self.end, last_time(header, running))

    def absorb(self, other: Run) -> None:
        self.files += other.files
        self.programs |= other.programs
        self.commands |= other.commands
        self.end = max(self.end, other.end)

    def has_worker(self, other: Run) -> bool:
        """True if another one may be a worker of the same build."""
        return self.programs == other.programs and other.begin < self.end and not self.commands & other.commands


def repetitions(files: Iterable[Path]) -> dict[str, list[Run]]:
    """Runs that are repetitions of each other, by a program that they have in common. A file that cannot be read is
    left out."""
    named: dict[str, Run] = {}
    others: dict[tuple[int, int, int], Run] = {}
    for path in files:
        try:
            with opened(path) as (file, running):
                header = read_header(path, file, running)
        except (DataError, OSError):
            continue  # said when it is reported
        name = text_of(header.run)
        run = (
            named.setdefault(name, Run(name=name))
            if name
            else others.setdefault((header.pid, header.start_unix_ns, header.session_unix_ns), Run())
        )
        run.add(path, header, running)
    return _alike(sorted([*named.values(), *_together(others.values())], key=lambda run: run.begin))


def _together(runs: Iterable[Run]) -> list[Run]:
    """Runs of single processes: workers of the same build become one run."""
    found: list[Run] = []
    for run in sorted(runs, key=lambda run: run.begin):
        for earlier in found:
            if earlier.has_worker(run):
                earlier.absorb(run)
                break
        else:
            found.append(run)
    return found


def _alike(runs: Iterable[Run]) -> dict[str, list[Run]]:
    groups: list[tuple[set[str], list[Run]]] = []
    for run in runs:
        alike = [group for group in groups if group[0] & run.programs]
        groups = [group for group in groups if group not in alike]
        groups.append(
            (
                run.programs.union(*(programs for programs, _ in alike)),
                [one for _, every in alike for one in every] + [run],
            )
        )
    return {min(programs): every for programs, every in groups}
