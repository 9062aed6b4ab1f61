"""`classhook export`: writes runs into a dataset for a fleet, as Parquet."""

from __future__ import annotations

import argparse
from pathlib import Path

from classhook.api.reading import find_data
from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError
from classhook.base.names import printable, quantity, several
from classhook.base.progress import tracked
from classhook.base.terminal import say, show
from classhook.commands.arguments import data_paths
from classhook.commands.output import add_label

EPILOG = """\
A dataset has a folder for each table, in it a folder for each date and service,
and a file for each run: runs/date=2026-11-26/service=shop/RUN.parquet. Machines
write their runs there independently. A run that is exported again replaces its
files. docs/reference/dataset.md lists tables and columns.

Coverage keeps class files with the data, which tell whether a method was
changed since. For data without coverage, name the classes that ran.

Exit status:
  0  all runs were written
  1  some data is missing or could not be read
  2  there is no data, the dataset cannot be written, or an argument is invalid

examples:
  classhook export classhook-data -o dataset
  classhook export -o s3://measurements/fleet --classes target/classes
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", metavar="DIR|FILE", nargs="*", help=f"data directories and files (default: {DEFAULT_DATA})"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DATASET",
        required=True,
        help="a folder, or a URL that fsspec knows, such as s3://BUCKET/NAME",
    )
    parser.add_argument(
        "--classes",
        metavar="JAR|DIR",
        action="append",
        default=[],
        type=Path,
        help="the classes that ran, for hashes of methods; may be repeated",
    )
    add_label(parser, "--label")
    parser.add_argument("--quiet", action="store_true", help="print nothing but problems")


def execute(args: argparse.Namespace) -> int:
    from classhook.base.run_labels import pairs
    from classhook.extensions.fleet.dataset.method_bodies import Bodies
    from classhook.extensions.fleet.dataset.writing import export
    from classhook.store.runs import repetitions
    from classhook.store.tmpfs import move_to_disk

    if not args.output:
        raise UsageError("-o: the dataset has no name")
    if any(Path(args.output).glob("*.classhook")):
        raise UsageError(f"-o {args.output}: a data directory; a dataset needs a folder of its own")
    files, missing = find_data(data_paths(args.data), pairs(args.label))
    move_to_disk(files)
    bodies = Bodies.from_paths(args.classes)
    runs = [run for every in repetitions(files).values() for run in every]
    if not runs:
        raise UsageError("none of these files can be read: " + "; ".join(unreadable(files, set())))
    problems, written, size = [*missing, *unreadable(files, {path for run in runs for path in run.files})], 0, 0
    for one in tracked(export(runs, args.output, bodies), "writing", len(runs), args.quiet):
        written, size = written + (not one.why), size + one.bytes
        problems += [*one.notes, *([one.why] if one.why else [])]
    for problem in [*bodies.notes, *dict.fromkeys(problems)]:
        say(printable(problem))
    if not args.quiet:
        show(f"{args.output}: {several(written, 'run')}, {quantity(size)}")
    return 1 if problems else 0


def unreadable(files: list[Path], known: set[Path]) -> list[str]:
    """The reasons why files are in no run."""
    from classhook.store.opening import DataError
    from classhook.store.reading import read_file

    found = []
    for path in files:
        if path not in known:
            try:
                read_file(path)
            except DataError as error:
                found.append(str(error))
    return found
