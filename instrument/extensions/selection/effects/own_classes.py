"""The program's classes, as the interpreter asks for them."""

from __future__ import annotations

from classhook.classfile.reader import ClassFile, Method
from classhook.extensions.selection.effects.found import Effects, Owns
from classhook.extensions.selection.effects.interpreter import effects_of
from classhook.extensions.selection.effects.library import LAMBDAS
from classhook.extensions.selection.facts import STATIC, VIRTUAL, ClassFacts, Member
from classhook.extensions.selection.fixed_types import PLAIN, RECORD, is_fixed
from classhook.extensions.selection.hierarchy import Hierarchy, MethodName

MOST_DEEP = 30  # calls that are followed to see what a method returns


class OwnClasses(Owns):
    """The program's classes, for the interpreter."""

    def __init__(self, classes: dict[str, ClassFacts], hierarchy: Hierarchy) -> None:
        self.classes, self.hierarchy = classes, hierarchy
        self.called = set[MethodName]()  # by the program
        self.referring: dict[str, set[str]] = {}  # what calls of a type's methods may change
        self._deep = 0  # methods that are looked at for others
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
        if self._deep > MOST_DEEP or target is None or (op in VIRTUAL and self._is_overridden(owner, target)):
            return None
        found = self.effects(*target).returned
        return next(iter(found)) if found is not None and len(found) == 1 else None

    def refers(self, made: str, changed: list[str]) -> None:
        for one in (made[1:-1], *self.hierarchy.above(made[1:-1])):
            self.referring.setdefault(one, set()).update(changed)

    def fields(self, descriptor: str) -> list[Member]:
        """The fields of an object of this type, or of a subtype, that a library may set or change."""
        name = descriptor[1:-1]
        every = (name, *self.hierarchy.above(name), *self.hierarchy.below(name))
        return [field for one in every if one in self.classes for field in self.fields_in(one)]

    def fields_in(self, name: str) -> list[Member]:
        """The fields of a class's objects that a library may set by reflection, or whose objects it may change: of a
        record those that refer to objects which may change."""
        facts = self.classes[name]
        is_record = facts.super_name == RECORD
        return [
            (name, field)
            for field, (flags, kind) in facts.fields.items()
            if not (flags & STATIC or (is_record and is_fixed(kind)))
        ]

    def leaks(self, owner: str, member: str) -> bool:
        target = self.hierarchy.resolve(owner, member)
        return target is not None and (self._deep > MOST_DEEP or (of := self.effects(*target)).leaks or of.anything)

    def _is_overridden(self, owner: str, target: MethodName) -> bool:
        member = target[1]
        return any(member in self.classes[one].methods for one in self.hierarchy.below(owner) if one in self.classes)

    def effects(self, owner: str, member: str) -> Effects:
        """Returns the effects of a method, which are found only once."""
        known = self._effects.get((owner, member))
        if known is None:
            self._effects[owner, member] = Effects(returned=None, leaks=True)  # while it is looked at
            if owner not in self._files:
                cf = self._files[owner] = ClassFile.parse(self.classes[owner].data)
                self._methods[owner] = {one.name + one.descriptor: one for one in cf.methods}
            self._deep += 1
            known = effects_of(self._files[owner], self._methods[owner][member], self)
            self._deep -= 1
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

    def library_types(self, descriptor: str) -> list[str]:
        if not descriptor:
            return ["Ljava/lang/Object;"]
        if is_fixed(descriptor):
            return []
        name = descriptor[1:-1]
        if name not in self.classes:
            return [descriptor]
        return [f"L{one};" for one in self.hierarchy.above(name) if one not in self.classes and one not in PLAIN]
