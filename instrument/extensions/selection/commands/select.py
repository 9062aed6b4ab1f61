"""`classhook select`: the tests whose outcome a change may alter."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError
from classhook.base.names import several
from classhook.base.terminal import say
from classhook.commands.arguments import add_built_classes
from classhook.commands.output import add_form, deliver

if TYPE_CHECKING:
    from classhook.extensions.selection.program import Program

FORMS = ("text", "surefire", "gradle", "bazel", "junit", "json")

EPILOG = """\
First record what each test does, with a rule that counts the program and its
tests, and keep DIR, for example in CI's cache. After a change, compile the
program and its tests, and select.

Exit status:
  0  the selection was made
  1  the classes are older than the sources
  2  there is no data, or an argument is invalid

examples:
  classhook run --tests -e 'count com.acme.**::*' -o DIR -- mvn test
  classhook select --record --data DIR
  classhook select --data DIR --why
  classhook select --data DIR -f surefire -o selected
  mvn test -Dsurefire.includesFile=selected
  gradle test $(classhook select --data DIR -f gradle)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        metavar="DIR",
        default=DEFAULT_DATA,
        help=f"the directory with the recorded tests (default: {DEFAULT_DATA})",
    )
    parser.add_argument(
        "--changes",
        metavar="BASE[..HEAD]",
        default="",
        help=(
            "the change: a commit of git up to the working tree, or up to HEAD, which must be checked out; only needed"
            " if git no longer knows the commit of the recorded tests"
        ),
    )
    add_built_classes(parser)
    add_form(parser, FORMS, "write to FILE instead of stdout; with --merge, the directory to write to")
    parser.add_argument("--why", action="store_true", help="show why each test is selected")
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--record", action="store_true", help="keep what the tests of DIR's runs did, and the program as it is now"
    )
    other.add_argument(
        "--merge",
        metavar="DIR",
        nargs="+",
        help="merge the recorded tests of several directories; the latest count",
    )


def execute(args: argparse.Namespace) -> int:
    if args.merge:
        return merge(args)
    return record(args) if args.record else select(args)


def roots(args: argparse.Namespace) -> list[Path]:
    """The folders and jars of the classes. Raises UsageError."""
    from classhook.base.built_folders import find

    found = [Path(one).absolute() for one in args.classes] or find(Path.cwd())
    if not found:
        raise UsageError(
            "there are no classes in target/classes, build/classes/*/* and the like: compile the program, or give"
            " --classes DIR"
        )
    return found


def _program(places: list[Path]) -> Program:
    """The classes there. Raises UsageError if there are none: each test would count as gone."""
    from classhook.extensions.selection.program import read_program

    found = read_program(places)
    if not found.classes:
        raise UsageError(f"no classes in {', '.join(map(str, places))}: name folders of classes, or jars, by --classes")
    return found


def record(args: argparse.Namespace) -> int:
    from classhook.api.reading import find_data
    from classhook.extensions.selection import recording_file
    from classhook.extensions.selection.record import record
    from classhook.extensions.selection.recording import newest_first

    folder = Path(args.data)
    files, missing = find_data([folder])
    for text in missing:
        say(text)
    made = record(files, _program(roots(args)), Path.cwd(), say)
    try:
        earlier = recording_file.read(folder) if (folder / recording_file.FILE).exists() else []
    except UsageError as error:  # of an older version: a new recording takes its place
        say(f"{error}; it is replaced")
        earlier = []
    kept = newest_first([made, *earlier])
    path = recording_file.write(folder, kept)
    more = sum(len(one.tests) for one in kept) - len(made.tests)
    say(f"{several(len(made.tests), 'test')} recorded in {path}" + (f"; {more:,} kept from before" if more else ""))
    return 0


def merge(args: argparse.Namespace) -> int:
    from classhook.extensions.selection import recording_file
    from classhook.extensions.selection.recording import newest_first

    if not args.output:
        raise UsageError("--merge DIR... brings data together in another directory: name it with -o DIR")
    kept = newest_first([one for folder in args.merge for one in recording_file.read(Path(folder))])
    path = recording_file.write(Path(args.output), kept)
    say(f"{several(sum(len(one.tests) for one in kept), 'test')} recorded in {path}")
    return 0


def select(args: argparse.Namespace) -> int:
    from classhook.extensions.selection import recording_file
    from classhook.extensions.selection.deciding import select
    from classhook.extensions.selection.forms import FORMS, Shown, summary
    from classhook.extensions.selection.since import other_changes

    recordings = recording_file.read(Path(args.data))
    places = roots(args)
    program = _program(places)
    own = [*places, *(Path(one).absolute() for one in (args.data, args.output) if one)]
    others = other_changes(recordings, program, Path.cwd(), args.changes, own)
    found = select(recordings, program, list(others.anything), others.files)
    if found.left_out and (kept := list(dict.fromkeys(text for one in recordings for text in one.kept))):
        say("not followed, so tests that see it may be left out: " + "; ".join(kept))
    if args.format != "text":  # what a build tool reads goes to stdout
        say(summary(found))
        for why in found.anything:
            say(f"all tests: {why}")
    deliver(args, FORMS[args.format](Shown(found, program.classes, args.why)).encode("utf-8", "backslashreplace"))
    return 0
