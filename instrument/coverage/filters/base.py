"""The type of filters, and functions that many of them need."""

from __future__ import annotations

from classhook.coverage.pattern import NOWHERE, Match, Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body

#: Classes that a filter is for.
EVERY: Final = 0
JAVA: Final = 1  # all but Kotlin's
KOTLIN: Final = 2

ACC_PRIVATE: Final = 0x0002
ACC_STATIC: Final = 0x0008
ACC_BRIDGE: Final = 0x0040
ACC_SYNTHETIC: Final = 0x1000


ENUM: Final = b"java/lang/Enum"
THROWABLE: Final = b"java/lang/Throwable"


class Filter:
    """A filter. `about`: what the source looks like; `classes`: EVERY, JAVA or KOTLIN; `apply` adds to the effects of a
    method.

    `needs`: texts of which the constant pool of a class has at least one, or the filter has nothing to do there; empty:
    always to be asked.
    """

    __slots__ = ("about", "apply", "classes", "needs")

    def __init__(
        self, about: str, apply: Callable[[Body, Effects], None], classes: int = EVERY, needs: tuple[bytes, ...] = ()
    ) -> None:
        self.about = about
        self.apply = apply
        self.classes = classes
        self.needs = needs


def begins(body: Body, pattern: Pattern) -> bool:
    """True if the method's first instructions are these."""
    return Match(body).at(0, pattern) != NOWHERE
