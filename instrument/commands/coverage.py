"""`classhook coverage`: shows which code ran, in its own forms and those of other tools."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from classhook.api.reading import Recorded, read_data
from classhook.api.recording import DEFAULT_DATA
from classhook.base.errors import UsageError
from classhook.base.names import printable
from classhook.base.run_labels import pairs
from classhook.base.terminal import say
from classhook.commands import coverage_tests
from classhook.commands.arguments import data_paths, selection
from classhook.commands.output import (
    JACOCO,
    add_filter,
    add_label,
    add_output,
    add_watch,
    destination,
    repeated,
    to_terminal,
    without_collections,
)
from classhook.commands.values import number_of
from classhook.model.snapshot import Snapshot
from classhook.reports.coverage import Whole, Wishes
from classhook.reports.coverage.not_run import complaints, not_run
from classhook.reports.coverage.recorded import Request, recorded_coverage
from classhook.reports.coverage.thresholds import NEW, parse, shortfalls
from classhook.reports.filters import Matches
from classhook.reports.forms import COVERAGE, forms

EPILOG = """\
Adds up all data files and directories given, also JaCoCo's .exec files. A rule
such as 'cover com.acme.**' records coverage.

Exit status:
  0  all data was read, and no counter is below --fail-under
  1  some data is missing (the report says what), there is no coverage, a
     counter is below --fail-under, no test ran the code that --ran names, or
     a source file of --changes is not the version that ran
  2  there is no data, or an argument is invalid

examples:
  classhook coverage                          what is in classhook-data/
  classhook coverage -f html -o coverage.html --classes target/classes \\
      --only --sources src/main/java
  classhook coverage -f jacoco-xml -o jacoco.xml --fail-under line=80,branch=70
  classhook coverage -f github --changes origin/main...HEAD --fail-under new=90
  classhook coverage -f html --classes target/classes jacoco.exec
  classhook coverage --by test                what each test covers
  classhook coverage after --since before     lines no longer covered
  classhook coverage --ran Shop.java:21       which tests ran this line
"""

#: The options that say what counts, and how much is enough.
OPTIONS: dict[str, dict[str, Any]] = {
    "--classes": {
        "metavar": "[GROUP=]JAR|DIR",
        "action": "append",
        "default": [],
        "help": (
            "also count these classes if they were never loaded; GROUP: show them together under this name (default:"
            " only those in target/classes, build/classes/*/main and the like, if some of them ran)"
        ),
    },
    "--only": {"action": "store_true", "help": "count only the classes in --classes (not tests or generated classes)"},
    "--sources": {
        "metavar": "DIR|JAR",
        "action": "append",
        "default": [],
        "type": Path,
        "help": "the sources, whose lines reports show; a parent folder is enough",
    },
    "--changes": {
        "metavar": "COMMITS",
        "help": (
            "also show how many of the lines changed by these commits are covered; COMMITS as for git diff, such as"
            " origin/main...HEAD"
        ),
    },
    "--fail-under": {
        "metavar": "NAME=P,...",
        "help": (
            "exit with status 1 if coverage is below a percentage, such as line=80,branch=70,new=90 (new: lines changed"
            " by --changes)"
        ),
    },
    "--strict": {
        "action": "store_true",
        "help": "leave out branches that can never be reached, even where JaCoCo counts them",
    },
    "--title": {
        "metavar": "TEXT",
        "default": "",
        "help": "the report's title (default: the program; in jacoco-xml and csv: classhook)",
    },
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data", metavar="DIR|FILE", nargs="*", help=f"data, or JaCoCo's .exec files (default: {DEFAULT_DATA})"
    )
    add_output(parser, forms(COVERAGE))
    add_label(parser, "--label")
    add_watch(parser)
    counted = parser.add_argument_group("what counts")
    for name, how in OPTIONS.items():
        counted.add_argument(name, **how)
    parser.add_argument(
        "--since",
        metavar="OLDER",
        type=Path,
        help="show what changed since this older data: lines that are no longer covered, and those that now are",
    )
    counted.add_argument("--diff", metavar="COMMITS", dest="no_diff", help=argparse.SUPPRESS)  # as other tools call it
    coverage_tests.add_arguments(parser)
    rows = parser.add_argument_group("rows of text")
    rows.add_argument("--all", action="store_true", help="show all source files, also those that are wholly covered")
    add_filter(rows, "count only these methods, in text and json: a pattern as in rules, or a part of a name")
    rows.add_argument(
        "--top", metavar="N", type=number_of("rows"), default=30, help="source files in text (default: 30; 0: all)"
    )


def execute(args: argparse.Namespace) -> int:
    paths = data_paths(args.data)
    return repeated(args, paths, lambda: report(args, paths)) if args.watch else report(args, paths)


def report(args: argparse.Namespace, paths: list[Path]) -> int:
    """One report; the exit status."""
    without_collections()
    if getattr(args, "no_diff", None):
        raise UsageError(f"coverage has no option --diff; did you mean --changes {args.no_diff}?")
    check(args)
    chosen = selection(args.filter)
    request, limits = request_of(args, chosen.matches)
    own, exec_files = split_files(paths)
    coverage_tests.check(args, exec_files)
    if args.since is not None:
        return changed(args, request, own, exec_files, limits)
    recorded = read_data(own, pairs(args.label)) if own else Recorded(Snapshot(), [], [])
    recorded = coverage_tests.prepare(args, request, recorded)
    chosen.apply(recorded.snapshot)
    if args.ran is not None:
        return coverage_tests.answer(args, request, recorded)
    return show(args, request, limits, recorded, exec_files)


def show(
    args: argparse.Namespace, request: Request, limits: dict[str, float], recorded: Recorded, exec_files: list[Path]
) -> int:
    """Writes the report of data that was read; the exit status."""
    whole = recorded_coverage(request, recorded.files, recorded.snapshot, exec_files)
    with destination(args) as out:
        request.format.report(whole, request.wishes, out)
    for complaint in recorded.complaints:  # no counts are missing
        say(complaint)
    if args.filter and not any(whole.counters):
        say(f"--filter {' '.join(args.filter)}: no covered class has a method that matches")
    for note in [
        *recorded.snapshot.notes,
        *(note for process in recorded.snapshot.processes for note in process.notes),
    ]:
        say(printable(note))
    unknown = not_run(whole, request.wishes.changes) if request.wishes.changes is not None else []
    for complaint in complaints(unknown):
        say(printable(complaint))
    return judged(whole, limits) or (0 if recorded.snapshot.complete and not unknown else 1)


def changed(
    args: argparse.Namespace, request: Request, own: list[Path], exec_files: list[Path], limits: dict[str, float]
) -> int:
    """Reports the changes since --since; the exit status."""
    from classhook.reports.coverage import since

    given = [f"--{name}" for name in ("by", "test", "ran", "changes") if getattr(args, name) not in (None, "")]
    if args.format not in since.FORMS or given:
        raise UsageError(f"--since compares in text or json; leave out {given[0] if given else f'-f {args.format}'}")
    request.module = since  # type: ignore[assignment]  # whose pieces are those of two reports
    older, older_exec = split_files([args.since])
    sides = []
    for data, files, labels in ((older, older_exec, {}), (own, exec_files, pairs(args.label))):
        recorded = read_data(data, labels) if data else Recorded(Snapshot(), [], [])
        selection(args.filter).apply(recorded.snapshot)
        sides.append(recorded_coverage(request, recorded.files, recorded.snapshot, files))
    with destination(args) as out:
        since.FORMS[args.format](since.changes(*sides), request.wishes, out)
    for note in sides[0].notes:
        say(printable(f"before: {note}"))
    return judged(sides[1], limits) or (0 if sides[0].complete else 1)


def judged(whole: Whole, limits: dict[str, float]) -> int:
    """Prints the notes, and the counters below --fail-under; the exit status."""
    low = shortfalls(whole, limits)
    for note in whole.notes:
        say(printable(note))
    for line in low:
        say(line)
    return 1 if low or not whole.complete else 0


def split_files(paths: list[Path]) -> tuple[list[Path], list[Path]]:
    """Our data, and JaCoCo's data files."""
    return [path for path in paths if path.suffix != JACOCO], [path for path in paths if path.suffix == JACOCO]


