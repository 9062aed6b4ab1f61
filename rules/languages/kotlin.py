"""Kotlin: functions of files, companions and value classes, default arguments, names with a module or a hash, lambdas
and coroutines.

Names decide, in classes from Kotlin's sources; the annotation kotlin.Metadata, which has the whole truth, is not read.
"""

from __future__ import annotations

from classhook.rules.languages.name import INITIALIZERS, STATIC, UNKNOWN, Name, parameters, split, takes, without

COMPANION, DEFAULT_IMPLS, FACADE = "$Companion", "$DefaultImpls", "Kt"
CONTINUATION = "Lkotlin/coroutines/Continuation;)Ljava/lang/Object;"
LAMBDAS = ("$lambda$", "$lambda-")  # of Kotlin 2, and of 1.5 to 1.9
DEFAULTS, ACCESSOR, SUSPENDS, DELEGATE = "$default", "access$", "$suspendImpl", "_delegate"
HASH = 7  # characters behind the hyphen in the name of a function that takes value classes
BASE64 = "-_"  # besides letters and digits
IMPL = "-impl"
VALUE = "$v$c$"  # of a variable that is the value of a value class: `$v$c$shop-Cents$-price$0`
INLINED = "[inline]"  # CH_INLINED in native/sampling/inlined_code.h: code of inline functions whose class is not loaded
#: Members of each value class that nobody wrote.
OF_VALUE_CLASSES = ("box-impl", "unbox-impl", "equals-impl0")
#: Ends behind a `$` that are no module's name.
ENDS = ("annotations", "delegate", "suspendImpl", "jd", "default", "lambda", "serializer")


def facade(source: str) -> str:
    """The class of a file's functions: `OrdersKt` of `Orders.kt`."""
    stem = "".join([c if c.isalnum() or c == "_" else "_" for c in source.rpartition(".")[0]])
    return f"{stem[:1].upper()}{stem[1:]}{FACADE}"


def variable(name: str) -> str:
    """A variable's name in Kotlin, which that in the JVM contains if it is a value class's."""
    return name.partition("$-")[2].rpartition("$")[0] or name if name.startswith(VALUE) else name


def owner_of(source: str, class_name: str) -> str:
    """The package of a file's functions, the class of a companion, or the class."""
    package, simple = split(class_name)
    own = facade(source)
    if simple == own or simple.endswith(f"__{own}"):
        return package
    for end in (COMPANION, DEFAULT_IMPLS):
        if simple.endswith(end) and simple != end:
            return class_name[: -len(end)]
    return class_name


def name_of(source: str, class_name: str, method: str, descriptor: str, flags: int) -> Name | None:
    """The method's name in Kotlin; None if that is its name in the JVM."""
    if method in INITIALIZERS or method in OF_VALUE_CLASSES:
        return None
    if method == INLINED:
        owner = owner_of(source, class_name)
        package, simple = split(class_name)
        return Name(package, source if owner == package else simple, descriptor, "inline code of ", in_place=True)
    lambda_ = _lambda_class(source, class_name, method, descriptor)
    if lambda_ is not None:
        return lambda_
    owner = owner_of(source, class_name)
    if class_name.endswith(DEFAULT_IMPLS) and takes(descriptor, owner):
        descriptor = without(descriptor, 1, 0)
    for sign in LAMBDAS:
        inside, found, number = method.partition(sign)
        if found and inside and number[:1].isdecimal():
            return Name(owner, _property(_unmangled(inside)), descriptor, "lambda in ", in_place=True)
    if method.startswith(ACCESSOR):
        return Name(owner, _unmangled(method[len(ACCESSOR) :].removesuffix("$jd")), descriptor, "accessor of ")
    written, before, after = method, "", ""
    if method.endswith(DEFAULTS) and method != DEFAULTS:
        written, after = method[: -len(DEFAULTS)], " with defaults"
        descriptor = _without_masks(descriptor, class_name)
    elif method.endswith(SUSPENDS) and method != SUSPENDS:
        written, descriptor = method[: -len(SUSPENDS)], without(descriptor, 1, 0)
    if written.endswith(IMPL) and written != IMPL:
        written, descriptor = written[: -len(IMPL)], without(descriptor, 1 if written != "constructor-impl" else 0, 0)
        written = "<init>" if written == "constructor" else written
    if descriptor.endswith(CONTINUATION) and written not in ("create", "invoke"):
        before, descriptor = "suspend ", without(descriptor, 0, 1)
    plain = _unmangled(written)
    inside, found, last = plain.partition("$")
    if (
        found
        and inside
        and last
        and "$" not in last
        and last not in ENDS
        and not last[0].isdecimal()
        and flags != UNKNOWN
    ):
        if flags & STATIC and not after:
            return Name(owner, inside, descriptor, f"{last} in ", in_place=True)  # a function in a function
        plain = inside  # an internal one; its module follows
    if plain == method and owner == class_name and not before:
        return None
    return Name(owner, plain, descriptor, before, after)


def _lambda_class(source: str, class_name: str, method: str, descriptor: str) -> Name | None:
    """A lambda or coroutine that has a class of its own: `Orders$place$1`."""
    if method not in ("invoke", "invokeSuspend"):
        return None
    outer, _, number = class_name.rpartition("$")
    if not number.isdecimal():
        return None
    while outer.rpartition("$")[2].isdecimal():  # one in another one
        outer = outer.rpartition("$")[0]
    cls, found, inside = outer.rpartition("$")
    if not found or not cls:
        return None
    before = "coroutine in " if method == "invokeSuspend" else "lambda in "
    return Name(owner_of(source, cls.rstrip("$")), _unmangled(inside), descriptor, before, in_place=True)


def _property(name: str) -> str:
    return name[: -len(DELEGATE)] if name.endswith(DELEGATE) and name != DELEGATE else name


def _unmangled(name: str) -> str:
    """Removes the hash of value classes, unless it consists of lower case letters alone, as a name in backquotes could
    have: hardly any hash does."""
    head, sign, tail = name[: -HASH - 1], name[-HASH - 1 : -HASH], name[-HASH:]
    if sign != "-" or not head or not all([(c.isascii() and c.isalnum()) or c in BASE64 for c in tail]):
        return name
    return name if tail.isalpha() and tail.islower() else head


def _without_masks(descriptor: str, class_name: str) -> str:
    """Removes the object, and the masks and the marker that say which arguments are missing: there is a mask, an int,
    for each 32."""
    first = 1 if takes(descriptor, class_name) else 0
    masks = -(-(len(parameters(descriptor)) - first - 1) // 33)
    return without(descriptor, first, masks + 1)
