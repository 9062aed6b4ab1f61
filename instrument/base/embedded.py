"""The modules that the embedding library makes: `events` (native/embedded/events_module.c) and `jvmpi`
(native/extensions/jvmpi/jvmpi_module.c).

They are there inside a JVM. Elsewhere, in an editor or a test, scripts can be imported, and whatever would ask the JVM
raises OutsideJvm.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

IN_JVM = "classhook_events" in sys.modules


class OutsideJvm(RuntimeError):
    """A function that works only inside a JVM was used elsewhere."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} works only inside a JVM: run the script with `classhook run --agent SCRIPT -- java ...`"
        )


class Absent:
    """A stand-in for a module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise OutsideJvm(f"{self._name}.{name}")


def outside(package: str, function: F) -> F:
    """The same function, with its signature and its words, which raises OutsideJvm."""
    from functools import wraps

    @wraps(function)
    def refuse(*arguments: object, **named: object) -> NoReturn:
        raise OutsideJvm(f"{package}.{function.__name__}")

    return refuse  # type: ignore[return-value]


events: Any = sys.modules.get("classhook_events") or Absent("classhook_events")
jvmpi: Any = sys.modules.get("classhook_jvmpi") or Absent("classhook_jvmpi")
