"""Finds which objects may be at which places of a program: from what each method does, and from what libraries may do
that call its methods or know its objects."""

from __future__ import annotations

from collections.abc import Iterator

from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.extensions.selection.effects.families import CONTAINERS, TEXT, Families, family
from classhook.extensions.selection.effects.found import Effects
from classhook.extensions.selection.effects.own_classes import OwnClasses
from classhook.extensions.selection.effects.places import Object, Places, content, numbers
from classhook.extensions.selection.effects.values import KEPT, OBJECT, WORLD, Place, parameter, result_of
from classhook.extensions.selection.facts import (
    ABSTRACT,
    MEMBERS,
    PRIVATE,
    STATIC,
    VIRTUAL,
    ClassFacts,
    Member,
    MethodFacts,
)
from classhook.extensions.selection.fixed_types import PLAIN, is_fixed
from classhook.extensions.selection.hierarchy import COMMON, Hierarchy
from classhook.extensions.selection.reflective import Reflective
from classhook.rules.languages.name import parameters

#: The beginnings of the names of libraries' classes that make objects of any interface.
PROXIES = (
    *("java/lang/reflect/Proxy", "org/mockito/", "org/easymock/", "org/powermock/", "org/jmock/", "mockit/"),
    *("net/sf/cglib/", "net/bytebuddy/", "javassist/", "io/mockk/"),
)
#: Methods that find methods by their names.
LOOKUPS = frozenset(
    (
        *(("java/lang/Class", name) for name in ("getMethod", "getDeclaredMethod", "getMethods", "getDeclaredMethods")),
        *(("java/lang/invoke/MethodHandles$Lookup", f"find{name}") for name in ("Virtual", "Static", "Special")),
    )
)


