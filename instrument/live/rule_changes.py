"""The rules of a session, and how they are changed: as a whole, so that two who change them at once do not undo each
other.

1. The rules in force are the last ones in the data file, compiled. Rules that are paused are in that text, too, for the
   next change.
2. The new text names the classes that the change concerns (lines `changed`): only these are retransformed.
3. The agent takes it if the rules in force are still those of step 1; else all begins anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import classhook.measures.every  # noqa: F401  # registers the rules' words
from classhook.base.errors import Failure, UsageError
from classhook.base.files import whole, write_file
from classhook.live import protocol
from classhook.live.answers import Refused
from classhook.live.class_changes import AS_USUAL, TAKE_BACK, Follower, Manner, undone
from classhook.live.control_socket import Control
from classhook.live.jvms import Jvm
from classhook.native._layout import lib
from classhook.rules.compiled import digest_of, dumps, loads
from classhook.rules.escapes import escape
from classhook.rules.paused import paused_in
from classhook.rules.ruleset import RuleSet
from classhook.rules.statements import QUOTED_OR_BLANKS
from classhook.rules.syntax import Rule
from classhook.rules.words import further
from classhook.store.reading import read_file

TRIES = 20
RULES_CHANGED = "rules-changed"  # as in native/live/control_commands.c


@dataclass(frozen=True)
class Entry:
    """A rule of the session."""

    rule: Rule
    paused: bool = False


def entries(data: Path) -> list[Entry]:
    """The rules in force, by the data file, and those that are paused, in their order. Raises DataError."""
    texts = [text for kind, _, _, text in read_file(data).descriptions() if kind == lib.CH_META_RULES]
    return entries_of(texts[-1].decode()) if texts else []


def entries_of(compiled: str) -> list[Entry]:
    """The rules of a compiled text. Raises RuleError."""
    found = [Entry(rule) for rule in loads(compiled).rules]
    for place, rule in paused_in(compiled):
        found.insert(place, Entry(rule, paused=True))
    return found


def written(every: list[Entry]) -> dict[int, Entry]:
    """The rules that somebody wrote, by their places, not those that others stand for. Their numbers, from 1 on, are in
    this order."""
    made = {one.text for entry in every for one in further(entry.rule)}
    return {place: one for place, one in enumerate(every) if one.rule.text not in made}


def chosen(every: list[Entry], which: str) -> set[int]:
    """The place of a rule that is given by its number, from 1 on, or its text, in which blanks do not matter, or the
    places of those with this name; and of those that they stand for. Raises UsageError."""
    places = [*written(every)]
    found = [
        *(places[int(which) - 1 :][:1] if which.isdigit() and int(which) else ()),
        *(i for i, one in enumerate(every) if _bare(one.rule.text) == _bare(which)),
    ] or [i for i in places if every[i].rule.name == which]
    if not found:
        raise UsageError(f"{which}: no such rule; `classhook ctl PID rules` lists them with their numbers")
    texts = [one.text for i in found for one in further(every[i].rule)]
    return {*found, *(i for i, one in enumerate(every) if one.rule.text in texts)}


def _bare(text: str) -> str:
    """The text without blanks, but for those in quotes."""
    return QUOTED_OR_BLANKS.sub(lambda found: found[1] or "", text.strip())


def add(text: str) -> Callable[[list[Entry]], list[Entry]]:
    """Adds a rule. Raises RuleError."""
    from classhook.rules.parse import load

    return adding(load([], [text]))


def adding(rules: RuleSet) -> Callable[[list[Entry]], list[Entry]]:
    """Adds rules. The returned function raises UsageError if the session has one of them."""

    def added(every: list[Entry]) -> list[Entry]:
        numbered = enumerate(written(every).values(), 1)
        known = {one.rule.meaning: (number, one.paused) for number, one in reversed([*numbered])}
        made = {one.text for rule in rules.rules for one in further(rule)}
        twice = [
            (rule, *known[rule.meaning]) for rule in rules.rules if rule.meaning in known and rule.text not in made
        ]
        if twice:
            lines = [
                f"the session has this rule already, as number {number}{' (paused)' * paused}: {rule.text}"
                for rule, number, paused in twice
            ]
            raise UsageError("\n".join(lines))
        return [*every, *map(Entry, rules.rules)]

    return added


def remove(which: str) -> Callable[[list[Entry]], list[Entry]]:
    """Removes a rule; what it counted stays."""

    def without(every: list[Entry]) -> list[Entry]:
        places = chosen(every, which)
        return [one for i, one in enumerate(every) if i not in places]

    return without


def pause(which: str, paused: bool) -> Callable[[list[Entry]], list[Entry]]:
    """Pauses a rule, or resumes it."""

    def switched(every: list[Entry]) -> list[Entry]:
        places = chosen(every, which)
        return [replace(one, paused=paused) if i in places else one for i, one in enumerate(every)]

    return switched


def without(rule: str, text: str) -> str:
    """Compiled rules that take the place of these, with one rule less. Raises RuleError, UsageError."""
    before = entries_of(text)
    return compiled(before, remove(rule)(before))


def change(
    jvm: Jvm, data: Path, how: Callable[[list[Entry]], list[Entry]], manner: Manner = AS_USUAL
) -> dict[str, Any]:
    """Changes the rules; what the agent says of it. Raises UsageError; Failure, as which Cancelled comes; then the
    rules are as they were."""
    before: list[Entry] = []
    after: list[Entry] = []

    def noted(every: list[Entry]) -> list[Entry]:
        before[:] = every
        after[:] = how(every)
        return list(after)

    @contextmanager
    def filed(text: str) -> Iterator[str]:
        path = data.parent / f"{digest_of(text)[:16]}.rules"
        files = {path: text, **({Path(f"{path}.back"): compiled(after, before)} if manner.may_be_undone else {})}
        with protocol.as_its_user(jvm):
            for file, content in files.items():
                write_file(file, content.encode(), whole)
        try:
            yield f"/{path.relative_to(jvm.root)}" if jvm.is_apart else str(path.absolute())
        finally:
            with protocol.as_its_user(jvm):
                for file in files:
                    file.unlink(missing_ok=True)

    def back(every: list[Entry]) -> list[Entry]:
        if every != after:
            raise Failure(f"{jvm.pid}: too late to cancel: other commands have changed the rules since then")
        return before

    with Follower(jvm, manner) as follower:
        answer = exchanged(
            data,
            noted,
            lambda line: Control(jvm, data).ask(line, look=follower.look),
            filed,
            manner.words(follower.name),
        )
    if answer and "unfinished" not in answer and not follower.is_wanted:
        change(jvm, data, back, replace(TAKE_BACK, now=manner.now))
        answer["unfinished"] = "cancelled"  # as in native/live/json_reply.c
    if "unfinished" in answer:
        raise undone(jvm, answer["unfinished"], manner, answer["longest_stop_ns"])
    return answer


@contextmanager
def held(
    jvm: Jvm,
    data: Path,
    rule: str,
    manner: Manner = AS_USUAL,
    changed: Callable[[dict[str, Any]], None] = lambda _: None,
) -> Iterator[None]:
    """Puts the rule in force inside the block, and removes it afterwards, unless the session had it before or another
    client holds it, too. If this process is killed, the agent removes it (native/live/held_rules.c). `changed`: is
    given what the agent says of the change. Raises UsageError, Failure."""
    control, line = Control(jvm, data), f"hold {escape(rule)}"
    try:
        if not control.ask(line)["held"]:  # the session's own
            yield
            return
        try:
            new = add(rule)
            changed(
                change(
                    jvm,
                    data,
                    lambda every: every if any(one.rule.text == rule for one in every) else new(every),
                    manner,
                )
            )
            yield
        finally:
            with suppress(Failure, UsageError):  # the JVM has ended, or another client has removed the rule
                if not control.ask(line)["others"]:
                    change(jvm, data, remove(rule), manner.again())
    finally:
        control.close()


def exchanged(
    data: Path,
    how: Callable[[list[Entry]], list[Entry]],
    ask: Callable[[str], dict[str, Any]],
    filed: Callable[[str], AbstractContextManager[str]],
    words: str = "",
) -> dict[str, Any]:
    """The same. `ask`: a command of the agent; `filed`: a file with this text, as the JVM names it; `words`: of a
    manner.

    Raises UsageError, Failure."""
    for _ in range(TRIES):
        in_force = ask("status")["rules"]
        before = entries(data)
        after = how(before)
        if after == before:
            return {}
        with filed(compiled(before, after)) as path:
            try:
                return ask(f"exchange {words}{in_force} {path}")
            except Refused as refused:
                if refused.code != RULES_CHANGED:
                    raise
    raise Failure("other commands changed the rules at the same time; try again")


def compiled(before: list[Entry], after: list[Entry]) -> str:
    """The compiled text of the new rules. Raises RuleError."""
    old, new = ([one.rule for one in every if not one.paused] for every in (before, after))
    changed = [rule for rule in [*old, *new] if (rule in old) != (rule in new) or old.count(rule) != new.count(rule)]
    if RuleSet(old).contexts != RuleSet(new).contexts:
        changed += [
            rule for rule in {rule: None for rule in [*old, *new]} if rule.kind == "cover" and rule not in changed
        ]  # they get other probes
    beside = {
        text for one in after if one.paused for text in [made.text for made in further(one.rule)]
    }  # parsing makes them again
    paused = [(place, one.rule) for place, one in enumerate(after) if one.paused and one.rule.text not in beside]
    return dumps(RuleSet(new), paused, changed)
