"""Dumps of many gigabytes, written as streams: objects of a program's kind, and the shapes that are worst for a reader.

A shape is a group of sub-records that repeats; numpy fills the ids and references of thousands of groups at once. Ids
are addresses, as HotSpot's are: each object begins where the one before ends.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tests.extensions.heap.made import BYTE, DOUBLE, INT, LONG, OBJECT, Maker

Rows = np.ndarray[Any, Any]
FIRST = 0x6_0000_0000  # the address of the first object
CLASSES = 0x5_0000_0000  # of the first class's
BLOCK = 1 << 13  # groups that are written as one segment
KINDS = {OBJECT: ">u8", INT: ">i4", LONG: ">i8", DOUBLE: ">f8", BYTE: ">i1"}
HEAD = [("tag", "u1"), ("id", ">u8"), ("trace", ">u4")]
REFERENCE = (("to", OBJECT),)

#: Classes, with their fields; those of arrays have none.
FIELDS: dict[str, tuple[tuple[str, int], ...]] = {
    "java/lang/Object": (),
    "java/lang/Class": (),
    "java/lang/String": (("value", OBJECT), ("hash", INT), ("coder", BYTE), ("hashIsZero", BYTE)),
    "java/lang/Integer": (("value", INT),),
    "java/util/ArrayList": (("elementData", OBJECT), ("size", INT), ("modCount", INT)),
    "java/util/LinkedList$Node": (("item", OBJECT), ("next", OBJECT), ("prev", OBJECT)),
    "java/util/HashMap$Node": (("hash", INT), ("key", OBJECT), ("value", OBJECT), ("next", OBJECT)),
    "shop/Order": (("next", OBJECT), ("customer", OBJECT), ("items", OBJECT), ("number", LONG), ("state", INT)),
    "shop/Item": (("order", OBJECT), ("name", OBJECT), ("price", DOUBLE), ("count", INT)),
    "shop/Link": REFERENCE,
    "shop/Three": (("a", OBJECT), ("b", OBJECT), ("c", OBJECT)),
    "[Ljava/lang/Object;": (),
    "[B": (),
    "[J": (),
}
IDS = {name: CLASSES + 128 * i for i, name in enumerate(FIELDS)}


class Piece(NamedTuple):
    """A sub-record: its numpy type, what all of its kind have, and its bytes in the JVM with compressed references."""

    kind: np.dtype[Any]
    fixed: dict[str, int]
    size: int


def _aligned(size: int) -> int:
    return (size + 7) // 8 * 8


def instance(name: str) -> Piece:
    fields = [(field, KINDS[type_]) for field, type_ in FIELDS[name]]
    kind = np.dtype([*HEAD, ("of", ">u8"), ("length", ">u4"), *fields])
    content = sum(np.dtype(one).itemsize for _, one in fields)
    references = sum(type_ == OBJECT for _, type_ in FIELDS[name])
    return Piece(kind, {"tag": 0x21, "of": IDS[name], "length": content}, _aligned(12 + content - 4 * references))


def array(length: int) -> Piece:
    """An array of objects."""
    kind = np.dtype([*HEAD, ("length", ">u4"), ("of", ">u8"), ("elements", ">u8", (length,))])
    return Piece(kind, {"tag": 0x22, "of": IDS["[Ljava/lang/Object;"], "length": length}, _aligned(16 + 4 * length))


def primitives(type_: int, length: int) -> Piece:
    kind = np.dtype([*HEAD, ("length", ">u4"), ("type", "u1"), ("elements", KINDS[type_], (length,))])
    return Piece(
        kind, {"tag": 0x23, "type": type_, "length": length}, _aligned(16 + np.dtype(KINDS[type_]).itemsize * length)
    )


class Group:
    """Sub-records that repeat, with the distance of each from the group's address."""

    def __init__(self, **pieces: Piece) -> None:
        self.kind = np.dtype([(name, piece.kind) for name, piece in pieces.items()])
        self.template = np.zeros((), self.kind)
        self.at: dict[str, int] = {}
        self.size = 0
        for name, piece in pieces.items():
            self.at[name] = self.size
            self.size += piece.size
            for field, value in piece.fixed.items():
                self.template[name][field] = value

    def blocks(self, count: int, start: int = FIRST) -> Iterator[tuple[Rows, Rows]]:
        """The rows of `count` groups, and the addresses of the groups."""
        for first in range(0, count, BLOCK):
            number = np.arange(first, min(first + BLOCK, count), dtype=np.uint64)
            address = start + number * np.uint64(self.size)
            rows = np.full(len(number), self.template)
            for name, at in self.at.items():
                rows[name]["id"] = address + np.uint64(at)
            yield rows, address


