"""Static fields: whether their values may change after their class was initialised, and by which methods.

A method may change a field, or what it refers to, if

1. it sets the field, or reads it: what it reads, it may change; or it may do so by reflection (reflective.py);
2. it calls a method that may give it what the field refers to;
3. it is a method of the field's class of objects, and changes something;
4. it passes something on to one of these, which may keep that.
"""

from __future__ import annotations

from collections.abc import Iterable

from classhook.extensions.selection import settings
from classhook.extensions.selection.facts import CLINIT, FINAL, STATIC, ClassFacts, MethodFacts
from classhook.extensions.selection.hierarchy import OBJECT, Hierarchy, MethodName
from classhook.extensions.selection.reflective import Reflective
from classhook.rules.languages.name import parameters

Field = tuple[str, str]  # the class that declares it, and its name
UNCHANGING = frozenset(
    f"L{name};"
    for name in (
        *(
            f"java/lang/{one}"
            for one in (
                "String",
                "Boolean",
                "Byte",
                "Character",
                "Short",
                "Integer",
                "Long",
                "Float",
                "Double",
                "Class",
            )
        ),
        *(
            "java/math/BigInteger",
            "java/math/BigDecimal",
            "java/util/regex/Pattern",
            "java/util/Locale",
            "java/util/UUID",
            "java/net/URI",
        ),
        *("java/nio/charset/Charset", "java/io/PrintStream", "java/math/MathContext", "java/util/OptionalInt"),
    )
) | frozenset("ZBCSIJFD")
TIME = "Ljava/time/"
PLAIN = (
    OBJECT,
    "java/lang/Enum",
    "java/lang/Record",
    "java/lang/Comparable",
    "java/io/Serializable",
)  # types without fields that change


