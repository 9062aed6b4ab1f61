"""A dump's views as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TextIO

from classhook.base.errors import UsageError
from classhook.base.names import printable, quantity, several, shortened, them
from classhook.base.row_names import NamePart, RowName
from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.looked import Looked, View
from classhook.extensions.heap.paths import Way, way, ways
from classhook.reports.text_table import TextTable

WAYS_SHOWN = 10


def text(heap: Heap, views: dict[str, View], found: dict[str, list[Way]], out: TextIO) -> None:
    """Writes the views, one after the other."""
    taken = (
        datetime.fromtimestamp(heap.dump.millis / 1000).strftime("%Y-%m-%d %H:%M:%S")
        if heap.dump.millis < 1 << 45
        else "at an unknown time"
    )
    out.write(printable(str(heap.dump.path)) + "\n")
    out.write(
        f"  {taken}, {quantity(len(heap.dump.data))}, ids of {heap.dump.id_size} bytes, {heap.sizes.layout.name}\n"
    )
    if heap.flattened.count:
        out.write(f"  {several(heap.flattened.count, 'flattened value')}: part of the objects that hold them\n")
    for view in views.values():
        out.write("\n" + view.title + "\n")
        *numbers, last = view.columns
        table = TextTable(numbers, last)
        for row in view.rows:
            *cells, name = view.cells(row)
            table.add_row(cells, RowName((NamePart("", printable(name)),)))
        head, *lines = table.lines()
        out.write(head + "\n")
        for row, line in zip(view.rows, lines, strict=True):
            out.writelines(printable(one) + "\n" for one in (line, *view.below(row)))
        if view.more:
            out.write(f"{view.more:,} more; --top N or --top 0 shows {them(view.more)}\n")
    for name, some in found.items():
        out.write("\n")
        out.writelines(printable(line) + "\n" for line in _ways(name, some))


def _ways(name: str, some: list[Way]) -> Iterator[str]:
    if not some:
        yield f"{name}: not reachable from the GC roots: it is garbage, or only weakly reachable"
    for one in some[:WAYS_SHOWN]:
        yield f"{name}" + (f", {one.count:,} of them" if one.count > 1 else "")
        for step in one.steps:
            yield f"  {shortened(step)}"
        yield f"  root: {one.root}"
    if len(some) > WAYS_SHOWN:
        yield several(len(some) - WAYS_SHOWN, "more way")


def as_json(heap: Heap, views: dict[str, View], found: dict[str, list[Way]], out: TextIO) -> None:
    """Writes the views as one object."""
    taken = datetime.fromtimestamp(heap.dump.millis / 1000, UTC).isoformat() if heap.dump.millis < 1 << 45 else None
    dump = {
        "file": str(heap.dump.path),
        "time": taken,
        "id_bytes": heap.dump.id_size,
        "layout": heap.sizes.layout.name,
        "alignment": heap.sizes.alignment,
        "flattened": heap.flattened.count,
    }
    whole = {"schema": "classhook-heap/1", "dump": dump, **{name: view.rows for name, view in views.items()}}
    if found:
        whole["paths"] = [{"to": name, **asdict(one)} for name, some in found.items() for one in some]
    json.dump(whole, out, indent=1)
    out.write("\n")


def paths_to(looked: Looked, target: str) -> tuple[str, list[Way]]:
    """The target of --path, an object by its id (`7f001234`, also with the text before the @) or a class, and the ways
    to it."""
    number = looked.heap.classes.by_name.get(target)
    if number is not None:
        all_ = looked.objects
        holders = all_.parts.of[all_.parts.cls == number]
        flattened = ways(looked.graph, looked.roots, holders, number) if len(holders) else []
        return target, sorted(
            ways(looked.graph, looked.roots, all_.instances_of(number)) + flattened, key=lambda one: -one.count
        )
    id_ = target.rpartition("@")[2]
    try:
        found = looked.objects.number(int(id_, 16))
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise UsageError(f"--path {target}: no object of this id and no class of this name is in the dump")
    one = way(looked.graph, looked.roots, found)
    return looked.objects.label(found), [one] if one else []


__all__ = ["as_json", "paths_to", "text"]
