"""Methods that may set or read static fields by reflection, and which fields these may be.

1. Each way of Java's needs a field to be looked up, most by its name: the fields are those whose names some class of
   the program has as a text. If a class asks for all fields of another one, they are all fields.
2. Some libraries set fields by name for tests.
3. A static final field can only be read, unless the program calls one of FINAL_TOO, names a field of BY_NAME, or uses
   PowerMock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from classhook.extensions.selection.facts import FINAL, STATIC, ClassFacts
from classhook.extensions.selection.hierarchy import MethodName

LOOKUP = "java/lang/invoke/MethodHandles$Lookup"
UNSAFE = ("sun/misc/Unsafe", "jdk/internal/misc/Unsafe")
#: Methods whose callers may mean any field.
OF_ALL_FIELDS = ("getFields", "getDeclaredFields")


@dataclass(frozen=True, slots=True)
class Way:
    """`owners`: classes whose methods set fields, if their names begin with one of `sets`, or read them, with one of
    `reads`; `looked_up`: where the program calls none of these methods, they are no static fields; empty: whatever it
    calls."""

    owners: tuple[str, ...]
    sets: tuple[str, ...]
    reads: tuple[str, ...] = ()
    looked_up: tuple[tuple[str, str], ...] = ()


WAYS = (
    Way(("java/lang/reflect/Field",), ("set",), ("get",)),
    Way(
        ("java/lang/invoke/VarHandle",),
        ("set", "compareAnd", "weakCompareAnd", "getAnd"),
        ("get", "compareAnd", "weakCompareAnd"),
        ((LOOKUP, "findStaticVarHandle"), (LOOKUP, "unreflectVarHandle")),
    ),
    Way(
        ("java/lang/invoke/MethodHandle",),
        ("invoke",),
        ("invoke",),
        tuple(
            (LOOKUP, name) for name in ("findStaticSetter", "findStaticGetter", "unreflectSetter", "unreflectGetter")
        ),
    ),
    Way(
        UNSAFE,
        ("put", "compareAnd", "getAnd"),
        ("get", "compareAnd"),
        tuple((owner, "staticFieldOffset") for owner in UNSAFE),
    ),
    Way(
        ("org/springframework/test/util/ReflectionTestUtils", "org/springframework/util/ReflectionUtils"),
        ("setField",),
        ("getField",),
    ),
    Way(
        ("org/apache/commons/lang3/reflect/FieldUtils", "org/apache/commons/lang/reflect/FieldUtils"),
        ("write",),
        ("read",),
    ),
    Way(
        ("org/powermock/reflect/Whitebox", "org/mockito/internal/util/reflection/Whitebox"),
        ("setInternalState",),
        ("getInternalState",),
    ),
    Way(("org/mockito/internal/util/reflection/FieldSetter",), ("setField", "set")),
    Way(("org/joor/Reflect",), ("set",), ("get", "field")),
    Way(
        ("kotlin/reflect/KMutableProperty0", "kotlin/reflect/KMutableProperty$Setter"),
        ("set", "call", "invoke"),
        ("get", "call", "invoke"),
    ),
)
#: Methods that set static final fields, too, by class and the begin of the name.
FINAL_TOO = (
    *((owner, "staticFieldOffset") for owner in UNSAFE),
    ("org/apache/commons/lang3/reflect/FieldUtils", "removeFinalModifier"),
    ("org/mockito/internal/util/reflection/Whitebox", ""),
    ("org/joor/Reflect", ""),
)
#: Fields of the JDK by which some programs set static final ones: of a java.lang.reflect.Field, and the Lookup that may
#: do anything.
BY_NAME = ("modifiers", "IMPL_LOOKUP")
POWERMOCK = "org/powermock/"  # it changes classes, so that none of their fields is final
#: Ways for fields of objects only.
UPDATERS = tuple(f"java/util/concurrent/atomic/Atomic{kind}FieldUpdater" for kind in ("Integer", "Long", "Reference"))
UPDATING = (
    *("set", "lazySet", "compareAnd", "weakCompareAnd", "getAnd", "incrementAnd", "decrementAnd", "addAnd"),
    *("updateAnd", "accumulateAnd"),
)
HARMLESS = frozenset(
    {
        "setAccessible",
        "getName",
        "getType",
        "getModifiers",
        "getAnnotation",
        "getDeclaringClass",
        "getGenericType",
        "getAnnotations",
    }
)


class Reflective:
    """`names`: the methods that ran. `readers`: numbers of those that may read `fields`; `setters`: of those that may
    set `settable`, some of these fields."""

    def __init__(self, classes: dict[str, ClassFacts], names: list[MethodName]) -> None:
        called = {
            (owner, _name(member))
            for facts in classes.values()
            for method in facts.methods.values()
            for owner, member, _ in method.calls
        }
        ways = {
            owner: way
            for way in WAYS
            if not way.looked_up or not called.isdisjoint(way.looked_up)
            for owner in way.owners
        }
        self.setters, self.readers = set[int](), set[int]()
        for number, (owner, member) in enumerate(names):
            for called_owner, called_member, _ in classes[owner].methods[member].calls:
                way, name = ways.get(called_owner), _name(called_member)
                if way is not None and name not in HARMLESS:
                    if name.startswith(way.sets):
                        self.setters.add(number)
                    if name.startswith(way.reads):
                        self.readers.add(number)
        some = bool(self.setters or self.readers)
        static = [(one, flags) for one, flags in _fields(classes, called) if flags & STATIC] if some else []
        self.fields = [one for one, _ in static]
        keeps = 0 if _sets_final(classes, called) else FINAL
        self.settable = [one for one, flags in static if not flags & keeps]
        self.object_setters = self._object_setters(classes, names)
        self.object_fields = [one for one, flags in _fields(classes, called) if not flags & STATIC]
        if not (self.object_setters or some):
            self.object_fields = []

    def _object_setters(self, classes: dict[str, ClassFacts], names: list[MethodName]) -> set[int]:
        """The methods that may set fields of objects."""
        sets = {owner: way.sets for way in WAYS for owner in way.owners} | dict.fromkeys(UPDATERS, UPDATING)
        return {
            number
            for number, (owner, member) in enumerate(names)
            if any(called.startswith(sets.get(of, ("(",))) for of, called, _ in classes[owner].methods[member].calls)
        }


def _name(member: str) -> str:
    return member.partition("(")[0]


def _sets_final(classes: dict[str, ClassFacts], called: Iterable[tuple[str, str]]) -> bool:
    if any(owner == one and name.startswith(begin) for owner, name in called for one, begin in FINAL_TOO):
        return True
    return any(
        not facts.strings.isdisjoint(BY_NAME) or any(one.startswith(POWERMOCK) for one in facts.classes)
        for facts in classes.values()
    )


def _fields(classes: dict[str, ClassFacts], called: Iterable[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], int]]:
    every = any(owner == "java/lang/Class" and name in OF_ALL_FIELDS for owner, name in called)
    texts = {text for facts in classes.values() for text in facts.strings}
    for owner, facts in classes.items():
        for name, (flags, _) in facts.fields.items():
            if every or name in texts:
                yield (owner, name), flags
