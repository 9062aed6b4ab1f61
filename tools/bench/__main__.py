"""``python -m tools.bench [PART]...`` measures parts, keeps their results and prints their tables; without a
part, all, and the page.

``goals`` prints all goals, those that are met included. ``page`` writes docs/explained/performance.md from the last
results of each part, and the editor's text about costs. The results are kept in a folder `results` beside this file.
The sections of parts without results stay as they are. CLASSHOOK_BENCH_RUNS=1 quickly checks that everything works.
"""

from __future__ import annotations

import argparse
import sys

from tools.bench import costs
from tools.bench.figures import kept, measured
from tools.bench.goals import all_goals
from tools.bench.page import PARTS, PATH, page, section


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help="some of: " + " ".join([*PARTS, "goals", "page"]))
    chosen = parser.parse_args().parts or [*PARTS, "page"]
    if unknown := set(chosen) - {*PARTS, "goals", "page"}:
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}, goals and page")
    for name in chosen:
        if name == "page":
            PATH.write_text(page())
            costs.PATH.write_text(costs.renewed(PATH.read_text()))
        elif name == "goals":
            print(all_goals({part: kept(part) for part in PARTS}))
        else:
            print(f"## {name}\n\n{section(measured(name, PARTS[name].measure))}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
