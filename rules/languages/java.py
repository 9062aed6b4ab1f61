"""Java: lambdas."""

from __future__ import annotations

from classhook.rules.languages.name import SYNTHETIC, UNKNOWN, Name

LAMBDA = "lambda$"
#: javac's names for the initializers.
INITIALIZERS = {"new": "<init>", "static": "<clinit>"}


def name_of(source: str, class_name: str, method: str, descriptor: str, flags: int) -> Name | None:
    """`lambda$place$0` is a lambda in `place`."""
    if not method.startswith(LAMBDA) or not (flags == UNKNOWN or flags & SYNTHETIC):
        return None
    inside, _, number = method[len(LAMBDA) :].rpartition("$")
    if not inside or not number.isalnum():
        return None
    return Name(class_name, INITIALIZERS.get(inside, inside), descriptor, "lambda in ", in_place=True)
