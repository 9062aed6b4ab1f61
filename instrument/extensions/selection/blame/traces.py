"""Finds methods that may change the static state that a test reads, and how surely each of them does.

Beyond static_state.py, which must overlook no method, this tells likely ones from those that only might:

1. A method sets the field; or it does so only if it also reads it, as what makes a value once.
2. A method sets the field by reflection, and its class has the field's name as a text.
3. A method reads the field, and changes what the field has: it calls a method that changes a collection, or a method of
   the field's class that changes the object.
4. It is such a method of the field's class, or of a class of an object within that object. Then its object may be
   another one; it is likely the field's if the test also reads the field.
5. Any other method that static_state.py has.

System properties are one field; texts that the classes of writer and reader have in common tell which property it may
be. The JVM's defaults (kept.py) are a field each, which every test may read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from classhook.extensions.selection import settings
from classhook.extensions.selection.facts import CLINIT, FINAL, STATIC, ClassFacts, MethodFacts
from classhook.extensions.selection.hierarchy import Hierarchy, MethodName
from classhook.extensions.selection.kept import KEEPERS
from classhook.extensions.selection.static_state import Field, StaticState

#: The beginnings of names of libraries' methods that change their object.
CHANGING = (
    *("add", "put", "remove", "clear", "set", "register", "unregister", "deregister", "push", "pop", "poll", "offer"),
    *("retain", "replace", "merge", "compute", "append", "delete", "insert", "increment", "decrement", "getAnd"),
    *("compareAnd", "update", "close", "init", "reset", "configure", "install", "enable", "disable", "shutdown"),
    *("accumulate", "lazySet", "addAnd", "drain", "load", "store", "write", "next"),
)
#: Endings of types whose objects' state no test looks at.
LOGGERS = ("Logger;", "Log;")
DEFAULTS = "default of the JVM"  # in place of a class


class How(Enum):
    """A way in which a method changes a field, and how surely it does, from 0 to 1."""

    SETS = ("sets it", 1.0)
    MAKES = ("sets it once", 0.6)
    CONTENT = ("changes what is in it", 0.7)
    REFLECTS = ("sets it by reflection", 0.7)
    OBJECT = ("changes such an object", 0.5)
    WITHIN = ("changes an object within it", 0.3)
    DEFAULT = ("sets it", 0.25)
    MAY = ("may change it", 0.1)

    def __init__(self, text: str, weight: float) -> None:
        self.text = text
        self.weight = weight


#: Ways that are likelier if what does so also reads the field.
OF_SOME_OBJECT = (How.OBJECT, How.WITHIN)


@dataclass(frozen=True, slots=True)
class Trace:
    """A method that may have changed a field. `texts`: of system properties, their names, as far as they can be
    known."""

    field: Field
    by: MethodName
    how: How
    texts: tuple[str, ...] = ()


class Traces:
    """`names`: the methods that ran in the run."""

    def __init__(self, classes: dict[str, ClassFacts], names: Iterable[MethodName]) -> None:
        self.classes = classes
        self.hierarchy = Hierarchy(classes)
        self.names = sorted(one for one in names if one[0] in classes and one[1] in classes[one[0]].methods)
        self.number = {name: i for i, name in enumerate(self.names)}
        self.state = StaticState(classes, self.hierarchy, self.names)
        self._within: dict[str, set[str]] = {}

    def facts(self, name: MethodName) -> MethodFacts:
        return self.classes[name[0]].methods[name[1]]

    def reads(self, ran: Iterable[MethodName]) -> dict[Field, list[MethodName]]:
        """The fields whose values may change that these methods read, each with those that do."""
        found: dict[Field, list[MethodName]] = {}
        for name in sorted(ran):
            if name[0] in self.classes and name[1] in self.classes[name[0]].methods:
                for field in self.state.declared(self.facts(name).reads):
                    if self._may_change(field):
                        found.setdefault(field, []).append(name)
        return found

    def reads_field(self, name: MethodName, field: Field) -> bool:
        """True if a method reads a field."""
        return field in self.state.declared(self.facts(name).reads)

    def sets(self, name: MethodName) -> set[Field]:
        """The fields that a method sets."""
        known = name[0] in self.classes and name[1] in self.classes[name[0]].methods
        return set(self.state.declared(self.facts(name).writes)) if known else set()

    def _may_change(self, field: Field) -> bool:
        if field == settings.PROPERTIES:
            return True
        flags, descriptor = self.classes[field[0]].fields[field[1]]
        return not descriptor.endswith(LOGGERS) and not (flags & FINAL and self.state.is_fixed(descriptor))

    def of(self, field: Field) -> dict[MethodName, How]:
        """The methods that may change a field."""
        found = {self.names[number]: How.MAY for number in self.state.changers.get(field, ())}
        for name in [*found]:
            for how in self._ways(name, field):
                if how.weight > found[name].weight:
                    found[name] = how
        return found

    def _ways(self, name: MethodName, field: Field) -> Iterator[How]:
        facts = self.facts(name)
        reads = self.reads_field(name, field)
        if field in self.state.declared(facts.writes) and name[1] != CLINIT:
            yield How.MAKES if reads and field != settings.PROPERTIES else How.SETS
        if field == settings.PROPERTIES:
            return
        if self.state.reflective.setters and field[1] in self.classes[name[0]].strings and self._reflects(name):
            yield How.REFLECTS
        descriptor = self.classes[field[0]].fields[field[1]][1]
        family = self._family(descriptor)
        if reads and any(self._changes_called(called, family) for called in facts.calls):
            yield How.CONTENT
        if name[1][0] != "<" and not facts.flags & STATIC and self._changes(facts):
            if name[0] in family:
                yield How.OBJECT
            elif name[0] in self.within(descriptor):
                yield How.WITHIN

    def _reflects(self, name: MethodName) -> bool:
        return self.number[name] in self.state.reflective.setters

    def _changes_called(self, called: tuple[str, str, bool], family: set[str]) -> bool:
        """True if a method that is called changes an object of the family, or of a library's class."""
        owner, member, is_virtual = called
        if owner not in self.classes:
            return is_virtual and not family and member.startswith(CHANGING)
        target = self.hierarchy.resolve(owner, member) if owner in family else None
        return target is not None and member[0] != "<" and self._changes(self.facts(target))

    def _changes(self, facts: MethodFacts) -> bool:
        return facts.sets or any(
            is_virtual and owner not in self.classes and member.startswith(CHANGING)
            for owner, member, is_virtual in facts.calls
        )

    def _family(self, descriptor: str) -> set[str]:
        """The program's class of this type, with its super- and subtypes."""
        name = descriptor.lstrip("[")[1:-1]
        known = name in self.classes
        related = {name, *self.hierarchy.above(name), *self.hierarchy.below(name)}
        return related & self.classes.keys() if known else set()

    def within(self, descriptor: str) -> set[str]:
        """The program's classes of objects that such an object may have in its fields, or in the fields of these."""
        if descriptor not in self._within:
            seen, todo = set[str](), [*self._family(descriptor)]
            while todo:
                for flags, inner in self.classes[todo.pop()].fields.values():
                    new = self._family(inner) - seen if not flags & STATIC else set()
                    seen |= new
                    todo += new
            self._within[descriptor] = seen
        return self._within[descriptor]

    # ---- properties and defaults

    def properties(self, writer: MethodName, readers: Iterable[MethodName]) -> tuple[str, ...]:
        """The texts that may be names of properties which one method sets and others read."""
        read = set[str]().union(*(self.classes[owner].strings for owner, _ in readers))
        common = self.classes[writer[0]].strings & read
        return tuple(sorted(one for one in common if one and " " not in one and any(c.isalpha() for c in one)))

    def defaults(self, name: MethodName) -> list[Field]:
        """The JVM's defaults that a method sets, as if they were fields."""
        if name[0] not in self.classes or name[1] not in self.classes[name[0]].methods:
            return []
        called = {(owner, member.partition("(")[0]) for owner, member, _ in self.facts(name).calls}
        every = {one for keeper in KEEPERS for one in keeper.calls & called if one not in settings.SETS}
        return sorted((DEFAULTS, f"{owner.replace('/', '.')}.{member}") for owner, member in every)


def label(field: Field) -> str:
    """The name of a field for people."""
    if field == settings.PROPERTIES:
        return "system properties"
    return f"{field[1]} ({DEFAULTS})" if field[0] == DEFAULTS else f"{field[0].replace('/', '.')}.{field[1]}"
