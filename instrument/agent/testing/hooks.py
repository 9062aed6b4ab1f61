"""All frameworks' hooks, as handlers of one script."""

from __future__ import annotations

from importlib import import_module

from classhook.agent.handlers import TIMEOUT, Handler
from classhook.agent.loaded import GIVEN, SCRIPTS
from classhook.agent.own_commands import add_command
from classhook.agent.testing import static_state
from classhook.agent.testing.by_hand import command
from classhook.base.test_words import OWN_RULES
from classhook.rules.syntax import ClassPattern, MethodPattern, Rule, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.agent.testing.hook import Hook

FRAMEWORKS: Final = (
    "junit_platform",
    "junit_launcher",
    "junit4",
    "junit3",
    "testng",
    "spring",
    "scalatest",
    "surefire",
    "gradle",
)


def install() -> None:
    """Called by the script, before the program begins. The rules are made here, since parsing takes long."""
    script = SCRIPTS[-1]
    add_command(script, "test", command, "test start NAME, test end [passed|failed|aborted|skipped]")
    hooks: list[Hook] = [hook for name in FRAMEWORKS for hook in import_module(f"classhook.agent.testing.{name}").HOOKS]
    for hook in [*hooks, *static_state.install(script, GIVEN)]:
        handler = Handler("method_exit" if hook.exit else "method_entry", hook.act, True, None, TIMEOUT, script=script)
        script.rules.append(rule_of(hook, handler.number))


def rule_of(hook: Hook, handler: int) -> Rule:
    class_name, _, method = hook.method.partition("::")
    words = [word for word in ("exit", "args", "value") if getattr(hook, word)]
    target = Target(ClassPattern(class_name.rstrip("+"), subtypes=class_name.endswith("+")), MethodPattern(method))
    text = " ".join([f"event {hook.method} handler {handler}", *words])
    clauses = (("handler", str(handler)), *((word, word) for word in words))
    return Rule("event", text, OWN_RULES, 1, targets=(target,), clauses=clauses)
