"""A method's name in its language. Imported inside the JVM, so it imports nothing."""

from __future__ import annotations

UNKNOWN = -1  # flags of a method of which only the name is known
STATIC = 0x0008  # JVMS table 4.6-A
SYNTHETIC = 0x1000
INITIALIZERS = ("<init>", "<clinit>")


class Name:
    """The name of a method in its language.

    before, after: what the method is, around its name: `lambda in `, ` with defaults`
    owner: the class, package or namespace, dotted
    method: its name there
    descriptor: the parameters that its users know, and the result, as in class files
    separator: between owner and method
    in_place: it has no name of its own, so the line is a part of it
    matches: rules that name `method` mean it
    """

    __slots__ = ("after", "before", "descriptor", "in_place", "matches", "method", "owner", "separator")

    def __init__(
        self,
        owner: str,
        method: str,
        descriptor: str,
        before: str = "",
        after: str = "",
        separator: str = ".",
        in_place: bool = False,
    ) -> None:
        self.owner = owner
        self.method = method
        self.descriptor = descriptor
        self.before = before
        self.after = after
        self.separator = separator
        self.in_place = in_place
        self.matches = not before or before == "suspend "


def split(class_name: str) -> tuple[str, str]:
    """The package, and the class's name in it."""
    package, _, simple = class_name.rpartition(".")
    return package, simple


def joined(package: str, simple: str) -> str:
    return f"{package}.{simple}" if package and simple else package or simple


def parameters(descriptor: str) -> list[str]:
    """The descriptors of a method's parameters; those of a damaged one are cut short."""
    found: list[str] = []
    at = 1
    while at < len(descriptor) and descriptor[at] != ")":
        end = at
        while descriptor[end : end + 1] == "[":
            end += 1
        end = descriptor.find(";", end) + 1 if descriptor[end : end + 1] == "L" else end + 1
        if not end:
            break
        found.append(descriptor[at:end])
        at = end
    return found


def without(descriptor: str, first: int, last: int) -> str:
    """The descriptor without so many parameters in front and at the end."""
    kept = parameters(descriptor)
    return f"({''.join(kept[first : max(len(kept) - last, first)])}){descriptor.rpartition(')')[2]}"


def takes(descriptor: str, class_name: str) -> bool:
    """True if the first parameter is of this class."""
    return descriptor.startswith(f"(L{class_name.replace('.', '/')};")
