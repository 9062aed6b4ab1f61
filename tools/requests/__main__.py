"""Services and jobs of frameworks whose requests are known, with the stock rule `endpoints`: what each endpoint did, as
reports by context say.

    python -m tools.requests [NAME ...] [--jdk 17,25] [--each N] [--keep FOLDER]

Each program sends itself requests, or does jobs, and prints how often which of its methods must have run in which
context. Everything that it counts must be there, in these contexts and nowhere else; and by `time` on the framework's
classes, sums over contexts are the totals. Maven resolves the libraries.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tools.requests.check import Outcome, check
from tools.requests.programs import PROGRAMS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.requests")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)} (default: all)")
    parser.add_argument("--jdk", default="17,25", help="JDKs, by version (default: %(default)s)")
    parser.add_argument("--each", type=int, default=100, help="requests to each endpoint (default: %(default)s)")
    parser.add_argument("--keep", type=Path, help="keep classes and data in this folder")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in PROGRAMS]
    if unknown:
        parser.error(f"no such program: {', '.join(unknown)}; there are {', '.join(PROGRAMS)}")
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        for name in options.names or PROGRAMS:
            for jdk in map(int, options.jdk.split(",")):
                for variant in PROGRAMS[name].variants:
                    if variant == "virtual" and jdk < 21:
                        continue
                    outcomes.append(check(PROGRAMS[name], variant, jdk, options.each, folder))
                    print(outcomes[-1], flush=True)
    return int(any(one.wrong for one in outcomes))


if __name__ == "__main__":
    sys.exit(main())
