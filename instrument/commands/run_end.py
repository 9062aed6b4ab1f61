"""The end of `classhook run`: its actions and messages. Most runs need few of these, so modules that are seldom needed
are imported where they are used."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from classhook.api.recording import DEFAULT_DATA, Recording
from classhook.base import launch
from classhook.base.names import printable, several
from classhook.base.terminal import say
from classhook.base.test_words import RULE as TESTS
from classhook.rules.ruleset import RuleSet
from classhook.rules.words import weaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.model.snapshot import Snapshot

MOST_READ = 8  # data files that are searched for what a rule without matches may have meant


def finish(
    recording: Recording,
    ended: launch.Ended,
    rules: RuleSet,
    quiet: bool,
    scripted: bool = False,
    given: bool = True,
) -> None:
    """Moves the counters to the data directory, and prints where they are and which rules matched nothing. `given`:
    whether the user wrote the rules."""
    from classhook.store.rotation import is_whole
    from classhook.store.tmpfs import move_to_disk

    new = {path for path in recording.new_files() if is_whole(path)}
    for complaint in move_to_disk(new, {ended.pid: ended.monotonic_ns}):
        say(complaint)
    if quiet:
        return
    if not new:
        say("no JVM was instrumented: the command started none, or a message above says why")
        return
    for text in newer_than_tested(new):
        say(text)
    for text in tests_in(new, rules):
        say(printable(text))
    unmatched = [*without_matches(new, rules)] if rules.rules or not scripted else []
    if given or len(unmatched) >= len(rules.rules):  # of the project's packages, a run may need some only
        for text in unmatched:
            say(printable(text))
    if scripted:
        from classhook.model.reading.matches import unmatched_handlers

        for pattern in unmatched_handlers(new):
            why = f"a handler was never called, because its pattern matched no method: {pattern}"
            say(printable(f"{why}; `classhook report` shows similar names"))
    where = "" if str(recording.data) == DEFAULT_DATA else f" {recording.data}"
    earlier = (
        f" ({several(len(recording.before), 'file')} of earlier runs will be reported, too)" if recording.before else ""
    )
    say(f"{several(len(new), 'JVM')} instrumented{earlier}; to see what was counted: classhook report{where}")


def newer_than_tested(files: set[Path]) -> Iterator[str]:
    """A line, if a JVM that wrote one of these files is newer than any that the tests have run on."""
    from classhook.model.reading.matches import jvms
    from classhook.native.jdk_releases import newer

    if said := newer(jvms(files)):
        yield said


@cache
def tests_of(files: frozenset[Path]) -> Snapshot:
    """The tests in these files, which are read once."""
    from classhook.model.reading.tests import read_tests

    return read_tests(files)


def tests_in(files: set[Path], rules: RuleSet) -> Iterator[str]:
    """The tests that ran in these files, and where the time went, if the rules ask for it."""
    if not any(rule.kind == TESTS for rule in rules.rules):
        return
    from classhook.reports.tests import summary

    found = tests_of(frozenset(files))
    if found.tests:
        yield from summary(found)
    else:
        yield "no test was seen: the command ran none, or its framework is not known (docs/questions/tests.md)"


def without_agent(recording: Recording, began: float, every: bool) -> str:
    """A line about tests that ran in JVMs without the agent; empty if none is known. `every`: there must be tests."""
    from classhook.commands.unseen_tests import unseen

    seen = {run.class_name for run in tests_of(frozenset(recording.new_files())).tests}
    names = unseen(Path.cwd(), began, seen)
    if not names:
        return "--every-test: no test was seen" if every and not seen else ""
    more = f" and {several(len(names) - 1, 'other class')}" if len(names) > 1 else ""
    return f"tests ran in a JVM without the agent, so nothing is known of them: {names[0]}{more}"


def without_matches(files: set[Path], rules: RuleSet) -> Iterator[str]:
    """A line for each rule that matched nothing in these files, or one if there are no rules."""
    from classhook.model.reading.matches import matched_rules

    if not rules.rules:
        yield "no rules were given: only classes woven ahead of time are counted"
        return
    matched = matched_rules(files, rules)
    without = [
        rule for index, rule in enumerate(rules.rules) if weaves(rule) and matched is not None and index not in matched
    ]
    if not without:  # most often, and without the imports
        return
    from classhook.base.names import shortened
    from classhook.model.reading.files import read
    from classhook.model.snapshot import RuleRow
    from classhook.model.unmatched import Unmatched, sentences

    rows = read(sorted(files)[-MOST_READ:], exact_tree=False).rules
    found = [Unmatched(rule.text, rule, rows.get(shortened(rule.text), RuleRow())) for rule in without]
    yield from sentences(found, [rule for rule in rules.rules if rule not in without])
