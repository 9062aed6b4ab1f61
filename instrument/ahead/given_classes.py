"""The classes of class files, jars and folders, when rules are checked; the class path and the JDK's image have further
ones."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress

from classhook.ahead.hierarchy import Hierarchy
from classhook.checking.class_facts import ClassFacts, MethodFacts
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile, Method
from classhook.measures.watch.watched_method import WatchedMethod


class GivenClasses:
    """See classhook.checking.class_facts.Classes. `hierarchy`: finds the classes that are not given; `named`: the names
    of parameters are read, since rules ask for some."""

    seen = "are not among those given"
    sources_known = True
    most_looked_at = 5_000

    def __init__(self, hierarchy: Hierarchy, named: bool = False) -> None:
        self._hierarchy = hierarchy
        self._named = named
        self._given: dict[str, list[ClassFacts]] = {}
        self._found: dict[str, list[ClassFacts]] = {}
        self._below: dict[str, list[ClassFacts]] | None = None

    def add(self, cf: ClassFile, source: str) -> None:
        facts = facts_of(cf, source, self._named)
        self._given.setdefault(facts.name, []).append(facts)

    def names(self) -> AbstractSet[str]:
        return self._given.keys()

    def every(self) -> Iterator[ClassFacts]:
        """All that are given."""
        for found in self._given.values():
            yield from found

    def named(self, name: str) -> list[ClassFacts]:
        if name in self._given:
            return self._given[name]
        if name not in self._found:
            cf = self._hierarchy.class_file(name)
            self._found[name] = [facts_of(cf, "")] if cf is not None else []
        return self._found[name]

    def parameter_names(self, facts: ClassFacts, method: MethodFacts) -> tuple[str, ...] | None:
        return method.names

    def subtype_has(self, name: str, field: str) -> bool:
        if self._below is None:
            self._below = {}
            for facts in self.every():
                for above in (facts.super_name, *facts.interfaces):
                    self._below.setdefault(above, []).append(facts)
        left, seen = [name], {name}
        while left:
            for facts in self._below.get(left.pop(), []):
                if field in facts.fields:
                    return True
                if facts.name not in seen:
                    seen.add(facts.name)
                    left.append(facts.name)
        return False


def facts_of(cf: ClassFile, source: str, named: bool = False) -> ClassFacts:
    """The facts of a class file. `source`: where it comes from; `named`: with the names of parameters."""
    pool = cf.pool
    return ClassFacts(
        cf.name.replace("/", "."),
        cf.access_flags,
        cf.super_name.replace("/", "."),
        [name.replace("/", ".") for name in cf.interface_names],
        {pool.utf8(name): (pool.utf8(descriptor), flags) for flags, name, descriptor in cf.fields()},
        [
            MethodFacts(
                method.name,
                method.descriptor,
                method.access_flags,
                _annotations(method),
                parameter_names(cf, method) if named else None,
            )
            for method in cf.methods
        ],
        _annotations(cf),
        source=source,
        file=cf.source_file,
    )


def parameter_names(cf: ClassFile, method: Method) -> tuple[str, ...] | None:
    """The names of a method's parameters, as rules know them; None if its code cannot be read."""
    if not method.code_at:
        return ()
    try:
        return tuple(WatchedMethod(cf, method, Code.parse(cf.data, method.code_at, cf.pool)).names or ())
    except ClassFormatError:
        return None


def _annotations(owner: ClassFile | Method) -> frozenset[str]:
    with suppress(ClassFormatError):
        return frozenset(owner.annotations())
    return frozenset()
