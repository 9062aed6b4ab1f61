"""The display of answers, and words that several commands take."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from typing import Any

from classhook.base.errors import UsageError
from classhook.base.terminal import say, show
from classhook.commands.following import AT_MOST
from classhook.commands.values import seconds
from classhook.live.attachment import changed, loops_in, postponed
from classhook.live.jvms import Jvm

NOW = "--now"


@dataclass
class Asked:
    """The user's options for a change of classes; `at_most` in seconds."""

    now: bool = False
    at_most: float = 0

    def take(self, word: str) -> bool:
        """True if the word is one of these options: `--now`, `--at-most=TIME`."""
        name, _, value = word.partition("=")
        if word == NOW:
            self.now = True
        elif name == AT_MOST:
            self.at_most = at_most_of(value)
        return word == NOW or name == AT_MOST


def at_most_of(text: str) -> float:
    """The value of `--at-most`, in seconds. Raises UsageError."""
    try:
        return seconds(text)
    except argparse.ArgumentTypeError as wrong:
        raise UsageError(f"{AT_MOST}: {wrong}") from None


def asked(words: list[str]) -> tuple[list[str], Asked]:
    """The words without the options at their beginning, behind the first word and at their end, and these. Raises
    UsageError."""
    found = Asked()
    words = _without_first(words, found)
    words = [*words[:1], *_without_first(words[1:], found)]
    while len(words) > 1 and (words[-2] == AT_MOST or found.take(words[-1])):
        if words[-2] == AT_MOST:
            found.at_most = at_most_of(words.pop())
        words.pop()
    return words, found


def _without_first(words: list[str], found: Asked) -> list[str]:
    while words and (words[0] == AT_MOST or found.take(words[0])):
        if words[0] == AT_MOST:
            found.at_most = at_most_of("".join(words[1:2]))
            words = words[1:]
        words = words[1:]
    return words


def still_postponed(jvm: Jvm, last: dict[str, Any], how: str = "changed", command: str = "") -> list[str]:
    return postponed(loops_in(last), how, command or f"classhook ctl {jvm.pid} now")


def changed_lines(jvm: Jvm, last: dict[str, Any], how: str = "changed", command: str = "") -> list[str]:
    """The agent's answer to a change, in words."""
    if not last:
        return ["nothing had to be changed"]
    done = changed(last["classes"], last["stops"], last["longest_stop_ns"], how)
    return [done, *still_postponed(jvm, last, how, command)]


def tell_changed(jvm: Jvm, last: dict[str, Any], as_json: bool, how: str = "changed", command: str = "") -> None:
    if as_json:
        show(json.dumps(last or {"ok": True}))
    else:
        for line in changed_lines(jvm, last, how, command):
            say(line)


def show_rules(every: list[dict[str, Any]]) -> None:
    for number, one in enumerate(every, 1):
        show(f"{number:4}  {one['rule']}{'  (paused)' if one['paused'] else ''}")


def no_more(words: list[str]) -> None:
    if words:
        raise UsageError(f"unexpected arguments: {' '.join(words)}")
