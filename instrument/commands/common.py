"""Shared by several commands: the arguments that name rules, lines about rules and skipped classes, and the cache."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.base.errors import UsageError
from classhook.base.files import opened_folder, stranger
from classhook.base.names import method_text, printable
from classhook.base.script_words import BETWEEN, split
from classhook.base.terminal import say
from classhook.probes import reasons
from classhook.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from classhook.ahead.jimage import Image
    from classhook.rules.syntax import Rule

ALIKE_SHOWN = 10  # classes and methods skipped for the same reason


def add_rule_arguments(parser: argparse.ArgumentParser) -> None:
    """-r, -e and -D."""
    parser.add_argument(
        "-r",
        "--rules",
        metavar="FILE",
        action="append",
        default=[],
        help=("a file of rules, or the name of stock rules, such as jdbc; may be repeated"),
    )
    parser.add_argument(
        "-e",
        "--rule",
        metavar="RULE",
        action="append",
        default=[],
        help="a rule, such as 'time com.acme.**::*'; may be repeated",
    )
    parser.add_argument(
        "-D",
        "--define",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="the value of ${NAME} in rules; may be repeated",
    )


def given(define: Sequence[str]) -> dict[str, str]:
    """The values of parameters, of `NAME=VALUE`. Raises UsageError."""
    found: dict[str, str] = {}
    if not define:
        return found
    from classhook.rules.definitions import NAME

    for text in define:
        name, equals, value = text.partition("=")
        if not equals or not value.strip() or not NAME.fullmatch(name) or not value.isprintable():
            raise UsageError(f"-D {printable(text)}: write NAME=VALUE, such as -D min=10ms")
        if name in found:
            raise UsageError(f"-D {printable(text)}: {name} has a value already: {found[name]}")
        found[name] = value.strip()
    return found


def add_class_path(parser: argparse.ArgumentParser) -> None:
    """--classpath."""
    parser.add_argument(
        "--classpath",
        metavar="PATH",
        action="append",
        default=[],
        help=(
            "jars and directories, separated by colons, in which to look for supertypes, for rules with `+` (all"
            " subtypes); the JDK of JAVA_HOME or PATH is always searched"
        ),
    )


def class_path(args: argparse.Namespace) -> list[Path]:
    """The paths given by --classpath; `DIR/*` stands for the jars in DIR, as for java. Raises UsageError."""
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
    """The rules that the arguments name; `cache`: a directory that may have them parsed. Raises UsageError or
    RuleError."""
    values = given(args.define)
    if not args.rules and not args.rule:
        if values:
            raise UsageError("-D gives a value to a parameter of rules: give these with -r FILE or -e RULE")
        if needed:
            raise UsageError("no rules: give a file with -r FILE or a rule with -e 'time com.acme.**::*'")
        return RuleSet([])
    if cache:
        from classhook.store.cache import parsed_rules as parsed

        return parsed.load(Path(cache), args.rules, args.rule, values)
    import classhook.measures.every  # noqa: F401  # registers the rules' words
    from classhook.rules.parse import load

    return load(args.rules, args.rule, values)


def add_agent_argument(parser: argparse.ArgumentParser, where: str) -> None:
    """--agent."""
    parser.add_argument(
        "--agent",
        metavar="FILE[=OPTIONS]",
        action="append",
        default=[],
        help=(
            f"a script of handlers in Python, run in {where}, and its options, such as my.py=depth=8,verbose; may be"
            " repeated (docs/reference/python-agents.md)"
        ),
    )


def add_new_label(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--label",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="keep this label with the data, in addition to host, commit, branch and others; may be repeated",
    )


def scripts(args: argparse.Namespace) -> str:
    """The scripts given by --agent, for the agent's option `script`; empty for none. Raises UsageError."""
    return BETWEEN.join([script(word) for word in args.agent])


def script(word: str) -> str:
    """FILE[=OPTIONS], with FILE's absolute path. Raises UsageError."""
    name, _ = split(word)
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"{path}: no such script" if not path.exists() else f"the script {path} is not a file")
    whole = str(path.resolve()) + word[len(name) :]
    if BETWEEN in whole:
        raise UsageError(f"the script {word!r}: neither its path nor its options may have several lines")
    return whole


def cache_directory(wanted: str | Path | None = None) -> str:
    """The cache of woven classes, pruned to its size limit; empty if it belongs to another user. `wanted`: if not the
    default one."""
    from classhook.store.cache import parsed_rules as parsed
    from classhook.store.cache.packs import default_directory, prune

    directory = Path(wanted) if wanted else default_directory()
    with suppress(OSError), opened_folder(directory) as folder:
        if owner := stranger(os.fstat(folder).st_uid):
            say(f"cannot use the cache {directory}: it belongs to {owner}; classes are woven without it")
            return ""
        prune(folder)
        parsed.prune(folder)
    return str(directory.absolute())


def doubts(rules: RuleSet) -> Iterator[str]:
    """A line for each rule that probably means something else than it says."""
    from classhook.rules.unqualified import without_package

    @cache
    def image() -> Image | None:
        from classhook.ahead.jimage import opened

        return opened()

    def exists(name: str) -> bool:
        jdk = image()
        return jdk is not None and jdk.class_bytes(name.replace(".", "/")) is not None

    for rule in rules.rules:
        if rule.clause("when") and (never := _contradiction(rule)):
            yield f"{rule.origin}:{rule.line}: the condition is never true: {never} ({rule.text})"
        for written, meant in without_package(rule, exists):
            yield f"{rule.origin}:{rule.line}: the type {written} has no package; did you mean {meant}? ({rule.text})"


def _contradiction(rule: Rule) -> str:
    from classhook.checking.contradictions import contradiction  # not needed for most commands

    return contradiction(rule)


#: The message about a rule for which nothing is woven.
NOT_WOVEN = (
    "this rule weaves nothing: it samples the threads of a running program; use it with `classhook run` or the agent"
)


def skip_lines(skipped: Iterable[tuple[str, str, str, str, str]]) -> Iterator[str]:
    """A line for each class or method that was skipped or has a note; if many are alike, only for some. The fields:
    class, method, descriptor, reason, detail."""
    alike: dict[tuple[str, str], list[str]] = {}
    for class_name, method, descriptor, reason, detail in skipped:
        alike.setdefault((reason, detail), []).append(
            method_text(class_name, method, descriptor) if method else class_name
        )
    for (reason, detail), names in alike.items():
        what = "note" if reason == reasons.NOT_COMPILED else "skipped"
        for name in names[:ALIKE_SHOWN]:
            yield f"{what}: {name}: {reason}: {detail}"
        if len(names) > ALIKE_SHOWN:
            yield f"{what}: {len(names) - ALIKE_SHOWN:,} more: {reason}: {detail}"
