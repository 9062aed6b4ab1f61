"""The facts of classes with which rules are checked: from class files (instrument/ahead/given_classes.py), or from a
JVM (instrument/live/loaded_classes.py)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol

from classhook.rules.languages.written import Written, written
from classhook.rules.syntax import METHOD_FLAGS

CODELESS = METHOD_FLAGS["abstract"] | METHOD_FLAGS["native"]


@dataclass(frozen=True, slots=True)
class MethodFacts:
    """`flags`, `descriptor`: as in a class file; `annotations`: dotted names; `names`: those of the parameters, empty
    if the class file has none, None: not known."""

    name: str
    descriptor: str
    flags: int
    annotations: frozenset[str] = frozenset()
    names: tuple[str, ...] | None = None

    @property
    def without_code(self) -> str:
        """`native` or `abstract`; empty if it has code."""
        return (
            "native"
            if self.flags & METHOD_FLAGS["native"]
            else "abstract"
            if self.flags & METHOD_FLAGS["abstract"]
            else ""
        )


@dataclass(slots=True)
class ClassFacts:
    """A class, with dotted names. `whole`: its members are known; `some_annotations`: those of its members may be any
    of its own, which are too many; `source`: the jar or directory that it comes from, `file`: the name of its source
    file; empty if unknown."""

    name: str
    flags: int = 0
    super_name: str = ""
    interfaces: list[str] = field(default_factory=list)
    fields: dict[str, tuple[str, int]] = field(default_factory=dict)
    methods: list[MethodFacts] = field(default_factory=list)
    annotations: frozenset[str] = frozenset()
    whole: bool = True
    some_annotations: bool = False
    source: str = ""
    file: str = ""

    def written(self) -> Written | None:
        """The names of its methods in its language; None if as in the JVM."""
        return written(self.file, self.name, lambda: [(method.name, method.descriptor) for method in self.methods])

    def written_methods(self) -> list[tuple[str, str, str]]:
        """Class, name and descriptor of methods as its language writes them, where that differs from the JVM."""
        of_class = self.written()
        names = (
            [of_class.name(method.flags, method.name, method.descriptor) for method in self.methods]
            if of_class is not None
            else []
        )
        return [(name.owner, name.method, name.descriptor) for name in names if name is not None]

    def annotations_of(self, method: MethodFacts) -> frozenset[str]:
        """The annotations of a method, or more."""
        return self.annotations if self.some_annotations else method.annotations


class Classes(Protocol):
    """The classes that a rule is compared with."""

    @property
    def seen(self) -> str:
        """The origin of the facts, in words that follow `the classes that implement it`."""

    @property
    def sources_known(self) -> bool:
        """True if `source` of a class is known."""

    @property
    def most_looked_at(self) -> int:
        """The number of classes whose members may be looked at for a rule."""

    def names(self) -> AbstractSet[str]:
        """The dotted names of all."""

    def named(self, name: str) -> list[ClassFacts]:
        """The classes with a dotted name; also a class that is not among `names`, such as one of the JDK's, if it can
        be found."""

    def parameter_names(self, facts: ClassFacts, method: MethodFacts) -> tuple[str, ...] | None:
        """The names of a method's parameters, empty if the class file has none; None: they are not known."""

    def subtype_has(self, name: str, field: str) -> bool:
        """True if one of the subtypes of a class declares a field."""
