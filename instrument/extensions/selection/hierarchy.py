"""Super- and subtypes, and which method or field a name in the code means."""

from __future__ import annotations

from classhook.extensions.selection.facts import ClassFacts

MethodName = tuple[str, str]  # class in internal form; name and descriptor, together
OBJECT = "java/lang/Object"
#: Methods that libraries call on any object.
COMMON = frozenset(
    {
        "equals(Ljava/lang/Object;)Z",
        "hashCode()I",
        "toString()Ljava/lang/String;",
        "compareTo(Ljava/lang/Object;)I",
        "clone()Ljava/lang/Object;",
    }
)
#: The names of the methods of some of the JDK's types.
METHODS = {
    f"java/{name}": frozenset(methods.split())
    for name, methods in {
        "io/Serializable": "",
        "lang/Cloneable": "",
        "lang/Comparable": "compareTo",
        "lang/Enum": "getDeclaringClass name ordinal",
        "lang/Record": "",
        "lang/AutoCloseable": "close",
        "io/Closeable": "close",
        "io/Flushable": "flush",
        "lang/Iterable": "forEach iterator spliterator",
        "util/Iterator": "forEachRemaining hasNext next remove",
        "lang/CharSequence": "charAt chars codePoints isEmpty length subSequence",
        "lang/Appendable": "append",
        "lang/Readable": "read",
        "lang/Runnable": "run",
        "util/concurrent/Callable": "call",
        "util/Comparator": "compare reversed thenComparing thenComparingDouble thenComparingInt thenComparingLong",
        "lang/annotation/Annotation": "annotationType",
    }.items()
}


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

    def called_by_libraries(self, name: str) -> frozenset[str] | None:
        """The names of methods by which a library may call an object of the class, beside those of all objects; None:
        they are unknown."""
        found = frozenset[str]()
        for one in self.above(name):
            if one in self.classes or one == OBJECT:
                continue
            if one not in METHODS:
                return None
            found |= METHODS[one]
        return found
