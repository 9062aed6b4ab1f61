"""A method that a rule `watch` matches: what the names in the rule are there, and which of them are nothing.

1. Arguments are numbered without `this`; their names are those of MethodParameters, or of the local variables that are there from the start.
2. The class's own fields are known; those of its superclasses, and of objects, are looked up when the program runs.
"""

from __future__ import annotations

from classhook.rules.conditions import Comparison, Literal, Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.reader import ClassFile, Method

ACC_STATIC: Final = 0x0008
ACC_FINAL: Final = 0x0010
OBJECT: Final = "java/lang/Object"
STRING: Final = "Ljava/lang/String;"
ALL_ARGUMENTS: Final = "args"
INTS: Final = "BCSI"
NUMBERS: Final = "BCSIJFD"
NAMES: Final = {"B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double", "Z": "boolean", "V": "void"}


class WatchedMethod:
    """`types`: the arguments' descriptors; `locals`: where they are; `names`: theirs, or none; `fields`: the class's own, descriptors and flags."""

    __slots__ = ("class_name", "constructor", "fields", "final", "locals", "name", "names", "result", "static", "super_name", "types")

    def __init__(self, cf: ClassFile, method: Method, code: Code) -> None:
        descriptor = method.descriptor
        self.class_name = cf.name
        self.super_name = cf.super_name
        self.final = bool(cf.access_flags & ACC_FINAL)
        self.name = method.name
        self.static = bool(method.access_flags & ACC_STATIC)
        self.constructor = method.name == "<init>"
        self.types = types_of(descriptor)
        self.result = descriptor.rpartition(")")[2]
        self.locals: list[int] = []
        at = 0 if self.static else 1
        for one in self.types:
            self.locals.append(at)
            at += 2 if one in "JD" else 1
        self.names = _parameter_names(cf, method, len(self.types)) or _variable_names(cf, code, self.locals)
        self.fields = {cf.pool.utf8(name): (cf.pool.utf8(descriptor), flags) for flags, name, descriptor in cf.fields()}

    def __str__(self) -> str:
        """`place(int, String)`."""
        return f"{self.name}({', '.join([readable(one) for one in self.types])})"

    def label(self, path: Path) -> str:
        """The path, with the argument's own name where that is known."""
        i = path.argument
        return ".".join([self.names[i] if 0 <= i < len(self.names) and self.names[i] else path.root, *path.names[1:]])

    def hides(self, path: Path, masks: list[str]) -> bool:
        """Whether one of the masks names this value, or one on the way to it. A mask is a glob over the last name, or, with a dot or `**`, over all
        names. An argument whose own name is unknown is hidden unless all masks are numbers of other arguments."""
        from classhook.rules.patterns import compile_glob

        i = path.argument
        roots = [path.root]
        if i >= 0:
            roots += [ALL_ARGUMENTS, *self.names[i : i + 1]]
            if not any(self.names[i : i + 1]) and not all([is_number(mask) for mask in masks]):
                return True
        names = [".".join([root, *path.names[1:end]]) for root in roots if root for end in range(1, len(path.names) + 1)]
        for mask in masks:
            matches, whole = compile_glob(mask), "." in mask or "**" in mask
            if any([matches(name if whole else name.rpartition(".")[2]) for name in names]):
                return True
        return False

    def type_of(self, path: Path) -> str:
        """The descriptor of what is at the path; empty if that is known only when the program runs."""
        found = self._root(path)
        if len(path.names) == 1:
            return found
        if path.root == "this" and len(path.names) == 2:
            return self.fields.get(path.names[1], ("", 0))[0]
        return ""

    def _root(self, path: Path) -> str:
        i = path.argument
        if i >= 0:
            return self.types[i] if i < len(self.types) else ""
        return {"this": f"L{self.class_name};", "result": self.result}.get(path.root, "")

    def misfit(self, path: Path) -> str:
        """Why the path is nothing in this method, and what there is; empty if it may be something."""
        i, root = path.argument, self._root(path)
        if i >= len(self.types):
            there = f"its arguments are arg0 to arg{len(self.types) - 1}" if len(self.types) > 1 else "its only argument is arg0"
            there = there if self.types else "it has none"
            return f"`{path}`: {self} has no argument {path.root}; {there}"
        if path.root == "this" and self.static:
            return f"`{path}`: {self} is static, so there is no `this`; use its arguments and `result`"
        if path.root == "result" and self.result == "V" and len(path.names) > 1:
            return f"`{path}`: {self} has no result"
        if len(path.names) > 1 and root in NAMES:
            return f"`{path}`: {path.root} of {self} is of type {readable(root)}, which has no fields"
        return ""

    def doubt(self, path: Path) -> str:
        """Why a path is probably nothing, though an object of a subclass may have it."""
        if path.root != "this" or len(path.names) < 2 or path.names[1] in self.fields or self.super_name != OBJECT:
            return ""
        there = ", ".join(sorted(self.fields)) or "none"
        return f"`{path}`: {self.class_name.replace('/', '.')} has no field {path.names[1]}; its fields: {there}"

    def mismatch(self, comparison: Comparison) -> str:
        """Why a comparison cannot hold, by the types that are known."""
        kind = self.type_of(comparison.left)
        right = comparison.right
        if not isinstance(right, Literal) or not kind:
            return ""
        value, what = right.value, ""
        if kind == "V":
            return f"`{comparison.left}`: {self} has no result"
        if kind in NUMBERS and (value is None or isinstance(value, bool) or (isinstance(value, str) and (kind != "C" or len(value) != 1))):
            what = "a number" if kind != "C" else "a number, or a string of one character"
        elif kind == "Z" and not isinstance(value, bool):
            what = "`true` or `false`"
        elif kind == STRING and not (value is None or isinstance(value, str)):
            what = "a string or `null`"
        return f"`{comparison.left}` of {self} is of type {readable(kind)}; compare it with {what}" if what else ""


