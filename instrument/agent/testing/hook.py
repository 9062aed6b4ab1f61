"""A method of a test framework that is woven, and what is done there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Hook:
    """`method`: `class::method`, the class perhaps with a `+` for all its subtypes, whatever the parameters; `act` is
    given the event, at the entry, or, with `exit`, where the method ends; `args`: with the arguments; `value`: with the
    result."""

    __slots__ = ("act", "args", "exit", "method", "value")

    def __init__(
        self, method: str, act: Callable[[Any], None], exit: bool = False, args: bool = False, value: bool = False
    ) -> None:
        self.method = method
        self.act = act
        self.exit = exit
        self.args = args
        self.value = value
