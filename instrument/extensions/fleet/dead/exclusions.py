"""Methods that nobody calls by name, although a program needs them: they are counted, and not listed.

In the order of EXCLUSIONS, the first reason that applies is given. SERVICE comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from classhook.base.object_streams import STREAMS
from classhook.extensions.fleet.dead.observations import About
from classhook.model.call_tree import MethodKey

PRIVATE, BRIDGE, SYNTHETIC = 0x2, 0x40, 0x1000
OF_OBJECTS = frozenset({("equals", "(Ljava/lang/Object;)Z"), ("hashCode", "()I"), ("toString", "()Ljava/lang/String;")})
#: Annotations by which nothing finds methods.
PLAIN = frozenset({"java.lang.Deprecated", "java.lang.SafeVarargs", "java.lang.Override", "java.lang.SuppressWarnings"})
PLAIN_ENDS = ("Nullable", "NotNull", "NonNull", "Nonnull")


class Exclusion(NamedTuple):
    name: str
    why: str
    applies: Callable[[MethodKey, About], bool]


def _enum(key: MethodKey, about: About) -> bool:
    """True for the generated methods of an enum, and its constructor if nobody wrote one."""
    owner = f"L{key[0].replace('.', '/')};"
    made = (("values", f"()[{owner}"), ("valueOf", f"(Ljava/lang/String;){owner}"), ("$values", f"()[{owner}"))
    return key[1:] in made or (key[1:] == ("<init>", "(Ljava/lang/String;I)V") and bool((about.flags or 0) & PRIVATE))


def _generated(key: MethodKey, about: About) -> bool:
    """Bodies of lambdas are synthetic, too, but somebody wrote them."""
    return _enum(key, about) or (bool((about.flags or 0) & (SYNTHETIC | BRIDGE)) and "lambda$" not in key[1])


def _annotated(key: MethodKey, about: About) -> bool:
    return any(name not in PLAIN and not name.endswith(PLAIN_ENDS) for name in about.annotations or ())


def _hidden(key: MethodKey, about: About) -> bool:
    return key[1:] == ("<init>", "()V") and bool((about.flags or 0) & PRIVATE)


EXCLUSIONS = (
    Exclusion(
        "main",
        "the launcher calls it",
        lambda key, about: key[1] == "main" and key[2] in ("([Ljava/lang/String;)V", "()V"),
    ),
    Exclusion("static initializer", "the JVM calls it", lambda key, about: key[1] == "<clinit>"),
    Exclusion("generated", "a compiler made it", _generated),
    Exclusion("serialization", "object streams call it", lambda key, about: key[1] in STREAMS),
    Exclusion(
        "of Object",
        "collections and debuggers call equals, hashCode and toString",
        lambda key, about: key[1:] in OF_OBJECTS,
    ),
    Exclusion("private constructor", "it keeps others from making objects", _hidden),
    Exclusion("annotated", "a framework may call it", _annotated),
)


SERVICE = Exclusion("service", "a service file names its class", lambda key, about: True)


def excluded(key: MethodKey, about: About, services: Collection[str] = ()) -> str:
    """The name of the exclusion; empty if there is none. `services`: the classes that service files name."""
    found = next((one.name for one in EXCLUSIONS if one.applies(key, about)), "")
    return found or (SERVICE.name if key[0] in services else "")
