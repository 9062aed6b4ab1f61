"""The arguments of handlers: the attributes of an event and of an object, for editors and type checkers.

Inside a JVM both are the embedding library's own types (native/embedded/event_object.c,
native/embedded/java_objects.c); a test compares them.
"""

from __future__ import annotations

import builtins
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn


def absent() -> NoReturn:
    from classhook.base.embedded import OutsideJvm

    raise OutsideJvm("an event or an object")


class Object:
    """A handle of a Java object. It is valid while the handler runs, on its thread; one that `keep` made, in all
    handlers. Raises RuntimeError elsewhere."""

    @property
    def cls(self) -> str:
        """The name of its class."""
        absent()

    @property
    def classes(self) -> list[str]:
        """The names of its class and its superclasses."""
        absent()

    @property
    def class_name(self) -> str | None:
        """The name of the class that the object is; None: it is not a class."""
        absent()

    @property
    def bytes(self) -> int:
        """The size of the object."""
        absent()

    @property
    def tagged(self) -> str | None:
        """The tag of the object."""
        absent()

    def field(self, name: str, /) -> Any:
        """The value of a field, of the class or a superclass, also of a private one. Raises AttributeError."""
        absent()

    def fields(self) -> dict[str, Any]:
        """All fields but static ones."""
        absent()

    def tag(self, name: str | None, /) -> Any:
        """Marks it: a number that no other object has. None: takes the mark off."""
        absent()

    def keep(self) -> Object:
        """A handle that stays valid. It keeps the object alive."""
        absent()

    def __bool__(self) -> bool:
        """True, also for an array that is empty."""
        absent()

    def __len__(self) -> int:
        absent()

    def __getitem__(self, index: int, /) -> Any:
        absent()

    def __iter__(self) -> Iterator[Any]:
        absent()


class Event:
    """The argument of a handler. The table of docs/reference/python-agents.md has the attributes of each event."""

    @property
    def kind(self) -> str:
        """The event's name."""
        absent()

    @property
    def name(self) -> str:
        """The name of the event's class or thread."""
        absent()

    @property
    def time(self) -> int:
        """The time of the event, in ns of the monotonic clock."""
        absent()

    @property
    def thread(self) -> str:
        """The name of the thread that it was on; empty: none of Java's."""
        absent()

    @property
    def missed(self) -> int:
        """The number of events of this handler that were lost since the one before."""
        absent()

    @property
    def ns(self) -> int:
        """The duration of the call, the wait or the pause."""
        absent()

    @property
    def pause_ns(self) -> int:
        """The duration of the collection's pause."""
        absent()

    @property
    def method(self) -> str:
        """`class::method`."""
        absent()

    @property
    def descriptor(self) -> str:
        """The method's descriptor."""
        absent()

    @property
    def this(self) -> Object | Any:
        """The object; None in static methods, and in constructors before their end. Sync."""
        absent()

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments, with `args=True`. Sync."""
        absent()

    @property
    def value(self) -> Any:
        """The result, with `value=True`; None if an exception was thrown. Sync."""
        absent()

    @property
    def exception(self) -> Any:
        """The exception that was thrown; if queued, the name of its class; None if there was none."""
        absent()

    @property
    def used(self) -> int:
        """Bytes of the heap that were used after the collection."""
        absent()

    @property
    def total(self) -> int:
        """Bytes of the heap."""
        absent()

    @property
    def bytes(self) -> int:
        """The size of the object that was allocated."""
        absent()

    @property
    def tag(self) -> int:
        """The number that `o.tag()` returned for the object that was freed."""
        absent()

    @property
    def data(self) -> builtins.bytes:
        """A class file."""
        absent()

    @property
    def text(self) -> str | None:
        """The words of a command."""
        absent()

    @property
    def source(self) -> str | None:
        """The source file of the class. Sync."""
        absent()

    @property
    def methods(self) -> list[str]:
        """The names of its methods. Sync."""
        absent()

    @property
    def fields(self) -> list[str]:
        """The names of its fields. Sync."""
        absent()

    @property
    def interfaces(self) -> list[str]:
        """The names of its interfaces. Sync."""
        absent()

    @property
    def loader(self) -> Object | None:
        """The class loader; None: the JVM's own. Sync."""
        absent()

    def stack(self, depth: int = 16) -> list[str]:
        """Frames such as `com.acme.Orders.place(Orders.java:12)`, innermost first."""
        absent()
