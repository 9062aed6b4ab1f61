"""Runs scripts inside the JVM: when the agent is loaded, before rules are in force and long before the program begins;
and others in their place later.

1. Their decorators add handlers, which are off, and rules for the calls that these handlers ask for.
2. Messages about mistakes name the file and line. At the start the JVM then runs bare; later, nothing has changed.
3. Later, the rules are those in force without those of the scripts that are replaced. The agent puts them in force, and
   says what becomes of the scripts: they settle, or they are dropped (native/events/lifecycle.c).
"""

from __future__ import annotations

import sys
from typing import TextIO, cast

from classhook.agent import handlers, own_modules, timers
from classhook.agent.execution import Wrong, execute
from classhook.agent.loaded import GIVEN, REPLACED, SCRIPTS, Script
from classhook.agent.whole_lines import WholeLines
from classhook.base.embedded import events as jvm
from classhook.base.script_words import BETWEEN, split
from classhook.base.terminal import harmless
from classhook.measures import register, rules_of
from classhook.rules.compiled import dumps
from classhook.rules.errors import RuleError
from classhook.rules.ruleset import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Final


def answer(request: str, rules: bytes) -> bytes | str:
    """Answers a request of the agent: a verb, and words in lines of their own. Returns compiled rules, or other text; a
    str: why it failed."""
    verb, _, words = request.partition(BETWEEN)
    if verb not in VERBS:
        return (
            f"agent {verb}: there are `agent list`, `agent reload [FILE]`, `agent add FILE` and `agent remove [FILE]`"
        )
    try:
        return VERBS[verb](words, rules)
    except Wrong as wrong:
        drop()
        return harmless(str(wrong))


def run(words: str, rules: bytes) -> bytes:
    """Runs the scripts at the start of the agent; the rules, with those of the scripts. Raises Wrong."""
    if not isinstance(sys.stdout, WholeLines):
        sys.stdout = cast("TextIO", WholeLines(sys.stdout))  # the interpreter does not flush it at the end
    jvm.hooks(handlers.failed, timers.due, handlers.HandlerTimeout)
    forget(list(SCRIPTS))  # those of an earlier session
    GIVEN[:] = rules_of(rules.decode()).rules if rules else ()
    for word in words.split(BETWEEN):
        execute(Script(word))
    register({rule.kind for script in SCRIPTS for rule in script.rules})  # hooks make rules without parsing
    begin()
    return dumps(RuleSet([*GIVEN, *(rule for script in SCRIPTS for rule in script.rules)])).encode()


# ---- while the program runs


def reload(word: str, rules: bytes) -> bytes:
    """All of them again, or this one, in the place of the one that it replaces. Raises Wrong."""
    old = [replaced_by(word)] if word else list(SCRIPTS)
    return exchange(old, [again(script, word) for script in old], rules)


def add(word: str, rules: bytes) -> bytes:
    """One more. Raises Wrong."""
    if not word:
        raise Wrong("agent add FILE: name the script")
    return exchange([], [word], rules)


def remove(word: str, rules: bytes) -> bytes:
    """Raises Wrong."""
    if not word and len(SCRIPTS) != 1:
        raise Wrong(f"agent remove FILE: name one of {several()}")
    return exchange([named(word) if word else SCRIPTS[0]], [], rules)


def exchange(old: list[Script], new: list[str], rules: bytes) -> bytes:
    """Runs the new ones; the rules that are needed then, empty if they are those in force. Raises Wrong."""
    from classhook.live.rule_changes import Entry, compiled, entries_of

    REPLACED[:] = old
    before = entries_of(rules.decode())
    for word in new:
        execute(Script(word, late=True))
    after = list(before)
    for rule in [rule for script in old for rule in script.rules]:
        mine = next((entry for entry in after if entry.rule == rule), None)
        if mine is not None:
            after.remove(mine)
    after += [Entry(rule) for script in SCRIPTS if not script.in_force for rule in script.rules]
    try:
        return b"" if after == before else compiled(before, after).encode()
    except RuleError as error:
        raise Wrong(str(error)) from None


