"""HPROF's text of a heap, made from a dump of it."""

from __future__ import annotations

from pathlib import Path

from classhook.extensions.heap.heap import opened
from classhook.extensions.hprof import heap_text
from classhook.extensions.hprof.profile_data import InHeap
from tests.extensions.heap.test_flattened import ARRAY, SECOND, TEXTS, made


def test_flattened_values_are_in_their_holders(tmp_path: Path) -> None:
    file = tmp_path / "made.hprof"
    file.write_bytes(made())
    lines = [*heap_text.lines(opened(file), InHeap(), "now")]
    assert lines[0].startswith("HEAP DUMP BEGIN (16 objects, ")
    at = next(i for i, line in enumerate(lines) if line.startswith(f"OBJ {SECOND:x} "))
    assert lines[at + 1] == f"\touter.code.text\t{TEXTS[2]:x}"
    at = next(i for i, line in enumerate(lines) if line.startswith(f"ARR {ARRAY:x} "))
    assert lines[at + 1] == f"\t[1].text\t\t{TEXTS[3]:x}"
    assert len([line for line in lines if line.startswith("OBJ")]) == 7
