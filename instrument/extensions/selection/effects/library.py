"""Effects of methods of the JDK and of libraries on their receiver and arguments.

A rule is for the methods of some classes with some names; the first one that fits counts. Without one, a method changes
and keeps all that it is passed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache

from classhook.extensions.selection.fixed_types import CHANGING_TIME, UNCHANGING


class Which(Enum):
    """A choice from a method's receiver and arguments, in this order: those that it changes, or keeps."""

    NONE = ()
    FIRST = (0,)
    THIRD = (2,)
    OTHERS = "others"  # all but the first
    ALL = "all"

    def of(self, passed: int) -> range | tuple[int, ...]:
        """Their places, given how many are passed."""
        if self is Which.ALL:
            return range(passed)
        if self is Which.OTHERS:
            return range(1, passed)
        return tuple(i for i in self.value if i < passed)


class Result(Enum):
    """The kind of a method's result."""

    ANY = 0
    NEW = 1  # an object that nobody else has
    VIEW = 2  # its first argument, or what shows and changes the content of that


@dataclass(frozen=True, slots=True)
class Use:
    """A method's use of the objects that it is passed.

    mixes: what is in one of these may get into another one, or be passed to methods of these
    is_closed: its result is one of these, or in one of these
    to_world: it keeps them elsewhere
    is_deep: it may change what is in them, too
    calls: its receiver is a function, which is called
    """

    changes: Which = Which.ALL
    keeps: Which = Which.ALL
    result: Result = Result.ANY
    mixes: bool = True
    is_closed: bool = False
    to_world: bool = False
    is_deep: bool = False
    calls: bool = False


UNKNOWN = Use(is_deep=True)
ASKS = Use(Which.NONE, Which.NONE, mixes=False)  # and returns nothing of it
LOOKS = Use(Which.NONE, Which.NONE, is_closed=True)
KEEPS = Use(Which.NONE, Which.ALL)
MAKES = Use(Which.NONE, Which.NONE, Result.NEW)
COPIES = MAKES
PASSES = Use(
    Which.NONE, Which.ALL, mixes=False, to_world=True, calls=True
)  # what it is passed, to code that is not known
HOLDS = Use(Which.NONE, Which.ALL, Result.NEW)  # a new object that refers to what is passed
SHOWS = Use(Which.NONE, Which.OTHERS, Result.VIEW)
CHANGES = Use(Which.FIRST, Which.OTHERS, is_closed=True)
PRINTS = Use(Which.FIRST, Which.NONE, Result.VIEW, mixes=False, is_deep=True)
MOVES = Use(Which.FIRST, Which.NONE, is_closed=True)

