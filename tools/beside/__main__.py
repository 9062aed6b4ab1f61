"""`python -m tools.beside`: runs programs with other agents and loaders, without and with classhook's agent;
writes a section of docs/explained/verification.md.

1. Jars come from Maven Central once and are kept with the tests' cache; programs are built from java/ beside this file.
2. cells.py defines a cell and how it is judged. With Hello, classhook's agent comes first and last, as a JVM option and
   in JAVA_TOOL_OPTIONS; with other programs, first and last as an option.
3. A run that hangs is ended after two minutes; all runs take half an hour.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tools.bench.figures import BenchError
from tools.beside.agents import AGENTS
from tools.beside.cells import RULES, Ran, execute, judged, with_ours
from tools.beside.page import SECTION, Cells, Key, page, problems, table
from tools.beside.programs import PROGRAMS, Program, Workshop
from tools.corpus import machines
from tools.corpus.__main__ import PAGE
from tools.corpus.machines import Machine
from tools.sections import with_section

RELEASES = (17, 25)
OPTIONS = ("ours first", "ours last")
EVERYWHERE = (*OPTIONS, "ours first in JAVA_TOOL_OPTIONS", "ours last in JAVA_TOOL_OPTIONS")


def orders(other: str, program: str) -> tuple[str, ...]:
    if not other:
        return ("",)
    return EVERYWHERE if program == "hello" else OPTIONS


def alone(java: Machine, program: Program, scratch: Path) -> dict[str, int]:
    """The counts of the program's methods without another agent. Raises BenchError."""
    if program.calls is not None:
        return program.calls
    ran = with_ours(java.java, RULES["count"], scratch, [], program.words)
    if ran.status != 0:
        raise BenchError(f"{program.title} ended with {ran.status}: {' '.join(ran.stderr)[-300:]}")
    return {name: n for name, n in ran.calls().items() if name.startswith(program.package)}


def run(
    cells: Cells, java: Machine, other: str, name: str, program: Program, expected: dict[str, int], scratch: Path
) -> None:
    """Runs all cells of a program and another agent on a JVM. Raises BenchError."""
    agent = AGENTS.get(other)
    words = agent.words(scratch) if agent else []
    title = f"{agent.title} {agent.version}" if agent else ""
    bare: list[Ran] = [execute(java.java, [*words, *program.words]) for _ in range(2)]
    if any(one.status != 0 for one in bare):
        raise BenchError(
            f"{program.title} beside {other or 'nobody'} ended with {bare[0].status} bare:"
            f" {' '.join(bare[0].stderr)[-300:]}"
        )
    for kind, rules in RULES.items():
        for order in orders(other, name):
            start = time.monotonic()
            ours = with_ours(java.java, rules, scratch, words, program.words, order or "ours first")
            cell = judged(program, expected, bare, ours, allocations="alloc" in kind)
            cells[Key(title, program.title, java.release, kind, order)] = cell
            verdict = "; ".join(cell.problems) or f"same, {cell.woven:,} classes woven, {len(cell.left)} left"
            print(
                f"{time.monotonic() - start:5.1f} s  {title or 'nobody':22} {name:7} {java.release} {kind:12}"
                f" {order:32} {verdict}",
                flush=True,
            )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.beside", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-a", "--agent", action="append", choices=["nobody", *AGENTS], help="only beside this one")
    parser.add_argument("-p", "--program", action="append", choices=PROGRAMS, help="only this program")
    parser.add_argument("-j", "--jvm", action="append", type=int, choices=RELEASES, help="only on this JVM")
    parser.add_argument("-o", "--output", type=Path, help=f"the page; {PAGE.name} is written only when all run")
    chosen = parser.parse_args()
    others = ["" if name == "nobody" else name for name in chosen.agent or ["nobody", *AGENTS]]
    found = {release: machines.machine(release) for release in chosen.jvm or RELEASES}
    absent = [
        f"no Java {release}: name one in CLASSHOOK_TEST_JAVA_{release}"
        for release, java in found.items()
        if java is None
    ]
    jvms = [java for java in found.values() if java is not None]
    javac = next((path for java in jvms if (path := java.java.parent / "javac").exists()), None)
    if javac is None:
        print("beside: no JDK with javac", file=sys.stderr)
        return 2
    cells: Cells = {}
    compared = 0
    scratch = Path(tempfile.mkdtemp(prefix="classhook-beside-"))
    try:
        for name in chosen.program or PROGRAMS:
            try:
                program = PROGRAMS[name](Workshop(str(javac), scratch))
                expected = {java.release: alone(java, program, scratch) for java in jvms}
                print(
                    f"{name}: {' and '.join(str(len(calls)) for calls in expected.values())} methods compared",
                    flush=True,
                )
            except BenchError as error:
                absent.append(f"{name}: {error}")
                continue
            if program.calls is None:
                compared = min(map(len, expected.values()))
            for other in others:
                for java in jvms:
                    try:
                        run(cells, java, other, name, program, expected[java.release], scratch)
                    except BenchError as error:
                        absent.append(f"{name} beside {other or 'nobody'} on {java.release}: {error}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"\n{table(cells)}\n\n{problems(cells)}")
    for text in absent:
        print(f"beside: {text}", file=sys.stderr)
    everything = not (chosen.agent or chosen.program or chosen.jvm or absent)
    output = chosen.output or (PAGE if everything else None)
    if output:
        text = page(in_order(cells), [java.version() for java in jvms], compared)
        output.write_text(with_section(output.read_text() if output.exists() else "", SECTION, text))
    return 1 if absent or any(cell.problems for cell in cells.values()) else 0


def in_order(cells: Cells) -> Cells:
    """Sorted by other agent, then in the order in which they ran."""
    ranks = {title: at for at, title in enumerate(dict.fromkeys(key.other for key in cells))}
    return dict(sorted(cells.items(), key=lambda item: ranks[item[0].other]))


if __name__ == "__main__":
    sys.exit(main())
