"""Targets ready to match: a class by its name, supertypes and annotations, a method by its data in the class file.

Cheap conditions come first; those that need a lookup in the class file come last, and are looked up once. This module
is imported inside the JVM and imports next to nothing.
"""

from __future__ import annotations

from classhook.rules.patterns import (
    compile_annotations,
    compile_glob,
    compile_method_name,
    compile_parameters,
    compile_result,
)
from classhook.rules.readable_patterns import is_named, may_be_renamed, owners
from classhook.rules.syntax import METHOD_FLAGS, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from classhook.rules.languages.written import Written

    Names = Callable[[], frozenset[str]]
    Writing = Callable[[], Written | None]


def unwritten() -> Written | None:
    """The names of classes whose methods have only the JVM's names, as far as known."""
    return None


class ClassContext:
    """The properties of a class that rules use; supertypes, annotations and what its methods are called in its language
    are fetched when first needed."""

    __slots__ = ("_asked", "_writing", "_written", "annotations", "in_jdk", "name", "supertypes")

    def __init__(
        self, name: str, in_jdk: bool, supertypes: Names, annotations: Names, writing: Writing = unwritten
    ) -> None:
        self.name = name
        self.in_jdk = in_jdk
        self.supertypes = _once(supertypes)
        self.annotations = _once(annotations)
        self._writing = writing
        self._written: Written | None = None
        self._asked = False

    def written(self) -> Written | None:
        """None if rules name the methods as the JVM does."""
        if not self._asked:
            self._asked = True
            self._written = self._writing()
        return self._written


class MethodContext:
    """The properties of a method that rules use; annotations are fetched when first needed."""

    __slots__ = ("access_flags", "annotations", "descriptor", "name", "of_class", "written")

    def __init__(
        self, access_flags: int, name: str, descriptor: str, annotations: Names, of_class: Written | None = None
    ) -> None:
        self.written = of_class.name(access_flags, name, descriptor) if of_class is not None else None
        self.access_flags = access_flags
        self.name = name
        self.descriptor = descriptor
        self.annotations = _once(annotations)


class CompiledTarget:
    """A target ready to match. `reaches[in_jdk]`: whether it can match classes in (or outside) the JDK; `any_method`:
    it matches every method of a class that it matches."""

    __slots__ = (
        "any_method",
        "class_annotations",
        "forbidden",
        "is_named",
        "method_annotations",
        "name",
        "parameters",
        "reaches",
        "required",
        "returns",
        "simple_name",
        "subtypes",
        "whole_class",
    )

    def __init__(self, target: Target, everywhere: bool) -> None:
        pattern, method = target.class_pattern, target.method
        self.reaches = (not pattern.jdk, pattern.jdk or everywhere or not pattern.begins_with_wildcard)
        self.name = compile_glob(pattern.glob)
        self.is_named = is_named(target)
        self.subtypes = pattern.subtypes
        self.class_annotations = compile_annotations(target.class_annotations) if target.class_annotations else None
        self.whole_class = target.whole_class
        self.required = self.forbidden = 0
        for negated, modifier in target.modifiers:
            if negated:
                self.forbidden |= METHOD_FLAGS[modifier]
            else:
                self.required |= METHOD_FLAGS[modifier]
        self.simple_name = compile_method_name(method.glob if method else "*")
        self.parameters = compile_parameters(method.parameters if method else None)
        self.returns = compile_result(method.returns) if method and method.returns else None
        self.method_annotations = compile_annotations(method.annotations) if method and method.annotations else None

        every = method is None or (
            method.glob == "*" and method.parameters is None and not method.annotations and not method.returns
        )
        self.any_method = self.whole_class or (every and not target.modifiers)

    def could_match(self, name: str, in_jdk: bool) -> bool:
        """Returns whether it may match a class, judged by the name."""
        if not self.reaches[in_jdk]:
            return False
        return (
            self.subtypes
            or self.name(name)
            or (self.is_named and may_be_renamed(name) and any([self.name(owner) for owner in owners(name)]))
        )

    def matches_class(self, context: ClassContext) -> bool:
        """Returns whether it matches a class."""
        if not self.could_match(context.name, context.in_jdk):
            return False
        if not self.matches_name(context) and not (
            self.is_named and may_be_renamed(context.name) and context.written() is not None
        ):
            return False
        return self.class_annotations is None or self.class_annotations(context.annotations())

    def matches_name(self, context: ClassContext) -> bool:
        """Returns whether it matches a class by its name or that of a supertype, not only by how its methods are
        written."""
        return self.name(context.name) or (self.subtypes and any(map(self.name, context.supertypes())))

    def matches_method(self, method: MethodContext, by_name: bool = True) -> bool:
        """Returns whether it matches a method of a class that it matches; `by_name`: see matches_name."""
        if self.any_method and by_name:
            return True
        return (
            method.access_flags & self.required == self.required
            and not method.access_flags & self.forbidden
            and ((by_name and self._matches(method.name, method.descriptor)) or self._matches_written(method, by_name))
            and (self.method_annotations is None or self.method_annotations(method.annotations()))
        )

    def _matches(self, name: str, descriptor: str) -> bool:
        return (
            self.simple_name(name)
            and self.parameters(descriptor)
            and (self.returns is None or self.returns(descriptor))
        )

    def _matches_written(self, method: MethodContext, by_name: bool) -> bool:
        written = method.written
        if written is None or not self.is_named:
            return False
        return (by_name or self.name(written.owner)) and self._matches(written.method, written.descriptor)


class CompiledCallee:
    """A called method, ready to match the one that a call instruction names: its class, or a subtype with `+`, its name
    and descriptor."""

    __slots__ = ("name", "parameters", "simple_name", "subtypes")

    def __init__(self, target: Target) -> None:
        method = target.method
        self.name = compile_glob(target.class_pattern.glob)
        self.subtypes = target.class_pattern.subtypes
        self.simple_name = compile_method_name(method.glob if method else "*")
        self.parameters = compile_parameters(method.parameters if method else None)

    def matches_class(self, owner: str, supertypes: Iterable[str]) -> bool:
        return self.name(owner) or (self.subtypes and any([self.name(name) for name in supertypes]))

    def matches_method(self, name: str, descriptor: str) -> bool:
        return self.simple_name(name) and self.parameters(descriptor)


def _once(fetch: Names) -> Names:
    """Returns a function that calls `fetch` only once, and caches the result."""
    known: list[frozenset[str]] = []

    def value() -> frozenset[str]:
        if not known:
            known.append(fetch())
        return known[0]

    return value