#: The beginnings of types of lambdas.
LAMBDAS = (
    "java/util/function/",
    "java/util/stream/Collector",
    "java/util/Comparator",
    "java/lang/Runnable",
    "java/util/concurrent/Callable",
)
#: Names of methods of collections and the like that change nothing: whole names, and beginnings.
LOOKING = frozenset(
    (
        *("get", "size", "isEmpty", "indexOf", "lastIndexOf", "forEach", "hasNext", "hasPrevious"),
        *("peek", "peekFirst", "peekLast", "element", "first", "last", "lower", "higher", "floor", "ceiling"),
        *("equals", "hashCode", "toString", "getKey", "getValue", "nextIndex", "elementAt", "comparator", "capacity"),
        *("hasMoreElements", "hasMoreTokens", "isPresent", "length", "charAt", "substring", "intValue", "longValue"),
        *(
            "compareTo",
            "compare",
            "test",
            "firstElement",
            "lastElement",
            "cardinality",
            "getFirst",
            "getLast",
            "getProperty",
        ),
    )
)
LOOKING_BEGIN = ("contains", "firstKey", "lastKey", "firstEntry", "lastEntry", "lowerE", "lowerK", "higherE", "higherK")
SHOWING = frozenset(
    (
        *("iterator", "listIterator", "descendingIterator", "subList", "keySet", "values", "entrySet", "headMap"),
        *("tailMap", "subMap", "headSet", "tailSet", "subSet", "descendingSet", "descendingMap", "navigableKeySet"),
        *("descendingKeySet", "reversed", "elements", "keys", "spliterator"),
    )
)
FILLING = frozenset({"drainTo", "copyInto"})  # what they are passed
#: Types whose methods change nothing that they are passed.
OF_CONTENT = re.compile(
    r"java/util/(concurrent/)?(atomic/)?\w*(Map|Set|List|Collection|Deque|Queue|Table|Vector|Stack|Properties|Map\$Entry"
    r"|Iterator|Enumeration|Optional\w*|BitSet|Adder|Accumulator|Atomic\w+)$"
)
COPYING = frozenset({"clone", "stream", "parallelStream", "copyOf", "getBytes"})
HOLDING = frozenset({"of", "ofNullable", "entry"})
ADVANCING = frozenset({"next", "previous", "nextElement"})
ITERATORS = ("java/util/Iterator", "java/util/ListIterator", "java/util/Enumeration")
BUILDERS = frozenset({"java/lang/StringBuilder", "java/lang/StringBuffer", "java/lang/AbstractStringBuilder"})
#: Packages and classes whose methods change nothing and keep nothing that they are passed.
ONLY_LOOK = (
    *("java/lang/Math", "java/lang/StrictMath", "java/util/Objects", "java/lang/CharSequence"),
    *("java/lang/Comparable", "java/lang/Enum", "java/util/regex/Pattern", "java/time/"),
    *("java/nio/file/", "java/util/OptionalInt", "java/lang/Record", "java/lang/Package", "java/lang/Module"),
    *("org/junit/", "junit/", "org/hamcrest/", "org/assertj/", "org/opentest4j/", "org/testng/", "org/apiguardian/"),
    *("org/slf4j/", "java/util/logging/", "kotlin/jvm/internal/Intrinsics", "kotlin/test/"),
)
LOOKING_OWNERS = frozenset({"java/io/File", "java/nio/charset/Charset", "java/lang/Runtime", "java/lang/System"})
#: ... which keep what they are passed.
ONLY_KEEP = ("java/util/Optional",)
OF_ARRAYS = frozenset({"fill", "sort", "setAll", "parallelSetAll", "parallelPrefix", "parallelSort"})
OF_COLLECTIONS = frozenset({"sort", "reverse", "shuffle", "swap", "fill", "addAll", "copy", "rotate", "replaceAll"})
#: They run what they are passed: code of the program, or objects of libraries that refer to such code.
RUNS = Use(Which.ALL, Which.OTHERS, mixes=False, is_deep=True)
EXECUTORS = re.compile(r"java/util/(Timer|concurrent/(Executor|\w+Executor|\w*ExecutorService|ForkJoinPool))$")
LOCKS = re.compile(r"java/util/concurrent/(locks/\w+|CountDownLatch|Semaphore)$")
SHOWING_LOCKS = frozenset({"readLock", "writeLock", "newCondition"})
#: By which any method may be called with what they are passed.
CALLING = frozenset({"java/lang/reflect/Method", "java/lang/invoke/MethodHandle", "java/lang/invoke/VarHandle"})
VIEWS = ("unmodifiable", "synchronized", "checked", "asLifoQueue", "newSetFromMap", "enumeration", "list")
FIXED_OWNERS = frozenset(one[1:-1] for one in UNCHANGING if one[0] == "L")


