"""Names of rows, as wide as there is room.

1. Packages are shortened a segment at a time, the outermost first: `c.s.t.javac.code.Type.equals(Type)`.
2. Then packages go; then parameters become `..`; then the middle is cut out.
3. Names that are the same then keep the segments of packages and the parameters in which they differ; else they are
   numbered.
4. A key of a method's calls, such as an SQL statement, has the room first: the method's class goes, and all but the
   ends of its name.

Names are of the program: every character that is not printable is escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from classhook.base.names import parameter_names, printable

CUT = "..."
LEAST = 12  # columns of a name, however little room there is


class NamePart(NamedTuple):
    """`package.name(parameters)`, and what follows. `parameters`: None where there are none to be left out."""

    package: str
    name: str
    parameters: str | None = None
    after: str = ""


class RowName(NamedTuple):
    """A row's name. `key`: what tells the row from others of the same method, such as ` [SELECT 1]`."""

    parts: tuple[NamePart, ...]
    key: str = ""

    def text(self) -> str:
        return "".join(map(_written, self.parts)) + self.key

    def fitted(self, width: int) -> str:
        """The label in at most so many columns."""
        text = self.text()
        if wide(text) <= width:
            return text
        if self.key and width >= 2 * LEAST:
            name = self._before_key(max(width - wide(self.key), LEAST))
            return name + cut(self.key, width - wide(name))
        return self._without_packages(text, width)

    def _before_key(self, width: int) -> str:
        """The method, in what its key leaves: without its class, if that does not fit."""
        fitting = RowName(self.parts).fitted(width)
        return fitting if CUT not in fitting else cut(self.parts[-1].name.rpartition(".")[2], width)

    def _without_packages(self, text: str, width: int) -> str:
        parts = list(self.parts)
        excess = wide(text) - width
        for i, part in enumerate(parts):
            segments = part.package.split(".") if part.package else []
            for at, segment in enumerate(segments):
                if excess <= 0:
                    break
                segments[at] = segment[:1]
                excess -= wide(segment) - wide(segments[at])
            parts[i] = part._replace(package=".".join(segments))
        for less in ({"package": ""}, {"parameters": ".."}):
            if wide("".join(map(_written, parts)) + self.key) > width:
                parts = [
                    part._replace(**{name: value for name, value in less.items() if getattr(part, name)})
                    for part in parts
                ]
        return cut("".join(map(_written, parts)) + self.key, width)


def fitted(names: Sequence[RowName], widths: Sequence[int]) -> list[str]:
    """All of them, each in at most so many columns; no two are the same that differ as a whole."""
    found = [name.fitted(width) for name, width in zip(names, widths, strict=True)]
    alike: dict[str, list[int]] = {}
    for at, text in enumerate(found):
        alike.setdefault(text, []).append(at)
    for same in alike.values():
        if len(same) > 1 and len({names[at] for at in same}) > 1:
            for at, text in zip(
                same, _told_apart([names[at] for at in same], [widths[at] for at in same]), strict=True
            ):
                found[at] = text
    return found


def _told_apart(names: list[RowName], widths: list[int]) -> list[str]:
    for packages, parameters in ((True, True), (True, False), (False, True)):
        parts = [name.parts for name in names]
        for at in range(min(map(len, parts))):
            column = [one[at] for one in parts]
            segments = _differing([part.package.split(".") for part in column]) if packages else [[]] * len(column)
            types = (
                _differing([(part.parameters or "").split(", ") for part in column])
                if parameters
                else [[]] * len(column)
            )
            column = [
                part._replace(
                    package=".".join(middle),
                    parameters=part.parameters and (f"..{', '.join(kept)}.." if any(kept) else ".."),
                )
                for part, middle, kept in zip(column, segments, types, strict=True)
            ]
            parts = [(*one[:at], part, *one[at + 1 :]) for one, part in zip(parts, column, strict=True)]
        texts = ["".join(map(_written, one)) + name.key for one, name in zip(parts, names, strict=True)]
        if len(set(texts)) == len(texts) and all(
            wide(text) <= width for text, width in zip(texts, widths, strict=True)
        ):
            return texts
    counts: Counter[str] = Counter()
    texts = []
    for name, width in zip(names, widths, strict=True):
        text = name.fitted(width - len(f" #{len(names)}"))
        counts[text] += 1
        texts.append(f"{text} #{counts[text]}")
    return texts


def _differing(lists: list[list[str]]) -> list[list[str]]:
    """The lists without their common begin and end."""
    shortest = min(map(len, lists))
    first = next((at for at in range(shortest) if len({one[at] for one in lists}) > 1), shortest)
    last = next((at for at in range(shortest - first) if len({one[-1 - at] for one in lists}) > 1), shortest - first)
    return [one[first : len(one) - last] for one in lists]


def _written(part: NamePart) -> str:
    parameters = "" if part.parameters is None else f"({part.parameters})"
    return (
        f"{part.package}.{part.name}{parameters}{part.after}"
        if part.package
        else f"{part.name}{parameters}{part.after}"
    )


def dotted(text: str) -> RowName:
    """The name of a class or package."""
    return RowName((type_part(text),))


def plain(text: str) -> RowName:
    """A name that has no parts."""
    return RowName((NamePart("", printable(text)),))


def method(class_name: str, name: str, descriptor: str, detail: int = 0) -> RowName:
    """`com.acme.Orders.place(Order, int)`; with detail 1 the packages of parameters, with 2 the type that it returns,
    with 3 its package."""
    if not class_name:  # it stands for methods that are not known
        return plain(name)
    package, _, simple = printable(class_name).rpartition(".")
    names = parameter_names(descriptor) if detail == 0 else parameter_names(descriptor, qualified=True)
    after = f": {printable(returned(descriptor, qualified=detail > 2))}" if detail > 1 else ""
    return RowName((NamePart(package, f"{simple}.{printable(name)}", printable(", ".join(names)), after),))


def returned(descriptor: str, qualified: bool) -> str:
    """The type that a method returns; nothing if its descriptor is none."""
    return "".join(parameter_names(f"({descriptor.rpartition(')')[2]})", qualified))


def type_part(name: str) -> NamePart:
    """A type, such as `java.util.Map$Entry[]`."""
    package, _, simple = printable(name).rpartition(".")
    return NamePart(package, simple)


def wide(text: str) -> int:
    """The number of columns that the text takes in a terminal."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    columns: int = cell_len(text)  # the build has no rich, and so no types
    return columns


def cut(text: str, width: int) -> str:
    """The text without its middle, if it is wider."""
    if wide(text) <= width:
        return text
    keep = max(width, LEAST) - len(CUT)
    head, tail = text[: keep // 2], text[len(text) - (keep - keep // 2) :]
    while wide(head) + wide(tail) > keep and (head or tail):  # wide characters
        head, tail = (head[:-1], tail) if wide(head) > wide(tail) else (head, tail[1:])
    return head + CUT + tail
