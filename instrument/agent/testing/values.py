"""Reads objects by their fields: those of the JDK's collections, and paths. A field that a version lacks has the value
None."""

from __future__ import annotations

from classhook.agent.open_tests import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Final

MOST = 10_000  # elements of a list
INVOKED = "java.lang.reflect.InvocationTargetException"
CAUSES = 20  # that are followed


def at(value: Any, *path: str) -> Any:
    """The value behind these fields; of several names with a bar between them, the first that there is. None: there is
    none."""
    for names in path:
        if value is None or isinstance(value, (str, int, float)):
            return None
        for name in names.split("|"):
            try:
                value = value.field(name)
                break
            except AttributeError:
                continue
        else:
            return None
    return value


def text(value: Any, *path: str) -> str:
    """The string behind these fields; empty: there is none."""
    found = at(value, *path) if path else value
    return found if isinstance(found, str) else ""


def class_named(value: Any, *path: str) -> str:
    """The name of the class that the value behind these fields is; empty: there is none."""
    found = at(value, *path) if path else value
    name = getattr(found, "class_name", None)
    return name if isinstance(name, str) else ""


def described(thrown: Any) -> str:
    """The class and message of an exception, and of the cause of all its causes; empty: there is none."""
    first = cause = at(thrown, "target") if getattr(thrown, "cls", "") == INVOKED else thrown
    for _ in range(CAUSES):
        further = at(cause, "cause")
        if further is None or named(further) == named(cause):  # an exception without a cause is its own
            break
        cause = further
    if first is None:
        return ""
    return cut(named(first) if cause is first else f"{named(first)}; caused by {named(cause)}")


def named(thrown: Any) -> str:
    """`java.lang.IllegalStateException: no stock`."""
    message = text(thrown, "detailMessage")
    return f"{thrown.cls}: {message}" if message else str(thrown.cls)


def items(value: Any) -> list[Any]:
    """The elements of an array, or of a list of the JDK's own classes; empty for any other."""
    if value is None or isinstance(value, (str, int, float)):
        return []
    name: str = value.cls
    if name.startswith("["):
        return [value[i] for i in range(min(len(value), MOST))]
    read = LISTS.get(name)
    return list(read(value)) if read else []


def _sized(array: str) -> Callable[[Any], Iterator[Any]]:
    def elements(value: Any) -> Iterator[Any]:
        there = at(value, array)
        for i in range(min(at(value, "size") or 0, MOST)):
            yield there[i]

    return elements


def _within(field: str) -> Callable[[Any], list[Any]]:
    return lambda value: items(at(value, field))


def _linked(value: Any) -> Iterator[Any]:
    node = at(value, "first")
    while node is not None:
        yield at(node, "item")
        node = at(node, "next")


def _two(value: Any) -> Iterator[Any]:
    yield at(value, "e0")
    second = at(value, "e1")
    if second is not None and getattr(second, "cls", "") != "java.lang.Object":  # what stands for none
        yield second


#: By class: its elements.
LISTS: Final[dict[str, Callable[[Any], Any]]] = {
    "java.util.ArrayList": _sized("elementData"),
    "java.util.Arrays$ArrayList": _within("a"),
    "java.util.Collections$SingletonList": lambda value: [at(value, "element")],
    "java.util.Collections$UnmodifiableRandomAccessList": _within("list"),
    "java.util.Collections$UnmodifiableList": _within("list"),
    "java.util.Collections$UnmodifiableCollection": _within("c"),
    "java.util.ImmutableCollections$List12": _two,
    "java.util.ImmutableCollections$ListN": _within("elements"),
    "java.util.LinkedList": _linked,
    "java.util.concurrent.CopyOnWriteArrayList": _within("array"),
}
