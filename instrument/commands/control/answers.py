"""How answers are shown, and words that several commands take."""

from __future__ import annotations

import json
from typing import Any

from classhook.errors import UsageError
from classhook.live.attachment import changed, loops_in, postponed
from classhook.live.jvms import Jvm
from classhook.terminal import say, show

NOW = "--now"  # at the beginning or the end of the words


def without_now(words: list[str]) -> tuple[list[str], bool]:
    """Whether `--now` is at an end of the words, and the words without it."""
    at_end = words[-1:] == [NOW]
    words = words[:-1] if at_end else words
    return (words[1:], True) if words[:1] == [NOW] else (words, at_end)


def still_postponed(jvm: Jvm, last: dict[str, Any], how: str = "changed", command: str = "") -> list[str]:
    return postponed(loops_in(last), how, command or f"classhook ctl {jvm.pid} now")


def tell_changed(jvm: Jvm, last: dict[str, Any], as_json: bool, how: str = "changed", command: str = "") -> None:
    if as_json:
        show(json.dumps(last or {"ok": True}))
    elif last:
        say(changed(last["classes"], last["stops"], last["longest_stop_ns"], how))
        for line in still_postponed(jvm, last, how, command):
            say(line)
    else:
        say("nothing had to be changed")


def show_rules(every: list[dict[str, Any]]) -> None:
    for number, one in enumerate(every, 1):
        show(f"{number:4}  {one['rule']}{'  (paused)' if one['paused'] else ''}")


def no_more(words: list[str]) -> None:
    if words:
        raise UsageError(f"unexpected arguments: {' '.join(words)}")
