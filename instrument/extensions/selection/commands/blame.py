"""`classhook blame`: why tests failed, and which other test is to blame."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError
from classhook.base.names import printable
from classhook.base.terminal import say
from classhook.commands.arguments import add_built_classes, data_paths
from classhook.commands.output import add_form, deliver
from classhook.commands.values import number_of

if TYPE_CHECKING:
    from classhook.extensions.selection.blame.answer import Answer
    from classhook.extensions.selection.facts import ClassFacts

FORMS = ("json", "text")

EPILOG = """\
For each failed test of the last run, or for TEST when it last failed: its
exception, what it did differently from its last good run, the most suspicious
methods and lines, and the tests before it that may have changed static state
which it reads. The last good run is the latest one of the data, or of --since,
in which the test passed. DATA has several runs if it was recorded into several
times.

--verify runs the test alone, and after each of the likeliest others, until it
ends differently. COMMAND runs tests with Maven, Gradle or JUnit's console
launcher; for others, put {} where it takes tests, as CLASS#METHOD.

Exit status:
  0  no test failed, or with --unsteady all did the same in all runs
  1  a test failed, or is unsteady, or some data is missing
  2  there is no data, or an argument is invalid

examples:
  classhook run --tests -e 'time com.acme.**::*' \\
      -e 'cover com.acme.** hits' -- mvn test
  classhook blame
  classhook blame OrdersTest::places --since good
  classhook blame OrdersTest::places --verify -- mvn test
  classhook blame --unsteady first second
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "test",
        metavar="TEST",
        nargs="?",
        default="",
        help="the test: CLASS::METHOD, or the end of that (default: all that failed)",
    )
    parser.add_argument(
        "data", metavar="DATA", nargs="*", default=[], help=f"data directories or files (default: {DEFAULT_DATA})"
    )
    parser.add_argument(
        "--since",
        metavar="DIR",
        action="append",
        default=[],
        help="the data of earlier runs, in which tests passed; may be repeated",
    )
    add_built_classes(parser)
    add_form(parser, FORMS)
    parser.add_argument(
        "--top",
        metavar="N",
        type=number_of("rows"),
        default=10,
        help="rows of each list, in text (default: 10; 0: all)",
    )
    parser.add_argument(
        "--unsteady",
        action="store_true",
        help="show tests that do not execute the same in all runs of the data, and where",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="run the test alone, and after others, with the command behind `--`",
    )
    parser.set_defaults(passed_on=[])


def execute(args: argparse.Namespace) -> int:
    if args.test and os.path.lexists(args.test):
        args.test, args.data = "", [args.test, *args.data]
    paths = data_paths(args.data)
    if args.unsteady:
        return unsteady(args, paths)
    return blame(args, paths, data_paths(args.since) if args.since else [])


def blame(args: argparse.Namespace, paths: Sequence[Path], since: Sequence[Path]) -> int:
    """Why tests failed; the exit status."""
    from classhook.api.reading import find_data
    from classhook.base.built_folders import find
    from classhook.extensions.selection.blame.answer import answer
    from classhook.extensions.selection.blame.as_json import as_json
    from classhook.extensions.selection.blame.text import text
    from classhook.extensions.selection.program import read_program

    command = _command(args)
    roots = [Path(one).absolute() for one in args.classes] or find(Path.cwd())
    classes = read_program(roots).classes
    found = answer(find_data(paths)[0], find_data(since)[0] if since else [], classes, args.test)
    for note in found.notes:
        say(printable(note))
    if command:
        verify(found, command, classes)
    if not classes:
        say(
            "there are no classes in target/classes, build/classes/*/* and the like, so it is not known which tests"
            " change static state; give --classes DIR"
        )
    form = as_json(found) if args.format == "json" else text(found, args.top)
    deliver(args, form.encode("utf-8", "backslashreplace"))
    return 1 if found.blamed or found.notes else 0


def _command(args: argparse.Namespace) -> list[str]:
    """The command of --verify. Raises UsageError."""
    command: list[str] = args.passed_on
    if args.verify and not command:
        raise UsageError("--verify needs the command that runs the tests: --verify -- mvn test")
    if command and not args.verify:
        raise UsageError(f"{command[0]}: only --verify takes a command")
    if command:
        from classhook.extensions.selection.blame.verifying import line_of

        line_of(command, [])
    return command


def verify(found: Answer, command: Sequence[str], classes: dict[str, ClassFacts]) -> None:
    """Runs candidates with each test."""
    from classhook.extensions.selection.blame.verifying import Verifier

    verifier = Verifier(command, classes, say)
    for one in found.blamed:
        if one.order is not None:
            one.alone = verifier.verify(one.test, one.order)


def unsteady(args: argparse.Namespace, paths: Sequence[Path]) -> int:
    """Tests that differ from run to run; the exit status."""
    from classhook.api.reading import find_data
    from classhook.extensions.selection.blame import unsteady_report
    from classhook.extensions.selection.blame.runs import runs_of
    from classhook.extensions.selection.blame.unsteady import unsteady

    given = [name for name in ("test", "since", "verify") if getattr(args, name)]
    if given:
        more = "TEST" if given[0] == "test" else f"--{given[0]}"
        raise UsageError(f"--unsteady compares all tests of all runs; leave out {more}")
    runs = runs_of(find_data(paths)[0])
    found = unsteady(runs)
    make = unsteady_report.as_json if args.format == "json" else unsteady_report.text
    deliver(args, make(runs, found, args.top).encode("utf-8", "backslashreplace"))
    return 1 if found else 0
