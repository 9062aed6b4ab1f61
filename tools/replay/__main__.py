"""`python -m tools.replay [NAME]...`: replays commits of libraries, and compares the tests that fail with those that
`classhook select` selects; writes a section of docs/explained/selection.md.

1. The commits come from a folder of clones (`--clones`), with or without work trees; jars come from Maven Central.
2. For each of the newest commits that change main sources, the tests are recorded before it, its changes of main
   sources and resources are applied, and all tests run. One recording serves several commits. With `--back`, the
   tests are recorded with each of the newest commits that change main sources and tests, or with a later one, and its
   changes of the former are taken back, so that its tests fail. With `--bugs`, each patch of Defects4J brings a bug
   back; then `--clones` must also have the repository of Defects4J.
3. A test counts as failing if it fails twice with the commit, and not before it. The status is 1 if one is missed, 2 if
   a library cannot be had or built.
4. Classes and data are kept, so that `--compare` needs no run; results are kept in results/ beside this file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from tools.compare.fetching import Failed, Fetcher
from tools.replay.cases import Replay
from tools.replay.changes import BACK, BUGS, Change, applied, bugs, taken_back
from tools.replay.history import History, found
from tools.replay.outcome import compared, keep, kept_as
from tools.replay.page import SECTION, listed, page, table
from tools.replay.projects import BEFORE, PROJECTS, Project
from tools.sections import with_section

PAGE = Path(__file__).parents[2] / "docs" / "explained" / "selection.md"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.replay", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"only these of {', '.join(sorted({*PROJECTS, *BEFORE}))}"
    )
    parser.add_argument("-n", "--commits", type=int, default=20, help="of each library (%(default)s); bugs: all")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument(
        "--back", action="store_const", dest="kind", const=BACK, help="take the commits back instead of applying them"
    )
    kinds.add_argument("--bugs", action="store_const", dest="kind", const=BUGS, help="bring bugs back")
    parser.add_argument("--clones", type=Path, help="a folder with clones of the repositories")
    parser.add_argument("--folder", type=Path, default=Path("build/replay"), help="where all is kept (%(default)s)")
    parser.add_argument("--compare", action="store_true", help="run nothing; compare the commits that were replayed")
    parser.add_argument("--dry", action="store_true", help="keep no results, and leave the page as it is")
    parser.set_defaults(kind="")
    chosen = parser.parse_args()
    projects = BEFORE if chosen.kind == BUGS else PROJECTS
    if unknown := set(chosen.names) - {*projects}:
        parser.error(f"no library {', '.join(sorted(unknown))}; there are {', '.join(projects)}")
    chosen.projects = [projects[name] for name in chosen.names or projects]
    return chosen


def changes(chosen: argparse.Namespace, project: Project, history: History) -> Iterable[Change]:
    """Returns the changes of a library that are replayed. Raises Failed."""
    if chosen.kind == BUGS:
        return bugs(history, project, found(chosen.clones, "rjust", "defects4j"))
    return {"": applied, BACK: taken_back}[chosen.kind](history, project, chosen.commits)


def main() -> int:
    chosen = arguments()
    status, top = 0, chosen.folder.resolve()
    for project in chosen.projects:
        name, stem = project.name, kept_as(project.name, chosen.kind)
        try:
            history = found(chosen.clones, project.owner, project.name)
            replay = Replay(project, history, Fetcher(top / "fetched"), top / stem)
            for case in () if chosen.compare else replay.run(changes(chosen, project, history)):
                said = case.dropped or f"{len(case.failed)} failing"
                print(f"{name} {case.name} {case.title}: {said}", flush=True)
            outcome = compared(replay, replay.all_kept())
        except Failed as failed:
            print(f"replay: {name}: {failed}", file=sys.stderr)
            status = 2
            continue
        print(f"{listed(outcome)}\n{table({name: outcome})}", flush=True)
        for row, test in outcome.missed:
            print(f"replay: {name}: {row.commit} missed {test}", file=sys.stderr)
            status = status or 1
        if not chosen.dry:
            keep(stem, outcome)
    if not chosen.dry:
        PAGE.write_text(with_section(PAGE.read_text(), SECTION, page()))
    return status


if __name__ == "__main__":
    sys.exit(main())
