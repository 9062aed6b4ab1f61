"""Scala 2 and 3: operators, objects, lambdas, default arguments, lazy values, methods of value classes, names of
private members."""

from __future__ import annotations

from classhook.rules.languages.name import INITIALIZERS, Name, joined, split, without

#: scala.reflect.NameTransformer; `$u` and four hexadecimal digits are any other character.
OPERATORS = {
    "tilde": "~",
    "eq": "=",
    "less": "<",
    "greater": ">",
    "bang": "!",
    "hash": "#",
    "percent": "%",
    "up": "^",
    "amp": "&",
    "bar": "|",
    "times": "*",
    "div": "/",
    "plus": "+",
    "minus": "-",
    "colon": ":",
    "qmark": "?",
    "at": "@",
    "bslash": "\\",
}
PACKAGES = ("$package$", "$package")  # what has no class in Scala 3
ANONYMOUS = "$anonfun$"
EXTENSION, LAZY, ADAPTED, SPECIALIZED, DEFAULT = (
    "$extension",
    ("$lzycompute", "$lzyINIT"),
    "$adapted",
    "$sp",
    "$default$",
)


def decoded(name: str) -> str:
    """Decodes operators: `+=` for `$plus$eq`."""
    if "$" not in name:
        return name
    found, at = "", 0
    while at < len(name):
        end = at + 1
        if name[at] == "$":
            if name[at + 1 : at + 2] == "u" and _is_hexadecimal(name[at + 2 : at + 6]):
                found, at = found + chr(int(name[at + 2 : at + 6], 16)), at + 6
                continue
            while end < len(name) and name[end].isascii() and name[end].islower():
                end += 1
            # the longest word: `$eq` may be followed by letters of the name
            word = next(
                (word for word in [name[at + 1 : to] for to in range(end, at + 1, -1)] if word in OPERATORS), ""
            )
            if word:
                found, at = found + OPERATORS[word], at + 1 + len(word)
                continue
            end = at + 1
        found, at = found + name[at:end], end
    return found


def _is_hexadecimal(text: str) -> bool:
    return len(text) == 4 and all([c in "0123456789abcdefABCDEF" for c in text])


def owner_of(class_name: str) -> str:
    """The object without its `$`; the package for members without a class."""
    package, simple = split(class_name)
    for end in PACKAGES:
        if simple.endswith(end) and simple != end:
            return package
    return joined(package, decoded(simple[:-1] if simple.endswith("$") and len(simple) > 1 else simple))


def name_of(source: str, class_name: str, method: str, descriptor: str, flags: int) -> Name | None:
    """The method's name in Scala; None if that is its name in the JVM."""
    if method in INITIALIZERS or method in ("$init$", "$deserializeLambda$"):
        return None
    at = class_name.find("$" + ANONYMOUS)
    if at > 0 and method.startswith("apply"):  # until Scala 2.11
        inside = _outermost(class_name[at + 1 + len(ANONYMOUS) :])
        return Name(owner_of(class_name[:at]), _of_lambda(inside), descriptor, "lambda in ", in_place=True)
    owner = owner_of(class_name)
    found = _lambda(owner, method, descriptor)
    if found is not None:
        return found
    written, _, number = method.partition(DEFAULT)
    if written and number.isdecimal():
        return Name(owner, decoded(written), descriptor, f"default {number} of ")
    for sign in LAZY:
        written, is_lazy, number = method.partition(sign)
        if is_lazy and written and (not number or number.isdecimal()):
            return Name(owner, decoded(_own(written)), descriptor, "lazy ")
    written, after = method, ""
    if method.endswith(EXTENSION) and method != EXTENSION:
        written, descriptor = method[: -len(EXTENSION)], without(descriptor, 1, 0)
    elif method.endswith(SPECIALIZED) and "$mc" in method:
        written, after = method[: method.rindex("$mc")], " specialized"
    elif method.endswith("$") and not method.endswith("$$") and len(method) > 1:
        return Name(owner, decoded(_own(method[:-1])), without(descriptor, 1, 0), "forwarder to ")
    written = _own(written)
    head, local, number = written.rpartition("$")
    if local and head and number.isdecimal():
        written, after = head, " (local)"
    written = decoded(written)
    if written == method and owner == class_name:
        return None
    return Name(owner, written, descriptor, after=after)


def _lambda(owner: str, method: str, descriptor: str) -> Name | None:
    """`$anonfun$place$1` of Scala 2, `place$$anonfun$1` of Scala 3; `adapted`: for callers that know only objects."""
    bare = method[: -len(ADAPTED)] if method.endswith(ADAPTED) else method
    after = ", boxed" if bare != method else ""
    if bare.startswith(ANONYMOUS):
        inside = _outermost(bare[len(ANONYMOUS) :])
    else:
        inside, found, _ = bare.partition("$" + ANONYMOUS)
        if not found:
            return None
    if inside[:1].isdigit():  # in a lambda, of which Scala 3 does not tell the method
        package, _, inside = owner.rpartition(".")
        return Name(package, inside, descriptor, "lambda in ", after, in_place=True)
    return Name(owner, _of_lambda(inside), descriptor, "lambda in ", after, in_place=True)


def _outermost(name: str) -> str:
    """`place` of `place$1`."""
    head, found, number = name.rpartition("$")
    return head if found and number.isdecimal() else name


def _of_lambda(name: str) -> str:
    return "<init>" if name in ("new", "$init$", "", "<init>") else decoded(_own(name))


def _own(name: str) -> str:
    """A private member that was made public has its class in front: `shop$Cart$$items`."""
    head, found, last = name.rpartition("$$")
    return last if found and head and last and not head.endswith("$") else name
