"""Objects that a static field may refer to, and the methods that may change them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from classhook.extensions.selection.effects.changes import Changes
from classhook.extensions.selection.effects.families import ANY, CONTAINERS, OPERATORS, bounds_of
from classhook.extensions.selection.effects.places import numbers
from classhook.extensions.selection.effects.values import EMPTY, OBJECT, WORLD, Place
from classhook.extensions.selection.facts import STATIC, ClassFacts
from classhook.extensions.selection.fixed_types import PLAIN, is_fixed

Bounds = tuple[str, ...] | None  # the types of what is in a collection; None: unknown


MOST_STEPS = 500_000  # of all walks together: some seconds
#: A part of what a field refers to, if that is not known: any other field may refer to the same.
UNKNOWN = "unknown"


class Found(NamedTuple):
    """`changers`: the methods that may change what a static field refers to, by their numbers; `parts`: what that is:
    objects, classes and types, by which it can be compared with that of another field; `classes`: all classes of the
    program that it may be of."""

    changers: set[int]
    parts: frozenset[object]
    classes: set[str]


class Reachable:
    """Objects that static fields may refer to. `steps`: how many are left; with none, all methods change all fields."""

    def __init__(self, changes: Changes, steps: int = MOST_STEPS) -> None:
        self.changes, self.steps = changes, steps
        self._known: dict[object, Found] = {}

    def of(self, owner: str, name: str) -> Found:
        facts = self.changes.classes[owner]
        alike = facts.fields[name], facts.generics.get(name), self.changes.places.at(Place(owner, name))
        key = (*alike, only_empty(self.changes, Place(owner, name)))
        if key not in self._known:
            self._known[key] = self._of(owner, name)
        return self._known[key]

    def _of(self, owner: str, name: str) -> Found:
        changes = self.changes
        walk = Walk(changes)
        self.steps -= walk.follow(owner, name, self.steps)
        if self.steps <= 0:
            return Found(changes.every, frozenset({UNKNOWN}), set())
        objects = {one for one in numbers(walk.objects) if one in changes.by_object or changes.world >> one & 1}
        classes = {one for one in walk.classes if one in changes.set_classes}
        made = {number for number in objects if not changes.places.objects[number].is_own}
        parts = frozenset(made | classes | {WORLD for _ in walk.types})
        return Found(walk.found | changes.anything, parts, walk.classes)


def only_empty(changes: Changes, place: Place) -> bool:
    """True if a field has only arrays without elements."""
    return changes.placing.made.get(place) == {EMPTY} and place not in changes.placing.gets


class Walk:
    """Follows what a field may refer to."""

    def __init__(self, changes: Changes) -> None:
        self.of, self.found = changes, set[int]()
        self.todo: list[tuple[Callable[..., None], tuple[object, ...]]] = []  # calls
        self.objects = self.steps = 0
        self._seen: dict[tuple[str, Bounds], int] = {}
        self.types: set[tuple[str, Bounds]] = set()
        self.classes: set[str] = set()

    def follow(self, owner: str, name: str, most: int) -> int:
        """Returns how many steps it took; it ends after so many."""
        self.enter_field(owner, name)
        while self.todo and self.steps < most:
            self.steps += 1
            enter, what = self.todo.pop()
            enter(*what)
        return self.steps

    def enter_field(self, owner: str, name: str) -> None:
        facts = self.of.classes[owner]
        kind = facts.fields[name][1]
        place = Place(owner, name)
        if not (is_fixed(kind) or only_empty(self.of, place)):
            self.todo.append((self.enter, (self.of.places.at(place), kind, bounds_of(facts.generics.get(name, "")))))

    def enter(self, objects: int, declared: str, bounds: Bounds) -> None:
        """The objects that may be of a declared type; in collections, of one of the bounds."""
        seen = self._seen.get((declared, bounds), 0)
        self._seen[declared, bounds] = seen | objects
        self.objects |= objects
        for number in numbers(objects & ~seen):
            self.steps += 1
            one = self.of.places.objects[number]
            if (one.exact and one.kind == OBJECT) or not self.of.families.meets_view(declared, one.kind):
                continue
            kind = declared if one.kind[1:-1] in ANY else one.kind
            for changed, some in self.of.by_object.get(number, {}).items():
                if self.of.families.meets_view(changed, kind):
                    self.found |= some
            if one.is_own:
                self.todo.append((self.enter_class, (one.kind[1:-1], one.exact)))
            elif one.made_at is None:
                self.todo.append((self.enter_type, (kind, bounds)))
            elif self.of.world >> number & 1:
                self.found |= self.of.in_world(kind)
            if bounds != () and one.holds and (one.made_at is not None or one.is_own):
                inner = self.of.places.within(number)
                for part in (kind[1:],) if kind[0] == "[" else (OBJECT,) if bounds is None else bounds:
                    self.todo.append((self.enter, (inner, part, bounds)))

    def enter_type(self, kind: str, bounds: Bounds = None) -> None:
        """Follows the objects of a type that are not told apart."""
        if is_fixed(kind) or (kind, bounds) in self.types:
            return
        self.types.add((kind, bounds))
        name = kind.lstrip("[")[1:-1]
        if kind[0] == "[":
            self.todo.append((self.enter_type, (kind[1:],)))
        if kind[1:-1] in self.of.classes:
            self.todo.append((self.enter_class, (name, False)))
            return
        self.found |= self.of.in_world(kind)
        for one in self.of.hierarchy.below(kind[1:-1]):
            self.todo.append((self.enter_class, (one, True)))
        for captured in self.of.captured.get(OPERATORS.get(kind, kind), ()):
            self.todo.append((self.enter_type, (captured,)))
        if kind[0] == "L" and CONTAINERS.match(name):
            if bounds is None:
                self.found |= self.of.every
            for one in bounds or ():
                self.todo.append((self.enter_type, (one, bounds)))

    def enter_class(self, name: str, exact: bool) -> None:
        """Follows what objects of a class refer to, and adds the methods that set their fields."""
        for one in (name, *(() if exact else self.of.hierarchy.below(name))):
            if one in self.classes or one not in self.of.classes:
                continue
            self.classes.add(one)
            for captured in self.of.captured.get(f"L{one};", ()):
                self.todo.append((self.enter_type, (captured,)))
            for owner in (one, *self.of.hierarchy.above(one)):
                if owner in self.of.classes:
                    self._enter_fields(self.of.classes[owner])

    def _enter_fields(self, facts: ClassFacts) -> None:
        if facts.super_name not in self.of.classes and facts.super_name not in PLAIN:
            self.found |= self.of.in_world(f"L{facts.super_name};")  # what the superclass keeps
        for field, (flags, _) in facts.fields.items():
            if not flags & STATIC:
                self.found |= self.of.by_field.get((facts.name, field), set())
                self.enter_field(facts.name, field)
