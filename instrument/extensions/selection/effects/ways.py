"""Ways from a static field to what it may refer to: to the objects there, from an object to the fields of its class and
to what is in it; and at each node the methods that may change something."""

from __future__ import annotations

from dataclasses import dataclass

from classhook.extensions.selection.effects.changes import Changes
from classhook.extensions.selection.effects.families import ANY, CONTAINERS, OPERATORS, bounds_of
from classhook.extensions.selection.effects.places import numbers
from classhook.extensions.selection.effects.values import EMPTY, OBJECT, Place
from classhook.extensions.selection.facts import INTERFACE, STATIC
from classhook.extensions.selection.fixed_types import PLAIN, is_fixed

HANDLER = "Ljava/lang/reflect/InvocationHandler;"  # a proxy's
Bounds = tuple[str, ...] | None  # the types of what is in a collection; None: unknown


# nodes of two kinds are never equal, as tuples would be
@dataclass(frozen=True, slots=True)
class FieldOf:
    """A node: a field, static or of an object."""

    owner: str
    name: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A node: objects that may be of a declared type; in collections, of one of the bounds."""

    objects: int
    declared: str
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class One:
    """A node: an object, seen as one of a type."""

    number: int
    declared: str
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class Kind:
    """A node: the objects of a type that are not told apart."""

    kind: str
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class Own:
    """A node: the objects of a class of the program."""

    name: str


Node = FieldOf | Seen | One | Kind | Own
NOTHING: set[int] = set()


class Ways:
    """Ways from node to node. `class_numbers`: of the program's classes."""

    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        self.class_numbers = {name: i for i, name in enumerate(changes.classes)}
        self._masks: dict[int, int] = {}

    def in_world(self, kind: str) -> int:
        """The methods that may change what is of a type and not told apart from others: a bit for each."""
        return self.mask(self.changes.in_world(kind))

    def mask(self, methods: set[int]) -> int:
        """A bit for each method of one of the sets of `changes`."""
        known = self._masks.get(id(methods))
        if known is None:
            known = 0
            for one in methods:
                known |= 1 << one
            self._masks[id(methods)] = known
        return known


class Way:
    """The ways from a node, and what is met at the node itself."""

    def __init__(self, ways: Ways, node: Node) -> None:
        self.ways, self.of = ways, ways.changes
        self.to: list[Node] = []
        self.changers = self.objects = self.classes = 0
        self.others = False
        match node:
            case FieldOf():
                self._from_field(node)
            case Seen():
                self._from_seen(node)
            case One():
                self._from_object(node)
            case Kind():
                self._from_kind(node)
            case Own():
                self._from_class(node.name)

    def _from_field(self, node: FieldOf) -> None:
        facts, place = self.of.classes[node.owner], Place(node.owner, node.name)
        kind = facts.fields[node.name][1]
        if not (is_fixed(kind) or only_empty(self.of, place)):
            self.to.append(Seen(self.of.places.at(place), kind, bounds_of(facts.generics.get(node.name, ""))))

    def _from_seen(self, node: Seen) -> None:
        self.objects = node.objects
        for number in numbers(node.objects):
            one = self.of.places.objects[number]
            if not (one.exact and one.kind == OBJECT) and self.of.families.meets_view(node.declared, one.kind):
                self.to.append(One(number, node.declared, node.bounds))

    def _from_object(self, node: One) -> None:
        one = self.of.places.objects[node.number]
        kind = node.declared if one.kind[1:-1] in ANY else one.kind
        for changed, some in self.of.by_object.get(node.number, {}).items():
            if self.of.families.meets_view(changed, kind):
                self.changers |= self.ways.mask(some)
        if one.is_own:
            self._to_class(one.kind[1:-1], one.exact)
        elif one.made_at is None:
            self._to_kind(kind, node.bounds)
        elif self.of.world >> node.number & 1:
            self.changers |= self.ways.in_world(kind)
        if node.bounds != () and one.holds and (one.made_at is not None or one.is_own):
            inner = self.of.places.within(node.number)
            for part in (kind[1:],) if kind[0] == "[" else (OBJECT,) if node.bounds is None else node.bounds:
                self.to.append(Seen(inner, part, node.bounds))

    def _to_kind(self, kind: str, bounds: Bounds = None) -> None:
        if not is_fixed(kind):
            self.to.append(Kind(kind, bounds))

    def _from_kind(self, node: Kind) -> None:
        self.others, kind, name = True, node.kind, node.kind.lstrip("[")[1:-1]
        if kind[0] == "[":
            self._to_kind(kind[1:])
        if kind[1:-1] in self.of.classes:
            self._to_class(name, False)
            if self.of.placing.has_mocks and self.of.classes[name].flags & INTERFACE:
                self._to_kind(HANDLER)
            return
        self.changers |= self.ways.in_world(kind)
        for one in self.of.hierarchy.below(kind[1:-1]):
            self._to_class(one, True)
        for captured in self.of.captured.get(OPERATORS.get(kind, kind), ()):
            self._to_kind(captured)
        if kind[0] == "L" and CONTAINERS.match(name):
            if node.bounds is None:
                self.changers |= self.ways.mask(self.of.every)
            for one in node.bounds or ():
                self._to_kind(one, node.bounds)

    def _to_class(self, name: str, exact: bool) -> None:
        for one in (name, *(() if exact else self.of.hierarchy.below(name))):
            if one in self.of.classes:
                self.to.append(Own(one))

    def _from_class(self, name: str) -> None:
        """Follows what the objects refer to, and adds the methods that set their fields."""
        self.classes = 1 << self.ways.class_numbers[name]
        for captured in self.of.captured.get(f"L{name};", ()):
            self._to_kind(captured)
        for owner in (name, *self.of.hierarchy.above(name)):
            if owner not in self.of.classes:
                continue
            facts = self.of.classes[owner]
            if facts.super_name not in self.of.classes and facts.super_name not in PLAIN:
                self.changers |= self.ways.in_world(f"L{facts.super_name};")  # what the superclass keeps
            for field, (flags, _) in facts.fields.items():
                if not flags & STATIC:
                    self.changers |= self.ways.mask(self.of.by_field.get((owner, field), NOTHING))
                    self.to.append(FieldOf(owner, field))


def only_empty(changes: Changes, place: Place) -> bool:
    """True if a field has only arrays without elements."""
    return changes.placing.made.get(place) == {EMPTY} and place not in changes.placing.gets
