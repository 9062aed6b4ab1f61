"""`classhook sql`: asks a dataset questions, with DuckDB."""

from __future__ import annotations

import argparse
import sys

from classhook.base.errors import UsageError
from classhook.commands.output import add_form, destination
from classhook.commands.values import number_of, offer

FORMS = ("text", "csv", "json")
LEAST = 100  # megabytes: with less, DuckDB answers nothing

EPILOG = """\
`classhook export` writes datasets. Each table is a view; without a QUERY, the
query is read from standard input, or the views are listed if there is none.
`describe methods` lists the columns of a view; docs/reference/dataset.md
explains them.

Exit status:
  0  done
  1  the query needs more memory than it may take
  2  there is no dataset, or the query is wrong

examples:
  classhook sql dataset
  classhook sql dataset "select version, count(*) from runs group by all"
  classhook sql s3://measurements/fleet -f csv < question.sql
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "dataset",
        metavar="DATASET",
        help="a folder, or a URL such as s3://BUCKET/NAME, that `classhook export` wrote to",
    )
    query = parser.add_argument(
        "query",
        metavar="QUERY",
        nargs="?",
        help="SQL; separate several statements by semicolons; the last one answers",
    )
    offer(query, _of_tables)
    add_form(parser, FORMS)
    parser.add_argument(
        "--memory",
        metavar="MB",
        type=number_of("megabytes", LEAST),
        default=1000,
        help=f"memory that DuckDB may take (default: 1000, at least {LEAST})",
    )


def _of_tables() -> list[str]:
    from classhook.extensions.fleet.dataset.tables import TABLES

    return [f"from {table.name}" for table in TABLES]


def execute(args: argparse.Namespace) -> int:
    from classhook.extensions.fleet.dataset.answers import FORMS as forms
    from classhook.extensions.fleet.dataset.queries import Dataset
    from classhook.extensions.fleet.dataset.storage import storage_at

    dataset = Dataset(storage_at(args.dataset), args.memory)
    query = (
        args.query if args.query is not None else "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    )
    if args.query is not None and not query.strip():
        raise UsageError("the query is empty; without one, the views are listed")
    columns, rows = dataset.answer(query) if query.strip() else dataset.views()
    with destination(args) as out:
        forms[args.format](columns, rows, out)
    return 0
