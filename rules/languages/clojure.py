"""Clojure: a function is a class of its own, in a namespace that the class's name begins with."""

from __future__ import annotations

from classhook.rules.languages.name import INITIALIZERS, Name

#: clojure.lang.Compiler.CHAR_MAP, besides the hyphen, which is an underscore.
CHARACTERS = {
    "COLON": ":",
    "PLUS": "+",
    "GT": ">",
    "LT": "<",
    "EQ": "=",
    "TILDE": "~",
    "BANG": "!",
    "CIRCA": "@",
    "SHARP": "#",
    "SINGLEQUOTE": "'",
    "DOUBLEQUOTE": '"',
    "PERCENT": "%",
    "CARET": "^",
    "AMPERSAND": "&",
    "STAR": "*",
    "BAR": "|",
    "LBRACE": "{",
    "RBRACE": "}",
    "LBRACK": "[",
    "RBRACK": "]",
    "SLASH": "/",
    "BSLASH": "\\",
    "QMARK": "?",
}
MUNGED = {character: f"_{word}_" for word, character in CHARACTERS.items()} | {"-": "_"}
CALLS = ("invoke", "invokeStatic", "doInvoke", "invokePrim")
FUNCTION, EVALUATED, LOADING, REIFIED = "fn__", "eval", "loading__", "reify__"


def munged(name: str, kept: str = "") -> str:
    """The name as a part of a class's; `kept`: characters that stay."""
    return "".join([c if c in kept else MUNGED.get(c, c) for c in name])


def demunged(name: str) -> str:
    """The name as it is written. An underscore in it is lost."""
    if "_" not in name:
        return name
    found, at = "", 0
    while at < len(name):
        end = name.find("_", at + 1) if name[at] == "_" else -1
        word = name[at + 1 : end] if end > 0 else ""
        if word in CHARACTERS:
            found, at = found + CHARACTERS[word], end + 1
        else:
            found, at = found + ("-" if name[at] == "_" else name[at]), at + 1
    return found


def name_of(source: str, class_name: str, method: str, descriptor: str, flags: int) -> Name | None:
    """The function's name in Clojure; None if that is its name in the JVM."""
    if method in INITIALIZERS:
        return None
    namespace, found, rest = class_name.partition("$")
    namespace = demunged(namespace)
    if not found:
        written = demunged(method)
        return Name(namespace, written, descriptor) if written != method else None
    parts = rest.split("$")
    outer = [demunged(_unnumbered(part)) for part in parts[:-1] if not _is_unnamed(part)]
    last = parts[-1]
    place = outer[-1] if outer else ""
    if last.startswith(REIFIED):
        return _inside(namespace, place, descriptor, f"{demunged(method)} of a reify in ")
    if method not in CALLS:
        return None
    if last.startswith(FUNCTION):
        return _inside(namespace, place, descriptor, "fn in ")
    if _is_unnamed(last):
        return _inside(namespace, place, descriptor, "form in ")
    own = demunged(_unnumbered(last))
    if outer:
        return _inside(namespace, place, descriptor, f"{own} in ")
    return Name(namespace, own, descriptor, separator="/")


def _inside(namespace: str, function: str, descriptor: str, before: str) -> Name:
    if function:
        return Name(namespace, function, descriptor, before, separator="/", in_place=True)
    return Name("", namespace, descriptor, before, separator="/", in_place=True)


def _is_unnamed(part: str) -> bool:
    """True if the compiler made the name."""
    return part.startswith((FUNCTION, LOADING, REIFIED)) or (
        part.startswith(EVALUATED) and part[len(EVALUATED) :].isdecimal()
    )


def _unnumbered(part: str) -> str:
    head, found, number = part.rpartition("__")
    return head if found and head and number.isdecimal() else part
