"""A heap dump as tables in Parquet, a file each, for SQL: classes, objects, references, values and roots. pyarrow
writes them; it is an extra.

Objects are named by their ids in the dump. `references` has no reference from an object to its class, which is a column
of `objects`. Fields of flattened values are fields of the objects that hold them, `total.currency`; in elements of
arrays the name is `currency`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from classhook.base.errors import UsageError
from classhook.base.files import writing
from classhook.base.names import printable
from classhook.extensions.heap import paths, values
from classhook.extensions.heap.classes import PRIMITIVE, REFERENCE, WEAK, Class, width
from classhook.extensions.heap.field_columns import REAL, at_places, integers, reals, unsigned
from classhook.extensions.heap.graph import Graph
from classhook.extensions.heap.library import NOBODY, TOP
from classhook.extensions.heap.object_columns import Objects
from classhook.extensions.heap.part_names import NO_ELEMENT, part_names
from classhook.extensions.heap.record_batches import Column
from classhook.extensions.heap.tags import (
    CLASS,
    INSTANCE,
    NO_DATA,
    OBJECT_ARRAY,
    PRIMITIVE_ARRAY,
    UNREACHABLE,
    WITH_FRAMES,
)

MISSING = (
    "-f parquet needs pyarrow, which is not installed: pip install 'classhook[heap,parquet]', or pip install pyarrow"
)
KINDS = {
    CLASS: "class",
    INSTANCE: "instance",
    OBJECT_ARRAY: "object array",
    PRIMITIVE_ARRAY: "primitive array",
    NO_DATA: "primitive array",
}
LONGEST_TEXT = 1000  # characters of a String
ROWS = 1 << 20  # of a row group, about
Columns = dict[str, Any]


def write(graph: Graph, folder: Path) -> dict[str, int]:
    """Writes the tables into a folder, which is made if it is not there; returns how many rows each has. Raises
    UsageError."""
    import pyarrow

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    return {name: _write(pyarrow, folder / f"{name}.parquet", made(graph)) for name, made in TABLES.items()}


def _write(pa: Any, path: Path, parts: Iterator[Columns]) -> int:
    """A table, as its parts come; each has the same columns."""
    from pyarrow.parquet import ParquetWriter

    rows = 0
    with ExitStack() as stack:
        file, writer = stack.enter_context(writing(path)), None
        for table in _groups(pa, parts):
            if writer is None:
                writer = stack.enter_context(ParquetWriter(file, table.schema, compression="zstd"))
            writer.write_table(table)
            rows += table.num_rows
    return rows


def _groups(pa: Any, parts: Iterator[Columns]) -> Iterator[Any]:
    """Parts put together, so that few row groups are written: at least one table, which may have no rows."""
    tables: list[Any] = []
    for part in parts:
        tables.append(pa.table(part))
        if sum(table.num_rows for table in tables) >= ROWS:
            yield pa.concat_tables(tables).unify_dictionaries()
            tables = []
    if tables:
        yield pa.concat_tables(tables).unify_dictionaries()


def strings(numbers: Column, names: list[str]) -> Any:
    """A column of texts, given by their numbers in a list."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), pa.array(names, pa.string()))


def ids(all_: Objects, numbers: Column) -> Any:
    """The ids of objects, null for NOBODY and TOP."""
    import pyarrow as pa

    none = (numbers == NOBODY) | (numbers == TOP)
    return pa.array(all_.id[np.where(none, 0, numbers)], pa.uint64(), mask=none)


def classes(graph: Graph) -> Iterator[Columns]:
    """The rows of classes; each of several classes with one name has a row."""
    import pyarrow as pa

    all_ = graph.objects
    known = [one for one in all_.heap.classes.all if one.known]
    yield {
        "id": pa.array([one.id for one in known], pa.uint64()),
        "name": pa.array([printable(one.name) for one in known], pa.string()),
        "superclass": pa.array([one.superclass or None for one in known], pa.uint64()),
        "loader": pa.array([one.loader or None for one in known], pa.uint64()),
    }


def objects(graph: Graph) -> Iterator[Columns]:
    """`dominator` and `parent` are null for roots, and for what is out of reach."""
    import pyarrow as pa

    all_, dominator, parent = graph.objects, graph.dominator, graph.parent
    names = [printable(one.name) for one in all_.heap.classes.all]
    class_ids = np.array([one.id for one in all_.heap.classes.all], np.uint64)
    own = len(names)
    numbers, texts = np.where(all_.tag == CLASS, own, all_.cls), _texts(all_)
    kinds = list(dict.fromkeys(KINDS.values()))
    kind = np.array([kinds.index(KINDS.get(tag, "instance")) for tag in range(256)])
    for at in range(0, len(all_), ROWS):
        part = slice(at, min(at + ROWS, len(all_)))
        rows = np.arange(part.start, part.stop)
        arrays = np.isin(all_.tag[part], (OBJECT_ARRAY, PRIMITIVE_ARRAY, NO_DATA))
        yield {
            "id": pa.array(all_.id[part], pa.uint64()),
            "kind": strings(kind[all_.tag[part]], kinds),
            "class": strings(numbers[part], [*names, "java.lang.Class"]),
            "class_id": pa.array(
                class_ids[all_.cls[part]],
                pa.uint64(),
                mask=(all_.tag[part] == CLASS) | (class_ids[all_.cls[part]] == 0),
            ),
            "length": pa.array(all_.length[part].astype(np.int64), mask=~arrays),
            "bytes": pa.array(all_.size[part].astype(np.int64)),
            "retained": pa.array(graph.retained[part].astype(np.int64)),
            "reachable": pa.array(graph.reached[part]),
            "dominator": ids(all_, dominator[part]),
            "parent": ids(all_, np.where(parent[part] == rows, NOBODY, parent[part])),
            "text": pa.array([texts.get(row) for row in rows.tolist()], pa.string()),
        }


