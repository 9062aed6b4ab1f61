"""What a static field may refer to, and the methods that may change it."""

from __future__ import annotations

from classhook.extensions.selection.effects.changes import Changes
from classhook.extensions.selection.effects.families import ANY, CONTAINERS, OPERATORS, bounds_of, is_fixed
from classhook.extensions.selection.effects.places import numbers
from classhook.extensions.selection.effects.values import EMPTY, OBJECT, WORLD, Place
from classhook.extensions.selection.facts import STATIC, ClassFacts, Member
from classhook.extensions.selection.fixed_types import PLAIN

Bounds = tuple[str, ...] | None  # the types of what is in a collection; None: unknown


class Reachable:
    """What static fields may refer to."""

    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        self._known: dict[object, tuple[set[int], frozenset[object]]] = {}

    def of(self, static: Member) -> tuple[set[int], frozenset[object]]:
        """The methods that may change what a static field refers to, by their numbers, and what that is: objects,
        classes and types, by which it can be compared with that of another field."""
        facts = self.changes.classes[static[0]]
        alike = (facts.fields[static[1]], facts.generics.get(static[1]), self.changes.places.at(Place(*static)))
        if alike not in self._known or self.changes.made.get(Place(*static)) == {EMPTY}:
            self._known[alike] = self._of(static)
        return self._known[alike]

    def _of(self, static: Member) -> tuple[set[int], frozenset[object]]:
        walk = Walk(self.changes)
        walk.enter_field(*static)
        objects = {
            one for one in numbers(walk.objects) if one in self.changes.by_object or self.changes.world >> one & 1
        }
        classes = {one for one in walk.classes if one in self.changes.set_classes}
        made = {number for number in objects if not self.changes.places.objects[number].is_own}
        return walk.found | self.changes.anything, frozenset(made | classes | {WORLD for _ in walk.types})


class Walk:
    """Follows what a field may refer to."""

    def __init__(self, changes: Changes) -> None:
        self.of, self.found = changes, set[int]()
        self.objects = 0
        self._seen: dict[tuple[str, Bounds], int] = {}
        self.types: set[tuple[str, Bounds]] = set()
        self.classes: set[str] = set()

    def enter_field(self, owner: str, name: str) -> None:
        facts = self.of.classes[owner]
        kind = facts.fields[name][1]
        place = Place(owner, name)
        only_empty = self.of.made.get(place) == {EMPTY} and place not in self.of.gets
        if not (is_fixed(kind) or only_empty):
            self.enter(self.of.places.at(place), kind, bounds_of(facts.generics.get(name, "")))

    def enter(self, objects: int, declared: str, bounds: Bounds) -> None:
        """The objects that may be of a declared type; in collections, of one of the bounds."""
        seen = self._seen.get((declared, bounds), 0)
        self._seen[declared, bounds] = seen | objects
        self.objects |= objects
        for number in numbers(objects & ~seen):
            one = self.of.places.objects[number]
            if (one.exact and one.kind == OBJECT) or not self.of.families.meet(declared, one.kind):
                continue
            kind = declared if one.kind[1:-1] in ANY else one.kind
            for changed, some in self.of.by_object.get(number, {}).items():
                if self.of.families.meet(changed, kind):
                    self.found |= some
            if one.is_own:
                self.enter_class(one.kind[1:-1], one.exact)
            elif one.made_at is None:
                self.enter_type(kind, bounds)
            else:
                if self.of.world >> number & 1:
                    self.found |= self.of.in_world(kind)
            if bounds != () and one.holds and (one.made_at is not None or one.is_own):
                inner = self.of.places.within(number)
                for part in (kind[1:],) if kind[0] == "[" else (OBJECT,) if bounds is None else bounds:
                    self.enter(inner, part, bounds)

    def enter_type(self, kind: str, bounds: Bounds = None) -> None:
        """What is of this type, and not told apart from others."""
        if is_fixed(kind) or (kind, bounds) in self.types:
            return
        self.types.add((kind, bounds))
        name = kind.lstrip("[")[1:-1]
        if kind[0] == "[":
            self.enter_type(kind[1:])
        if kind[1:-1] in self.of.classes:
            self.enter_class(name, False)
            return
        self.found |= self.of.in_world(kind)
        for one in self.of.hierarchy.below(kind[1:-1]):
            self.enter_class(one, True)
        for captured in self.of.captured.get(OPERATORS.get(kind, kind), ()):
            self.enter_type(captured)
        if kind[0] == "L" and CONTAINERS.match(name):
            if bounds is None:
                self.found |= self.of.every
            for one in bounds or ():
                self.enter_type(one, bounds)

    def enter_class(self, name: str, exact: bool) -> None:
        """What objects of a class refer to, and the methods that set their fields."""
        for one in (name, *(() if exact else self.of.hierarchy.below(name))):
            if one in self.classes or one not in self.of.classes:
                continue
            self.classes.add(one)
            for captured in self.of.captured.get(f"L{one};", ()):
                self.enter_type(captured)
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
