"""Writes what is made from lists: in the JSON schema, what rows have; in docs/reference/json.md and
docs/reference/dataset.md, the lists of keys and columns (json_page.py, fleet/dataset_page.py); in
docs/reference/probe-table.md, those of the records of probe tables (probe_page.py); docs/reference/surface.txt
(surface.py). Tests compare the files with what
this writes.

python -m tools.generated
"""

from __future__ import annotations

import argparse
import importlib
import json
import textwrap
from collections.abc import Collection
from typing import Any

from classhook.extensions import EXTENSIONS
from classhook.measures.tables import tables
from classhook.reports.row_fields import COMMON
from classhook.tables.table import Section
from tools.json_page import SCHEMA

#: Modules that each make a page: its path `PAGE`, and its text `page()`.
PAGES = ("tools.json_page", "tools.probe_page", "tools.surface")
#: Modules of extensions that each make a page.
OF_EXTENSIONS = {"fleet": ("tools.fleet.dataset_page",)}
COLUMNS = 150


def schema_of(section: Section, keys: Collection[str], known: dict[str, Any]) -> dict[str, Any]:
    """The rows of a section. `known`: their definition, of which the rows' keys stay as they are."""
    columns = {column.key: column.schema for column in section.columns if column.key}
    properties = {key: value for key, value in known["properties"].items() if key in keys}
    return {**known, "properties": {**properties, **columns}, "required": [*COMMON, *columns]}


def written(value: Any, before: int = 0, indent: int = 0) -> str:
    """JSON in lines that are as long as they may be. `before`: columns that are taken in the first one."""
    line = json.dumps(value, ensure_ascii=False)
    if indent + before + len(line) < COLUMNS or not isinstance(value, (dict, list)):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {written(one, len(key) + 4, indent + 2)}" for key, one in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + "\n" + " " * indent + "}"
    if all(isinstance(one, str) for one in value):
        words = ", ".join(map(json.dumps, value))
        return (
            "[\n"
            + textwrap.fill(words, COLUMNS, initial_indent=inner, subsequent_indent=inner)
            + "\n"
            + " " * indent
            + "]"
        )
    return "[\n" + ",\n".join(inner + written(one, 0, indent + 2) for one in value) + "\n" + " " * indent + "]"


def schema() -> str:
    """The text of the schema."""
    whole = json.loads(SCHEMA.read_text())
    for table in tables():
        for section in table.sections:
            keys = {"group", *table.names, "readable", *COMMON}
            whole["$defs"][section.kind] = schema_of(section, keys, whole["$defs"][section.kind])
    return written(whole) + "\n"


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    argparse.ArgumentParser(prog="python -m tools.generated", description=__doc__, formatter_class=form).parse_args()
    SCHEMA.write_text(schema())
    of_extensions = [name for one in EXTENSIONS for name in OF_EXTENSIONS.get(one.name, ())]
    for module in map(importlib.import_module, (*PAGES, *of_extensions)):
        module.PAGE.write_text(module.page())


if __name__ == "__main__":
    main()
