"""Changes that the methods of a program make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from classhook.extensions.selection.effects.families import ENTRY, OPERATORS
from classhook.extensions.selection.effects.places import numbers
from classhook.extensions.selection.effects.placing import Placing
from classhook.extensions.selection.effects.values import WORLD, Place
from classhook.extensions.selection.facts import ABSTRACT, INTERFACE, ClassFacts, Member
from classhook.extensions.selection.fixed_types import PLAIN
from classhook.extensions.selection.hierarchy import Hierarchy, MethodName
from classhook.extensions.selection.reflective import Reflective


class Changes:
    """`names`: the methods that ran; `anything`: those that may change whatever there is, by their numbers; `by_field`:
    those that set a field of objects; `by_object`: those that change an object, by its number and the type by which
    they do; `captured`: what lambdas of a type refer to."""

    def __init__(
        self,
        classes: dict[str, ClassFacts],
        hierarchy: Hierarchy,
        names: Sequence[MethodName],
        reflective: Reflective | None = None,
    ) -> None:
        self.classes, self.hierarchy = classes, hierarchy
        self.placing = Placing(classes, hierarchy, reflective)
        self.places, self.families = self.placing.places, self.placing.families
        self.world = self.placing.world
        self.anything = set[int]()
        self._fixed: dict[int, bool] = {}
        self.by_field: dict[Member, set[int]] = {}
        self.by_object: dict[int, dict[str, set[int]]] = {}
        self._in_world: dict[str, set[int]] = {}
        self._of_type: dict[str, set[int]] = {}
        changes: list[tuple[Place, str, int]] = []
        deep: list[tuple[Place, int, bool]] = []
        for at, (owner, member) in enumerate(names):
            self._add_method(at, owner, member, changes, deep)
        if reflective is not None:
            for set_ in reflective.object_fields:
                self.by_field.setdefault(set_, set()).update(reflective.object_setters)
        self.captured: dict[str, set[str]] = {}
        for facts in classes.values():
            for kind, one in facts.captured:
                self.captured.setdefault(OPERATORS.get(kind, kind), set()).add(one)
        self.set_classes = {below for owner, _ in self.by_field for below in (owner, *self.hierarchy.below(owner))}
        self.every = self.anything.union(
            *self.by_field.values(), {at for _, _, at in changes}, {at for _, at, _ in deep}
        )
        self._add_deep(deep)
        self._add_changes(changes)

    def _add_method(
        self,
        at: int,
        owner: str,
        member: str,
        changes: list[tuple[Place, str, int]],
        deep: list[tuple[Place, int, bool]],
    ) -> None:
        found, declared = self.placing.own.effects(owner, member), self.placing.declared
        for called, _, _ in self.classes[owner].methods[member].calls:
            changes += [(WORLD, kind, at) for kind in self.placing.own.referring.get(called, ())]
        deep += [(declared(place), at, place in found.handed) for place in found.deep]
        if found.anything:
            self.anything.add(at)
        for field in found.sets:
            self.by_field.setdefault(self.placing.field(*field), set()).add(at)
        changes += [(declared(place), kind, at) for place, kind in found.changes]

    def _add_deep(self, deep: Iterable[tuple[Place, int, bool]]) -> None:
        """Adds methods that change all that is in libraries' objects."""
        inner: dict[int, int] = {}  # what is in objects, and in what is in these
        together: dict[tuple[int, bool], set[int]] = {}  # methods by what they change, and whether by reflection
        for place, by, is_handed in deep:
            within = self._within(self.places.at(place))
            if within not in inner:
                inner[within] = self._all_within(within)
            together.setdefault((inner[within], is_handed), set()).add(by)
        for (there, is_handed), some in together.items():
            kinds = set[str]()
            for number in numbers(there):
                one = self.places.objects[number]
                if one.is_own and not one.holds and (not is_handed or self._never_changes(number)):
                    continue  # its methods do what libraries do to it
                if not self.placing.of_world >> number & 1:
                    self.by_object.setdefault(number, {}).setdefault(one.kind, set()).update(some)
                if self.world >> number & 1:
                    kinds.add(one.kind)
            for kind in kinds:
                self._in_world.setdefault(kind, set()).update(some)

    def _add_changes(self, changes: Iterable[tuple[Place, str, int]]) -> None:
        maps = self._every_map()
        for place, kind, at in changes:
            there = maps if kind == ENTRY else self.places.at(place)
            if place == WORLD or there & self.world:
                self._in_world.setdefault(kind, set()).add(at)
            for changed in numbers(there & ~self.placing.of_world):
                if not self._never_changes(changed):
                    self.by_object.setdefault(changed, {}).setdefault(kind, set()).add(at)

    def _never_changes(self, number: int) -> bool:
        """True for objects in which nobody sets anything: those without fields, such as many constants of enums, and
        records of what never changes, whose fields not even reflection sets. Libraries know no supertype of these, and
        make no subclass."""
        if number not in self._fixed:
            one = self.places.objects[number]
            self._fixed[number] = one.is_own and not one.holds and self._is_fixed(one.kind[1:-1], one.exact)
        return self._fixed[number]

    def _is_fixed(self, name: str, exact: bool) -> bool:
        some = (name, *(() if exact else self.hierarchy.below(name)))
        if not exact and (self.classes[name].flags & (INTERFACE | ABSTRACT) or self.placing.has_mocks):
            return False
        every = {above for one in some for above in (one, *self.hierarchy.above(one))}
        own = {one for one in every if one in self.classes}
        return not any(map(self.placing.own.fields_in, own)) and all(one in PLAIN for one in every - own)

    def _every_map(self) -> int:
        """The objects whose entries a method may change: it is not known of which map an entry is."""
        found = 0
        for number, one in enumerate(self.places.objects):
            if self.families.meet(one.kind, ENTRY):
                found |= 1 << number
        return found

    def _within(self, objects: int) -> int:
        inner = 0
        for one in numbers(objects):
            inner |= self.places.within(one)
        return inner

    def _all_within(self, objects: int) -> int:
        """These objects, what is in them, and in what is in these."""
        found, todo = objects, objects
        while todo:
            todo = self._within(todo) & ~found
            found |= todo
        return found

    def in_world(self, kind: str) -> set[int]:
        """The methods that may change what is of a type and not told apart from others."""
        known = self._of_type.get(kind)
        if known is None:
            known = set[int]().union(
                *(some for other, some in self._in_world.items() if self.families.meet(kind, other))
            )
            self._of_type[kind] = known
        return known
