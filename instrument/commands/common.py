"""Shared by several commands: the arguments that name rules, lines about rules and skipped classes, and the cache."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from classhook.base.errors import UsageError
from classhook.base.files import opened_folder, stranger
from classhook.base.names import method_text
from classhook.base.script_words import BETWEEN, split
from classhook.base.terminal import say
from classhook.probes import reasons
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import Rule

if TYPE_CHECKING:
    from classhook.ahead.jimage import Image

ALIKE_SHOWN = 10  # classes and methods skipped for the same reason


def add_rule_arguments(parser: argparse.ArgumentParser) -> None:
    """-r and -e."""
    parser.add_argument(
        "-r",
        "--rules",
        metavar="FILE",
        action="append",
        default=[],
        help=(
            "a file of rules (text or compiled), or the name of stock rules, which are installed with classhook, such"
            " as jdbc; may be repeated"
        ),
    )
    parser.add_argument(
        "-e",
        "--rule",
        metavar="RULE",
        action="append",
        default=[],
        help="a rule, such as 'time com.acme.**::*'; may be repeated",
    )


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
    if not args.rules and not args.rule:
        if needed:
            raise UsageError("no rules: give a file with -r FILE or a rule with -e 'time com.acme.**::*'")
        return RuleSet([])
    if cache:
        from classhook.store.cache import parsed_rules as parsed

        return parsed.load(Path(cache), args.rules, args.rule)
    import classhook.measures.every  # noqa: F401  # registers the rules' words
    from classhook.rules.parse import load

    return load(args.rules, args.rule)


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
        for written, meant in without_package(rule, exists):
            yield f"{rule.origin}:{rule.line}: the type {written} has no package; did you mean {meant}? ({rule.text})"


#: The message about a rule for which nothing is woven.
NOT_WOVEN = (
    "this rule weaves nothing: it samples the threads of a running program; use it with `classhook run` or the agent"
)


def weaves(rule: Rule) -> bool:
    """True if anything is woven for a rule."""
    from classhook.rules.words import PROCESS, WORDS

    return WORDS[rule.kind].subject != PROCESS


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
