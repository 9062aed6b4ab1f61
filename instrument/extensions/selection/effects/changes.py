"""Which methods may change what a static field refers to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from classhook.classfile.reader import ClassFile, Method
from classhook.extensions.selection.effects.families import ANY, TEXT, Families, bounds_of, family, is_fixed
from classhook.extensions.selection.effects.interpreter import OBJECT, Effects, Owns, effects_of, parameter, result_of
from classhook.extensions.selection.effects.library import LAMBDAS
from classhook.extensions.selection.effects.places import Object, Places, content, numbers
from classhook.extensions.selection.effects.values import EMPTY, WORLD, Place
from classhook.extensions.selection.facts import PRIVATE, STATIC, VIRTUAL, ClassFacts, Member, MethodFacts
from classhook.extensions.selection.fixed_types import PLAIN
from classhook.extensions.selection.hierarchy import COMMON, Hierarchy, MethodName
from classhook.rules.languages.name import parameters

#: Types whose objects may refer to any others.
CONTAINERS = re.compile(
    r"java/lang/(Object|Iterable|Comparable|ThreadLocal|InheritableThreadLocal|ref/\w+)$"
    r"|java/util/(concurrent/)?(\w*(Map|Set|List|Collection|Deque|Queue|Table|Vector|Stack|Iterator|Enumeration)"
    r"|Optional|Map\$Entry|stream/\w+|atomic/Atomic\w*(Reference|Stamped)\w*|concurrent/\w*Future\w*)$"
)


ENTRY = "Ljava/util/Map$Entry;"
#: Types of lambdas that are also of another one.
OPERATORS = {
    "Ljava/util/function/UnaryOperator;": "Ljava/util/function/Function;",
    "Ljava/util/function/BinaryOperator;": "Ljava/util/function/BiFunction;",
}


Bounds = tuple[str, ...] | None  # of what is in a collection; None: unknown


class Program(Owns):
    """The program's classes, for the interpreter."""

    def __init__(self, classes: dict[str, ClassFacts], hierarchy: Hierarchy) -> None:
        self.classes, self.hierarchy = classes, hierarchy
        self.called = set[MethodName]()  # by the program
        self._files: dict[str, ClassFile] = {}
        self._methods: dict[str, dict[str, Method]] = {}
        self._effects: dict[MethodName, Effects] = {}

    def library_owner(self, owner: str, member: str) -> str | None:
        if owner not in self.classes:
            return owner
        if self.hierarchy.resolve(owner, member) is not None:
            return None
        above = [one for one in self.hierarchy.above(owner) if one not in self.classes]
        return above[0] if above else "java/lang/Object"

    def returned(self, owner: str, member: str, op: int) -> str | None:
        target = self.hierarchy.resolve(owner, member)
        if target is None or (op in VIRTUAL and self._is_overridden(owner, target)):
            return None
        found = self.effects(*target).returned
        return next(iter(found)) if found is not None and len(found) == 1 else None

    def _is_overridden(self, owner: str, target: MethodName) -> bool:
        member = target[1]
        return any(member in self.classes[one].methods for one in self.hierarchy.below(owner) if one in self.classes)

    def effects(self, owner: str, member: str) -> Effects:
        """What a method changes."""
        known = self._effects.get((owner, member))
        if known is None:
            self._effects[owner, member] = Effects()  # while it is looked at
            if owner not in self._files:
                cf = self._files[owner] = ClassFile.parse(self.classes[owner].data)
                self._methods[owner] = {one.name + one.descriptor: one for one in cf.methods}
            known = effects_of(self._files[owner], self._methods[owner][member], self)
            self._effects[owner, member] = known
        return known

    def targets(self, owner: str, member: str, op: int) -> list[MethodName]:
        target = self.hierarchy.resolve(owner, member)
        found = [target] if target is not None else []
        if op in VIRTUAL:
            for one in self.hierarchy.below(owner):
                if one in self.classes and member in self.classes[one].methods:
                    found.append((one, member))
        self.called.update(found)
        return found

    def is_own(self, descriptor: str) -> bool:
        return descriptor[1:-1] in self.classes

    def is_called(self, descriptor: str) -> bool:
        name = descriptor[1:-1]
        if name not in self.classes:
            return name.startswith(LAMBDAS)
        return any(
            (called := self.hierarchy.called_by_libraries(one)) is None or "compare" in called
            for one in (name, *self.hierarchy.below(name))
        )

    def is_fixed(self, descriptor: str) -> bool:
        return is_fixed(descriptor)

    def library_types(self, descriptor: str) -> list[str]:
        if not descriptor:
            return ["Ljava/lang/Object;"]
        if is_fixed(descriptor):
            return []
        name = descriptor[1:-1]
        if name not in self.classes:
            return [descriptor]
        return [f"L{one};" for one in self.hierarchy.above(name) if one not in self.classes and one not in PLAIN]


