"""Contexts of Spring's test framework: whichever test needs one first would pay for it, and the others that share it
would not."""

from __future__ import annotations

from classhook.agent import set_ups
from classhook.agent.testing.hook import Hook
from classhook.agent.testing.values import at, class_named, described, items
from classhook.base.test_words import FAILED, PASSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

SOURCE: Final = "Spring"
DELEGATE: Final = "org.springframework.test.context.cache.DefaultCacheAwareContextLoaderDelegate"
#: Without the runtime hints of a native image, and with them.
LOADS: Final = ("loadContextInternal", "loadContextInAotMode")


def begins(e: Any) -> None:
    set_ups.begin(name_of(e.args[0] if len(e.args) else None), SOURCE, e.thread)


def ends(e: Any) -> None:
    set_ups.end(FAILED if e.exception else PASSED, described(e.exception))


def name_of(configuration: Any) -> str:
    """`Spring context of com.acme.OrdersTest (active profile sale)`, of a MergedContextConfiguration."""
    of = class_named(configuration, "testClass")
    profiles = [str(one) for one in items(at(configuration, "activeProfiles"))]
    active = f" (active profile{'s' if len(profiles) > 1 else ''} {', '.join(profiles)})" if profiles else ""
    return f"Spring context{f' of {of}' if of else ''}{active}"


HOOKS = (
    *(Hook(f"{DELEGATE}::{name}", begins, args=True) for name in LOADS),
    *(Hook(f"{DELEGATE}::{name}", ends, exit=True) for name in LOADS),
)
