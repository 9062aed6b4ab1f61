"""A method that a rule `watch` matches: where its arguments are, what they are called, and which values a rule hides.

The arguments' names are those of MethodParameters, or of the local variables that are there from the start.
"""

from __future__ import annotations

from classhook.measures.watch.method_types import MethodTypes
from classhook.rules.conditions import Path, element_key
from classhook.rules.languages.kotlin import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.reader import ClassFile, Method

ALL_ARGUMENTS: Final = "args"


class WatchedMethod(MethodTypes):
    """`locals`: where the arguments are."""

    __slots__ = ("locals",)

    def __init__(self, cf: ClassFile, method: Method, code: Code) -> None:
        fields = {cf.pool.utf8(name): (cf.pool.utf8(descriptor), flags) for flags, name, descriptor in cf.fields()}
        super().__init__(cf.name, cf.super_name, fields, method.name, method.access_flags, method.descriptor)
        self.locals: list[int] = []
        at = 0 if self.static else 1
        for one in self.types:
            self.locals.append(at)
            at += 2 if one in "JD" else 1
        self.names = _parameter_names(cf, method, len(self.types)) or _variable_names(cf, code, self.locals)

    def label(self, path: Path) -> str:
        """The path, with the argument's own name where that is known."""
        i, names = path.argument, self.names or ()
        return path.text(names[i] if 0 <= i < len(names) and names[i] else path.root)

    def hides(self, path: Path, masks: list[str]) -> bool:
        """True if one of the masks names this value, or one on the way to it. An argument whose own name is unknown is
        hidden unless all masks are numbers of other arguments."""
        i, own = path.argument, list(self.names or ())
        roots = [path.root]
        if i >= 0:
            roots += [ALL_ARGUMENTS, *own[i : i + 1]]
            if not any(own[i : i + 1]) and not all([is_number(mask) for mask in masks]):
                return True
        return hidden(roots, path, masks)


def hidden(roots: list[str], path: Path, masks: list[str]) -> bool:
    """True if one of the masks names the path's value, whose root has these names, or one on the way to it. A mask is a
    glob over the last name, or, with a dot or `**`, over all names."""
    from classhook.rules.patterns import compile_glob

    steps = [hidden_name(name) for name in path.names[1:]]
    names = [".".join([root, *steps[:end]]) for root in roots if root for end in range(len(steps) + 1)]
    for mask in masks:
        matches, whole = compile_glob(mask), "." in mask or "**" in mask
        if any([matches(name if whole else name.rpartition(".")[2]) for name in names]):
            return True
    return False


def hidden_name(name: str) -> str:
    """The name of a step for masks: a map's key is one, without dots."""
    key = element_key(name)
    return name if key is None else str(key).replace(".", "_")


def is_number(mask: str) -> bool:
    """True if it is an argument's number, `arg1`."""
    return mask.startswith("arg") and mask[3:].isdigit()


def _parameter_names(cf: ClassFile, method: Method, number: int) -> list[str]:
    """The names in MethodParameters (JVMS 4.7.24), if it has all arguments."""
    for name, at, end_at in method.attributes():
        if name == b"MethodParameters" and end_at - at == 7 + 4 * number and cf.data[at + 6] == number:
            indices = [int.from_bytes(cf.data[i : i + 2], "big") for i in range(at + 7, end_at, 4)]
            return [cf.pool.utf8(index) if index else "" for index in indices]
    return []


def _variable_names(cf: ClassFile, code: Code, locals_: list[int]) -> list[str]:
    """The names in LocalVariableTable (JVMS 4.7.13)."""
    found: dict[int, str] = {}
    data = cf.data
    for name, at, end_at in code.attributes:
        if name != b"LocalVariableTable":
            continue
        for entry in range(at + 8, end_at - 9, 10):
            start, _, text, _, local = [int.from_bytes(data[i : i + 2], "big") for i in range(entry, entry + 10, 2)]
            if not start:
                found[local] = variable(cf.pool.utf8(text))
    return [found.get(local, "") for local in locals_] if found else []
