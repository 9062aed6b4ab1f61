"""A dump as JVMPI's dumps of a heap were, object by object: level 0 has the objects, 1 their references and the roots, 2 all values too.

An object is `kind id class`; what belongs to it follows in lines that begin with two blanks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from classhook.heap.classes import PRIMITIVE, REFERENCE, Class, width
from classhook.heap.heap import Heap
from classhook.heap.paths import ROOTS
from classhook.heap.record_batches import OBJECT_TAGS, batches
from classhook.heap.tags import CLASS, INSTANCE, NO_DATA, OBJECT_ARRAY, PRIMITIVE_ARRAY
from classhook.heap.values import FORMATS, primitive

KINDS = {CLASS: "class", INSTANCE: "instance", OBJECT_ARRAY: "array", PRIMITIVE_ARRAY: "array", NO_DATA: "array"}


def lines(heap: Heap, level: int) -> Iterator[str]:
    """The lines of a level."""
    dump, classes = heap.dump, heap.classes
    fields: dict[int, list[tuple[str, int, int]]] = {}
    for batch in batches(dump):
        for tag, id_, of, length, at in zip(*(getattr(batch, name).tolist() for name in ("tag", "id", "of", "length", "at")), strict=True):
            if tag not in OBJECT_TAGS:
                if level:
                    yield f"root {id_:x} {ROOTS.get(tag, 'unreachable')}"
                continue
            if tag in (CLASS, INSTANCE):
                number = classes.numbers.get(of if tag == INSTANCE else id_)
                one = classes.all[number] if number is not None else Class(of, dump.class_name(of))
                yield f"{KINDS[tag]} {id_:x} {one.name}"
                if level and tag == CLASS:
                    yield from _class(one, level)
                elif level:
                    if number not in fields:
                        fields[number or 0] = [(name, type_, place) for name, type_, place, _ in classes.layout(one)]
                    for name, type_, place in fields[number or 0]:
                        if place + width(type_, dump.id_size) > length:
                            break
                        if type_ == REFERENCE:
                            yield f"  {name} -> {dump.id_at(at + place):x}"
                        elif level == 2:
                            yield f"  {name} = {primitive(type_, bytes(dump.data[at + place : at + place + width(type_, dump.id_size)]))}"
            elif tag == OBJECT_ARRAY:
                yield f"{KINDS[tag]} {id_:x} {dump.class_name(of)} {length}"
                for i in range(length if level else 0):
                    yield f"  [{i}] -> {dump.id_at(at + i * dump.id_size):x}"
            else:
                yield f"{KINDS[tag]} {id_:x} {PRIMITIVE[of][0]}[] {length}"
                if level == 2 and tag == PRIMITIVE_ARRAY:
                    yield f"  = {_elements(dump.data, of, at, length)}"


def _class(one: Class, level: int) -> Iterator[str]:
    yield from (f"  {name} -> {id_:x}" for name, id_ in one.refs if id_)
    if level == 2:
        for name, type_, value in one.statics:
            if type_ != REFERENCE:
                yield f"  static {name} = {primitive(type_, value.to_bytes(PRIMITIVE[type_][1], 'big'))}"


def _elements(data: memoryview, type_: int, at: int, length: int) -> str:
    """All elements: bytes as hexadecimal digits, others divided by blanks."""
    if type_ == 8:
        return bytes(data[at : at + length]).hex()
    return " ".join(map(str, np.frombuffer(data, ">u1" if type_ == 4 else f">{FORMATS[type_]}", length, at).tolist()))
