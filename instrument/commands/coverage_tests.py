"""Options of `classhook coverage` for tests and other contexts: --by, --test, --ran."""

from __future__ import annotations

import argparse
from pathlib import Path

from classhook.api.reading import Recorded
from classhook.base.errors import UsageError
from classhook.base.names import printable
from classhook.base.terminal import say
from classhook.commands.output import deliver
from classhook.measures.context.reader import CONTEXTS
from classhook.model.snapshot import Snapshot
from classhook.reports.contexts import in_context
from classhook.reports.coverage.recorded import Request, recorded_coverage
from classhook.reports.json_rows import text_of

TEST = "test"
#: Forms that are about tests, and have all of them.
OF_TESTS = ("circleci", "testwise")
#: Forms that show what each test covered.
BY = ("html", "jacoco-exec", "json", "lcov", "text", *OF_TESTS)
NAMES_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tests and other contexts (rules `context`, such as the stock rules `tests`)")
    group.add_argument(
        "--by",
        choices=[TEST, "context"],
        default="",
        help="show what each test, or each context, covered, and what it alone covered",
    )
    group.add_argument(
        "--test",
        metavar="NAME",
        help="show the coverage of one test: its name, or a part of it; '' for code that ran outside of all",
    )
    group.add_argument(
        "--ran", metavar="WHERE", help="list the tests that ran a line or a method: Shop.java:21, shop.Shop::place"
    )


def check(args: argparse.Namespace, exec_files: list[Path]) -> None:
    """Raises UsageError if the options cannot be combined."""
    given = [name for name in ("by", TEST, "ran") if getattr(args, name) not in (None, "")] + (
        [TEST] if args.test == "" else []
    )
    if args.format in OF_TESTS and (given not in ([], ["by"]) or (args.format == "circleci" and args.by == "context")):
        raise UsageError(f"-f {args.format} has all tests: leave out --{given[0]}")
    if len(given) > 1 and given != ["by", "ran"]:
        raise UsageError(f"--{given[0]} and --{given[1]}: give one of them")
    if exec_files and (given or args.format in OF_TESTS):
        raise UsageError(
            f"{exec_files[0]}: JaCoCo's data files do not tell tests apart; give data that was recorded with a rule"
            " `context`"
        )
    if args.ran is not None and args.format not in ("text", "json"):
        raise UsageError(f"--ran lists tests in text or json; leave out -f {args.format}")
    if args.by and args.format not in BY:
        raise UsageError(
            f"-f {args.format} has no room for tests; those that have are {', '.join(BY)}. For one test: --test NAME -f"
            f" {args.format}"
        )


def prepare(args: argparse.Namespace, request: Request, recorded: Recorded) -> Recorded:
    """Notes in the request what is wanted; returns the data that it is about. Raises UsageError."""
    request.wishes.by = args.by or (TEST if args.ran is not None or args.format in OF_TESTS else "")
    if args.test is None:
        return recorded
    request.context = context_named(recorded.snapshot, args.test)
    return recorded._replace(snapshot=in_context(recorded.snapshot, request.context))


def context_named(snapshot: Snapshot, text: str) -> str:
    """The name of the context that is meant: this one, or the only one with this in its name. Raises UsageError."""
    names: list[str] = sorted(key[0] for key in snapshot.tables[CONTEXTS.name])
    parts = [name for name in names if text in name]
    if text in names or not text or not parts:
        return text
    if len(parts) > 1:
        more = f" and {len(parts) - NAMES_SHOWN:,} more" if len(parts) > NAMES_SHOWN else ""
        raise UsageError(
            f"--test {text}: {len(parts):,} tests have that in their names:"
            f" {', '.join(map(printable, parts[:NAMES_SHOWN]))}{more}"
        )
    return parts[0]


def answer(args: argparse.Namespace, request: Request, recorded: Recorded) -> int:
    """The tests that ran a line or method, one in each line; the exit status. Raises UsageError, Failure."""
    from classhook.reports.coverage.ran import Wanted, as_dict

    whole = recorded_coverage(request, recorded.files, recorded.snapshot, [])
    found = whole.by_test
    assert found is not None
    wanted = Wanted(args.ran, found)
    tests = wanted.tests(found)
    lines = [printable(one.name) for one in tests] if args.format == "text" else [text_of(as_dict(wanted, found))]
    deliver(args, "".join(f"{line}\n" for line in lines).encode())
    for note in whole.notes:
        say(printable(note))
    if not tests:
        say(
            f"no {found.by} ran {printable(args.ran)}"
            + ("; it ran outside of them" if wanted.by(found.outside) else "")
        )
    return 0 if tests else 1
