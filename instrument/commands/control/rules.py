"""Commands that change the rules of a session."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from classhook.base.errors import Failure, UsageError
from classhook.base.terminal import say, show
from classhook.commands.common import given
from classhook.commands.control.answers import Asked, asked, no_more, show_rules, still_postponed, tell_changed
from classhook.commands.following import undoing
from classhook.live.class_changes import limited
from classhook.live.jvms import Jvm
from classhook.rules.ruleset import RuleSet


def rules(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.live import rule_changes as live
    from classhook.rules.parse import load

    words, how = asked(words)
    words, values = _defined(words) if words[:1] == ["add"] else (words, {})
    match words:
        case [] | ["list"]:
            every = [{"rule": one.rule.text, "paused": one.paused} for one in live.written(live.entries(data)).values()]
            if as_json:
                for number, one in enumerate(every, 1):
                    show(json.dumps({"number": number, **one}))
            else:
                show_rules(every)
        case ["add", "-r" | "--rules", *files]:
            if len(files) != 1:
                raise UsageError("rules add -r FILE: name one file, or stock rules")
            _add(jvm, data, load(files, given=values), as_json, how)
        case ["add", _, *_]:
            _add(jvm, data, load([], [" ".join(words[1:])], values), as_json, how)
        case ["remove", _, *_]:
            tell_changed(jvm, _changed(jvm, data, live.remove(" ".join(words[1:])), how), as_json)
        case _:
            raise UsageError("rules [list], rules add RULE, rules add -r FILE, or rules remove N|RULE|NAME")


def _defined(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """The words without `-D NAME=VALUE`, and these values. Raises UsageError."""
    rest, define = list[str](), list[str]()
    for word in words:
        if define and not define[-1]:
            define[-1] = word
        elif word in ("-D", "--define"):
            define.append("")
        elif word.startswith("-D"):
            define.append(word[2:])
        else:
            rest.append(word)
    return rest, given(define)


def _changed(jvm: Jvm, data: Path, change: Callable[[list[Any]], list[Any]], how: Asked) -> dict[str, Any]:
    """Changes the rules, unless the user presses Ctrl-C meanwhile. Raises Ended."""
    from classhook.live import rule_changes as live

    with undoing("changing classes", how.now, how.at_most) as manner:
        return live.change(jvm, data, change, manner)


def _add(jvm: Jvm, data: Path, rules: RuleSet, as_json: bool, how: Asked) -> None:
    """Adds the rules that may match. Raises Failure if there are others."""
    from classhook.live.observe.added_rules import add

    answer, refused = add(jvm, data, rules, lambda change: _changed(jvm, data, change, how), say)
    if answer is not None:
        tell_changed(jvm, answer, as_json)
    if refused:
        raise Failure("\n".join(refused))


def pause(jvm: Jvm, data: Path, words: list[str], as_json: bool, paused: bool = True) -> None:
    from classhook.live import rule_changes as live

    words, how = asked(words)
    if not words:
        raise UsageError("which rule? give its number, its text or its name, as `rules list` shows them")
    tell_changed(jvm, _changed(jvm, data, live.pause(" ".join(words), paused), how), as_json)


def resume(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    pause(jvm, data, words, as_json, paused=False)


def watch(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from contextlib import nullcontext, suppress

    from classhook.live import rule_changes as live
    from classhook.live.checked_rules import check_all
    from classhook.live.observe.unmatched_lines import unmatched_lines
    from classhook.live.observe.watched_calls import follow, writer
    from classhook.rules.parse import load

    text = ""
    rules = RuleSet([])
    words, how = asked(words)
    if words:
        rules = load([], [" ".join(words if words[0] == "watch" else ["watch", *words])])
        (rule,) = rules.rules
        text = rule.text
        for note in check_all(jvm, data, rules):
            say(note)
    elif not any(one.rule.kind.split()[0] == "watch" for one in live.entries(data)):
        raise UsageError(
            "watch RULE: name the calls, such as `watch com.acme.Orders::place when arg0 > 100`, or lines: the session"
            " has no `watch` rule"
        )
    first = int(rule.clause("first") or 0) if text else 0
    write = writer(as_json)
    calls = follow(data, text, first, say)

    def tell(last: dict[str, Any]) -> None:
        for line in still_postponed(jvm, last):
            say(line)

    with (
        live.held(jvm, data, text, limited(how.now, how.at_most), tell) if text else nullcontext(),
        suppress(KeyboardInterrupt),
    ):
        for why in unmatched_lines(data, rules.rules).values():
            raise Failure(f"this rule matches nothing: {why}")
        for snapshot, call in calls:
            show(write(snapshot, call), at_once=True)


def now(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.live.control_socket import Control

    no_more(words)
    tell_changed(jvm, Control(jvm, data).ask("now"), as_json)
