"""The types of a method: what the names in a rule `watch` mean there, and which of them mean nothing.

1. Arguments are numbered without `this`; a rule may name them instead, as the class file does.
2. The class's own fields are known; those of its superclasses, and of objects, are looked up when the program runs.
   `classhook.checking` looks them up before, among the classes that are given or loaded.
"""

from __future__ import annotations

from classhook.rules.conditions import Comparison, Condition, Literal, Path, Shown, operators_of, with_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Final

ACC_STATIC: Final = 0x0008
OBJECT: Final = "java/lang/Object"
STRING: Final = "Ljava/lang/String;"
INTS: Final = "BCSI"
NUMBERS: Final = "BCSIJFD"
WHOLE: Final = "BCSIJ"
NAMES: Final = {
    "B": "byte",
    "C": "char",
    "S": "short",
    "I": "int",
    "J": "long",
    "F": "float",
    "D": "double",
    "Z": "boolean",
    "V": "void",
}


class MethodTypes:
    """`types`: the arguments' descriptors; `names`: theirs, empty if the class file has none, None: not known;
    `fields`: the class's own, descriptors and flags; names are internal ones (JVMS 4.2.1)."""

    __slots__ = ("class_name", "constructor", "fields", "name", "names", "result", "static", "super_name", "types")

    def __init__(
        self,
        class_name: str,
        super_name: str,
        fields: dict[str, tuple[str, int]],
        name: str,
        flags: int,
        descriptor: str,
        names: Sequence[str] | None = None,
    ) -> None:
        self.names = names
        self.class_name = class_name
        self.super_name = super_name
        self.fields = fields
        self.name = name
        self.static = bool(flags & ACC_STATIC)
        self.constructor = name == "<init>"
        self.types = types_of(descriptor)
        self.result = descriptor.rpartition(")")[2]

    def __str__(self) -> str:
        """`place(int, String)`."""
        return f"{self.name}({', '.join([readable(one) for one in self.types])})"

    def argument(self, path: Path) -> int:
        """The number of the argument at which the path begins; -1: it begins elsewhere."""
        name = path.parameter
        return self.names.index(name) if name and self.names and name in self.names else path.argument

    def meant(self, path: Path) -> Path:
        """The path with the number of the argument that it names."""
        number = self.argument(path)
        return Path((f"arg{number}", *path.names[1:])) if number >= 0 else path

    def meant_by(self, condition: Condition | None) -> Condition | None:
        return with_paths(condition, self.meant) if condition is not None else None

    def meant_to_show(self, shown: Shown) -> Shown:
        return Shown(tuple([self.meant(path) for path in shown.paths]), shown.args, shown.frames)

    def type_of(self, path: Path) -> str:
        """The descriptor of what is at the path; empty if that is known only when the program runs."""
        found = self.root_type(path)
        if len(path.names) == 1:
            return found
        if path.root == "this" and len(path.names) == 2:
            return self.fields.get(path.names[1], ("", 0))[0]
        return ""

    def root_type(self, path: Path) -> str:
        """The descriptor of a path's root; empty if that is known only when the program runs."""
        i = self.argument(path)
        if i >= 0:
            return self.types[i] if i < len(self.types) else ""
        return {"this": f"L{self.class_name};", "result": self.result}.get(path.root, "")

    def misfit(self, path: Path) -> str:
        """The reason why the path has no value in this method, and the existing names; empty if it may have one."""
        i, root = self.argument(path), self.root_type(path)
        if path.parameter and i < 0:
            return self._no_parameter(path) if self.names is not None else ""
        if i >= len(self.types):
            there = (
                f"its arguments are arg0 to arg{len(self.types) - 1}"
                if len(self.types) > 1
                else "its only argument is arg0"
            )
            there = there if self.types else "it has none"
            return f"`{path}`: {self} has no argument {path.root}; {there}"
        if path.root == "this" and self.static:
            return f"`{path}`: {self} is static, so there is no `this`; use its arguments and `result`"
        if path.root == "result" and self.result == "V" and len(path.names) > 1:
            return f"`{path}`: {self} has no result"
        if len(path.names) > 1 and root in NAMES:
            lacks = "elements" if path.names[1][0] == "[" else "fields"
            return f"`{path}`: {path.root} of {self} is of type {readable(root)}, which has no {lacks}"
        return ""

    def _no_parameter(self, path: Path) -> str:
        what, known = f"`{path}`: {self} has no parameter {path.parameter}", [name for name in self.names or () if name]
        if known:
            return f"{what}; its parameters: {', '.join(known)}"
        if not self.types:
            return f"{what}; it has none"
        return f"{what} that is known, since its class file has no names of parameters (javac -g has them): use arg0"

    def doubt(self, path: Path) -> str:
        """The reason why a path probably has no value, though an object of a subclass may have one."""
        if (
            path.root != "this"
            or len(path.names) < 2
            or path.names[1] in self.fields
            or self.super_name != OBJECT
            or path.names[1][0] == "["
        ):
            return ""
        there = ", ".join(sorted(self.fields)) or "none"
        return f"`{path}`: {self.class_name.replace('/', '.')} has no field {path.names[1]}; its fields: {there}"

    def mismatch(self, comparison: Comparison) -> str:
        """The reason why a comparison cannot hold, by the known types."""
        for path in comparison.paths:
            if self.type_of(path) == "V":
                return f"`{path}`: {self} has no result"
        return mismatch_of(comparison, self.type_of, lambda path: f"`{path}` of {self}")


def no_operand(op: str, kind: str, what: str) -> str:
    """The reason why a value of this type cannot be calculated with; empty if it may be one."""
    allowed, needed = (WHOLE, "a whole number") if op == "%" else (NUMBERS, "numbers")
    if not kind or kind in allowed or (kind[0] == "L" and kind != STRING):
        return ""
    return f"{what}: its type is {readable(kind)}; `{op}` needs {needed}"


def mismatch_of(comparison: Comparison, kind_of: Callable[[Path], str], called: Callable[[Path], str]) -> str:
    """The reason why a comparison cannot hold, given the types of paths, empty if they are unknown; `called`: what
    to call a path."""
    for side in (comparison.left, comparison.right):
        for op, path in operators_of(side):
            if why := no_operand(op, kind_of(path), called(path)):
                return why
    if not isinstance(comparison.left, Path):
        return ""
    return _mismatch(comparison, kind_of(comparison.left), called(comparison.left))


def _mismatch(comparison: Comparison, kind: str, what: str) -> str:
    """The same, for a path on the left side of this type, which is called `what`."""
    right, better = comparison.right, ""
    if not kind:
        return ""
    is_object = kind not in NAMES
    if comparison.is_type:
        return "" if is_object else f"{what} is of type {readable(kind)}; `instanceof` needs an object"
    if comparison.is_pattern:
        return "" if is_object and kind[0] != "[" else f"{what} is of type {readable(kind)}; `~` compares strings"
    if not isinstance(right, Literal):
        return ""
    value = right.value
    if kind in NUMBERS and (
        value is None or isinstance(value, bool) or (isinstance(value, str) and (kind != "C" or len(value) != 1))
    ):
        better = "a number" if kind != "C" else "a number, or a string of one character"
    elif kind == "Z" and not isinstance(value, bool):
        better = "`true` or `false`"
    elif kind == STRING and not (value is None or isinstance(value, str)):
        better = "a string or `null`"
    return f"{what} is of type {readable(kind)}; compare it with {better}" if better else ""


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