def _texts(all_: Objects) -> dict[int, str]:
    """The first characters of each String, by its number."""
    classes = all_.heap.classes
    one = classes.string
    places = {name: at for name, _, at, _ in classes.layout(one)} if one else {}
    if one is None or "value" not in places:
        return {}
    rows = all_.instances_of(classes.numbers[one.id])
    arrays = all_.found(unsigned(all_, rows, places["value"], all_.heap.dump.id_size))
    coders = unsigned(all_, rows, places["coder"], 1) if "coder" in places else np.zeros(len(rows), np.uint64)
    known: dict[tuple[int, int], str | None] = {}
    found = {}
    for row, array, coder in zip(rows.tolist(), arrays.tolist(), coders.tolist(), strict=True):
        if array == NOBODY:
            continue
        if (array, coder) not in known:
            known[array, coder] = values.text(all_, array, coder == 0)
        text = known[array, coder]
        if text is not None:
            found[row] = text[:LONGEST_TEXT].encode("utf-8", "backslashreplace").decode()
    return found


def each_class(all_: Objects) -> Iterator[tuple[Class, Column]]:
    """The classes that have instances, and the instances' numbers."""
    instances = np.flatnonzero(all_.tag == INSTANCE)
    order = instances[np.argsort(all_.cls[instances], kind="stable")]
    numbers, starts = np.unique(all_.cls[order], return_index=True)
    for number, rows in zip(
        numbers.tolist(), np.split(order, starts[1:]), strict=False
    ):  # without classes, there is an empty part
        yield all_.heap.classes.all[number], rows


def each_kind_of_part(all_: Objects) -> Iterator[tuple[Class, str, Column, Column | None]]:
    """Flattened values of a class with the same name: their class, the name with a point, their numbers and
    elements."""
    names = part_names(all_)
    for name in range(len(names.texts)):
        rows = np.flatnonzero(names.name == name)
        for number in np.unique(all_.parts.cls[rows]).tolist():
            some = rows[all_.parts.cls[rows] == number]
            elements = names.element[some]
            for in_array in np.unique(elements != NO_ELEMENT).tolist():
                chosen = some[(elements != NO_ELEMENT) == in_array]
                yield (
                    all_.heap.classes.all[number],
                    names.within(name),
                    chosen,
                    names.element[chosen] if in_array else None,
                )


def references(graph: Graph) -> Iterator[Columns]:
    """The references by field or element; those that keep nothing alive are `weak`."""
    all_, classes, size = graph.objects, graph.objects.heap.classes, graph.objects.heap.dump.id_size
    parts = all_.parts
    for one, rows in each_class(all_):
        weak = any(above.name in WEAK for above in classes.line(one))
        for name, type_, at, declaring in classes.layout(one):
            if type_ == REFERENCE:
                is_weak = weak and name == "referent" and declaring.name == "java.lang.ref.Reference"
                yield from _references(all_, all_.id[rows], unsigned(all_, rows, at, size), name, None, is_weak)
    arrays = np.flatnonzero(all_.tag == OBJECT_ARRAY)
    for rows in _pieces(arrays, all_.length[arrays]):
        lengths = all_.length[rows].astype(np.int64)
        first = np.cumsum(lengths) - lengths
        element = np.arange(int(lengths.sum())) - np.repeat(first, lengths)
        places = np.repeat(all_.at[rows], lengths) + element.astype(np.uint64) * np.uint64(size)
        yield from _references(
            all_, np.repeat(all_.id[rows], lengths), at_places(all_, places, size), "", element, False
        )
    for one, before, rows, elements in each_kind_of_part(all_):
        for name, type_, at in classes.places(one):
            if type_ == REFERENCE:
                found = unsigned(all_, rows, at, size, parts)
                yield from _references(all_, all_.id[parts.of[rows]], found, before + name, elements, False)
    for one in classes.all:
        for name, id_ in one.refs:
            yield from _references(all_, np.array([one.id], np.uint64), np.array([id_], np.uint64), name, None, False)
    yield from _references(all_, np.empty(0, np.uint64), np.empty(0, np.uint64), "", None, False, empty=True)