class Changes:
    """What each method changes. `names`: the methods that ran."""

    def __init__(self, classes: dict[str, ClassFacts], hierarchy: Hierarchy, names: Sequence[MethodName]) -> None:
        self.classes, self.hierarchy = classes, hierarchy
        owns = Program(classes, hierarchy)
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
                        self.by_field.setdefault(self._declared(field), set()).add(at)
                    changes += [(self._declared(place), kind, at) for place, kind in found.changes]
        self._publish(published)
        self.captured: dict[str, set[str]] = {}
        for facts in classes.values():
            for kind, one in facts.captured:
                self.captured.setdefault(OPERATORS.get(kind, kind), set()).add(one)
        self.set_classes = {below for owner, _ in self.by_field for below in (owner, *self.hierarchy.below(owner))}
        self.every = self.anything.union(*self.by_field.values(), {at for _, _, at in changes})
        self.by_object: dict[int, dict[str, set[int]]] = {}
        self._of_type: dict[str, set[int]] = {}
        self._known: dict[object, tuple[set[int], frozenset[object]]] = {}
        self._in_world: dict[str, set[int]] = {}
        for place, kind, at in changes:
            there = self._every_map() if kind == ENTRY else self.places.at(place)
            if place == WORLD or there & self.world:
                self._in_world.setdefault(kind, set()).add(at)
            for one in numbers(there & ~self.of_world):
                self.by_object.setdefault(one, {}).setdefault(kind, set()).add(at)

    def object(self, kind: str, exact: bool = False) -> Object:
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
                self.places.add(place, self.object(kind, True))
            else:
                self.places.add(place, Object(kind, True, place, holds=self._holds(kind)))
        for place, kind, exact in found.types:
            place = self._declared(place)
            self.made.setdefault(place, set()).add(kind)
            self.places.add(place, self.object(kind, exact))
        for to, of in found.same:
            self.places.flow(self._declared(to), self._declared(of))
        for place, kind in found.comes:
            self.places.add(self._declared(place), self.object(kind))
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
                            self.places.add(content(one), self.object(element))
                todo = inner & ~self.world
                self.world |= inner
            if self.world == known:
                break
        for number, one in enumerate(self.places.objects):
            if one.made_at is None and not one.is_own:
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
        if place[0] == "*":
            return ("*", self._declared(place[1]))
        if place == WORLD or place[1][0] in "#@":
            return place
        owner = self.hierarchy.field_owner(*place)
        return WORLD if owner is None else (owner, place[1])

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
                self.places.add(parameter(name, i), self.object(kind))
        published.append((result_of(name), member.rpartition(")")[2]))

    def of(self, static: Member) -> tuple[set[int], frozenset[object]]:
        """The methods that may change what a static field refers to, by their numbers, and what that is: objects,
        classes and types, by which it can be compared with that of another field."""
        facts = self.classes[static[0]]
        alike = (facts.fields[static[1]], facts.generics.get(static[1]), self.places.at(static))
        if alike not in self._known or self.made.get(static) == {EMPTY}:
            self._known[alike] = self._of(static)
        return self._known[alike]

    def _of(self, static: Member) -> tuple[set[int], frozenset[object]]:
        walk = _Walk(self)
        walk.enter_field(*static)
        objects = {one for one in numbers(walk.objects) if one in self.by_object or self.world >> one & 1}
        classes = {one for one in walk.classes if one in self.set_classes}
        made = {number for number in objects if not self.places.objects[number].is_own}
        return walk.found | self.anything, frozenset(made | classes | {WORLD for _ in walk.types})


class _Walk:
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
        place = (owner, name)
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
