"""Members of the JDK, and names that several of them share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from classhook.native.jdk_releases import OLDEST

ANY = 999  #: a last release: none is known to lack it


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a member from release `first` to `last`. No name: the class itself; no descriptor: any method or
    field of that name."""

    owner: str
    name: str = ""
    descriptor: str = ""
    first: int = OLDEST
    last: int = ANY

    def __str__(self) -> str:
        owner = self.owner.replace("/", ".")
        return (
            f"{owner}.{self.name}{self.descriptor if self.descriptor.startswith('(') else ''}" if self.name else owner
        )


@dataclass(frozen=True, slots=True)
class Member:
    """`without`: what does not work in a JDK that lacks it. `symbol`: its name in C, empty if C does not ask for it.
    `module`: where it is, if a runtime image may lack that module."""

    forms: tuple[Form, ...]
    without: str
    symbol: str = ""
    static: bool = False
    module: str = ""

    def expected(self, release: int) -> list[Form]:
        """The forms of which a JDK of this feature release should have one; empty: it need not have any."""
        return [form for form in self.forms if form.first <= release <= form.last]


CLASS, CLASS_LOADER, THREAD, UNSAFE = (
    "java/lang/Class",
    "java/lang/ClassLoader",
    "java/lang/Thread",
    "jdk/internal/misc/Unsafe",
)
HOLDER, VIRTUAL_THREAD = "java/lang/Thread$FieldHolder", "java/lang/VirtualThread"
OBJECT_PLACE = "(Ljava/lang/Object;J"
STRING, CLASS_TYPE, OBJECT = "Ljava/lang/String;", f"L{CLASS};", "Ljava/lang/Object;"

#: Releases with which something came or went.
VIRTUAL_THREADS = 19  # the carrier of a virtual thread is a thread of its own
LAST_WITH_SECURITY_MANAGERS = 23

NOTHING_WORKS = "nothing is instrumented"
TRACKER = "the tracker class does not work, so nothing is instrumented"
VIRTUAL = "virtual threads are taken for their carriers: times, stacks and contexts of theirs are wrong"
FIELDS = "conditions, keys and numbers on fields are read by the agent, which takes 100 times as long"
CONTEXTS = "tasks leave the context of the code that submitted them"
SOURCES = "rules with `from` match nothing"
PARKS = "`locks` does not see waits for locks of java.util.concurrent"
SPANS = "calls have no trace ids"
BEANS = "`ctl` has no heap dumps and no diagnostic commands"


def one(
    owner: str,
    name: str,
    descriptor: str,
    without: str,
    symbol: str = "",
    static: bool = False,
    first: int = OLDEST,
    last: int = ANY,
    module: str = "",
) -> Member:
    """A member of one form."""
    return Member((Form(owner, name, descriptor, first, last),), without, symbol, static, module)


def named(owner: str, without: str, *names: str, first: int = OLDEST, last: int = ANY) -> Iterator[Member]:
    """Methods or fields that are named without a descriptor."""
    return (one(owner, name, "", without, first=first, last=last) for name in names)
