"""The table that has the timed methods, and what is said of exact trees of calls. Only reports import this."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from classhook.base.names import several
from classhook.measures.methods.table import TABLE
from classhook.measures.time.reader import EXACT_TREE
from classhook.model.exact_tree import Contexts
from classhook.model.snapshot import Process
from classhook.native._layout import lib
from classhook.tables.about_process import AboutProcess, Said

TABLES = (TABLE,)


def paths(tree: Contexts) -> str:
    """The size of a process's exact call tree and the calls that it lacks, in words."""
    late = f", as it was full when {several(tree.treeless, 'thread')} began" if tree.treeless else ""
    full = f"; {several(tree.refused, 'call')} did not fit into it{late}" if tree.refused else ""
    deep = f"; {several(tree.deeper, 'call')} deeper than {lib.CH_EXACT_TREE_DEEPEST} timed ones" if tree.deeper else ""
    said = ": their time is their callers'" if full or deep else ""
    return f"exact call tree: {several(tree.nodes, 'node')}{full}{deep}{said}"


def path_lines(process: Process) -> Iterable[Said]:
    found = EXACT_TREE.get(process)
    return [(paths(found), "")] if found else []


ABOUT = (
    AboutProcess(
        "tree", lambda process: asdict(found) if (found := EXACT_TREE.get(process)) else None, path_lines, rank=5
    ),
)
