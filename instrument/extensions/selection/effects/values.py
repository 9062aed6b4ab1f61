"""Values on the operand stack and in locals, as far as their origin matters."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Place(NamedTuple):
    """A place where an object may be: a field (`of`: its class), a parameter or a result (`of`: the method, `name`: `#`
    and which), or the instruction that made it (`@` and its place); `within`: it is in an array, a collection or the
    like there."""

    of: str = ""
    name: str = ""
    within: Place | None = None


WORLD = Place()  # what libraries have, and all that is not told apart
KEPT = Place("^", "#")  # what objects of libraries' subclasses gave to their superclasses
THIS = -1  # the site of `this` in a constructor
EMPTY = "I"  # as the type of an array without elements, which never changes


class Value(NamedTuple):
    """`type`: a descriptor, empty if it is unknown; `site`: the instruction that made the object (its pc + 1), THIS, or
    0: it was made elsewhere; `at`: where the object also is, or may be; None: it is known by its type only."""

    type: str = ""
    site: int = 0
    at: Place | None = None


UNKNOWN = Value()
PLAIN = Value("I")  # a number, or the second slot of one
ZERO = Value("Z")  # the number 0
NULL = Value("null")
OBJECT = "Ljava/lang/Object;"
Join = Callable[[str, Value, Value], tuple[Value, frozenset[int]]]


def constant(pc: int) -> Value:
    """The value that an instruction always pushes, if that is neither null nor the number 0."""
    return Value(PLAIN.type, THIS - 1 - pc)


def is_constant(value: Value) -> bool:
    return value in (NULL, ZERO) or value.site < THIS


def within(place: Place) -> Place:
    """The place of the elements of an array, a collection or the like at a place."""
    return WORLD if place == WORLD else Place(within=place)


class State:
    """The state before an instruction. `escaped`: sites whose objects others may know."""

    __slots__ = ("escaped", "locals", "stack")

    def __init__(self, stack: list[Value], locals_: dict[int, Value], escaped: frozenset[int]) -> None:
        self.stack = stack
        self.locals = locals_
        self.escaped = escaped

    def copy(self) -> State:
        return State([*self.stack], dict(self.locals), self.escaped)

    def merge(self, other: State, pc: int, join: Join) -> bool:
        """Merges another state into this one; returns whether that changed anything. `join`: makes one value of two,
        with the sites of what others may know for that."""
        changed, escaped = False, self.escaped | other.escaped
        for i, (own, its) in enumerate(zip(self.stack, other.stack, strict=True)):
            if own != its:
                self.stack[i], known = _joined(own, its, f"{pc}s{i}", join)
                escaped |= known
                changed |= self.stack[i] != own
        for i, own in [*self.locals.items()]:
            there = other.locals.get(i)
            if there is None:
                del self.locals[i]
                changed = True
            elif own != there:
                self.locals[i], known = _joined(own, there, f"{pc}l{i}", join)
                escaped |= known
                changed |= self.locals[i] != own
        changed |= escaped != self.escaped
        self.escaped = escaped
        return changed


def _joined(own: Value, its: Value, name: str, join: Join) -> tuple[Value, frozenset[int]]:
    if ZERO in (own, its) or all(one == PLAIN or is_constant(one) for one in (own, its)):
        return PLAIN, frozenset()
    if NULL in (own, its):
        return (its if own == NULL else own), frozenset()
    return join(name, own, its)


def parameter(method: str, i: int) -> Place:
    return Place(method, f"#{i}")


def result_of(method: str) -> Place:
    return Place(method, "#r")


def inside(value: Value) -> str:
    """The type of what is in an array, a collection or the like."""
    return value.type[1:] if value.type.startswith("[") else OBJECT
