"""A part of the tracker: the natives, fields and methods of one concern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from classhook.native.building.tracker.names import Code
from classhook.native.building.tracker.thread_slots import Tracker


def nothing(t: Tracker) -> Code:
    """No code."""
    return []


@dataclass(frozen=True)
class Part:
    """What a part adds to the class.

    - `add` adds the methods in Java code; `natives`: name -> descriptor of those that the agent has.
    - `public`: what woven classes call; `package`: what JDK classes of java.lang call. All else is private.
    - `not_inlined`: methods that hardly run, and that the JIT would otherwise inline into all callers.
    - `fields`: static final ones, name -> descriptor, which the code of `initialise` sets; `stable`: those whose
      elements that are set the JIT takes for constants.
    - `link` calls each native once (whole.py says why); local 0 has the first of some slots that belong to no probe,
      local 1 is for a second one.
    """

    add: Callable[[Tracker], None]
    natives: dict[str, str] = field(default_factory=dict)
    public: tuple[str, ...] = ()
    package: tuple[str, ...] = ()
    not_inlined: tuple[str, ...] = ()
    fields: dict[str, str] = field(default_factory=dict)
    stable: tuple[str, ...] = ()
    initialise: Callable[[Tracker], Code] = nothing
    link: Callable[[Tracker], Code] = nothing
