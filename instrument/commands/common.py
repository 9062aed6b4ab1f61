"""Shared by several commands: rule arguments, and writing files for the user."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from instrument.errors import UsageError
from instrument.files import output
from rules.ruleset import RuleSet


def add_rule_arguments(parser: argparse.ArgumentParser) -> None:
    """-r and -e."""
    parser.add_argument(
        "-r", "--rules", metavar="FILE", action="append", default=[], help="rules from a file, text or compiled; may be repeated"
    )
    parser.add_argument("-e", "--rule", metavar="RULE", action="append", default=[], help="one more rule, such as 'time com.acme.**::*'")


def load_rules(args: argparse.Namespace, needed: bool = True) -> RuleSet:
    """The rules that the arguments name. Raises UsageError or RuleError."""
    if not args.rules and not args.rule:
        if needed:
            raise UsageError("no rules: give a file with -r FILE or a rule with -e 'time com.acme.**::*'")
        return RuleSet([])
    import instrument.measures  # noqa: F401  # registers the rules' words
    from rules.parse import load

    return load(args.rules, args.rule)


def write_whole(path: Path, data: bytes, opened: Callable[[Path], AbstractContextManager[BinaryIO]] = output) -> None:
    """Writes a file atomically; `opened` as in instrument.files. Raises UsageError."""
    try:
        with opened(path) as file:
            file.write(data)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
