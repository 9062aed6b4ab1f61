"""Parsed conditions on calls, and the paths to show (condition_parser.py reads both).

This module is imported inside the JVM and imports next to nothing.
"""

from __future__ import annotations

from classhook.rules.condition_tokens import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

#: The words at which a path of a call begins; all other names are those of parameters.
ROOTS: Final = ("this", "result", "exception", "thread")
#: The word at which the paths of an element begin.
ELEMENT: Final = "it"


class Value:
    """Immutable, and equal to another of its class if all fields are. Not rules.syntax.ImmutableValue, which may be
    compiled: this module is not."""

    __slots__: tuple[str, ...] = ()

    def _fields(self) -> tuple[object, ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}{self._fields()}"


class Path(Value):
    """`names`: a root, and fields or elements, such as `[2]` or `["key"]`."""

    __slots__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def _fields(self) -> tuple[object, ...]:
        return (self.names,)

    def __str__(self) -> str:
        return self.text(self.root)

    def text(self, root: str) -> str:
        """The path with another name for its root."""
        return root + "".join([name if name[0] == "[" else f".{name}" for name in self.names[1:]])

    @property
    def static(self) -> tuple[str, str]:
        """The class and the name of a static field; else empty."""
        owner, colons, field = self.root.partition("::")
        return (owner, field) if colons else ("", "")

    @property
    def root(self) -> str:
        return self.names[0]

    @property
    def argument(self) -> int:
        """The argument's number; -1: it is something else."""
        return int(self.root[3:]) if self.root.startswith("arg") and self.root[3:].isdigit() else -1

    @property
    def parameter(self) -> str:
        """The name of the parameter at which the path of a call begins; empty: it begins elsewhere."""
        root = self.root
        return "" if root in ROOTS or "::" in root or self.argument >= 0 else root

    @property
    def at_end(self) -> bool:
        """True if it is known only when the activation ends."""
        return self.root in ("result", "exception")


def element_key(name: str) -> int | str | None:
    """The number or string between the brackets of a step; None: it is a field."""
    if name[0] != "[":
        return None
    return string(name, 1)[0] if name[1] in "\"'" else int(name[1:-1])


class Literal(Value):
    """A number, a string, a truth value or null."""

    __slots__ = ("value",)

    def __init__(self, value: bool | int | float | str | None) -> None:
        self.value = value

    def _fields(self) -> tuple[object, ...]:
        return (self.value.__class__.__name__, self.value)

    def __str__(self) -> str:
        return str(self.value)

    @property
    def is_number(self) -> bool:
        return isinstance(self.value, (int, float)) and not isinstance(self.value, bool)


class Calculation(Value):
    """A number that is calculated of two. `op`: + - * / or %, behind which is a whole constant."""

    __slots__ = ("left", "op", "right")

    def __init__(self, op: str, left: Operand, right: Operand) -> None:
        self.op = op
        self.left = left
        self.right = right

    def _fields(self) -> tuple[object, ...]:
        return (self.op, self.left, self.right)

    def __str__(self) -> str:
        left, right = [
            f"({one})" if isinstance(one, Calculation) and BINDING[one.op] < least else str(one)
            for one, least in ((self.left, BINDING[self.op]), (self.right, BINDING[self.op] + 1))
        ]
        return f"{left} {self.op} {right}"


#: Precedence of operators: the higher ones bind more closely.
BINDING: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}

Operand = Path | Literal | Calculation


def paths_of(operand: Operand) -> list[Path]:
    """The paths in it, from left to right."""
    if isinstance(operand, Calculation):
        return paths_of(operand.left) + paths_of(operand.right)
    return [operand] if isinstance(operand, Path) else []


def operators_of(operand: Operand) -> list[tuple[str, Path]]:
    """The paths in calculations, each with the operator beside it."""
    if not isinstance(operand, Calculation):
        return []
    sides = (operand.left, operand.right)
    return [(operand.op, one) for one in sides if isinstance(one, Path)] + [
        found for one in sides for found in operators_of(one)
    ]


