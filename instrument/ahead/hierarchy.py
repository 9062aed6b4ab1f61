"""Supertypes of classes that do not run: found in the inputs, in the class path and in the JDK's image.

Classes are read when first asked for. Missing supertypes are reported: a rule with a `+` may match more than is known.
"""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from classhook.ahead import jimage
from classhook.ahead.archive import CLASSES, DAMAGED, NESTED, is_jar
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.rules.ruleset import RuleSet
from classhook.weaving.plan import match


class Above(NamedTuple):
    """A class's supertypes, with dots, and the first that was not found, or an empty string."""

    names: frozenset[str]
    missing: str


NOTHING = Above(frozenset(), "")


class Hierarchy:
    """Supertypes by class name. `places`: jars and directories."""

    def __init__(self, places: Sequence[Path]) -> None:
        self.places = tuple(places)
        self._known: dict[str, Above] = {}
        self._jars: list[tuple[zipfile.ZipFile, dict[str, str]]] | None = None
        self._image: jimage.Image | None = None

    def __reduce__(self) -> tuple[type[Hierarchy], tuple[tuple[Path, ...]]]:
        return Hierarchy, (self.places,)  # worker processes open the files themselves

    def above(self, cf: ClassFile) -> Above:
        """The supertypes of a class."""
        names: set[str] = set()
        missing = ""
        for name in filter(None, [cf.super_name, *cf.interface_names]):
            above = self._above(name)
            names |= above.names | {name.replace("/", ".")}
            missing = missing or above.missing
        return Above(frozenset(names), missing)

    def supertypes_of(self, name: str) -> Above:
        """The supertypes of the class with this dotted name, and itself if it was found."""
        return self._above(name.replace(".", "/"))

    def class_file(self, name: str) -> ClassFile | None:
        """The class with this dotted name; None if it is not found, or damaged."""
        try:
            data = self._class_bytes(name.replace(".", "/"))
            return ClassFile.parse(data) if data is not None else None
        except (*DAMAGED, ClassFormatError):
            return None

    def _above(self, name: str) -> Above:
        known = self._known.get(name)
        if known is None:
            self._known[name] = NOTHING  # a class that is its own supertype ends here
            known = self._known[name] = self._found(name)
        return known

    def _found(self, name: str) -> Above:
        try:
            data = self._class_bytes(name)
            return self.above(ClassFile.parse(data)) if data is not None else Above(frozenset(), name.replace("/", "."))
        except (*DAMAGED, ClassFormatError, RecursionError):
            return Above(frozenset(), name.replace("/", "."))

    def _class_bytes(self, name: str) -> bytes | None:
        if self._jars is None:
            self._open()
        assert self._jars is not None
        for jar, files in self._jars:
            if name in files:
                return jar.read(files[name])
        for place in self.places:
            if place.is_dir() and (file := place / f"{name}.class").is_file():
                return file.read_bytes()
        return self._image.class_bytes(name) if self._image is not None else None

    def _open(self) -> None:
        self._jars = []
        for place in self.places:
            if is_jar(place):
                self._open_jar(zipfile.ZipFile(place))
            elif place.is_dir():
                for file in place.glob("*-INF/lib*/*.jar"):
                    self._open_jar(zipfile.ZipFile(file))
        self._image = jimage.opened()

    def _open_jar(self, jar: zipfile.ZipFile) -> None:
        assert self._jars is not None
        names = jar.namelist()
        self._jars.append(
            (jar, {CLASSES.sub("", name).removesuffix(".class"): name for name in names if name.endswith(".class")})
        )
        for name in filter(NESTED.fullmatch, names):
            with contextlib.suppress(*DAMAGED):  # said when it is read as an input
                self._open_jar(zipfile.ZipFile(BytesIO(jar.read(name))))


class Known:
    """The facts of a class besides its bytes: its supertypes, those of the types that it allocates, where it comes
    from."""

    def __init__(self, hierarchy: Hierarchy | None, data: bytes, source: str = "") -> None:
        self._hierarchy = hierarchy
        self.data = data
        self.source = source
        self.supertypes, self.missing = hierarchy.above(ClassFile.parse(data)) if hierarchy is not None else NOTHING
        self.missing_types: dict[str, str] = {}  # by type

    def family(self, type_name: str) -> frozenset[str]:
        """The supertypes of a type that the class allocates."""
        above = self._hierarchy.supertypes_of(type_name) if self._hierarchy is not None else NOTHING
        if above.missing:
            self.missing_types[type_name] = above.missing
        return above.names

    def complaints(self, rules: RuleSet, in_jdk: bool) -> Iterator[str]:
        """Complaints about unknown supertypes that would decide something."""
        where = "is in no input, nor in the class path (--classpath), nor in the JDK"
        if self.missing and self._matched(rules, in_jdk, frozenset()) != self._matched(rules, in_jdk, _samples(rules)):
            yield f"its supertype {self.missing} {where}"
        for type_name, missing in self.missing_types.items():
            what = "the type" if missing == type_name else f"a supertype of {type_name},"
            yield f"{what} {missing}{',' * (missing != type_name)} {where}"

    def _matched(self, rules: RuleSet, in_jdk: bool, more: frozenset[str]) -> dict[int, int]:
        """The number of methods that each rule would match if the class also had these supertypes."""
        cf = ClassFile.parse(self.data)
        plan = match(
            cf,
            cf.name.replace("/", "."),
            rules,
            in_jdk,
            supertypes=self.supertypes | more,
            family=self.family,
            source=self.source,
        )
        return {rule: len(methods) for rule, methods in plan.rules.items() if methods} if plan is not None else {}


def _samples(rules: RuleSet) -> frozenset[str]:
    """A name for each pattern with a `+` that matches it."""
    targets = [target.class_pattern for rule in rules.rules for target in (*rule.targets, *rule.excepts)]
    return frozenset(pattern.glob.replace("**", "x").replace("*", "x") for pattern in targets if pattern.subtypes)


def hierarchy_for(rules: RuleSet, places: Sequence[Path]) -> Hierarchy | None:
    """The hierarchy of the classes in these places; None if no rule has a `+`."""
    types = any(rule.asks_for_supertypes for rule in rules.rules)
    return Hierarchy(places) if types or _samples(rules) else None
