"""Recognises methods that compilers make or rename, by their names in the JVM. Imported inside the JVM, so it imports
nothing."""

from __future__ import annotations

#: Methods for code without a name, in a class of its own.
UNNAMED = ("apply", "call", "doCall", "doInvoke", "invoke", "invokePrim", "invokeStatic", "invokeSuspend")


def may_be_made(class_name: str, method: str) -> bool:
    """True if a compiler may have made or renamed the method, so that its flags and line tell more than its name."""
    return "$" in method or ("$" in class_name and method in UNNAMED)
