"""The meaning of the names in a rule about a line, in one method: `this`, its parameters, and the local variables where
control comes to the line.

1. A local variable's name is that of LocalVariableTable, if it is in scope there; `local3` is the local 3, whatever its
   name.
2. It is readable where the verifier knows that it has a value of its type (classhook.classfile.locals); else it is not
   set.
"""

from __future__ import annotations

from classhook.classfile.lines import Way, lines_by_pc
from classhook.classfile.locals import readable_locals
from classhook.classfile.splice import Context
from classhook.measures.event import overwrites_this
from classhook.measures.watch.method_types import mismatch_of, readable
from classhook.measures.watch.watched_method import ALL_ARGUMENTS, WatchedMethod, hidden
from classhook.rules.conditions import Comparison, Path
from classhook.rules.languages.kotlin import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.reader import ClassFile, Method

LOCAL: Final = "local"
#: The letter of the local that has a value of a type, by the first letter of its descriptor.
IN_LOCAL: Final = {"Z": "I", "B": "I", "C": "I", "S": "I", "I": "I", "J": "J", "F": "F", "D": "D", "L": "L", "[": "L"}


class Variable:
    """An entry of LocalVariableTable."""

    __slots__ = ("descriptor", "end", "local", "name", "start")

    def __init__(self, name: str, descriptor: str, local: int, start: int, end: int) -> None:
        self.name = name
        self.descriptor = descriptor
        self.local = local
        self.start = start
        self.end = end


class Value:
    """A value that can be read at a place: the local, and its type's descriptor."""

    __slots__ = ("descriptor", "local")

    def __init__(self, local: int, descriptor: str) -> None:
        self.local = local
        self.descriptor = descriptor


class MethodScope:
    """The data that the lines of a method share. `ways`: by line, those to its code; `kinds`: by the pc of each of
    them, as of readable_locals."""

    __slots__ = ("code", "kinds", "lines", "method", "this", "variables", "ways")

    def __init__(self, cf: ClassFile, method: Method, code: Code, ways: dict[int, list[Way]]) -> None:
        self.code = code
        self.ways = ways
        self.method = WatchedMethod(cf, method, code)
        self.variables = variables_of(cf, code)
        self.lines = lines_by_pc(code)
        self.kinds = readable_locals(
            code, cf.pool, Context.from_method(cf, method), {way.pc for to_line in ways.values() for way in to_line}
        )
        self.this = not self.method.static and not overwrites_this(code)


