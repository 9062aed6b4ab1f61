"""`classhook gate`: keeps a run's exact numbers in a file, and fails if a later run needs more."""

from __future__ import annotations

import argparse
from pathlib import Path

from classhook.api.reading import Recorded, read_data
from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import Failure, UsageError
from classhook.base.files import whole
from classhook.base.names import numbered
from classhook.base.run_labels import pairs
from classhook.base.terminal import say
from classhook.commands.arguments import data_paths
from classhook.commands.output import add_label
from classhook.commands.values import percentage
from classhook.reports.gate import Gate, broken, comparable, measured, read, remarks, text

STATES = {"running": "still runs", "killed": "was killed"}

EPILOG = """\
The numbers are calls (`count`), executed bytecodes (`cover ... hits exact`) and
allocated bytes (`alloc`). As long as the same class files do the same, calls
and bytecodes are the same on each machine and under each load; bytes also
depend on the JVM's layout of objects, as with heaps of 32 GB and more. FILE has
the numbers for each test (with `run --tests`), or for each context, or for the
whole run, and for each method. Commit it with the program.

`record` writes FILE. `check` compares a run with it, which needs the same rules
and as many JVMs, and names the tests and methods that need more. What needs
less, and new tests, are no reason to fail; record again to hold them, too.

Exit status:
  0  no number grew by more than --allow
  1  a number grew, or some data is missing
  2  there is no data, FILE is no gate, or an argument is invalid

examples:
  classhook run --tests -e 'cover com.acme.** hits exact' -- mvn test
  classhook gate record gate.json
  classhook gate check gate.json --allow 1%
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("record", "check"), help="write FILE, or compare with it")
    parser.add_argument("file", metavar="FILE", type=Path, help="the file that is committed")
    parser.add_argument(
        "data", metavar="DATA", nargs="*", default=[], help=f"data directories or files (default: {DEFAULT_DATA})"
    )
    parser.add_argument(
        "--allow",
        metavar="PERCENT",
        type=percentage,
        default=0.0,
        help="by how much a number of a test may grow (default: 0%%)",
    )
    add_label(parser, "--label")


def execute(args: argparse.Namespace) -> int:
    before = _read(args.file) if args.action == "check" else None
    recorded = read_data(data_paths(args.data), labels=pairs(args.label))
    gate = measured(recorded.snapshot)
    missing = [*recorded.complaints, *recorded.snapshot.notes, *_not_final(recorded)]
    for note in missing:
        say(note)
    if before is None:
        return _record(args.file, gate, bool(missing))
    try:
        comparable(before, gate)
    except UsageError as error:
        raise UsageError(f"{args.file}: {error}; record it again, or the data as it was recorded") from None
    return _check(args, before, gate, bool(missing))


def _not_final(recorded: Recorded) -> list[str]:
    """Why the numbers of some processes are not those of a whole run."""
    found = []
    for process in recorded.snapshot.processes:
        found += process.notes
        if process.end in ("running", "killed"):
            found.append(f"pid {process.pid} {STATES[process.end]}: its numbers are not final")
        elif process.since_unix_ns:
            found.append(f"pid {process.pid}: its counters were set back: its numbers are not those of the whole run")
    return found


def _record(file: Path, gate: Gate, missing: bool) -> int:
    if missing:
        raise Failure(f"{file} was not written: its numbers would be too small")
    try:
        with whole(file) as out:
            out.write(text(gate).encode())
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    say(f"{file}: {gate.what}, {numbered(len(gate.methods), 'methods')}")
    return 0


def _check(args: argparse.Namespace, before: Gate, after: Gate, missing: bool) -> int:
    lines = broken(before, after, args.allow)
    for line in [*lines, *remarks(before, after)]:
        say(line)
    if not lines:
        say(f"{after.what}: within {args.file}")
    return 1 if lines or missing else 0


def _read(path: Path) -> Gate:
    """Raises UsageError."""
    try:
        return read(path.read_text())
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist: write it first with `classhook gate record {path}`") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path} is no gate: {error}") from None
