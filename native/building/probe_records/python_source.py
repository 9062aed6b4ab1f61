"""The records as Python source: instrument/probes/records.py, a module of plain classes, since the JVM imports it and
mypyc compiles it. Each has a constructor and its words in full, for there are many records and looking their fields up
by name takes ten times as long."""

from __future__ import annotations

from classhook.native.building.probe_records.table import KINDS, OF_EACH, RECORDS, SHAPES, Fields, Shape

HEAD = '''"""The records of a probe table, a line each: docs/reference/probe-table.md.

Made from native/building/probe_records/table.py.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Final, TypeAlias

    Fields: TypeAlias = tuple[tuple[str, str], ...]

PROBE: Final = "probe"
OF_EACH: Final = %d  # fields of each probe
#: The types of fields. A NUMBERS is a tuple.
TEXT, NUMBER, FLAG, NUMBERS = "text", "number", "flag", "numbers"


class Record:
    """One record. `word` begins its line; `fields` follow: their names and types, which are also the arguments of the
    class, in order."""

    __slots__ = ()
    word: ClassVar[str] = ""
    fields: ClassVar[Fields] = ()

    def words(self) -> tuple[object, ...]:
        """The words of its line, in order."""
        return (self.word,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.words() == other.words()

    def __hash__(self) -> int:
        return hash(self.words())

    def __repr__(self) -> str:
        return repr(self.words())
'''


def _class(name: str, base: str, about: str, own: Fields, fields: Fields, word: str) -> str:
    """A class. `own`: the fields that its base does not have."""
    told = "".join(f"\n    {field.name}: {field.about}" for field in own if field.about)
    lines = [
        f"class {name}({base}):",
        f'    """{about[0].upper()}{about[1:]}.' + (f'\n{told}\n    """' if told else '"""'),
        "",
        f"    __slots__ = {tuple(sorted(field.name for field in own))!r}",
        *([f"    word: ClassVar[str] = {word!r}"] if base == "Record" else []),
    ]
    if fields:
        listed = "".join(f'("{field.name}", {field.type.name}), ' for field in fields)
        arguments = "".join(f", {field.name}: {field.type.python}" for field in fields)
        words = "".join(f", self.{field.name}" for field in fields)
        lines += [
            f"    fields: ClassVar[Fields] = ({listed})",
            "",
            f"    def __init__(self{arguments}) -> None:",
            *(f"        self.{field.name} = {field.name}" for field in fields),
            "",
            "    def words(self) -> tuple[object, ...]:",
            f"        return ({word!r}{words})",
        ]
    return "\n\n" + "\n".join(lines) + "\n"


def _probe(shape: Shape) -> str:
    base = shape.base.python if shape.base else "ProbeRecord"
    return _class(shape.python, base, shape.about, shape.fields, OF_EACH + shape.further, "probe")


def source() -> str:
    """The module's text."""
    records = [_class(one.python, "Record", one.about, one.fields, one.fields, one.word) for one in RECORDS]
    further = [shape for shape in SHAPES if shape.further]
    names = "".join(f"    {one.word!r}: {one.python},\n" for one in RECORDS)
    kinds = "".join(f"    {kind.word!r}: {kind.shape.python},\n" for kind in KINDS if kind.shape.further)
    return "".join(
        (
            HEAD % len(OF_EACH),
            *records,
            *map(_probe, further),
            "\n\n#: By the words that begin their lines. Probes have a kind of their own in the second word.\n",
            f"RECORDS: dict[str, type[Record]] = {{\n{names}}}\n",
            "#: The kinds of probes with further fields; those of other kinds have none that anybody reads.\n",
            f"PROBES: dict[str, type[Record]] = {{\n{kinds}}}\n",
        )
    )