class Writer:
    """A dump's file, which begins with the classes."""

    def __init__(self, file: BinaryIO, more: int = 0) -> None:
        """`more`: classes beside those of FIELDS."""
        self.file = file
        made = Maker()
        for name, fields in FIELDS.items():
            made.class_dump(IDS[name], name, 0 if name == "java/lang/Object" else IDS["java/lang/Object"], fields)
            made.root(0x05, IDS[name])
        file.write(made.header())
        for i in range(more):
            made.class_dump(CLASSES + 128 * (len(FIELDS) + i), f"many/C{i}", IDS["java/lang/Object"], REFERENCE)
            made.root(0x05, CLASSES + 128 * (len(FIELDS) + i))
            if len(made.objects) > 1 << 20:
                self._flush(made)
        self._flush(made)

    def _flush(self, made: Maker) -> None:
        made.segment()
        self.file.write(made.records)
        made.records.clear()

    def segment(self, *pieces: bytes | Rows) -> None:
        self.file.write(struct.pack(">BII", 0x1C, 0, sum(memoryview(one).nbytes for one in pieces)))
        for one in pieces:
            self.file.write(memoryview(one).cast("B") if isinstance(one, bytes) else one.tobytes())

    def roots(self, *ids: int) -> None:
        self.segment(b"".join(struct.pack(">BQQ", 0x01, id_, 1) for id_ in ids))

    def end(self) -> None:
        self.file.write(struct.pack(">BII", 0x2C, 0, 0))


def orders(writer: Writer, count: int) -> int:
    """Objects of a usual program: records, lists, maps, texts; a tenth of the references lead far away."""
    texts = {f"text{i}": primitives(BYTE, length) for i, length in enumerate((10, 24, 40, 120, 500))}
    strings = {f"string{i}": instance("java/lang/String") for i in range(5)}
    items = {f"item{i}": instance("shop/Item") for i in range(3)}
    group = Group(
        order=instance("shop/Order"),
        list=instance("java/util/ArrayList"),
        elements=array(4),
        **items,
        **strings,
        **texts,
        node=instance("java/util/HashMap$Node"),
        key=instance("java/lang/Integer"),
        longs=primitives(LONG, 6),
    )
    at = {name: np.uint64(place) for name, place in group.at.items()}
    chance = np.random.default_rng(1)
    for rows, address in group.blocks(count):
        far = FIRST + chance.integers(0, count, len(rows), np.uint64) * np.uint64(group.size)
        rows["order"]["next"] = np.where(
            address == FIRST + (count - 1) * group.size, 0, address + np.uint64(group.size)
        )
        rows["order"]["customer"] = far + at["string3"]
        rows["order"]["items"] = address + at["list"]
        rows["list"]["elementData"] = address + at["elements"]
        for i in range(3):
            rows["elements"]["elements"][:, i] = address + at[f"item{i}"]
            rows[f"item{i}"]["order"], rows[f"item{i}"]["name"] = address, address + at[f"string{i}"]
        for i in range(5):
            rows[f"string{i}"]["value"] = address + at[f"text{i}"]
        rows["elements"]["elements"][:, 3] = address + at["node"]
        for field, to in (("key", "key"), ("value", "string4"), ("next", "longs")):
            rows["node"][field] = address + at[to]
        writer.segment(rows)
    writer.roots(FIRST)
    return count * len(group.at)


def linked(writer: Writer, count: int) -> int:
    """A java.util.LinkedList's nodes, whose item is the same."""
    group = Group(node=instance("java/util/LinkedList$Node"))
    for rows, address in group.blocks(count):
        node = rows["node"]
        node["item"] = FIRST
        node["next"] = np.where(address == FIRST + (count - 1) * group.size, 0, address + np.uint64(group.size))
        node["prev"] = np.where(address == FIRST, 0, address - np.uint64(group.size))
        writer.segment(rows)
    writer.roots(FIRST)
    return count


