"""The records as C source for native/table/probe_table.h: enums, structs, and the fields in the order of the line."""

from __future__ import annotations

from collections.abc import Iterable

from classhook.native.building.probe_records.table import KINDS, OF_EACH, RECORDS, SHAPES, Field

#: The probes that the agent handles itself.
BY_AGENT = [kind for kind in KINDS if kind.by_agent]
#: Nearly all lines are probes, which are looked for first.
LINES = sorted(RECORDS, key=lambda record: record.word != "probe")


def symbol(word: str) -> str:
    return word.replace("-", "_").upper()


def _enum(name: str, prefix: str, words: Iterable[str]) -> str:
    members = "".join(f"    {prefix}_{word},\n" for word in words)
    return f"enum {name} {{\n{members}    {prefix}_KINDS\n}};\n"


def _struct(name: str, fields: Iterable[Field]) -> str:
    """Fields of one name stand in it once."""
    once = {field.name: field for field in fields}.values()
    members = "".join(f"            {field.type.c} {field.name};\n" for field in once)
    return f"        struct {{\n{members}        }} {name};\n"


def _rows(name: str, prefix: str, rows: Iterable[tuple[str, str, Iterable[Field]]]) -> str:
    """A macro with a row for each kind: its word, the struct of its fields, and the fields."""
    lines = []
    for word, group, fields in rows:
        listed = ", ".join(f"FIELD({group}, {field.name})" for field in fields) or "{0}"
        lines.append(f'    [{prefix}_{symbol(word)}] = {{"{word}", {{{listed}}}}}, \\\n')
    return f"#define {name} \\\n{''.join(lines)}\n"


def header() -> str:
    """C source: what a line and a probe consist of. It needs struct ch_text and struct ch_sha256."""
    own = OF_EACH[1:]  # the kind is an enum
    groups: dict[str, list[Field]] = {}
    for shape in SHAPES:
        if shape.group:
            groups.setdefault(shape.group, []).extend(shape.further)
    lines = [(record.word, symbol(record.word).lower(), record.fields) for record in LINES if record.word != "probe"]
    return "".join(
        (
            _enum("ch_line_kind", "CH_LINE", [symbol(record.word) for record in LINES]),
            _enum("ch_probe_kind", "CH_PROBE", ["OTHER", *(symbol(kind.word) for kind in BY_AGENT)]),
            "struct ch_probe {\n    enum ch_probe_kind kind;\n",
            *(f"    {field.type.c} {field.name};\n" for field in own),
            "    union {\n",
            *(_struct(group, fields) for group, fields in groups.items()),
            "    };\n};\n",
            "struct ch_line {\n    enum ch_line_kind kind;\n    struct ch_text text;\n    union {\n",
            "        struct ch_probe probe;\n",
            *(_struct(group, fields) for _, group, fields in lines if fields),
            "    };\n};\n",
            _rows("CH_LINE_ROWS", "CH_LINE", [("probe", "probe", own), *lines]),
            _rows(
                "CH_PROBE_ROWS",
                "CH_PROBE",
                [(kind.word, f"probe.{kind.shape.group}", kind.shape.further) for kind in BY_AGENT],
            ),
        )
    )
