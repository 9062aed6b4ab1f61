"""Kotlin's map from lines of inlined code to the classes and lines where it was written (SourceDebugExtension, JSR 45).

kotlinc gives inlined code lines behind the last one of the file. The stratum `Kotlin` tells where each range of them
comes from.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

END: Final = ("*E", "*S KotlinDebug")


class BadMap(ValueError):
    """The text is not a line map as kotlinc writes it."""


class Mapping:
    """Lines output..output + repeat - 1 were written in the class of this name (internal form) as lines from `input`
    on."""

    __slots__ = ("input", "name", "output", "repeat")

    def __init__(self, name: str, input_: int, repeat: int, output: int) -> None:
        self.name: str = name
        self.input: int = input_
        self.repeat: int = repeat
        self.output: int = output

    def is_identity(self, own: str) -> bool:
        """True if the lines are those of the class itself, whose name is `own`."""
        return self.name == own and self.input == self.output


def parse(text: str, source_file: str) -> list[Mapping]:
    """The mappings of a class whose SourceFile is `source_file`. Raises BadMap."""
    lines = text.split("\n")
    if lines[:5] != ["SMAP", source_file, "Kotlin", "*S Kotlin", "*F"]:
        raise BadMap("the line map (SourceDebugExtension) is not one of kotlinc")
    names: dict[str, str] = {}
    at = 5
    try:
        while lines[at] != "*L":
            names[lines[at].split()[1]] = lines[at + 1]
            at += 2
        at += 1
        found: list[Mapping] = []
        file = ""
        while lines[at] not in END:
            left, _, right = lines[at].partition(":")
            left, _, repeat = left.partition(",")
            start, hash_, number = left.partition("#")
            file = number if hash_ else file
            output = right.partition(",")[0]
            found.append(Mapping(names[file], int(start), int(repeat or "1"), int(output)))
            at += 1
    except (IndexError, KeyError, ValueError):
        raise BadMap(f"line {at + 1} of the line map (SourceDebugExtension) cannot be read") from None
    return found