def is_number(mask: str) -> bool:
    """Whether it is an argument's number, `arg1`."""
    return mask.startswith("arg") and mask[3:].isdigit()


def types_of(descriptor: str) -> list[str]:
    """Each parameter's descriptor (JVMS 4.3.3)."""
    found = []
    at = 1
    while descriptor[at] != ")":
        begin = at
        while descriptor[at] == "[":
            at += 1
        at = descriptor.index(";", at) + 1 if descriptor[at] == "L" else at + 1
        found.append(descriptor[begin:at])
    return found


def readable(descriptor: str) -> str:
    """`int`, `String[]`."""
    element = descriptor.lstrip("[")
    name = NAMES[element] if element in NAMES else element[1:-1].rpartition("/")[2]
    return name + "[]" * (len(descriptor) - len(element))


def _parameter_names(cf: ClassFile, method: Method, number: int) -> list[str]:
    """Those of MethodParameters (JVMS 4.7.24), if it is about all arguments."""
    for name, at, end_at in method.attributes():
        if name == b"MethodParameters" and end_at - at == 7 + 4 * number and cf.data[at + 6] == number:
            indices = [int.from_bytes(cf.data[i : i + 2], "big") for i in range(at + 7, end_at, 4)]
            return [cf.pool.utf8(index) if index else "" for index in indices]
    return []


def _variable_names(cf: ClassFile, code: Code, locals_: list[int]) -> list[str]:
    """Those of LocalVariableTable (JVMS 4.7.13)."""
    found: dict[int, str] = {}
    data = cf.data
    for name, at, end_at in code.attributes:
        if name != b"LocalVariableTable":
            continue
        for entry in range(at + 8, end_at - 9, 10):
            start, _, text, _, local = [int.from_bytes(data[i : i + 2], "big") for i in range(entry, entry + 10, 2)]
            if not start:
                found[local] = cf.pool.utf8(text)
    return [found.get(local, "") for local in locals_] if found else []