class LineScope:
    """`ways`: to the line's code; `method`: what is known of the method."""

    __slots__ = ("_kinds", "_lines", "_this", "line", "method", "variables", "ways")

    def __init__(self, of: MethodScope, line: int) -> None:
        self.line = line
        self.ways = of.ways[line]
        self.method = of.method
        self.variables = of.variables
        self._lines = of.lines
        self._kinds = of.kinds
        self._this = of.this

    def __str__(self) -> str:
        return f"line {self.line} of {self.method}"

    def value(self, root: str, way: Way) -> Value | None:
        """The value of a path's root there; None: not set."""
        kinds = self._kinds.get(way.pc, {})
        if root == "this":
            there = self._this and kinds.get(0) == "L"
            return Value(0, f"L{self.method.class_name};") if there else None
        number = numbered(root, LOCAL)
        if number >= 0:
            known = [one.descriptor for one in self._in_scope(way) if one.local == number]
            descriptor = (
                known[0] if known else "Ljava/lang/Object;" if kinds.get(number) == "L" else kinds.get(number, "")
            )
            return self._readable(kinds, number, descriptor)
        number = Path((root,)).argument
        if 0 <= number < len(self.method.types):
            return self._readable(kinds, self.method.locals[number], self.method.types[number])
        for one in self._in_scope(way):
            if one.name == root:
                return self._readable(kinds, one.local, one.descriptor)
        return None

    def _in_scope(self, way: Way) -> list[Variable]:
        return [one for one in self.variables if one.start <= way.pc < one.end]

    def _readable(self, kinds: dict[int, str], local: int, descriptor: str) -> Value | None:
        there = bool(descriptor) and kinds.get(local) == IN_LOCAL[descriptor[0]]
        return Value(local, descriptor) if there else None

    def names(self) -> list[str]:
        """The variables that have a value where control comes to the line, by their locals; without their names,
        parameters and locals by number."""
        found: dict[str, int] = {}
        for way in self.ways:
            for one in self._in_scope(way):
                if one.name != "this" and self.value(one.name, way) is not None:
                    found.setdefault(one.name, one.local)
        if not self.variables:
            for i, local in enumerate(self.method.locals):
                found[f"arg{i}"] = local
            for way in self.ways:
                for local in sorted(self._kinds.get(way.pc, {})):
                    if local not in found.values() and (local or self.method.static):
                        found[f"{LOCAL}{local}"] = local
        return sorted(found, key=lambda name: found[name])

    def label(self, path: Path) -> str:
        """The path, with a parameter's own name where that is known."""
        return self.method.label(path)

    def misfit(self, path: Path) -> str:
        """The reason why the path has no value here, and the existing names; empty if it may have one."""
        root = path.root
        if any([self.value(root, way) is not None for way in self.ways]):
            kinds = {value.descriptor for way in self.ways if (value := self.value(root, way)) is not None}
            if len(path.names) > 1 and all([len(kind) == 1 for kind in kinds]):
                return f"`{path}`: {root} is of type {readable(min(kinds))}, which has no fields"
            return ""
        there = (
            ", ".join(["this"] * any([self.value("this", way) is not None for way in self.ways]) + self.names())
            or "none"
        )
        if root == "this":
            why = (
                "is static"
                if self.method.static
                else "has no `this` there yet"
                if self.method.constructor
                else "has no `this` there"
            )
            return f"`{path}`: {self.method} {why}; at line {self.line} there are: {there}"
        begins = [
            one
            for one in self.variables
            if one.name == root and self.line in self._lines[max(one.start - 1, 0) : one.start]
        ]
        if begins:
            return f"`{path}`: {root} gets its value in line {self.line}, and has none before; there are: {there}"
        names = "" if self.variables else " (the class has no names of local variables: javac -g writes them)"
        return f"`{path}`: there is no local variable {root} at {self}{names}; there are: {there}"

    def mismatch(self, comparison: Comparison) -> str:
        """The reason why a comparison cannot hold, by the known types."""
        return mismatch_of(comparison, self._type_of, lambda path: f"`{path}` at {self}")

    def _type_of(self, path: Path) -> str:
        """The descriptor of what is at the path; empty if it is unknown, or not the same on each way."""
        kinds = {value.descriptor for way in self.ways if (value := self.value(path.root, way)) is not None}
        if len(kinds) == 1 and len(path.names) == 1:
            return min(kinds)
        return self.method.type_of(path) if path.root == "this" else ""

    def hides(self, path: Path, masks: list[str]) -> bool:
        """The same as for a method's arguments. A local variable whose own name is unknown is hidden unless all masks
        are numbers of others."""
        root = path.root
        number = numbered(root, LOCAL)
        locals_ = {value.local for way in self.ways if (value := self.value(root, way)) is not None}
        if root != "this" and not self.variables and masks and not all([is_numbered(mask) for mask in masks]):
            return True
        roots = [
            root,
            *[one.name for one in self.variables if one.local in locals_ and (number >= 0 or path.argument >= 0)],
        ]
        for i, local in enumerate(self.method.locals):
            if local in locals_:
                roots += [f"arg{i}", ALL_ARGUMENTS, *(self.method.names or ())[i : i + 1]]
        roots += [f"{LOCAL}{local}" for local in locals_ if root != "this"]
        return hidden(roots, path, masks)


def is_numbered(mask: str) -> bool:
    """True if the mask is the number of a parameter or of a local."""
    return numbered(mask, "arg") >= 0 or numbered(mask, LOCAL) >= 0


def numbered(root: str, word: str) -> int:
    """The number behind the word; -1 if it is another name."""
    rest = root.removeprefix(word)
    return int(rest) if root.startswith(word) and rest.isascii() and rest.isdigit() and len(rest) < 6 else -1


def variables_of(cf: ClassFile, code: Code) -> list[Variable]:
    """The variables of LocalVariableTable (JVMS 4.7.13), in its order."""
    found = []
    data = cf.data
    for name, at, end_at in code.attributes:
        if name == b"LocalVariableTable":
            for entry in range(at + 8, end_at - 9, 10):
                start, length, text, kind, local = [
                    int.from_bytes(data[i : i + 2], "big") for i in range(entry, entry + 10, 2)
                ]
                found.append(Variable(variable(cf.pool.utf8(text)), cf.pool.utf8(kind), local, start, start + length))
    return [one for one in found if one.descriptor[:1] in IN_LOCAL]
