"""`python -m tools.strangers [NAME]...`: runs suites that others wrote, without and with classhook, and demands the same
verdicts; writes a section of docs/explained/verification.md.

1. A suite comes from the registries of packages, or from a folder of clones that is given (`--clones`).
2. It runs bare and with each set of rules; a test with another verdict is repeated, both ways, before it counts.
3. Each difference needs an explanation in the suite's module; the status is 1 if one has none, 2 if a suite cannot be
   had or built.
4. Results are kept in results/ beside this file, a file for each suite, so that the table has all of them after each run.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tools.compare.fetching import Failed
from tools.corpus import machines
from tools.corpus.__main__ import PAGE
from tools.sections import with_section
from tools.strangers.outcome import keep, keep_whole
from tools.strangers.page import SECTION, page, table
from tools.strangers.suite import Place
from tools.strangers.suites import SUITES

RELEASES = (17, 25)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.strangers",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
        epilog="suites:\n" + "\n".join(f"  {name:12} {one.title}: {one.about}" for name, one in SUITES.items()),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these suites")
    parser.add_argument("--clones", type=Path, help="a folder with clones of the repositories that suites lie in")
    parser.add_argument("--folder", type=Path, default=Path("build/strangers"), help="where all is kept (%(default)s)")
    parser.add_argument("--jvm", action="append", type=int, help="only on this release")
    parser.add_argument("--short", action="store_true", help="a part of each that takes a minute; keeps no results")
    parser.add_argument("--more", action="store_true", help="also what takes hours, in suites that have such parts")
    parser.add_argument("--root", type=Path, help="the folder of `make next-jdks`, for tests of newer JDKs; as root")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - {*SUITES}:
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    return chosen


def main() -> int:
    chosen = arguments()
    found = {release: machines.machine(release) for release in chosen.jvm or RELEASES}
    jvms = {release: java for release, java in found.items() if java is not None}
    if not jvms:
        print("strangers: no JVM of these releases", file=sys.stderr)
        return 2
    status, began = 0, time.monotonic()
    for name in chosen.names or SUITES:
        suite, start = SUITES[name], time.monotonic()
        folder = (chosen.folder / name).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        clones, root = (given and given.resolve() for given in (chosen.clones, chosen.root))
        place = Place(folder, clones, jvms, chosen.short, chosen.more, root)
        print(f"## {suite.title}", flush=True)
        try:
            outcome = suite.run(place)
        except Failed as failed:
            print(f"strangers: {name}: {failed}", file=sys.stderr)
            status = 2
            continue
        outcome.minutes = round((time.monotonic() - start) / 60, 1)
        print(table({name: outcome}), flush=True)
        for one in outcome.unexplained:
            print(f"strangers: {name}: {one.test}: {one.what}", file=sys.stderr)
            status = status or 1
        if not chosen.short:
            keep(name, outcome)
    if not (chosen.names or chosen.jvm or chosen.short or chosen.more or status):
        keep_whole((time.monotonic() - began) / 60)
    if not chosen.short:
        PAGE.write_text(with_section(PAGE.read_text(), SECTION, page()))
    return status


if __name__ == "__main__":
    sys.exit(main())