def operand_with(operand: Operand, changed: Callable[[Path], Path]) -> Operand:
    """The operand with other paths."""
    if isinstance(operand, Calculation):
        return Calculation(operand.op, operand_with(operand.left, changed), operand_with(operand.right, changed))
    return changed(operand) if isinstance(operand, Path) else operand


class Comparison(Value):
    """`left`: a path or a calculation; `right`: an operand; of `~` a pattern, of `instanceof` the name of a class."""

    __slots__ = ("left", "op", "right")

    def __init__(self, left: Path | Calculation, op: str, right: Operand) -> None:
        self.left = left
        self.op = op
        self.right = right

    def _fields(self) -> tuple[object, ...]:
        return (self.left, self.op, self.right)

    @property
    def is_pattern(self) -> bool:
        return self.op in ("~", "!~")

    @property
    def is_type(self) -> bool:
        return self.op in ("instanceof", "!instanceof")

    @property
    def paths(self) -> list[Path]:
        return paths_of(self.left) + paths_of(self.right)


def pattern_parts(pattern: str) -> list[str]:
    """The texts between the `*` of a pattern; behind a backslash, a `*` or a backslash stands for itself."""
    parts = [""]
    escaped = False
    for char in pattern:
        if escaped or char not in "*\\":
            parts[-1] += char if not escaped or char in "*\\" else f"\\{char}"
            escaped = False
        elif char == "*":
            parts.append("")
        else:
            escaped = True
    parts[-1] += "\\" * escaped
    return parts


class Group(Value):
    """`op`: && or ||."""

    __slots__ = ("op", "parts")

    def __init__(self, op: str, parts: tuple[Condition, ...]) -> None:
        self.op = op
        self.parts = parts

    def _fields(self) -> tuple[object, ...]:
        return (self.op, self.parts)


class Elements(Value):
    """A condition on elements. `op`: any or all; `path`: to a collection or an array; `inner`: its paths begin at the
    element."""

    __slots__ = ("inner", "op", "path")

    def __init__(self, op: str, path: Path, inner: Condition) -> None:
        self.op = op
        self.path = path
        self.inner = inner

    def _fields(self) -> tuple[object, ...]:
        return (self.op, self.path, self.inner)


Condition = Comparison | Elements | Group


def comparisons(condition: Condition) -> list[Comparison]:
    """All of them, from left to right, but for those of elements."""
    if isinstance(condition, Group):
        return [one for part in condition.parts for one in comparisons(part)]
    return [condition] if isinstance(condition, Comparison) else []


def paths_in(condition: Condition | None) -> list[Path]:
    """The paths that a condition reads, but for those that begin at elements."""
    if isinstance(condition, Group):
        return [path for part in condition.parts for path in paths_in(part)]
    if isinstance(condition, Elements):
        return [condition.path]
    return condition.paths if condition is not None else []


def with_paths(condition: Condition, changed: Callable[[Path], Path]) -> Condition:
    """The condition with other paths."""
    if isinstance(condition, Group):
        return Group(condition.op, tuple([with_paths(part, changed) for part in condition.parts]))
    if isinstance(condition, Elements):
        return Elements(condition.op, changed(condition.path), condition.inner)
    left, right = [operand_with(one, changed) for one in (condition.left, condition.right)]
    assert not isinstance(left, Literal)
    return Comparison(left, condition.op, right)


class Shown(Value):
    """`paths`: what is shown; `args`: where among them all arguments are, -1: nowhere; `frames`: callers."""

    __slots__ = ("args", "frames", "paths")

    def __init__(self, paths: tuple[Path, ...], args: int, frames: int) -> None:
        self.paths = paths
        self.args = args
        self.frames = frames

    def _fields(self) -> tuple[object, ...]:
        return (self.args, self.frames, self.paths)
