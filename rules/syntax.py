"""The abstract syntax of rules, without any matching.

This module is imported inside the JVM, so it imports nothing; therefore these are not dataclasses.
"""

from __future__ import annotations

PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})

# JVMS table 4.6-A; ACC_STRICT is called strictfp in the Java language.
METHOD_FLAGS = {
    "public": 0x0001,
    "private": 0x0002,
    "protected": 0x0004,
    "static": 0x0008,
    "final": 0x0010,
    "synchronized": 0x0020,
    "bridge": 0x0040,
    "varargs": 0x0080,
    "native": 0x0100,
    "abstract": 0x0400,
    "strictfp": 0x0800,
    "synthetic": 0x1000,
}


class ImmutableValue:
    """An immutable value: equal to another of its class if all fields are equal.

    Each class lists its fields in `_fields`, since classes compiled by mypyc have no `__slots__`.
    """

    __slots__: tuple[str, ...] = ()

    def _fields(self) -> tuple[object, ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}{self._fields()}"


class ClassPattern(ImmutableValue):
    """A pattern of classes: a glob over the dotted name; `jdk`: only the JDK's; `subtypes`: also their subtypes."""

    __slots__ = ("glob", "jdk", "subtypes")

    def __init__(self, glob: str, jdk: bool = False, subtypes: bool = False) -> None:
        self.glob = glob
        self.jdk = jdk
        self.subtypes = subtypes

    def _fields(self) -> tuple[object, ...]:
        return (self.glob, self.jdk, self.subtypes)

    def __str__(self) -> str:
        return f"{'jdk:' * self.jdk}{self.glob}{'+' * self.subtypes}"

    @property
    def begins_with_wildcard(self) -> bool:
        """True if it begins with a wildcard: then, as a target, it does not match the JDK's own classes (unless
        `jdk`)."""
        return self.glob.startswith("*")


class MethodPattern(ImmutableValue):
    """A pattern of methods: their annotations, a glob over the name, parameters (type patterns and `..`; None: any),
    the type pattern of the result (empty: any)."""

    __slots__ = ("annotations", "glob", "parameters", "returns")

    def __init__(
        self, glob: str, annotations: tuple[str, ...] = (), parameters: tuple[str, ...] | None = None, returns: str = ""
    ) -> None:
        self.annotations = annotations
        self.glob = glob
        self.parameters = parameters
        self.returns = returns

    def _fields(self) -> tuple[object, ...]:
        return (self.annotations, self.glob, self.parameters, self.returns)

    @property
    def matches_all(self) -> bool:
        """True if every method of a class matches, initializers too."""
        return self.glob == "*" and not self.annotations and not self.returns and self.parameters in (None, ("..",))


class TypePattern(ImmutableValue):
    """A pattern of types: the element's glob, the array's dimensions; `subtypes`: also arrays of subtypes of the
    element, or these."""

    __slots__ = ("dimensions", "glob", "subtypes")

    def __init__(self, glob: str, dimensions: int = 0, subtypes: bool = False) -> None:
        self.glob = glob
        self.dimensions = dimensions
        self.subtypes = subtypes

    def _fields(self) -> tuple[object, ...]:
        return (self.dimensions, self.glob, self.subtypes)

    def __str__(self) -> str:
        return f"{self.glob}{'+' * self.subtypes}{'[]' * self.dimensions}"


class Target(ImmutableValue):
    """A place: a class pattern and perhaps a method pattern, narrowed by method modifiers and class annotations.

    A modifier is a pair: whether it must be absent, and its name. `lines`: the first and last source line, if it is
    about lines; else None.
    """

    __slots__ = ("class_annotations", "class_pattern", "lines", "method", "modifiers")

    def __init__(
        self,
        class_pattern: ClassPattern,
        method: MethodPattern | None = None,
        modifiers: tuple[tuple[bool, str], ...] = (),
        class_annotations: tuple[str, ...] = (),
        lines: tuple[int, int] | None = None,
    ) -> None:
        self.lines = lines
        self.modifiers = modifiers
        self.class_annotations = class_annotations
        self.class_pattern = class_pattern
        self.method = method

    def _fields(self) -> tuple[object, ...]:
        return (self.class_annotations, self.class_pattern, self.lines, self.method, self.modifiers)

    @property
    def whole_class(self) -> bool:
        """True if it has no condition on methods: if the class matches, all its methods do."""
        return not self.modifiers and (self.method is None or self.method.matches_all)


class Rule(ImmutableValue):
    """A statement: `kind`: its first word; `text`: on one line with single spaces; `name`: the text after `as`, or
    None; `clauses`: pairs of a word and its value; `sources`: globs of the jars and directories that the classes come
    from, empty for any; `called`: of a rule about calls, the methods that are called, without modifiers and
    annotations."""

    __slots__ = (
        "called",
        "clauses",
        "excepts",
        "kind",
        "line",
        "name",
        "origin",
        "sources",
        "targets",
        "text",
        "types",
    )

    def __init__(
        self,
        kind: str,
        text: str,
        origin: str,
        line: int,
        name: str | None = None,
        targets: tuple[Target, ...] = (),
        types: tuple[TypePattern, ...] = (),
        excepts: tuple[Target, ...] = (),
        clauses: tuple[tuple[str, str], ...] = (),
        sources: tuple[str, ...] = (),
        called: tuple[Target, ...] = (),
    ) -> None:
        self.called = called
        self.clauses = clauses
        self.kind = kind
        self.text = text
        self.origin = origin
        self.line = line
        self.name = name
        self.sources = sources
        self.targets = targets
        self.types = types
        self.excepts = excepts

    def _fields(self) -> tuple[object, ...]:
        return (
            self.called,
            self.clauses,
            self.excepts,
            self.kind,
            self.line,
            self.name,
            self.origin,
            self.sources,
            self.targets,
            self.text,
            self.types,
        )

    def beside(
        self, kind: str, text: str, clauses: tuple[tuple[str, str], ...], where: Rule | None = None, named: bool = True
    ) -> Rule:
        """A further rule that this one stands for; `where`: the rule whose methods it is about, if not this one."""
        about = self if where is None else where
        return Rule(
            kind,
            text,
            self.origin,
            self.line,
            self.name if named else None,
            targets=about.targets,
            excepts=about.excepts,
            clauses=clauses,
            sources=about.sources,
        )

    @property
    def meaning(self) -> tuple[object, ...]:
        """Equal for rules that say the same, however and wherever they are written."""
        return (self.kind, self.name, self.targets, self.types, self.called, self.excepts, self.clauses, self.sources)

    @property
    def label(self) -> str:
        """The rule's name in reports."""
        return self.name or self.text

    @property
    def asks_for_supertypes(self) -> bool:
        """True if it may match sites in a method that only supertypes of a type decide."""
        return any([pattern.subtypes for pattern in self.types]) or any(
            [target.class_pattern.subtypes for target in self.called]
        )

    def is_plain(self, kind: str) -> bool:
        """True if it is of this kind, and has no clauses."""
        return self.kind == kind and not self.clauses

    def clause(self, word: str) -> str:
        """The value of a clause; empty if there is none."""
        for name, value in self.clauses:
            if name == word:
                return value
        return ""