class StaticState:
    """`names`: the methods that ran."""

    def __init__(self, classes: dict[str, ClassFacts], hierarchy: Hierarchy, names: list[MethodName]) -> None:
        self.classes = classes
        self.hierarchy = hierarchy
        self._known: dict[str, bool] = {}
        self.reflective = Reflective(classes, names)
        fixed = self._fixed_fields()
        self.changers = self._direct(names, fixed)
        callers: dict[str, list[int]] = {}
        for number, (owner, member) in enumerate(names):
            for _, called, _ in classes[owner].methods[member].calls:
                callers.setdefault(called, []).append(number)
        changing = self._changing_objects(names)
        for one, direct in self.changers.items():
            descriptor = self.type_of(one)
            if one not in fixed:
                self._add_borrowers(direct, descriptor, names, callers)
                direct.update(number for related in self._family(descriptor) for number in changing.get(related, ()))
            self._add_givers(one, direct, names, callers)

    def type_of(self, one: Field) -> str:
        return settings.TYPE if one == settings.PROPERTIES else self.classes[one[0]].fields[one[1]][1]

    def declared(self, members: Iterable[Field]) -> list[Field]:
        """The program's own static fields among these that code names, by the class that declares them."""
        found = []
        for owner, name in members:
            declaring = owner if (owner, name) == settings.PROPERTIES else self.hierarchy.field_owner(owner, name)
            if declaring is not None:
                found.append((declaring, name))
        return found

    # ---- which may change

    def is_fixed(self, descriptor: str) -> bool:
        """True if values of this type, and all that they refer to, never change."""
        if descriptor not in self._known:
            seen, todo = {descriptor}, [descriptor]
            while todo:
                one = todo.pop()
                if one in UNCHANGING or one.startswith(TIME):
                    continue
                inner = self._types_within(one)
                if inner is None:
                    self._known[descriptor] = False
                    return False
                todo += inner - seen
                seen |= inner
            self._known[descriptor] = True
        return self._known[descriptor]

    def _types_within(self, descriptor: str) -> set[str] | None:
        """The types of the fields of a class; None if the class is unknown or a field is not final."""
        name, found = descriptor[1:-1], set[str]()
        if descriptor[0] != "L" or name not in self.classes:
            return None
        for one in (name, *self.hierarchy.above(name), *self.hierarchy.below(name)):
            if one not in self.classes:
                if one not in PLAIN:
                    return None
                continue
            for flags, inner in self.classes[one].fields.values():
                if not flags & STATIC:
                    if not flags & FINAL:
                        return None
                    found.add(inner)
        return found

    def _fixed_fields(self) -> set[Field]:
        """Fields whose values never change: by their types, arrays without elements, and arrays that no method changes
        or passes on."""
        every = {
            (name, one)
            for name, facts in self.classes.items()
            for one, (flags, _) in facts.fields.items()
            if flags & STATIC
        }
        of_type = {one for one in every if self.is_fixed(self.type_of(one))}
        arrays = {one for one in every if self.type_of(one)[0] == "[" and self.type_of(one)[1] not in "[L"}
        handed_on, empty, filled = set[Field](), set[Field](), set[Field]()
        for facts in self.classes.values():
            for method in facts.methods.values():
                empty.update(self.declared(method.empty))
                filled.update(self.declared(method.writes - method.empty))
                if method.hands_on:
                    handed_on.update(self.declared(method.reads))
        return {settings.PROPERTIES} | of_type | (empty - filled) | (arrays - handed_on)

    # ---- by which methods

    def _direct(self, names: list[MethodName], fixed: set[Field]) -> dict[Field, set[int]]:
        found: dict[Field, set[int]] = {}
        for number, (owner, member) in enumerate(names):
            if member != CLINIT:
                facts = self.classes[owner].methods[member]
                for one in self.declared(facts.writes):
                    found.setdefault(one, set()).add(number)
                for one in self.declared(facts.reads):
                    if one not in fixed:
                        found.setdefault(one, set()).add(number)
        for one in self.reflective.fields:
            found.setdefault(one, set()).update(
                self.reflective.setters, () if one in fixed else self.reflective.readers
            )
        return found

    def _add_borrowers(
        self, direct: set[int], descriptor: str, names: list[MethodName], callers: dict[str, list[int]]
    ) -> None:
        """Adds methods that are given the object by one that reads the field, or by one that was given it."""
        todo = [*direct]
        while todo:
            member = names[todo.pop()][1]
            if self._may_return(member.rpartition(")")[2], descriptor):
                for caller in callers.get(member, ()):
                    if caller not in direct and names[caller][1] != CLINIT:
                        direct.add(caller)
                        todo.append(caller)

    def _may_return(self, returned: str, descriptor: str) -> bool:
        if returned == descriptor:
            return True
        if returned[0] != "L" or descriptor[0] != "L":
            return False
        if descriptor[1:-1] in self.classes:
            return returned[1:-1] in self._family(descriptor)
        return returned[1:-1] not in self.classes and not self.is_fixed(returned)

    def _family(self, descriptor: str) -> set[str]:
        """The program's class of this type, with its super- and subtypes."""
        name = descriptor[1:-1]
        return {name, *self.hierarchy.above(name), *self.hierarchy.below(name)} if name in self.classes else set()

    def _changing_objects(self, names: list[MethodName]) -> dict[str, list[int]]:
        """The methods of each class that may change their object."""
        found: dict[str, list[int]] = {}
        for number, (owner, member) in enumerate(names):
            facts = self.classes[owner].methods[member]
            if member[0] != "<" and not facts.flags & STATIC and self._changes(facts):
                found.setdefault(owner, []).append(number)
        return found

    def _changes(self, facts: MethodFacts) -> bool:
        """True if a method sets a field or an element, or calls a method of a library's object, such as a
        collection."""
        if facts.sets or facts.hands_on:
            return True
        return any(
            is_virtual and owner not in self.classes and not self.is_fixed(f"L{owner};")
            for owner, _, is_virtual in facts.calls
        )

    def _add_givers(
        self, field: Field, direct: set[int], names: list[MethodName], callers: dict[str, list[int]]
    ) -> None:
        """Adds methods that call one of these with arguments which it may keep: what they pass, or were passed
        themselves."""
        todo = [
            number for number in direct if number in self.reflective.setters or self._may_keep(names[number], field)
        ]
        while todo:
            member = names[todo.pop()][1]
            for caller in callers.get(member, ()) if "()" not in member else ():
                if caller not in direct and names[caller][1] != CLINIT:
                    direct.add(caller)
                    todo.append(caller)

    def _may_keep(self, name: MethodName, field: Field) -> bool:
        """True if a method sets the field, or is passed an object that it may put into what the field has."""
        owner, member = name
        passed = parameters(member[member.index("(") :])
        return field in self.declared(self.classes[owner].methods[member].writes) or any(
            one not in UNCHANGING for one in passed
        )
