"""`python -m tools.stress`: everything at once, for minutes.

A program allocates, locks, waits, throws, loads and unloads classes, and starts platform and virtual threads. Two
scripts are told of all events, at once and queued; threads of theirs suspend and resume others, take stacks, dump the
heap, monitors and objects, collect garbage and contend for raw monitors. From outside come commands, SIGQUIT, other
scripts, rules; in some rounds `cpu` and `profile` take samples beside another profiler, and in some the agent is
attached and detached again and again. The program ends by returning, by System.exit or by SIGTERM. Then each count must
be right: the program's own numbers, the MXBeans', and the report's.

A JVM that does not end is a failure: its stacks are kept, Java's and native ones (gdb). The folders of rounds with
problems stay in the output folder.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

from tools.corpus import machines
from tools.corpus.__main__ import PAGE
from tools.sections import with_section
from tools.stress.kinds import KINDS
from tools.stress.limits import LIMITS
from tools.stress.page import SECTION, Cell, page, table
from tools.stress.rounds import COLLECTORS, ENDS, prepared
from tools.stress.series import USUAL_KINDS, Wishes, series

RELEASES = (17, 25)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.stress", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10, help="for each JVM and collector (10)")
    parser.add_argument("--round", type=float, default=40, metavar="SECONDS", help="of one JVM (40)")
    parser.add_argument("--jvm", action="append", type=int, help="only on this release")
    parser.add_argument("--gc", action="append", choices=COLLECTORS, help="only with this collector")
    parser.add_argument("--end", action="append", choices=[*ENDS], help="only with this end")
    parser.add_argument(
        "--kind",
        action="append",
        choices=[*KINDS],
        help="only rounds that run with scripts, attach them, sample, or attach to sample (tools/stress/kinds.py)",
    )
    parser.add_argument("--option", action="append", default=[], help="of the JVM, such as --option=-Xcheck:jni")
    parser.add_argument(
        "--limit",
        action="append",
        choices=[*LIMITS],
        help="run each round under one of these limits, a little above what the program needs",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, help="a folder for what has problems (a new one in /tmp)")
    parser.add_argument("--page", action="store_true", help=f"write the section of {PAGE.name}")
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    found = {release: machines.machine(release) for release in chosen.jvm or RELEASES}
    if missing := [release for release, java in found.items() if java is None]:
        print(f"stress: no Java {missing[0]}: name one in CLASSHOOK_TEST_JAVA_{missing[0]}", file=sys.stderr)
        return 2
    jvms = [java for java in found.values() if java is not None]
    javac = next((path for java in jvms if (path := java.java.parent / "javac").exists()), None)
    if javac is None:
        print("stress: none of the JVMs is a JDK with javac", file=sys.stderr)
        return 2
    output: Path = (chosen.output or Path(tempfile.mkdtemp(prefix="classhook-stress-"))).resolve()
    output.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="classhook-stress-classes-"))
    random = Random(chosen.seed)
    wishes = Wishes(
        *(chosen.minutes, chosen.round, tuple(chosen.end or ENDS), tuple(chosen.kind or USUAL_KINDS)),
        *(tuple(chosen.limit or ("",)), tuple(chosen.option)),
    )
    cells: dict[tuple[str, str], Cell] = {}
    try:
        classes = prepared(scratch, javac)
        for java in jvms:
            for collector in chosen.gc or COLLECTORS:
                cells[f"{java.release}", collector] = series(java, collector, classes, output, wishes, random)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"\n{table(cells)}")
    if chosen.page:
        text = page(cells, [java.version() for java in jvms], chosen.round)
        PAGE.write_text(with_section(PAGE.read_text(), SECTION, text))
    return 1 if any(cell.problems for cell in cells.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
