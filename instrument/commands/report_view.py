"""The request of `classhook report`, the data for it, and its form: arguments -> Asked -> View -> form."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

from classhook.api.reading import Recorded, read_data
from classhook.base.errors import Failure, UsageError
from classhook.base.run_labels import pairs
from classhook.base.terminal import say
from classhook.commands.arguments import selection
from classhook.commands.coverage import built
from classhook.commands.output import options_of
from classhook.model.snapshot import Snapshot
from classhook.model.snapshot_scope import Within
from classhook.reports import Options
from classhook.reports.contexts import add_contexts, add_costs, in_context
from classhook.reports.coverage import Whole, Wishes
from classhook.reports.coverage.recorded import NoCoverage, Request, recorded_coverage
from classhook.reports.fail_if import Limit, broken, parse
from classhook.reports.filters import is_pattern
from classhook.reports.forms import TABLES_AND_TREES
from classhook.reports.name_lookup import about, nearest, unmatched
from classhook.reports.selection import Selection
from classhook.reports.tests import named as named_test
from classhook.reports.threads import TABLE as THREADS
from classhook.reports.threads import add_threads, named, of_threads

WITH_COVERAGE = ("text", "json")  # forms that show tables and coverage
BY_THREAD = ("thread", "pool")  # of --by


@dataclass(slots=True)
class Asked:
    """The request in the arguments.

    patterns: names and patterns after the data, about which the report shows all that is known
    filters: the values of --filter
    selection: the rows that both choose, and how they are added up
    context, test, thread: the chosen part of the data; None: all of it
    by: the parts into which the data is divided
    """

    form: str
    options: Options
    patterns: Sequence[str]
    filters: Sequence[str]
    selection: Selection
    limits: Sequence[Limit]
    labels: Mapping[str, str]
    context: str | None
    test: str | None
    thread: str | None
    by: str

    @classmethod
    def from_arguments(cls, args: argparse.Namespace, patterns: Sequence[str]) -> Asked:
        """Raises UsageError, RuleError."""
        return cls(
            form=args.format,
            options=replace(options_of(args), clock=args.clock, measure=args.measure, cut=args.cut),
            patterns=patterns,
            filters=args.filter,
            selection=selection([*args.filter, *patterns], args.group),
            limits=[parse(text) for text in args.fail_if],
            labels=pairs(args.label),
            context=args.context,
            test=args.test,
            thread=args.thread,
            by=args.by,
        )

    @property
    def answers(self) -> bool:
        """True if the user asks for single rows, each of which has a line."""
        return bool(self.patterns) and self.form == "text"


@dataclass(slots=True)
class View:
    """The data to show. `whole`: everything that was recorded; `missing`: the patterns that match nothing; `exceeded`:
    a line for each limit; `complaints`: of data that is complete all the same."""

    whole: Snapshot
    snapshot: Snapshot
    missing: list[str] = field(default_factory=list)
    exceeded: list[str] = field(default_factory=list)
    coverage: Whole | None = None
    request: Request | None = None
    complaints: list[str] = field(default_factory=list)


def view(asked: Asked, paths: Sequence[Path]) -> View:
    """Reads the data, and chooses what of it is shown. Raises UsageError, RuleError, and Failure if the patterns match
    nothing."""
    recorded = _read(asked, paths)
    whole = recorded.snapshot
    whole.raw = asked.options.raw
    if asked.patterns:
        asked.selection = replace(asked.selection, matches=about([*asked.filters, *asked.patterns], whole))
    if asked.test is not None:
        asked.context = named_test(whole, asked.test)
    threads = named(whole, asked.thread) if asked.thread is not None else None
    found = View(whole, _part(asked, whole, threads), complaints=recorded.complaints)
    found.exceeded = broken(found.snapshot, asked.limits)
    found.missing = _missing(asked, found.snapshot)
    _divide(asked, found, threads)
    if asked.form in WITH_COVERAGE and whole.covered and (not asked.answers or found.snapshot.tables["coverage"]):
        _add_coverage(asked, found, recorded)
    return found


def _read(asked: Asked, paths: Sequence[Path]) -> Recorded:
    """The data. Where there is none, a word that was taken for a name may be data that is missing."""
    try:
        return read_data(paths, asked.labels)
    except UsageError as error:
        words = [f"{word}: no such file or directory; " for word in asked.patterns if not is_pattern(word)]
        raise UsageError("".join(words) + str(error)) from None


def _part(asked: Asked, whole: Snapshot, threads: frozenset[str] | None) -> Snapshot:
    """The part that --context, --test and --thread choose."""
    if asked.context is not None:
        return in_context(whole, asked.context, threads)
    return of_threads(whole, threads) if threads is not None else whole


def _missing(asked: Asked, snapshot: Snapshot) -> list[str]:
    """The patterns that match nothing. Raises Failure if no row is left."""
    asks = asked.answers or any(not is_pattern(word) for word in asked.patterns)
    missing = unmatched(asked.patterns, snapshot) if asks else []
    if missing and not asked.selection.has_rows(snapshot):
        raise Failure(nothing(snapshot, asked.patterns))
    if missing:
        say(nothing(snapshot, missing))
    return missing


def nothing(snapshot: Snapshot, patterns: Sequence[str]) -> str:
    """The message if nothing matches, with suggestions."""
    near = nearest(patterns, snapshot)
    nor_file = ", and there is no such file or directory" if any(not is_pattern(word) for word in patterns) else ""
    said = [f"{' '.join(patterns)}: nothing that was counted matches{nor_file}"]
    said += [f"for the file of this name write ./{pattern}" for pattern in patterns if os.path.lexists(pattern)]
    said += [f"did you mean {' or '.join(near)}?"] * bool(near)
    return "; ".join([*said, "`classhook report --all` lists all methods with counts"]).replace("?;", "?")


def _divide(asked: Asked, found: View, threads: frozenset[str] | None) -> None:
    """Adds each context or thread, if --by asks for it, and applies the selection."""
    if asked.by and asked.by not in BY_THREAD and asked.context is not None:
        raise UsageError(
            f"--by {asked.by}: one context was chosen, and it contains no others; --by thread and --by pool show"
            " threads in it"
        )
    costs = {}
    if asked.by in BY_THREAD and not asked.answers:
        within = Within(asked.context, threads)
        costs = add_threads(found.whole, found.snapshot, within, asked.selection, pools=asked.by == "pool")
    elif asked.by and not asked.answers:
        at_once = (
            asked.form == "json" and asked.selection.matches is None and not asked.selection.by
        )  # each row follows when its context is read
        if not at_once:
            add_costs(found.whole, found.snapshot, threads)
        add_contexts(found.whole, found.snapshot, threads, asked.selection.apply, costs=at_once)
    asked.selection.apply(found.snapshot)
    if costs:
        found.snapshot.tables[THREADS] = costs


def _add_coverage(asked: Asked, found: View, recorded: Recorded) -> None:
    options = asked.options
    wishes = Wishes(all=options.all, top=options.top, terminal=options.terminal, matches=asked.selection.matches)
    found.request = Request(asked.form, wishes, context=asked.context, found=built)
    try:
        found.coverage = recorded_coverage(found.request, recorded.files, found.snapshot, [])
    except NoCoverage:
        return


def write(asked: Asked, found: View, out: TextIO) -> None:
    """Writes the rows that were asked for, or the tables and trees, and the coverage in the forms that have both."""
    snapshot, coverage = found.snapshot, found.coverage
    if asked.answers:
        from classhook.reports.matched_rows import report

        report(snapshot, replace(asked.options, all=True), out)
        if coverage is not None and not asked.options.columns and any(coverage.counters):
            _write_coverage(found, out)
        return
    if coverage is not None and asked.form == "json":
        from classhook.reports.coverage.json import source_files

        snapshot.source_files = source_files(coverage)
    if snapshot.processes or asked.form == "json":
        TABLES_AND_TREES[asked.form].load().report(snapshot, asked.options, out)
    if coverage is not None and asked.form == "text":
        _write_coverage(found, out)


def _write_coverage(found: View, out: TextIO) -> None:
    if found.coverage is not None and found.request is not None:
        out.write("\n")
        found.request.format.report(found.coverage, found.request.wishes, out)
