"""What the methods of a program change, and which objects may be at which places."""

from __future__ import annotations

from collections.abc import Sequence

from classhook.extensions.selection.effects.families import (
    CONTAINERS,
    ENTRY,
    OPERATORS,
    TEXT,
    Families,
    family,
    is_fixed,
)
from classhook.extensions.selection.effects.found import Effects
from classhook.extensions.selection.effects.own_classes import OwnClasses
from classhook.extensions.selection.effects.places import Object, Places, content, numbers
from classhook.extensions.selection.effects.values import OBJECT, WORLD, Place, parameter, result_of
from classhook.extensions.selection.facts import PRIVATE, STATIC, ClassFacts, Member, MethodFacts
from classhook.extensions.selection.fixed_types import PLAIN
from classhook.extensions.selection.hierarchy import COMMON, Hierarchy, MethodName
from classhook.rules.languages.name import parameters


class Changes:
    """What each method changes. `names`: the methods that ran."""

    def __init__(self, classes: dict[str, ClassFacts], hierarchy: Hierarchy, names: Sequence[MethodName]) -> None:
        self.classes, self.hierarchy = classes, hierarchy
        owns = OwnClasses(classes, hierarchy)
        number = {name: i for i, name in enumerate(names)}
        self.places = Places()
        self.families = Families(classes, hierarchy)
        self.gets, self.made = set[Place](), dict[Place, set[str]]()
        self.anything = set[int]()
        self.by_field: dict[Member, set[int]] = {}
        changes: list[tuple[Place, str, int]] = []
        for facts in classes.values():
            for member in facts.methods:
                owns.effects(facts.name, member)
        self._called = owns.called
        published: list[tuple[Place, str]] = []
        for facts in classes.values():
            for member, method in facts.methods.items():
                found = owns.effects(facts.name, member)
                self._add_places(found, published)
                if self._is_called_by_libraries(facts, member, method):
                    self._open(facts.name, member, published)
                at = number.get((facts.name, member))
                if at is not None:
                    if found.anything:
                        self.anything.add(at)
                    for field in found.sets:
                        self.by_field.setdefault(self._field(*field), set()).add(at)
                    changes += [(self._declared(place), kind, at) for place, kind in found.changes]
        self._publish(published)
        self.captured: dict[str, set[str]] = {}
        for facts in classes.values():
            for kind, captured in facts.captured:
                self.captured.setdefault(OPERATORS.get(kind, kind), set()).add(captured)
        self.set_classes = {below for owner, _ in self.by_field for below in (owner, *self.hierarchy.below(owner))}
        self.every = self.anything.union(*self.by_field.values(), {at for _, _, at in changes})
        self.by_object: dict[int, dict[str, set[int]]] = {}
        self._of_type: dict[str, set[int]] = {}
        self._in_world: dict[str, set[int]] = {}
        for place, kind, at in changes:
            there = self._every_map() if kind == ENTRY else self.places.at(place)
            if place == WORLD or there & self.world:
                self._in_world.setdefault(kind, set()).add(at)
            for one in numbers(there & ~self.of_world):
                self.by_object.setdefault(one, {}).setdefault(kind, set()).add(at)

    def untold(self, kind: str, exact: bool = False) -> Object:
        """An object that is not told apart from others of its type."""
        name = kind[1:-1]
        if name not in self.classes:
            return Object(kind, exact, holds=self._holds(kind))
        above = [self.classes[one].super_name for one in (name, *self.hierarchy.above(name)) if one in self.classes]
        return Object(kind, exact, None, True, any(one not in self.classes and one not in PLAIN for one in above))

    def _every_map(self) -> int:
        """The objects whose entries a method may change: it is not known of which map an entry is."""
        found = 0
        for number, one in enumerate(self.places.objects):
            if self.families.meet(one.kind, ENTRY):
                found |= 1 << number
        return found

    def _holds(self, kind: str) -> bool:
        """True if something that changes may be in an array or a library's object of this type."""
        if kind[0] == "[":
            return not is_fixed(kind[1:])
        return family(kind[1:-1]) != {TEXT}

    def _add_places(self, found: Effects, published: list[tuple[Place, str]]) -> None:
        """Adds what a method makes, and where it lets objects go."""
        for place, kind in found.made:
            self.made.setdefault(place, set())
            if kind[1:-1] in self.classes:
                self.places.add(place, self.untold(kind, True))
            else:
                self.places.add(place, Object(kind, True, place, holds=self._holds(kind)))
        for place, kind, exact in found.types:
            place = self._declared(place)
            self.made.setdefault(place, set()).add(kind)
            self.places.add(place, self.untold(kind, exact))
        for to, of in found.same:
            self.places.flow(self._declared(to), self._declared(of))
        for place, kind in found.comes:
            self.places.add(self._declared(place), self.untold(kind))
        self.gets.update(map(self._declared, found.gets))
        published += [(self._declared(place), kind) for place, kind in found.goes]

    def _publish(self, places: list[tuple[Place, str]]) -> None:
        """Finds the objects that libraries and others may know, and what is in these."""
        self.world = self.of_world = 0
        while True:
            self.places.solve()
            known, objects = self.world, self.places.objects
            for place, kind in places:
                for one in numbers(self.places.at(place) & ~self.world):
                    if self.families.meet(kind, objects[one].kind):
                        self.world |= 1 << one
            todo = self.world & ~known
            while todo:
                inner = 0
                for one in numbers(todo):
                    inner |= self.places.within(one)
                    kind = objects[one].kind
                    if kind[0] == "[" or CONTAINERS.match(kind[1:-1]):  # others may put something in
                        element = kind[1:] if kind[0] == "[" else OBJECT
                        if not is_fixed(element) and objects[one].made_at is not None:
                            self.places.add(content(one), self.untold(element))
                todo = inner & ~self.world
                self.world |= inner
            if self.world == known:
                break
        for number, thing in enumerate(self.places.objects):
            if thing.made_at is None and not thing.is_own:
                self.of_world |= 1 << number
        self.world |= self.of_world

    def in_world(self, kind: str) -> set[int]:
        """The methods that may change what is of a type and not told apart from others."""
        known = self._of_type.get(kind)
        if known is None:
            known = set[int]().union(
                *(some for other, some in self._in_world.items() if self.families.meet(kind, other))
            )
            self._of_type[kind] = known
        return known

    def _declared(self, place: Place) -> Place:
        """A place, with the class that declares the field, if it is a field."""
        if place.within is not None:
            return Place(within=self._declared(place.within))
        if place == WORLD or place.name[0] in "#@":
            return place
        owner, name = self._field(place.of, place.name)
        return Place(owner, name) if owner else WORLD

    def _field(self, owner: str, name: str) -> Member:
        """A field, by the class that declares it; empty: a library's does."""
        return self.hierarchy.field_owner(owner, name) or "", name

    def _is_called_by_libraries(self, facts: ClassFacts, member: str, method: MethodFacts) -> bool:
        if member.startswith("lambda$") or method.annotations:
            return True
        if (facts.name, member) not in self._called or member in COMMON:
            return True
        return not method.flags & (PRIVATE | STATIC) and (
            self.hierarchy.called_by_libraries(facts.name) is None
            or member.partition("(")[0] in (self.hierarchy.called_by_libraries(facts.name) or ())
        )

    def _open(self, owner: str, member: str, published: list[tuple[Place, str]]) -> None:
        """Libraries may call a method."""
        name = f"{owner}.{member}"
        for i, kind in enumerate(parameters(member[member.index("(") :])):
            if not is_fixed(kind):
                self.places.add(parameter(name, i), self.untold(kind))
        published.append((result_of(name), member.rpartition(")")[2]))