@cache
def use_of(owner: str, name: str) -> Use:
    """Returns the use that a library's method makes of what it is passed. `owner`: its class in internal form."""
    if owner[0] == "[":
        return COPIES if name == "clone" else ASKS
    if owner == "java/lang/Object":
        return COPIES if name == "clone" else ASKS
    if owner == "java/lang/Class":
        return KEEPS
    if owner == "java/lang/Iterable":
        return SHOWS if name in SHOWING else LOOKS
    if owner.startswith(LAMBDAS):
        return PASSES
    if owner in FIXED_OWNERS:
        return Use(Which.ALL if name in ("getChars", "getBytes") else Which.NONE, Which.NONE, Result.NEW, mixes=False)
    if owner == "java/lang/System" and name == "arraycopy":
        return Use(Which.THIRD, Which.NONE)
    if owner in ("java/io/PrintStream", "java/io/PrintWriter") and name != "<init>":
        return PRINTS
    if owner in BUILDERS:
        if name == "<init>" or name in LOOKING or name in ("indexOf", "chars", "codePointAt"):
            return ASKS
        return Use(Which.ALL if name == "getChars" else Which.FIRST, Which.NONE, Result.VIEW, mixes=False)
    for table in (_of_helpers, _of_prefixes, _of_throwables, _of_collections):
        found = table(owner, name)
        if found is not None:
            return found
    return KEEPS if name == "<init>" else UNKNOWN


def _of_prefixes(owner: str, name: str) -> Use | None:
    if name.startswith("requireNonNull") and owner == "java/util/Objects":
        return SHOWS if name == "requireNonNull" else KEEPS
    if f"L{owner};" in CHANGING_TIME:
        return None
    return (
        ASKS
        if owner in LOOKING_OWNERS or owner.startswith(ONLY_LOOK)
        else KEEPS
        if owner.startswith(ONLY_KEEP)
        else None
    )


def _of_helpers(owner: str, name: str) -> Use | None:
    if owner == "java/util/Arrays":
        return SHOWS if name == "asList" else CHANGES if name in OF_ARRAYS else MAKES
    if owner == "java/util/Collections":
        if name in OF_COLLECTIONS:
            return CHANGES if name != "shuffle" else Use(is_closed=True)  # and the source of random numbers
        return LOOKS if name in ("min", "max") else SHOWS if name.startswith(VIEWS) else HOLDS
    if owner.startswith("java/util/stream/"):
        return HOLDS if name != "reduce" else KEEPS
    if owner == "java/util/concurrent/Executors":
        return SHOWS if name.startswith("unconfigurable") else HOLDS
    if name != "<init>" and (EXECUTORS.match(owner) or LOCKS.match(owner)):
        return LOOKS if name.startswith("is") else SHOWS if name in SHOWING_LOCKS else RUNS
    if owner == "java/lang/reflect/Array":
        return CHANGES if name.startswith("set") else MAKES if name.startswith("new") else LOOKS
    if owner in CALLING or (name.startswith("set") and owner in ("java/lang/Thread", "java/lang/ClassLoader")):
        return UNKNOWN
    if owner.startswith(("java/lang/reflect/", "java/lang/invoke/", "java/lang/ClassLoader", "java/lang/Thread")):
        return CHANGES if owner.startswith("java/lang/ThreadLocal") and name != "<init>" else KEEPS
    return None


def _of_throwables(owner: str, name: str) -> Use | None:
    if not owner.endswith(("Exception", "Error", "/Throwable")):
        return None
    if name == "<init>":
        return KEEPS
    return LOOKS if name.startswith(("get", "print", "toString", "is", "fillIn")) else CHANGES


def _of_collections(owner: str, name: str) -> Use | None:
    if owner in ITERATORS:
        return MOVES if name in ADVANCING else LOOKS if name in LOOKING else CHANGES
    if not owner.startswith("java/util/") or owner == "java/util/Scanner":
        return None
    if name == "<init>":
        return LOOKS if owner.count("/") == 2 and OF_CONTENT.match(owner) else KEEPS
    if name == "getOrDefault":
        return Use(Which.NONE, Which.OTHERS, is_closed=True)
    if name in LOOKING or name.startswith(LOOKING_BEGIN):
        return LOOKS
    if name in SHOWING:
        return SHOWS
    if name == "toArray":
        return Use(Which.OTHERS, Which.NONE, Result.NEW)
    if name in COPYING:
        return MAKES
    if name in HOLDING:
        return HOLDS
    return CHANGES if OF_CONTENT.match(owner) and name not in FILLING else UNKNOWN
