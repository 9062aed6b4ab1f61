"""Static state that tests leave for one another: which static fields of the counted classes have changed, other than by
initialisers, when a later test begins. Selection asks for it.

While several tests run at once, it is not known what a test finds: all fields count as changed.
"""

from __future__ import annotations

from classhook.agent import open_tests
from classhook.agent.handlers import TIMEOUT, Handler
from classhook.agent.testing.hook import Hook
from classhook.base.embedded import events as jvm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from classhook.agent.loaded import Script
    from classhook.rules.syntax import Rule

KIND: Final = "count"  # of the rules that say what the program is


def install(script: Script, rules: list[Rule]) -> list[Hook]:
    """Has the classes of these rules watched; returns the hooks for that."""
    counting = [target.class_pattern for rule in rules if rule.kind == KIND for target in rule.targets]
    globs = sorted({pattern.glob for pattern in counting if not (pattern.jdk or pattern.subtypes)})
    if globs:
        open_tests.before_begin = begins
    for glob in globs:
        Handler("class_load", jvm.state_prepared, True, glob.replace(".", "/"), TIMEOUT, script=script)
    return [
        Hook(f"{glob}::<clinit>", act, exit=at_exit)
        for glob in globs
        for act, at_exit in ((initialises, False), (initialised, True))
    ]


def initialises(e: Any) -> None:
    jvm.state_changed(False)


def initialised(e: Any) -> None:
    jvm.state_initialised()


def begins(run: open_tests.Run) -> None:
    """Notes what changed before a test or a container begins."""
    jvm.state_changed(not open_tests.is_alone(run))