def nested(writer: Writer, count: int) -> int:
    """An array in an array in an array ..., the outermost one last."""
    group = Group(array=array(1))
    for rows, address in group.blocks(count):
        rows["array"]["elements"][:, 0] = np.where(address == FIRST, 0, address - np.uint64(group.size))
        writer.segment(rows)
    writer.roots(FIRST + (count - 1) * group.size)
    return count


def colliding(writer: Writer, count: int) -> int:
    """A map whose keys all collide: one chain of nodes, each with a key and a shared value."""
    group = Group(node=instance("java/util/HashMap$Node"), key=instance("java/lang/Integer"))
    for rows, address in group.blocks(count // 2):
        node = rows["node"]
        node["key"], node["value"] = address + np.uint64(group.at["key"]), FIRST + group.at["key"]
        node["next"] = np.where(address == FIRST + (count // 2 - 1) * group.size, 0, address + np.uint64(group.size))
        writer.segment(rows)
    writer.roots(FIRST)
    return count


def references(writer: Writer, count: int) -> int:
    """One array that refers to all others."""
    group = Group(key=instance("java/lang/Integer"))
    for rows, _ in group.blocks(count):
        writer.segment(rows)
    id_ = FIRST + count * group.size
    head = struct.pack(">BQIIQ", 0x22, id_, 0, count, IDS["[Ljava/lang/Object;"])
    writer.segment(head, (FIRST + np.arange(count, dtype=np.uint64) * np.uint64(group.size)).astype(">u8"))
    writer.roots(id_)
    return count + 1


def numbers(writer: Writer, count: int) -> int:
    """One array of bytes."""
    writer.segment(struct.pack(">BQIIB", 0x23, FIRST, 0, count, BYTE), np.zeros(count, np.uint8))
    writer.roots(FIRST)
    return count


def star(writer: Writer, count: int) -> int:
    """Objects that refer to one, each held by an array."""
    group = Group(link=instance("shop/Link"))
    for rows, _ in group.blocks(count):
        rows["link"]["to"] = FIRST
        writer.segment(rows)
    id_ = FIRST + count * group.size
    head = struct.pack(">BQIIQ", 0x22, id_, 0, count, IDS["[Ljava/lang/Object;"])
    writer.segment(head, (FIRST + np.arange(count, dtype=np.uint64) * np.uint64(group.size)).astype(">u8"))
    writer.roots(id_)
    return count + 1


def rooted(writer: Writer, count: int) -> int:
    """Objects that are roots, each of them."""
    group = Group(link=instance("shop/Link"))
    root = np.dtype([("tag", "u1"), ("id", ">u8"), ("of", ">u8")])
    for rows, address in group.blocks(count):
        rows["link"]["to"] = FIRST
        roots = np.full(len(rows), np.array((0x01, 0, 1), root))
        roots["id"] = address
        writer.segment(rows, roots)
    return count


def tangled(writer: Writer, count: int) -> int:
    """Objects with three references to any others: no two that lie together are used together."""
    group, chance = Group(three=instance("shop/Three")), np.random.default_rng(1)
    for rows, _ in group.blocks(count):
        for field in "abc":
            rows["three"][field] = FIRST + chance.integers(0, count, len(rows), np.uint64) * np.uint64(group.size)
        writer.segment(rows)
    writer.roots(FIRST)
    return count


def classes(writer: Writer, count: int) -> int:
    """An object of each of the classes that the writer was given, each referring to the next."""
    group = Group(link=instance("shop/Link"))
    for rows, address in group.blocks(count):
        link = rows["link"]
        link["of"] = CLASSES + 128 * (len(FIELDS) + (address - np.uint64(FIRST)) // np.uint64(group.size))
        link["to"] = np.where(address == FIRST + (count - 1) * group.size, 0, address + np.uint64(group.size))
        writer.segment(rows)
    writer.roots(FIRST)
    return count


SHAPES: dict[str, Callable[[Writer, int], int]] = {
    one.__name__: one
    for one in (orders, linked, nested, colliding, references, numbers, star, rooted, tangled, classes)
}


def write(path: Path, shape: str, count: int) -> int:
    """Writes a dump; returns how many objects (of `numbers`, bytes) it has."""
    with open(path, "wb") as file:
        writer = Writer(file, count if shape == "classes" else 0)
        written = SHAPES[shape](writer, count)
        writer.end()
    return written
