"""Super- and subtypes, and which method or field a name in the code means."""

from __future__ import annotations

from classhook.extensions.selection.facts import ClassFacts

MethodName = tuple[str, str]  # class in internal form; name and descriptor, together
OBJECT = "java/lang/Object"


class Hierarchy:
    """Super- and subtypes of the program's classes."""

    def __init__(self, classes: dict[str, ClassFacts]) -> None:
        self.classes = classes
        self.direct: dict[str, set[str]] = {}
        for one in classes.values():
            for name in one.supertypes:
                self.direct.setdefault(name, set()).add(one.name)
        self._below: dict[str, frozenset[str]] = {}
        self._above: dict[str, tuple[str, ...]] = {}

    def below(self, name: str) -> frozenset[str]:
        """All subtypes that the program has."""
        found = self._below.get(name)
        if found is None:
            seen, todo = set[str](), [*self.direct.get(name, ())]
            while todo:
                one = todo.pop()
                if one not in seen:
                    seen.add(one)
                    todo += self.direct.get(one, ())
            found = self._below[name] = frozenset(seen)
        return found

    def above(self, name: str) -> tuple[str, ...]:
        """All supertypes as far as they are the program's, and libraries' types that these name; superclasses first."""
        found = self._above.get(name)
        if found is None:
            seen, todo = dict[str, None](), [*self.classes[name].supertypes] if name in self.classes else []
            while todo:
                one = todo.pop(0)
                if one not in seen:
                    seen[one] = None
                    if one in self.classes:
                        todo += self.classes[one].supertypes
            found = self._above[name] = tuple(seen)
        return found

    def resolve(self, owner: str, member: str) -> MethodName | None:
        """The program's method that a call names."""
        for one in (owner, *self.above(owner)):
            if one in self.classes and member in self.classes[one].methods:
                return one, member
        return None

    def field_owner(self, owner: str, name: str) -> str | None:
        """The program's class that declares a field."""
        return next(
            (one for one in (owner, *self.above(owner)) if one in self.classes and name in self.classes[one].fields),
            None,
        )

    def has_library_type(self, name: str) -> bool:
        """True if a library may know objects of the class by a type of its own."""
        return any(one not in self.classes and one != OBJECT for one in self.above(name))
