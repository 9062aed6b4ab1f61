"""The library of heap dumps, which is no part of the agent."""

from __future__ import annotations

from pathlib import Path

from classhook.native.building import header
from classhook.native.building.flags import STRICT
from tests.unit.native.conftest import compiled


def test_the_loops_compile_without_warnings(tmp_path: Path) -> None:
    sources = sorted(header.HEAP.parent.glob("*.c"))
    assert sources
    for source in sources:
        compiled(source, tmp_path / "x.o", *STRICT)
