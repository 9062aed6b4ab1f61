"""`classhook bundle`: one file with agent, woven classes and rules."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from classhook.ahead import bundle
from classhook.ahead.archive import Files, is_jar
from classhook.ahead.jars import Outcome, leaves_out, woven_entries
from classhook.base.errors import UsageError
from classhook.base.names import printable, quantity
from classhook.base.progress import tracked
from classhook.base.terminal import show
from classhook.commands.common import add_class_path, add_rule_arguments, class_path, load_rules
from classhook.commands.weave import say_outcome, without
from classhook.rules.syntax import Rule
from classhook.rules.words import weaves

EPILOG = """\
The file is both a library and a jar. A JVM without Python loads it as its
agent, and runs the program from it:
  java -agentpath:./shop.classhook=data=DIR -jar shop.classhook
Exit status: 0 done; 1 a class was skipped, or a rule matched nothing;
2 invalid arguments, rules or files.

example:
  classhook bundle -r rules.txt app.jar -o shop.classhook
"""
#: Rules whose handlers are Python.
IN_PYTHON = frozenset({"event", "tests"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rule_arguments(parser)
    parser.add_argument(
        "jar", metavar="JAR", nargs="?", help="the program; needed unless the rules weave nothing, as `cpu` and `locks`"
    )
    add_class_path(parser)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")
    parser.add_argument(
        "--for",
        metavar="MACHINE",
        dest="machine",
        help="the architecture whose agent comes first: x86_64 or aarch64 (default: this one)",
    )
    parser.add_argument(
        "--agent",
        metavar="FILE",
        action="append",
        default=[],
        help="an agent for another machine, libclasshook.so or a wheel; may be repeated",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress and no summary")


def execute(args: argparse.Namespace) -> int:
    from classhook.rules.compiled import dumps

    output = _output(args.output)
    rules = load_rules(args)
    _refuse_python(rules.rules)
    files = _jar(args, rules.rules)
    agents = bundle.agents(map(Path, args.agent))
    machine = args.machine or bundle.here()
    if machine not in agents:
        raise UsageError(
            f"no agent for {machine} is installed: there is one for {', '.join(sorted(agents))}; --agent FILE adds"
            " another"
        )
    first, others = agents[machine], {name: agent for name, agent in agents.items() if name != machine}
    if files and not files.may_hold_classes():
        raise UsageError(f"{files.path}: no classes in it; a bundle holds the program's own jar")
    outcome = Outcome()
    woven = woven_entries(files, rules, [files.path, *class_path(args)]) if files else iter(())
    shown = tracked(woven, f"weaving {files.path.name}", len(files), args.quiet) if files else woven
    written = bundle.write_bundle(output, first, others, dumps(rules).encode(), files, shown, outcome)
    if not args.quiet:
        if files:
            say_outcome(outcome, rules.rules, not_woven="")
        _say(output, written, machine, sorted(others))
    return 1 if leaves_out(outcome.skipped) or (files and any(without(outcome, rules.rules))) else 0


def _refuse_python(rules: Sequence[Rule]) -> None:
    for rule in rules:
        if rule.kind in IN_PYTHON:
            raise UsageError(
                f"{rule.origin}:{rule.line}: `{rule.kind}` needs Python in the JVM, which a bundle does not have"
            )


def _jar(args: argparse.Namespace, rules: Sequence[Rule]) -> Files | None:
    """The program. Raises UsageError."""
    if args.jar is None:
        if needs := next(filter(weaves, rules), None):
            raise UsageError(f"no jar: this rule needs the program's classes: {needs.text}")
        return None
    path = Path(args.jar)
    if path.exists() and not is_jar(path):
        raise UsageError(
            f"{path}: not a jar; a bundle holds one jar, and `classhook weave` takes directories and classes"
        )
    if path.exists() and Path(args.output).exists() and path.samefile(args.output):
        raise UsageError(f"{path} is both input and output; name another output")
    files = Files(path)
    bundle.refuse_bundle(files)
    return files


def _output(name: str) -> Path:
    """The file to write, which would replace a device. Raises UsageError."""
    path = Path(name)
    if os.path.realpath(path.parent) == "/dev" or (path.exists() and not (path.is_file() or path.is_dir())):
        raise UsageError(f"cannot write {path}: a bundle is a regular file, not a pipe or device")
    if "=" in name:
        raise UsageError(f"cannot write {path}: a JVM loads no agent whose path has a `=`")
    return path


def _say(output: Path, written: int, machine: str, others: Sequence[str]) -> None:
    also = (
        f"holds the one for {', '.join(others)}, too"
        if others
        else "there is none for other machines here: --agent FILE adds one"
    )
    show(printable(f"{output}: {quantity(written)}, begins with the agent for {machine}; {also}"), sys.stderr)
    agent = f"-agentpath:{'' if output.is_absolute() else './'}{output}=data=DIR"
    show(printable(shlex.join(["java", agent, "-jar", str(output)])), sys.stderr)