def replaced_by(word: str) -> Script:
    """The script that this one replaces: of the same path, or at least of the same name, or the only one. Raises
    Wrong."""
    return SCRIPTS[0] if len(SCRIPTS) == 1 else named(word)


def named(word: str) -> Script:
    """Finds a script by its path and options, else its path, else its name; the last one of several. Raises Wrong."""
    path, _ = split(word)
    twins = [script for script in SCRIPTS if str(script) == word] or [
        script for script in SCRIPTS if script.path == path
    ]
    if twins and all(str(script) == str(twins[0]) for script in twins):
        return twins[-1]
    same = twins or [script for script in SCRIPTS if name_of(script.path) == name_of(path)]
    if len(same) != 1:
        raise Wrong(f"{path}: which script is that? there are {several()}")
    return same[0]


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


def several() -> str:
    return ", ".join([str(script) for script in SCRIPTS])


def again(script: Script, word: str) -> str:
    """The script's path and options; a script keeps its options unless others are given."""
    path, options = split(word)
    return str(script) if not word or (path == script.path and not options and not word.endswith("=")) else word


def leave(words: str, rules: bytes) -> bytes:
    """The handlers of scripts that are replaced are called no more."""
    for handler in handlers.HANDLERS.values():
        if handler.script in REPLACED:
            jvm.leave(handler.number)
    timers.TIMERS[:] = [timer for timer in timers.TIMERS if timer.handler.script not in REPLACED]
    return b"done"


def settle(words: str, rules: bytes) -> bytes:
    """The new scripts are in force, the replaced ones are gone. A new one takes the place of the first that it
    replaces."""
    first = SCRIPTS.index(REPLACED[0]) if REPLACED else len(SCRIPTS)
    new = [script for script in SCRIPTS if not script.in_force]
    with own_modules.exchange:
        forget(REPLACED)
        own_modules.end()
    if new and first < len(SCRIPTS):
        SCRIPTS[:] = [script for script in SCRIPTS if script not in new]
        SCRIPTS[first:first] = new
    REPLACED.clear()
    begin()
    return b"done"


def drop(words: str = "", rules: bytes = b"") -> bytes:
    """The new scripts are gone, and the older ones are as they were."""
    with own_modules.exchange:
        forget([script for script in SCRIPTS if not script.in_force])
        own_modules.end()
    REPLACED.clear()
    return b"done"


def listed(words: str, rules: bytes) -> bytes:
    """A line for each script."""
    lines = []
    for script in SCRIPTS:
        own = [
            handler for handler in handlers.HANDLERS.values() if handler.script is script and handler.name != "conclude"
        ]
        errors, lost = sum(handler.errors for handler in own), sum(handler.lost for handler in own)
        lines.append(f"{script}: {len(own)} handlers, {errors} exceptions, {lost} events lost")
    return "\n".join(lines).encode()


VERBS: Final[dict[str, Callable[[str, bytes], bytes]]] = {
    "run": run,
    "reload": reload,
    "add": add,
    "remove": remove,
    "leave": leave,
    "settle": settle,
    "drop": drop,
    "list": listed,
}


# ---- one script


def begin() -> None:
    """Puts the scripts that were run in force."""
    for script in SCRIPTS:
        if not script.in_force:
            script.in_force = True
            for handler in [one for one in handlers.HANDLERS.values() if one.script is script]:
                handler.begin()
    jvm.sample_every(handlers.least_sample())


def forget(scripts: Iterable[Script]) -> None:
    """They are gone, with all that is theirs."""
    gone = list(scripts)
    for number in [number for number, handler in handlers.HANDLERS.items() if handler.script in gone]:
        jvm.remove(number)
        del handlers.HANDLERS[number]
    timers.TIMERS[:] = [timer for timer in timers.TIMERS if timer.handler.script not in gone]
    for script in gone:
        SCRIPTS.remove(script)
        own_modules.take_out(script.modules)
