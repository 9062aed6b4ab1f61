"""`classhook dead`: methods that nobody calls, in production and in tests."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError
from classhook.base.names import printable
from classhook.base.terminal import say
from classhook.commands.output import add_filter, add_form, add_label, destination, to_terminal
from classhook.commands.values import number_of, offer
from classhook.reports import Options

if TYPE_CHECKING:
    from classhook.extensions.fleet.dataset.method_bodies import Bodies
    from classhook.extensions.fleet.dead.observations import Observed

FORMS = ("text", "csv", "html", "json", "sarif")
SHOWN = ("dead", "unused", "untested")

EPILOG = """\
DATA are datasets that `classhook export` wrote, data directories or data files,
with counted, timed, profiled or covered methods.

Runs that recorded tests, and runs of CI jobs, are tests; the others are
production. --tests names data of tests only; then all DATA is production's.

Groups:
  dead       neither production nor tests called them
  unused     only tests called them
  untested   production called them, and no test
  normal     both called them

Exit status:
  0  done
  1  some data is missing
  2  there is no data of production, or an argument is invalid

examples:
  classhook dead dataset
  classhook dead dataset --classes app.jar --days 90 -f html -o dead.html
  classhook dead production --tests ci-data --show dead
  classhook dead s3://measurements/fleet --label service=orders -f sarif
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", metavar="DATA", nargs="*", help=f"datasets, data directories and files (default: {DEFAULT_DATA})"
    )
    parser.add_argument("--tests", metavar="DATA", action="append", default=[], help="data of tests; may be repeated")
    add_label(parser, "--label", "of DATA, ")
    add_form(parser, FORMS)
    counted = parser.add_argument_group("what counts")
    counted.add_argument(
        "--classes",
        metavar="JAR|DIR",
        action="append",
        default=[],
        type=Path,
        help=(
            "the program as it is now: only its methods count, also those of classes that were never loaded; may be"
            " repeated"
        ),
    )
    counted.add_argument(
        "--days",
        metavar="N",
        type=number_of("days"),
        default=0,
        help="leave out methods observed for less than N days",
    )
    counted.add_argument(
        "--idle", metavar="N", type=number_of("days"), help="methods not called for N days count as unused"
    )
    add_filter(counted, "only these methods: a pattern as in rules, or a part of a name")
    counted.add_argument(
        "--except",
        dest="excepts",
        metavar="PATTERN",
        action="append",
        default=[],
        help="not these methods; may be repeated",
    )
    counted.add_argument(
        "--sources",
        metavar="DIR",
        action="append",
        default=[],
        type=Path,
        help="the sources, for paths in html and sarif",
    )
    rows = parser.add_argument_group("rows")
    show = rows.add_argument(
        "--show", metavar="GROUP,...", default=",".join(SHOWN), help="groups to list (default: dead,unused,untested)"
    )
    offer(show, _groups)
    rows.add_argument(
        "--top",
        metavar="N",
        type=number_of("rows"),
        default=30,
        help="methods of each group, in text (default: 30; 0: all)",
    )


def _groups() -> list[str]:
    from classhook.extensions.fleet.dead.verdicts import GROUPS

    return list(GROUPS)


def execute(args: argparse.Namespace) -> int:
    from classhook.extensions.fleet.dataset.method_bodies import Bodies
    from classhook.extensions.fleet.dead.forms import FORMS as forms
    from classhook.extensions.fleet.dead.observations import Observed
    from classhook.extensions.fleet.dead.services import providers
    from classhook.extensions.fleet.dead.verdicts import GROUPS, verdicts
    from classhook.extensions.fleet.dead.verdicts import Options as Wishes
    from classhook.reports.filters import matcher

    groups = [word.strip() for word in args.show.split(",") if word.strip()]
    if not groups or not set(groups) <= set(GROUPS):
        raise UsageError(f"--show {args.show}: the groups are {', '.join(GROUPS)}")
    bodies = Bodies.from_paths(args.classes)  # says so if they cannot be read
    wishes = Wishes(
        args.days,
        args.idle,
        matcher(args.filter) if args.filter else None,
        matcher(args.excepts) if args.excepts else None,
        providers(args.classes),
    )
    observed = Observed()
    for text in args.tests:  # first: what is in DATA, too, is of tests
        add(observed, text, [], bodies, True)
    for text in args.data or [DEFAULT_DATA]:
        add(observed, text, args.label, bodies, False if args.tests else None)
    if not observed.runs[False]:
        raise UsageError(
            "all of this data comes from tests (runs with tests, or CI jobs): give production data; --tests DATA names"
            " test data"
        )
    found = verdicts(observed, bodies, wishes)
    if args.sources:
        from classhook.extensions.fleet.dead.paths import add_paths

        add_paths(found, args.sources)
    with destination(args) as out:
        forms[args.format](found, groups, options(args), out)
    if args.filter and not (found.found or found.excluded or found.recent or found.unseen):
        say(f"--filter {' '.join(args.filter)}: no method matches")
    for note in [*bodies.notes, *dict.fromkeys(found.notes), *([found.doubt] if found.doubt else [])]:
        say(printable(note))
    return 1 if found.notes else 0


def options(args: argparse.Namespace) -> Options:
    from classhook.commands.output import width_of

    return Options(top=args.top, width=width_of(args), terminal=to_terminal(args))


def add(observed: Observed, text: str, labels: list[str], bodies: Bodies, is_test: bool | None) -> None:
    """Adds a dataset, a data directory or a data file. Raises UsageError."""
    from classhook.api.reading import find_data
    from classhook.base.run_labels import pairs
    from classhook.extensions.fleet.dataset.storage import is_dataset, storage_at
    from classhook.extensions.fleet.dead.from_data import add_data
    from classhook.store.runs import repetitions

    if is_dataset(text):
        from classhook.extensions.fleet.dataset.queries import Dataset
        from classhook.extensions.fleet.dead.from_dataset import add_dataset

        return add_dataset(observed, Dataset(storage_at(text)), pairs(labels), is_test)
    files, missing = find_data([Path(text)], pairs(labels))
    observed.notes += missing
    add_data(observed, [run for runs in repetitions(files).values() for run in runs], bodies, is_test)