def _pieces(rows: Column, length: Column) -> Iterator[Column]:
    """Arrays, which have these lengths, in groups of about ROWS elements."""
    if len(rows):
        ends = np.cumsum(length.astype(np.int64)) // ROWS
        yield from np.split(rows, np.flatnonzero(np.diff(ends)) + 1)


def _references(
    all_: Objects, source: Column, target: Column, field: str, element: Column | None, weak: bool, empty: bool = False
) -> Iterator[Columns]:
    """The references that are not null, and refer to objects."""
    import pyarrow as pa

    there = target != 0
    if len(all_.parts):
        there &= target & np.uint64(all_.heap.flattened.mask) == 0
    count = int(there.sum())
    if count or empty:
        yield {
            "source": pa.array(source[there], pa.uint64()),
            "field": strings(np.zeros(count, np.int32), [printable(field)])
            if field
            else pa.nulls(count, pa.dictionary(pa.int32(), pa.string())),
            "element": pa.nulls(count, pa.int64()) if element is None else pa.array(element[there], pa.int64()),
            "target": pa.array(target[there], pa.uint64()),
            "weak": pa.array(np.full(count, weak)),
        }


def numbers(graph: Graph) -> Iterator[Columns]:
    """Fields of primitive types, those of instances and static ones, and of flattened values; a boolean is 0 or 1, a
    char its code."""
    all_, classes, size = graph.objects, graph.objects.heap.classes, graph.objects.heap.dump.id_size
    for one, rows in each_class(all_):
        for name, type_, at, _ in classes.layout(one):
            if type_ != REFERENCE:
                bytes_ = width(type_, size)
                yield _numbers(all_.id[rows], unsigned(all_, rows, at, bytes_), type_, name, None, static=False)
    for one, before, rows, elements in each_kind_of_part(all_):
        for name, type_, at in classes.places(one):
            if type_ != REFERENCE:
                found = unsigned(all_, rows, at, width(type_, size), all_.parts)
                yield _numbers(all_.id[all_.parts.of[rows]], found, type_, before + name, elements, static=False)
    for one in classes.all:
        for name, type_, value in one.statics:
            if type_ != REFERENCE:
                yield _numbers(
                    np.array([one.id], np.uint64), np.array([value], np.uint64), type_, name, None, static=True
                )
    yield _numbers(np.empty(0, np.uint64), np.empty(0, np.uint64), 10, "", None, static=False)


def _numbers(object_: Column, found: Column, type_: int, field: str, element: Column | None, static: bool) -> Columns:
    import pyarrow as pa

    count, bytes_, real = len(object_), PRIMITIVE[type_][1], type_ in REAL
    return {
        "object": pa.array(object_, pa.uint64()),
        "field": strings(np.zeros(count, np.int32), [printable(field)]),
        "element": pa.nulls(count, pa.int64()) if element is None else pa.array(element, pa.int64()),
        "static": pa.array(np.full(count, static)),
        "type": strings(np.zeros(count, np.int32), [PRIMITIVE[type_][0]]),
        "integer": pa.nulls(count, pa.int64()) if real else pa.array(integers(found, type_, bytes_), pa.int64()),
        "real": pa.array(reals(found, type_, bytes_), pa.float64()) if real else pa.nulls(count, pa.float64()),
    }


def roots(graph: Graph) -> Iterator[Columns]:
    """An object may be a root several times. `thread`: its name; `thread_id`: its object; `frame`: where the variable
    is."""
    import pyarrow as pa

    heap, named = graph.objects.heap, paths.Roots(graph)
    rows: list[tuple[int, str, str | None, int | None, str | None]] = []
    for tag, id_, of, length in zip(
        *(column.tolist() for column in (heap.roots.tag, heap.roots.id, heap.roots.of, heap.roots.length)), strict=True
    ):
        if tag != UNREACHABLE:
            rows.append((id_, paths.ROOTS.get(tag, "unknown root"), *_thread(named, tag, of, length)))
    columns = [*zip(*rows, strict=True)] or [()] * 5
    types = (pa.uint64(), pa.string(), pa.string(), pa.uint64(), pa.string())
    names = ("object", "kind", "thread", "thread_id", "frame")
    yield {name: pa.array(column, kind) for name, column, kind in zip(names, columns, types, strict=True)}


def _thread(named: paths.Roots, tag: int, serial: int, frame: int) -> tuple[str | None, int | None, str | None]:
    if tag not in paths.OF_THREADS:
        return None, None, None
    number, _ = named.threads.get(serial, (NOBODY, 0))
    frames = named.frames(serial)
    at = (
        named.graph.objects.heap.dump.frame_label(frames[frame]) if tag in WITH_FRAMES and frame < len(frames) else None
    )
    all_ = named.graph.objects
    return named.thread_name(serial), None if number == NOBODY else int(all_.id[number]), at and printable(at)


TABLES: dict[str, Callable[[Graph], Iterator[Columns]]] = {
    "classes": classes,
    "objects": objects,
    "references": references,
    "values": numbers,
    "roots": roots,
}
