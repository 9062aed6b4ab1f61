"""Shared by several commands: rule arguments, what was skipped, and writing files for the user."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from instrument.errors import UsageError
from instrument.files import output
from instrument.names import method_label
from instrument.weaving import reasons
from rules.ruleset import RuleSet
from rules.syntax import Rule

if TYPE_CHECKING:
    from instrument.ahead.jimage import Image

ALIKE_SHOWN = 10  # classes and methods skipped for the same reason


def add_rule_arguments(parser: argparse.ArgumentParser) -> None:
    """-r and -e."""
    parser.add_argument(
        "-r", "--rules", metavar="FILE", action="append", default=[],
        help="rules from a file, as text or compiled, or stock rules by name, such as jdbc; may be repeated",
    )  # fmt: skip
    parser.add_argument("-e", "--rule", metavar="RULE", action="append", default=[], help="one more rule, such as 'time com.acme.**::*'")


def add_class_path(parser: argparse.ArgumentParser) -> None:
    """--classpath."""
    parser.add_argument(
        "--classpath", metavar="PATH", action="append", default=[],
        help="jars and directories, separated by colons: where a rule with a `+` finds supertypes, beside the JDK of JAVA_HOME or PATH",
    )  # fmt: skip


def class_path(args: argparse.Namespace) -> list[Path]:
    """What --classpath names; `DIR/*` means the jars in it, as for java. Raises UsageError."""
    places: list[Path] = []
    for text in filter(None, ":".join(args.classpath).split(":")):
        path = Path(text)
        if path.name == "*":
            places += sorted(path.parent.glob("*.jar"))
        elif path.exists():
            places.append(path)
        else:
            raise UsageError(f"--classpath: {path}: no such file or directory")
    return places


def load_rules(args: argparse.Namespace, needed: bool = True, cache: str = "") -> RuleSet:
    """The rules that the arguments name; `cache`: a directory that may have them parsed. Raises UsageError or RuleError."""
    if not args.rules and not args.rule:
        if needed:
            raise UsageError("no rules: give a file with -r FILE or a rule with -e 'time com.acme.**::*'")
        return RuleSet([])
    if cache:
        from instrument.data import parsed

        return parsed.load(Path(cache), args.rules, args.rule)
    import instrument.measures  # noqa: F401  # registers the rules' words
    from rules.parse import load

    return load(args.rules, args.rule)


def doubts(rules: RuleSet) -> Iterator[str]:
    """What a rule probably means instead of what it says, a line each."""
    from rules.unqualified import without_package

    @cache
    def image() -> Image | None:
        from instrument.ahead.jimage import opened

        return opened()

    def exists(name: str) -> bool:
        jdk = image()
        return jdk is not None and jdk.class_bytes(name.replace(".", "/")) is not None

    for rule in rules.rules:
        for written, meant in without_package(rule, exists):
            yield f"{rule.origin}:{rule.line}: the type {written} has no package; did you mean {meant}? ({rule.text})"


#: What is said of a rule for which nothing is woven.
NOT_WOVEN = "nothing is woven for this rule: it samples the threads of the running program, for `classhook run` or the agent"


def weaves(rule: Rule) -> bool:
    """Whether anything is woven for a rule."""
    from rules.words import PROCESS, WORDS

    return WORDS[rule.kind].subject != PROCESS


def skip_lines(skipped: Iterable[tuple[str, str, str, str, str]]) -> Iterator[str]:
    """A line for each class or method that was skipped or has a note; if many are alike, only for some. The fields: class, method, descriptor,
    reason, detail."""
    alike: dict[tuple[str, str], list[str]] = {}
    for class_name, method, descriptor, reason, detail in skipped:
        alike.setdefault((reason, detail), []).append(method_label(class_name, method, descriptor) if method else class_name)
    for (reason, detail), names in alike.items():
        what = "note" if reason == reasons.NOT_COMPILED else "skipped"
        for name in names[:ALIKE_SHOWN]:
            yield f"{what}: {name}: {reason}: {detail}"
        if len(names) > ALIKE_SHOWN:
            yield f"{what}: {len(names) - ALIKE_SHOWN:,} more: {reason}: {detail}"


def write_whole(path: Path, data: bytes, opened: Callable[[Path], AbstractContextManager[BinaryIO]] = output) -> None:
    """Writes a file atomically; `opened` as in instrument.files. Raises UsageError."""
    try:
        with opened(path) as file:
            file.write(data)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
