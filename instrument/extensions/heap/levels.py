"""A dump as JVMPI's dumps of a heap were, object by object: level 0 has the objects, 1 their references and the roots,
2 all values too.

An object is `kind id class`; what belongs to it follows in lines that begin with two blanks. A flattened value is
`field is class`, and its fields are `field.inner`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from classhook.extensions.heap import values
from classhook.extensions.heap.classes import PRIMITIVE, REFERENCE, Class, Classes, width
from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.paths import ROOTS
from classhook.extensions.heap.record_batches import OBJECT_TAGS, batches
from classhook.extensions.heap.tags import CLASS, INSTANCE, NO_DATA, OBJECT_ARRAY, PRIMITIVE_ARRAY

KINDS = {CLASS: "class", INSTANCE: "instance", OBJECT_ARRAY: "array", PRIMITIVE_ARRAY: "array", NO_DATA: "array"}


def lines(heap: Heap, level: int) -> Iterator[str]:
    """The lines of a level."""
    dump, classes = heap.dump, heap.classes

    def class_of(id_: int) -> Class:
        number = classes.numbers.get(id_)
        return classes.all[number] if number is not None else Class(id_, dump.class_name(id_))

    for (tag, id_, of, length, at), parts in heap.flattened.with_parts(rows(heap)):
        if tag not in OBJECT_TAGS:
            if level:
                yield f"root {id_:x} {ROOTS.get(tag, 'unreachable')}"
        elif tag in (INSTANCE, OBJECT_ARRAY):
            one = class_of(of)
            yield f"{KINDS[tag]} {id_:x} {one.name}" + (f" {length}" if tag == OBJECT_ARRAY else "")
            if level and parts:
                flat = {part: values.Piece(class_of(of), length, at) for _, part, of, length, at in parts}
                yield from _with_parts(classes, values.contents(heap, tag, values.Piece(one, length, at), flat), level)
            elif level and tag == OBJECT_ARRAY:
                for i in range(length):
                    yield f"  [{i}] -> {dump.id_at(at + i * dump.id_size):x}"
            elif level:
                for name, type_, place in classes.places(one):
                    if place + width(type_, dump.id_size) > length:
                        break
                    if type_ == REFERENCE:
                        yield f"  {name} -> {dump.id_at(at + place):x}"
                    elif level == 2:
                        stored = dump.data[at + place : at + place + width(type_, dump.id_size)]
                        yield f"  {name} = {values.primitive(type_, bytes(stored))}"
        elif tag == CLASS:
            one = class_of(id_)
            yield f"{KINDS[tag]} {id_:x} {one.name}"
            if level:
                yield from _class(one, level)
        else:
            yield f"{KINDS[tag]} {id_:x} {PRIMITIVE[of][0]}[] {length}"
            if level == 2 and tag == PRIMITIVE_ARRAY:
                yield f"  = {_elements(dump.data, of, at, length)}"


def rows(heap: Heap) -> Iterator[tuple[int, int, int, int, int]]:
    """Sub-records: tag, id, of, length, at."""
    for batch in batches(heap.dump):
        yield from zip(*(getattr(batch, name).tolist() for name in ("tag", "id", "of", "length", "at")), strict=True)


def _with_parts(classes: Classes, found: Iterator[values.Value], level: int) -> Iterator[str]:
    """The fields or elements of an object that holds flattened values."""
    for name, type_, value in found:
        if isinstance(value, bytes):
            if level == 2:
                yield f"  {name} = {values.primitive(type_, value)}"
        elif type_ == REFERENCE:
            yield f"  {name} -> {value:x}"
        else:
            yield f"  {name} is {classes.all[classes.numbers[value]].name}"


def _class(one: Class, level: int) -> Iterator[str]:
    yield from (f"  {name} -> {id_:x}" for name, id_ in one.refs if id_)
    if level == 2:
        for name, type_, value in one.statics:
            if type_ != REFERENCE:
                yield f"  static {name} = {values.primitive(type_, value.to_bytes(PRIMITIVE[type_][1], 'big'))}"


def _elements(data: memoryview, type_: int, at: int, length: int) -> str:
    """All elements: bytes as hexadecimal digits, others divided by blanks."""
    if type_ == 8:
        return bytes(data[at : at + length]).hex()
    return " ".join(
        map(str, np.frombuffer(data, ">u1" if type_ == 4 else f">{values.FORMATS[type_]}", length, at).tolist())
    )
