"""Types, as far as they tell that two objects cannot be the same."""

from __future__ import annotations

import re

from classhook.extensions.selection.effects.library import LAMBDAS
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.fixed_types import is_fixed
from classhook.extensions.selection.hierarchy import Hierarchy

NAMED = re.compile(r"L([^;<>]+)[;<]")
#: In a generic type: a type variable or a wildcard, which may stand for any type.
OPEN = re.compile(r"\*|(?:^|[<;\[+\-*])T[^;<>/]+;")
COLLECTIONS = re.compile(r"java/util/(concurrent/)?\w*(Map|Set|List|Collection|Deque|Queue|Table|Vector|Entry)$")
#: Types whose objects may refer to any others.
CONTAINERS = re.compile(
    r"java/lang/(Object|Iterable|Comparable|ThreadLocal|InheritableThreadLocal|ref/\w+)$"
    r"|java/util/(concurrent/)?(\w*(Map|Set|List|Collection|Deque|Queue|Table|Vector|Stack|Iterator|Enumeration)"
    r"|Optional|Map\$Entry|stream/\w+|atomic/Atomic\w*(Reference|Stamped)\w*|concurrent/\w*Future\w*)$"
)
ENTRY = "Ljava/util/Map$Entry;"
#: Types of lambdas that are also of another one.
OPERATORS = {
    "Ljava/util/function/UnaryOperator;": "Ljava/util/function/Function;",
    "Ljava/util/function/BinaryOperator;": "Ljava/util/function/BiFunction;",
}
TEXT, LAMBDA = "text", "lambda"
#: The families of the JDK's types that objects of several may have.
OF_SEVERAL = {
    "java/lang/CharSequence": {TEXT, "java/nio"},
    "java/lang/Appendable": {TEXT, "java/io", "java/nio"},
    "java/lang/Readable": {"java/io", "java/nio"},
    "java/lang/Iterable": {"java/util", "java/nio"},
    "java/lang/Number": {"java/util", "java/math"},
    "java/lang/StringBuilder": {TEXT},
    "java/lang/StringBuffer": {TEXT},
    "java/lang/AbstractStringBuilder": {TEXT},
}
#: Types that objects of any other type may have, too.
ANY = frozenset(
    f"java/{one}"
    for one in (
        *("lang/Object", "lang/Cloneable", "lang/Comparable", "lang/AutoCloseable"),
        *("io/Closeable", "io/Flushable", "io/Serializable"),
    )
)
OF_ARRAYS = frozenset({"java/lang/Object", "java/lang/Cloneable", "java/io/Serializable"})


def bounds_of(generic: str) -> tuple[str, ...] | None:
    """The types of what is in a collection, by its generic type; None: they are unknown."""
    names = NAMED.findall(generic)
    if len(names) < 2 or "[" in generic or OPEN.search(generic) or not COLLECTIONS.match(names[0]):
        return None
    return tuple(f"L{one};" for one in names[1:] if not is_fixed(f"L{one};"))


class Families:
    def __init__(self, classes: dict[str, ClassFacts], hierarchy: Hierarchy) -> None:
        self.classes, self.hierarchy = classes, hierarchy
        self._known: dict[tuple[str, str], bool] = {}

    def meet(self, one: str, other: str) -> bool:
        """True if an object may have both types, given as descriptors."""
        known = self._known.get((one, other))
        if known is None:
            known = self._known[one, other] = self._meet(one, other)
        return known

    def meets_view(self, one: str, array: str) -> bool:
        """True if an object may have both types, or if it is an array that is seen as a list."""
        return self.meet(one, array) or (array[0] == "[" and array[1] in "[L" and self.meet(one, "Ljava/util/List;"))

    def _meet(self, one: str, other: str) -> bool:
        if one == other:
            return True
        if "[" in (one, other):  # an array of objects
            return True
        if one[0] == "[" or other[0] == "[":
            if one[0] != other[0]:
                return one[1:-1] in OF_ARRAYS or other[1:-1] in OF_ARRAYS
            return one[1] in "[L" and other[1] in "[L" and self.meet(one[1:], other[1:])
        first, second = one[1:-1], other[1:-1]
        if first in self.classes or second in self.classes:
            return self._own_meets(first, second) if first in self.classes else self._own_meets(second, first)
        if is_fixed(one) or is_fixed(other):
            return False
        these, those = family(first), family(second)
        return these is None or those is None or not these.isdisjoint(those)

    def _own_meets(self, own: str, other: str) -> bool:
        below = {own, *self.hierarchy.below(own)}
        if other in self.classes:
            return not below.isdisjoint({other, *self.hierarchy.below(other)})
        return other in ANY or any(
            other in self.hierarchy.above(one) or self.hierarchy.called_by_libraries(one) is None for one in below
        )


def family(name: str) -> set[str] | None:
    """The families of a library's type; None: any."""
    if name in ANY or not name.startswith(("java/", "javax/")):
        return None
    if name in OF_SEVERAL:
        return OF_SEVERAL[name]
    if name.startswith(LAMBDAS):
        return {LAMBDA}
    parts = name.split("/")
    return {name} if parts[:-1] == ["java", "lang"] else {"/".join(parts[:2])}
