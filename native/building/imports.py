"""Finds the imports between modules of the package, from their sources: nothing is imported for it.

The measures are imported by name (instrument/measures), which no source shows: such imports are in BY_NAME.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from classhook.native.building import tree

#: Module -> what it imports of each folder of measures: the package itself, or modules of it.
BY_NAME = {"measures": "", "measures.readers": "reader", "measures.tables": "table"}

Graph = dict[str, set[str]]


def sources() -> dict[str, Path]:
    """The files of all modules, by name without the package's: `classfile.code`. A package is its __init__."""
    found: dict[str, Path] = {}
    package = tree.TREE / tree.PACKAGE
    for folder, folders, files in os.walk(package, followlinks=True):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                path = Path(folder, name)
                parts = path.relative_to(package).with_suffix("").parts
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def graph(files: dict[str, Path], only_at_import: bool = False) -> Graph:
    """The imports of each module. `only_at_import`: without those for types, and those within functions, which run when
    called."""
    return {name: _imported(name, path, files, only_at_import) for name, path in files.items()}


def reached(graph: Graph, roots: Iterable[str]) -> set[str]:
    """The modules that these import, directly or not, and these."""
    found: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += graph[name]
    return found


def _imported(name: str, path: Path, files: dict[str, Path], only_at_import: bool) -> set[str]:
    prefix = f"{tree.PACKAGE}."
    found: set[str] = set()
    for node in _nodes(ast.parse(path.read_text()), only_at_import):
        if isinstance(node, ast.Import):
            found |= {one.name.removeprefix(prefix) for one in node.names if one.name.startswith(prefix)}
        elif node.module == tree.PACKAGE or (node.module or "").startswith(prefix):
            module = (node.module or "")[len(prefix) :]
            found |= {inner if (inner := f"{module}.{one.name}".lstrip(".")) in files else module for one in node.names}
    for one in measures(files) if name in BY_NAME else ():
        module = f"measures.{one}.{BY_NAME[name]}".rstrip(".")
        found |= {other for other in files if other == module or other.startswith(f"{module}_")}
    return (found & files.keys()) - {name}


def measures(files: dict[str, Path]) -> list[str]:
    """The measures' folders, from their list."""
    for node in ast.parse(files["measures"].read_text()).body:
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.target.id == "NAMES"
            and node.value is not None
        ):
            return list(dict.fromkeys(ast.literal_eval(node.value).values()))
    raise ValueError(f"{files['measures']}: no list NAMES")


def _nodes(parent: ast.AST, only_at_import: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif not (only_at_import and _is_later(node)):
            yield from _nodes(node, only_at_import)


def _is_later(node: ast.AST) -> bool:
    """True if the code in it does not run when the module is imported."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return True
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