class Placing:
    """`world`: the objects that libraries and others may know, a bit for each; `of_world`: those of them that are not
    told apart; `made`, `gets`: the types of what methods make and set to a place, and places that get anything else."""

    def __init__(self, classes: dict[str, ClassFacts], hierarchy: Hierarchy, reflective: Reflective | None) -> None:
        self.classes, self.hierarchy = classes, hierarchy
        self.own = OwnClasses(classes, hierarchy)
        self.places = Places()
        self.families = Families(classes, hierarchy)
        self.gets, self.made = set[Place](), dict[Place, set[str]]()
        for facts in classes.values():
            for member in facts.methods:
                self.own.effects(facts.name, member)
        self.places.add(KEPT, Object(OBJECT, False, KEPT))
        self._elsewhere = self._made_elsewhere()
        self._looked_up = set[str]()
        if any((owner, member.partition("(")[0]) in LOOKUPS for owner, member in self._calls()):
            self._looked_up = {text for facts in classes.values() for text in facts.strings}
        published: list[tuple[Place, str]] = []
        for facts in classes.values():
            for member, method in facts.methods.items():
                self._add_method(facts, member, method, published)
        if reflective is not None:
            for owner, name in (*reflective.settable, *reflective.object_fields):
                self._exchange(Place(owner, name), classes[owner].fields[name][1], published)
            published += [(Place(owner, name), classes[owner].fields[name][1]) for owner, name in reflective.fields]
        self._publish(published)

    def _add_method(
        self, facts: ClassFacts, member: str, method: MethodFacts, published: list[tuple[Place, str]]
    ) -> None:
        found = self.own.effects(facts.name, member)
        self._add_places(found, published)
        if self._is_called_by_libraries(facts, member, method):
            self._open(facts.name, member, published)
        if found.anything or (method.flags & ABSTRACT and self._is_elsewhere(facts.name, member)):
            self._close(facts.name, member, published)
        if found.anything:
            self._name_all(facts, published)

    def untold(self, kind: str, exact: bool = False) -> Object:
        """An object that is not told apart from others of its type."""
        name = kind[1:-1]
        if name not in self.classes:
            return Object(kind, exact, holds=self._holds(kind))
        above = [self.classes[one].super_name for one in (name, *self.hierarchy.above(name)) if one in self.classes]
        return Object(kind, exact, None, True, any(one not in self.classes and one not in PLAIN for one in above))

    def _holds(self, kind: str) -> bool:
        """True if something that changes may be in an array or a library's object of this type."""
        if kind[0] == "[":
            return not is_fixed(kind[1:])
        return family(kind[1:-1]) != {TEXT}

    def _add_places(self, found: Effects, published: list[tuple[Place, str]]) -> None:
        """Adds what a method makes, and where it lets objects go."""
        for place, kind, exact in found.made:
            self.made.setdefault(place, set())
            if kind[1:-1] in self.classes:
                self.places.add(place, self.untold(kind, exact))
            else:
                self.places.add(place, Object(kind, exact, place, holds=self._holds(kind)))
        for place, kind, exact in found.types:
            place = self.declared(place)
            self.made.setdefault(place, set()).add(kind)
            self.places.add(place, self.untold(kind, exact))
        for to, of in found.same:
            self.places.flow(self.declared(to), self.declared(of))
        for place, kind in found.comes:
            self.places.add(self.declared(place), self.untold(kind))
        for place in (*found.deep, *(place for place, _ in (*found.changes, *found.goes))):
            self.places.know(self.declared(place))
        self.gets.update(map(self.declared, found.gets))
        published += [(self.declared(place), kind) for place, kind in found.goes]

    def _publish(self, places: list[tuple[Place, str]]) -> None:
        """Finds the objects that libraries and others may know, and what is in these."""
        self.world = self.of_world = 0
        objects = self.places.objects
        while True:
            self.places.solve()
            known, count = self.world, len(objects)
            for number in range(count):
                if self._is_of_world(objects[number]):
                    self.of_world |= 0 if objects[number].is_own else 1 << number
                    self._put_in(number)
                    self.world |= self.places.within(number)
            self.world |= self.of_world
            for place, kind in places:
                for one in numbers(self.places.at(place) & ~self.world):
                    if self.families.meet(kind, objects[one].kind):
                        self.world |= 1 << one
            todo = self.world
            while todo:
                inner = 0
                for one in numbers(todo):
                    inner |= self.places.within(one)
                    self._put_in(one)
                todo = inner & ~self.world
                self.world |= inner
            if self.world == known and len(objects) == count:
                break

    def _is_of_world(self, one: Object) -> bool:
        """True if others may put something in objects such as this one: those that are not told apart, and collections
        and the like that a class of the program extends."""
        if not one.is_own:
            return one.made_at is None
        return one.holds and self._keeps(one.kind[1:-1])

    def _keeps(self, name: str) -> bool:
        """True if a superclass of the class is a library's collection, or is not known."""
        above = (self.classes[one].super_name for one in (name, *self.hierarchy.above(name)) if one in self.classes)
        return any(
            one not in self.classes and (CONTAINERS.match(one) is not None or not one.startswith("java/"))
            for one in above
            if one not in PLAIN
        )

    def _put_in(self, one: int) -> None:
        """Others may put something in an object that they know."""
        kind = self.places.objects[one].kind
        if kind[0] == "[" or CONTAINERS.match(kind[1:-1]) or self._is_of_world(self.places.objects[one]):
            element = kind[1:] if kind[0] == "[" else OBJECT
            if not is_fixed(element):
                self.places.add(content(one), self.untold(element))

    def declared(self, place: Place) -> Place:
        """A place, with the class that declares the field, if it is a field."""
        if place.within is not None:
            return Place(within=self.declared(place.within))
        if place == WORLD or place.name[0] in "#@":
            return place
        owner, name = self.field(place.of, place.name)
        return Place(owner, name) if owner else WORLD

    def field(self, owner: str, name: str) -> Member:
        """A field, by the class that declares it; empty: a library's does."""
        return self.hierarchy.field_owner(owner, name) or "", name

    def _is_called_by_libraries(self, facts: ClassFacts, member: str, method: MethodFacts) -> bool:
        if member.startswith("lambda$") or method.annotations:
            return True
        if member.partition("(")[0] in self._looked_up:
            return True
        if (facts.name, member) not in self.own.called or member in COMMON:
            return True
        return not method.flags & (PRIVATE | STATIC) and (
            self.hierarchy.called_by_libraries(facts.name) is None
            or member.partition("(")[0] in (self.hierarchy.called_by_libraries(facts.name) or ())
        )

    def _open(self, owner: str, member: str, published: list[tuple[Place, str]]) -> None:
        """Libraries may call a method."""
        name = f"{owner}.{member}"
        for i, kind in enumerate(_parameters(member)):
            if not is_fixed(kind):
                self.places.add(parameter(name, i), self.untold(kind))
        published.append((result_of(name), member.rpartition(")")[2]))

    def _close(self, owner: str, member: str, published: list[tuple[Place, str]]) -> None:
        """Nothing is known of what a method does."""
        name = f"{owner}.{member}"
        for i, kind in enumerate(_parameters(member)):
            published.append((parameter(name, i), kind))
            self.places.know(parameter(name, i))
        self._exchange_result(name, member, published)

    def _exchange_result(self, name: str, member: str, published: list[tuple[Place, str]]) -> None:
        kind = member.rpartition(")")[2]
        if kind[0] in "[L":
            self._exchange(result_of(name), kind, published)

    def _exchange(self, place: Place, kind: str, published: list[tuple[Place, str]]) -> None:
        """Objects that are not told apart may get to a place, and others may get the objects from there."""
        if kind[0] in "[L" and not is_fixed(kind):
            place = self.declared(place)
            self.places.add(place, self.untold(kind))
            self.gets.add(place)
            published.append((place, kind))

    def _name_all(self, facts: ClassFacts, published: list[tuple[Place, str]]) -> None:
        """A method that cannot be followed may use all that its class has or names."""
        for name, (_, kind) in facts.fields.items():
            self._exchange(Place(facts.name, name), kind, published)
        pool = ClassFile.parse(facts.data).pool
        for index in range(1, pool.count):
            if pool.tag(index) in MEMBERS:
                entry = pool.entry(index)
                try:
                    owner = pool.class_name(entry[1] << 8 | entry[2])
                    name, kind = (one.decode("utf-8", "surrogateescape") for one in pool.name_and_type(index))
                except ClassFormatError:  # no code can use it
                    continue
                if "(" not in kind:
                    self._exchange(Place(owner, name), kind, published)
                    continue
                for of, member in self.own.targets(owner, name + kind, VIRTUAL[0]):
                    for i, one in enumerate(parameters(kind)):
                        self._exchange(parameter(f"{of}.{member}", i), one, published)
                    self._exchange_result(f"{of}.{member}", member, published)

    def _calls(self) -> Iterator[tuple[str, str]]:
        for facts in self.classes.values():
            for method in facts.methods.values():
                for owner, member, _ in method.calls:
                    yield owner, member

    def _made_elsewhere(self) -> set[str] | None:
        """The program's types of lambdas, and types above them; None: libraries make objects of any interface."""
        if any(owner.startswith(PROXIES) for owner, _ in self._calls()):
            return None
        found = set[str]()
        for facts in self.classes.values():
            for member in facts.methods:
                for _, kind, exact in self.own.effects(facts.name, member).made:
                    if not exact and kind[1:-1] in self.classes:
                        found.update((kind[1:-1], *self.hierarchy.above(kind[1:-1])))
        return found

    @property
    def has_mocks(self) -> bool:
        """True if libraries may make objects of the program's types."""
        return self._elsewhere is None

    def _is_elsewhere(self, owner: str, member: str) -> bool:
        """True if a lambda or a library may implement an abstract method."""
        below = [one for one in self.hierarchy.below(owner) if one in self.classes]
        return (
            self._elsewhere is None
            or owner in self._elsewhere
            or any(one in self._elsewhere for one in below)
            or not any(member in self.classes[one].methods for one in below)
        )


def _parameters(member: str) -> list[str]:
    at = member.find("(")  # a hostile class has methods without
    return parameters(member[at:]) if at >= 0 else []
