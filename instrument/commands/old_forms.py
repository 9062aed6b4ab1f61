"""Old forms of `classhook report` that still work: coverage and comparisons, which have commands of their own now.

A message on stderr says what to write instead.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from classhook.commands import coverage
from classhook.commands.arguments import split_arguments
from classhook.errors import UsageError
from classhook.model.snapshot import Snapshot
from classhook.reports.filters import is_pattern
from classhook.reports.forms import COVERAGE, TABLES_AND_TREES, forms
from classhook.terminal import say

OPTIONS = {"--diff" if name == "--changes" else name: how for name, how in coverage.OPTIONS.items()}
ONLY_COVERAGE = forms(COVERAGE).keys() - TABLES_AND_TREES.keys()
EITHER = ("csv", "html")  # forms that show coverage or tables, not both
FLAGS = ("--all", "--only", "--strict", "--wide")
LIMITED = (
    "--fail-if of `report` is about methods: 'calls of java.sql.**::execute* > 10 by test'; changes between two sets of data are limited by "
    "classhook diff BEFORE AFTER --fail-if 'self > +10%'"
)
#: The options of `report` that the new commands have, too.
SHARED = ("-o", "--output", "--filter", "--all", "--top")
TAKEN = {
    "coverage": (*SHARED, "--watch", *OPTIONS),
    "diff": (*SHARED, "--group", "--sort", "--columns", "--wide", "--fail-if"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the old options, without showing them in the help."""
    for name, how in OPTIONS.items():
        parser.add_argument(name, dest=_destination(name), **{**how, "help": argparse.SUPPRESS})


def _destination(option: str) -> str:
    return "changes" if option == "--diff" else option.removeprefix("--").replace("-", "_")


def given(args: argparse.Namespace, without: Sequence[str] = ()) -> bool:
    """Whether an option of coverage was given."""
    return any(getattr(args, _destination(name)) not in (None, False, "", []) for name in OPTIONS if name not in without)


def needs_coverage(args: argparse.Namespace) -> bool:
    """Whether an option was given that makes no sense without coverage."""
    return given(args, without=("--strict", "--title"))


def command_for(args: argparse.Namespace) -> Callable[[], int] | None:
    """The command that an old form stands for; None for a report of tables, which may also have options of coverage. Raises UsageError."""
    if args.changes is not None and os.path.lexists(args.changes):
        return _comparison(args)
    if any(" of " not in text for text in args.fail_if):
        raise UsageError(LIMITED)
    if args.changes is not None:
        _check_commits(args.changes)
    paths, patterns = split_arguments(args.words)
    exec_files = coverage.split_files(paths)[1]
    needed = args.format in ONLY_COVERAGE or needs_coverage(args) or exec_files
    if needed or given(args):
        _say_new_form(args, "coverage")
        if needed and (args.format in ONLY_COVERAGE or args.format in EITHER):
            args.test, args.ran, args.since = args.context, None, None
            args.data, args.filter = [os.path.join(".", path) for path in paths], [*args.filter, *patterns]
            return lambda: coverage.execute(args)
    if len(exec_files) == len(paths) and args.format not in forms(COVERAGE):
        raise UsageError(f"-f {args.format} does not show JaCoCo's data files; the forms of coverage are {', '.join(sorted(forms(COVERAGE)))}")
    return None


def _check_commits(commits: str) -> None:
    """Raises UsageError if --diff names neither data nor commits."""
    from classhook.reports.coverage.changes import read

    try:
        read(commits)
    except UsageError as error:
        raise UsageError(f"{error}; neither is {commits} a file or directory with data") from None


def _comparison(args: argparse.Namespace) -> Callable[[], int]:
    from classhook.commands import diff

    if args.fail_under is not None:
        raise UsageError(f"--fail-under limits coverage, but --diff {args.changes} compares data, whose limits are given by --fail-if")
    after, patterns = split_arguments(args.words)
    if args.format not in diff.FORMS:
        raise UsageError(f"-f {args.format} does not compare; classhook diff has the forms {' and '.join(diff.FORMS)}")
    _say_new_form(args, "diff")
    args.filter, args.before_label = [*args.filter, *patterns], []
    return lambda: diff.compare(args, Path(args.changes), after)


def shows_coverage(args: argparse.Namespace, snapshot: Snapshot) -> bool:
    """Whether a form that shows coverage or tables shows coverage: if any was recorded, and no tree is asked for."""
    shows = args.format in EITHER and bool(snapshot.tables["coverage"]) and not args.measure
    if shows:
        _say_new_form(args, "coverage", f"; for tables: classhook report -f {args.format} --measure time")
    return shows


def _say_new_form(args: argparse.Namespace, command: str, more: str = "") -> None:
    """Prints the new command, once."""
    if args.given:
        say(f"this form of `classhook report` is deprecated; use: {new_form(args.given, args.format, command)}{more}")
        args.given = ()


def new_form(words: Sequence[str], form: str, command: str) -> str:
    """The new command for the words after `classhook report`."""
    import shlex

    options, positional = [], []
    before = []
    for word in _parsed(words):
        name, value = word
        if not name:
            positional.append(value)
        elif _is("--diff", name) and command == "diff":
            before = [value]
        elif full := next((one for one in TAKEN[command] if _is(one, name)), ""):
            options += [full.replace("--diff", "--changes"), *([value] if full not in FLAGS else [])]
    data = before + [word for word in positional if not is_pattern(word)]
    chosen = [one for word in positional if is_pattern(word) for one in ("--filter", word)]
    shown = ["-f", form] if form != "text" and form in forms(COVERAGE) else []
    return shlex.join(["classhook", command, *data, *shown, *options, *chosen])


def _parsed(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with their values, and arguments with an empty name."""
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            yield from (("", one) for one in rest)
        elif not word.startswith("-") or word == "-":
            yield "", word
        elif not word.startswith("--") and len(word) > 2:  # -ofile
            yield word[:2], word[2:]
        elif equals or any(_is(flag, name) for flag in FLAGS):
            yield name, value
        else:
            yield name, next(rest, "")


def _is(option: str, written: str) -> bool:
    """Whether an option was written, perhaps abbreviated."""
    return option == written or (len(written) > 3 and option.startswith(written))
