"""`classhook weave`: instruments jars, directories and classes ahead of time."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from classhook.ahead.archive import Files, is_jar
from classhook.ahead.jars import Outcome, leaves_out, woven_entries, write_output
from classhook.base.errors import UsageError
from classhook.base.names import printable, several
from classhook.base.progress import tracked
from classhook.base.terminal import show
from classhook.commands.common import (
    NOT_WOVEN,
    add_class_path,
    add_rule_arguments,
    class_path,
    load_rules,
    skip_lines,
)
from classhook.rules import stock_rules
from classhook.rules.syntax import Rule
from classhook.rules.words import weaves

EPILOG = """\
A single jar is written to OUTPUT as a jar, unless OUTPUT is a directory;
directories and classes go into the directory OUTPUT. Other files are copied.
To run, woven classes need the agent, but neither Python nor rules.
Exit status: 0 done; 1 a class was skipped, or a rule matched nothing;
2 invalid arguments, rules or files.

example:
  classhook weave -e 'count com.acme.**::*' app.jar -o woven.jar
  classhook run -- java -jar woven.jar
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rule_arguments(parser)
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="jars, directories, class files")
    add_class_path(parser)
    parser.add_argument("-o", "--output", metavar="OUTPUT", required=True, help="a jar or a directory to write")
    parser.add_argument("--quiet", action="store_true", help="show no progress and no summary")


def execute(args: argparse.Namespace) -> int:
    rules = load_rules(args)
    if not any(map(weaves, rules.rules)):
        raise UsageError(f"{rules.rules[0].text}: {NOT_WOVEN}")
    output, inputs = Path(args.output), [Path(p) for p in args.inputs]
    outcome = Outcome()
    for source, target in _targets(inputs, output):
        files = Files(source)
        done = woven_entries(files, rules, [*inputs, *class_path(args)])
        write_output(source, target, tracked(done, f"weaving {source.name}", len(files), args.quiet), outcome)
    if not args.quiet:
        say_outcome(outcome, rules.rules)
    return 1 if leaves_out(outcome.skipped) or any(without(outcome, rules.rules)) else 0


def without(outcome: Outcome, rules: Sequence[Rule]) -> list[Rule]:
    """The rules that matched nothing, without stock rules if others of their file did."""
    beside = stock_rules.beside(rules, lambda index: bool(outcome.methods.get(index)))
    return [
        rule
        for index, rule in enumerate(rules)
        if weaves(rule) and not outcome.methods.get(index) and index not in beside
    ]


def _targets(inputs: list[Path], output: Path) -> list[tuple[Path, Path]]:
    """Each input with the jar or directory to write. Raises UsageError if a file would be lost."""
    for source in inputs:
        if not source.exists():
            raise UsageError(f"{source}: no such file or directory")
    if len(inputs) == 1 and is_jar(inputs[0]) and not output.is_dir():
        written = [(inputs[0], output, output)]
    elif output.is_file() or output.suffix in (".jar", ".class"):
        raise UsageError(f"{output}: the output must be a directory, because only a single jar can be written as a jar")
    else:
        written = [
            (s, output / s.name if is_jar(s) else output, output if s.is_dir() else output / s.name) for s in inputs
        ]
    known = {os.path.realpath(source): f"{source} is both input and output" for source in inputs}
    for source, _, file in written:
        place = os.path.realpath(file)
        if place in known:
            raise UsageError(f"{known[place]}; name another output")
        if source.is_dir() and Path(os.path.realpath(source)) in Path(place).parents:
            raise UsageError(f"the output {output} is inside the input {source}; name another output")
        if not source.is_dir():
            known[place] = f"two inputs would both be written to {file}"
    return [(source, target) for source, target, _ in written]


def say_outcome(outcome: Outcome, rules: Sequence[Rule], not_woven: str = NOT_WOVEN) -> None:
    """Reports how many classes were woven and copied, and which were not. `not_woven`: the message about a rule for
    which nothing is woven, if any."""

    def say(text: str) -> None:
        show(printable(text), sys.stderr)

    already = f", {outcome.already:,} already woven" if outcome.already else ""
    say(
        f"{several(outcome.classes, 'class')}, {outcome.woven:,} woven{already};"
        f" {several(outcome.copied, 'other file')} copied"
    )
    if outcome.signed:
        say("signatures were removed: they are not valid for woven classes")
    unmatched = without(outcome, rules)
    for rule in rules:
        if not weaves(rule):
            if not_woven:
                say(f"{rule.text}: {not_woven}")
        elif rule in unmatched:
            say(f"this rule matched nothing: {rule.text}")
    for text in skip_lines(outcome.skipped):
        say(text)