def check(args: argparse.Namespace) -> None:
    """Raises UsageError if methods are chosen for a form that has none."""
    if args.filter and args.format not in ("text", "json"):
        raise UsageError(
            f"--filter: -f {args.format} always shows all coverage; choose classes with rules, --classes and --only"
        )


def request_of(args: argparse.Namespace, matches: Matches | None) -> tuple[Request, dict[str, float]]:
    """The request in the arguments, and the least coverage that they accept. Raises UsageError."""
    limits = parse(args.fail_under) if args.fail_under is not None else {}
    if NEW in limits and not args.changes:
        raise UsageError(
            "--fail-under new=... limits the coverage of changed lines: name the commits, such as --changes"
            " origin/main...HEAD"
        )
    if args.only and not args.classes:
        raise UsageError("--only counts only the classes in --classes: name them, such as --classes target/classes")
    if args.format == "github" and not args.changes:
        raise UsageError("-f github annotates changed lines: name the commits, such as --changes origin/main...HEAD")
    wishes = Wishes(args.title, args.all, 0 if args.all else args.top, to_terminal(args), args.strict, matches=matches)
    if args.sources:
        from classhook.reports.coverage.sources import Sources

        wishes.sources = Sources(args.sources)
    if args.changes is not None:
        from classhook.reports.coverage.changes import read as changes

        wishes.changes = changes(args.changes)
        wishes.commits = args.changes
    form = args.format if args.format in forms(COVERAGE) else "text"
    return Request(form, wishes, [_grouped(text) for text in args.classes], args.only, found=built), limits


def built() -> list[Path]:
    """The folders of the program's own classes, without tests, into which build tools compile, below the working
    directory."""
    from classhook.base.built_folders import find

    folders = (path for path in find(Path.cwd()) if "resources" not in path.parts[-2:])
    return [path for path in folders if not any("test" in part.lower() for part in path.parts[-2:])]


def _grouped(text: str) -> tuple[str, Path]:
    """`core=core/target/classes` as a group and a path. The name of a group has no `/`, so `./a=b` is a path."""
    group, equals, path = text.partition("=")
    return (group, Path(path)) if equals and "/" not in group else ("", Path(text))
