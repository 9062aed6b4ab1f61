"""Groovy: closures, and methods of traits."""

from __future__ import annotations

from classhook.rules.languages.name import INITIALIZERS, Name, takes, without

HELPER = "$Trait$Helper"
CLOSURES = ("_closure", "_lambda")


def name_of(source: str, class_name: str, method: str, descriptor: str, flags: int) -> Name | None:
    """The method's name in Groovy; None if that is its name in the JVM."""
    if method in INITIALIZERS:
        return None
    if method in ("doCall", "call"):
        return _closure(class_name, descriptor)
    if class_name.endswith(HELPER) and not method.startswith("$"):
        owner = class_name[: -len(HELPER)]
        return Name(owner, method, without(descriptor, 1, 0) if takes(descriptor, owner) else descriptor)
    return None


def _closure(class_name: str, descriptor: str) -> Name | None:
    """`Orders$_each_closure1`, and one in it, `Orders$_each_closure1$_closure2`."""
    owner, found, rest = class_name.partition("$_")
    if not found:
        return None
    first = "_" + rest.partition("$")[0]
    for sign in CLOSURES:
        inside, found, number = first.rpartition(sign)
        if found and number.isdecimal():
            return Name(owner, inside[1:] or "run", descriptor, "closure in ", in_place=True)
    return None
