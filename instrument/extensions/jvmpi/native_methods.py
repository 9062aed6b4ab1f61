"""The events that name a native method, if a script asks for native methods at all
(native/extensions/jvmpi/native_methods.c asks here, once for each).

A pattern is matched as that of a rule is, with the method's class, name, parameters and modifiers; its supertypes and
annotations are not known.
"""

from __future__ import annotations

from classhook.agent.patterns import parsed
from classhook.base.embedded import jvmpi as native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.rules.ruleset import RuleSet

#: Not an event, but the question.
QUESTION = 10
ACCESS_FLAGS, OF_JDK = 0xFFFF, 1 << 16
#: Patterns, by the number of an event.
asked: dict[int, dict[str, RuleSet]] = {}


def ask(event_type: int, pattern: str) -> None:
    """Has this event name native methods, too, from now on. Raises RuleError."""
    from classhook.rules.ruleset import RuleSet

    asked.setdefault(event_type, {})[pattern] = RuleSet(parsed(f"event {pattern}"))
    native.natives_changed()


def forget(event_type: int, pattern: str | None) -> bool:
    """No more by this pattern; None: by none. Whether there are others."""
    patterns = asked.get(event_type, {})
    for one in [pattern] if pattern is not None else list(patterns):
        patterns.pop(one, None)
    native.natives_changed()
    return bool(patterns)


def answer(method_id: int, place: int, modifiers: int) -> None:
    found = native.method_name(method_id)
    events = [
        number
        for number, patterns in asked.items()
        if found and any(names(one, found, modifiers) for one in patterns.values())
    ]
    native.native_wanted(place, sum(1 << number - 1 for number in events))


def names(rules: RuleSet, method: tuple[str, str, str], modifiers: int) -> bool:
    """True if rules match a method: class, name, descriptor."""
    class_name, name, descriptor = method
    bound = rules.bind(class_name, bool(modifiers & OF_JDK), frozenset, frozenset)
    return bound is not None and bound.match_method(modifiers & ACCESS_FLAGS, name, descriptor, frozenset) is not None
