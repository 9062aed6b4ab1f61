"""Classes with a single defect that the JVM rejects or does not check; built from bytes, so that anything can be wrong.

Each row makes a class from `beyond`, an index outside all constant pools of these classes; with a small index the class
is valid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from tools.fuzz.hostile import Pool, code, method, u2, u4

OBJECT = b"java/lang/Object"


@dataclass
class Parts:
    """A class T under construction, with a method `run(int): int` that the rules match, and one that they may not
    match."""

    pool: Pool = field(default_factory=Pool)
    major: int = 61
    super_class: int = 0
    interfaces: list[int] = field(default_factory=list)
    fields: list[bytes] = field(default_factory=list)
    run: bytes = b"\x1a\xac"  # iload_0, ireturn
    stack: int = 1
    locals: int = 1
    catches: list[tuple[int, int, int, int]] = field(default_factory=list)
    in_code: list[bytes] = field(default_factory=list)
    methods: list[bytes] = field(default_factory=list)
    attributes: list[bytes] = field(default_factory=list)

    def bytes(self) -> bytes:
        pool = self.pool
        body = [u2(self.stack), u2(self.locals), u4(len(self.run)), self.run, u2(len(self.catches))]
        body += [b"".join(map(u2, entry)) for entry in self.catches]
        body += [u2(len(self.in_code)), *self.in_code]
        methods = [method(pool, b"run", b"(I)I", pool.attribute(b"Code", b"".join(body))), *self.methods]
        this, above = pool.class_(b"T"), self.super_class or pool.class_(OBJECT)
        pieces = [u2(0x21), u2(this), u2(above), u2(len(self.interfaces)), *map(u2, self.interfaces)]
        for some in (self.fields, methods, self.attributes):
            pieces += [u2(len(some)), *some]
        return b"".join([b"\xca\xfe\xba\xbe", u4(self.major), u2(len(pool.entries) + 1), *pool.entries, *pieces])


Row = Callable[[Parts, int], None]


def made(row: Row, beyond: int) -> bytes:
    parts = Parts()
    row(parts, beyond)
    return parts.bytes()


def pool_count(row: Row) -> int:
    """constant_pool_count of the class: the first index beyond its pool."""
    data = made(row, 1)
    return int.from_bytes(data[8:10], "big")


# ---- a constant that does not exist


def entry(tag: int, *operands: int | None) -> Row:
    """A pool entry; an operand None is replaced by the index `beyond`."""

    def row(parts: Parts, beyond: int) -> None:
        pool = parts.pool
        known = [pool.utf8(b"I"), pool.class_(OBJECT), pool.add(b"\x0c" + u2(pool.utf8(b"x")) + u2(pool.utf8(b"I")))]
        pool.entries.append(bytes((tag,)) + b"".join(u2(beyond if n is None else known[n]) for n in operands))

    return row


def handle(parts: Parts, beyond: int) -> None:
    parts.pool.entries.append(b"\x0f\x06" + u2(beyond))


def in_class(name: bytes, body: Callable[[Pool, bytes], bytes], major: int = 61) -> Row:
    """An attribute of the class; `body` is called with the index as bytes."""

    def row(parts: Parts, beyond: int) -> None:
        parts.major = major
        parts.attributes.append(parts.pool.attribute(name, body(parts.pool, u2(beyond))))

    return row


def in_method(name: bytes, body: Callable[[Pool, bytes], bytes], major: int = 61) -> Row:
    def row(parts: Parts, beyond: int) -> None:
        parts.major = major
        attribute = parts.pool.attribute(name, body(parts.pool, u2(beyond)))
        parts.methods.append(method(parts.pool, b"other", b"()V", code(parts.pool, b"\xb1"), attribute))

    return row


def in_field(flags: int, name: bytes, major: int = 61) -> Row:
    def row(parts: Parts, beyond: int) -> None:
        parts.major = major
        pool = parts.pool
        head = u2(flags) + u2(pool.utf8(b"f")) + u2(pool.utf8(b"I")) + u2(1)
        parts.fields.append(head + pool.attribute(name, u2(beyond)))

    return row


def in_code(name: bytes, body: Callable[[Pool, bytes], bytes], major: int = 61) -> Row:
    def row(parts: Parts, beyond: int) -> None:
        parts.major = major
        parts.in_code.append(parts.pool.attribute(name, body(parts.pool, u2(beyond))))

    return row


def instruction(before: bytes, after: bytes, elsewhere: bool, major: int = 61, short: bool = False) -> Row:
    """An instruction in `run`, or in a separate method that the rules may not match."""

    def row(parts: Parts, beyond: int) -> None:
        parts.major = major
        operand = bytes((beyond & 0xFF,)) if short else u2(beyond)
        if elsewhere:
            parts.methods.append(
                method(parts.pool, b"other", b"()V", code(parts.pool, before + operand + after + b"\xb1"))
            )
        else:
            parts.run = before + operand + after + parts.run
            parts.stack = 3

    return row


def catch(parts: Parts, beyond: int) -> None:
    parts.major = 48
    parts.run += b"\x57\x02\xac"  # pop, iconst_m1, ireturn
    parts.catches.append((0, 2, 2, beyond))


def frame(parts: Parts, beyond: int) -> None:
    """A frame with a local whose class must be looked up."""
    parts.run = b"\x01\x4c\x01\xc6\0\3" + parts.run  # aconst_null, astore_1, aconst_null, ifnull
    parts.locals = 2
    parts.in_code.append(parts.pool.attribute(b"StackMapTable", u2(1) + b"\xfc\0\6\x07" + u2(beyond)))


def head(which: str, parts: Parts, beyond: int) -> None:
    pool = parts.pool
    names = [pool.utf8(b"g"), pool.utf8(b"I"), pool.utf8(b"()V")]
    if which == "super":
        parts.super_class = beyond
    elif which == "interface":
        parts.interfaces.append(beyond)
    elif which == "field name":
        parts.fields.append(u2(9) + u2(beyond) + u2(names[1]) + u2(0))
    elif which == "field descriptor":
        parts.fields.append(u2(9) + u2(names[0]) + u2(beyond) + u2(0))
    elif which == "field attribute":
        parts.fields.append(u2(9) + u2(names[0]) + u2(names[1]) + u2(1) + u2(beyond) + u4(0))
    elif which == "method name":
        parts.methods.append(u2(9) + u2(beyond) + u2(names[2]) + u2(1) + code(pool, b"\xb1"))
    elif which == "method descriptor":
        parts.methods.append(u2(9) + u2(names[0]) + u2(beyond) + u2(1) + code(pool, b"\xb1"))
    elif which == "method attribute":
        parts.methods.append(u2(9) + u2(names[0]) + u2(names[2]) + u2(2) + code(pool, b"\xb1") + u2(beyond) + u4(0))
    elif which == "code attribute":
        parts.in_code.append(u2(beyond) + u4(0))
    else:
        parts.attributes.append(u2(beyond) + u4(0))


HEADS = (
    "super",
    "interface",
    "field name",
    "field descriptor",
    "field attribute",
    "method name",
    "method descriptor",
    "method attribute",
    "code attribute",
    "class attribute",
)
LOADED = b"\x57"  # pop


def index_alone(_: Pool, index: bytes) -> bytes:
    return index


def variables(pool: Pool, index: bytes, name: bool) -> bytes:
    one, other = u2(pool.utf8(b"x")), u2(pool.utf8(b"I"))
    return u2(1) + u2(0) + u2(2) + (index + other if name else one + index) + u2(0)


def inner(pool: Pool, index: bytes, place: int) -> bytes:
    known = [u2(pool.class_(b"T$I")), u2(pool.class_(b"T")), u2(pool.utf8(b"I"))]
    known[place] = index
    return u2(1) + b"".join(known) + u2(9)


def record(pool: Pool, index: bytes, place: int) -> bytes:
    known = [u2(pool.utf8(b"x")), u2(pool.utf8(b"I")), u2(pool.utf8(b"Ljava/lang/Object;"))]
    known[place] = index
    return u2(1) + known[0] + known[1] + u2(1) + pool.attribute(b"Signature", known[2])


#: Classes that the JVM rejects if the index is `beyond`.
REFUSED: dict[str, Row] = {
    "pool: Class": entry(7, None),
    "pool: String": entry(8, None),
    "pool: Fieldref, class": entry(9, None, 2),
    "pool: Methodref, member": entry(10, 1, None),
    "pool: InterfaceMethodref, class": entry(11, None, 2),
    "pool: NameAndType, name": entry(12, None, 0),
    "pool: NameAndType, descriptor": entry(12, 0, None),
    "pool: MethodType": entry(16, None),
    "pool: MethodHandle": handle,
    **{f"head: {which}": partial(head, which) for which in HEADS},
    "field: ConstantValue": in_field(9, b"ConstantValue"),
    "field: Signature": in_field(9, b"Signature"),
    "method: Exceptions": in_method(b"Exceptions", lambda pool, index: u2(1) + index),
    "method: Signature": in_method(b"Signature", index_alone),
    "class: SourceFile": in_class(b"SourceFile", index_alone),
    "class: Signature": in_class(b"Signature", index_alone),
    **{f"class: InnerClasses {place}": in_class(b"InnerClasses", partial(inner, place=place)) for place in range(3)},
    "class: EnclosingMethod, class": in_class(b"EnclosingMethod", lambda pool, index: index + u2(0)),
    "class: EnclosingMethod, method": in_class(b"EnclosingMethod", lambda pool, index: u2(pool.class_(b"T")) + index),
    "class: NestHost": in_class(b"NestHost", index_alone),
    "class: NestMembers": in_class(b"NestMembers", lambda pool, index: u2(1) + index),
    "class: PermittedSubclasses": in_class(b"PermittedSubclasses", lambda pool, index: u2(1) + index),
    **{f"class: Record {place}": in_class(b"Record", partial(record, place=place)) for place in range(3)},
    "class: BootstrapMethods, method": in_class(b"BootstrapMethods", lambda pool, index: u2(1) + index + u2(0)),
    "code: LocalVariableTable, name": in_code(b"LocalVariableTable", partial(variables, name=True)),
    "code: LocalVariableTable, descriptor": in_code(b"LocalVariableTable", partial(variables, name=False)),
    "code: catch type": catch,
    "code: frame": frame,
    **{
        f"{where}: {name} in {major}": instruction(before, after, where == "another method", major, name == "ldc")
        for where in ("code", "another method")
        for major in (48, 61)
        for name, before, after in (
            ("ldc", b"\x12", LOADED),
            ("ldc_w", b"\x13", LOADED),
            ("ldc2_w", b"\x14", b"\x58"),
            ("getstatic", b"\xb2", LOADED),
            ("invokestatic", b"\x03\xb8", b""),
            ("invokevirtual", b"\x01\x03\xb6", b""),
            ("new", b"\xbb", LOADED),
            ("anewarray", b"\x03\xbd", LOADED),
            ("checkcast", b"\x01\xc0", LOADED),
            ("instanceof", b"\x01\xc1", LOADED),
            ("multianewarray", b"\x03\xc5", b"\x01" + LOADED),
        )
    },
}

#: Places that the JVM does not check: it accepts the class, and so does the weaver.
TAKEN: dict[str, Row] = {
    "field: ConstantValue of one that is not static": in_field(1, b"ConstantValue"),
    "field: Signature in 48": in_field(9, b"Signature", 48),
    "class: EnclosingMethod in 48": in_class(b"EnclosingMethod", lambda pool, index: index + u2(0), 48),
    "class: NestHost in 54": in_class(b"NestHost", index_alone, 54),
    "class: Record in 59": in_class(b"Record", partial(record, place=0), 59),
    "class: PermittedSubclasses in 60": in_class(b"PermittedSubclasses", lambda pool, index: u2(1) + index, 60),
    "class: of another place": in_class(b"LocalVariableTable", index_alone),
    "class: annotation": in_class(b"RuntimeInvisibleAnnotations", lambda pool, index: u2(1) + index + u2(0)),
    "method: of another place": in_method(b"SourceFile", index_alone),
    "code: LocalVariableTypeTable in 48": in_code(b"LocalVariableTypeTable", partial(variables, name=True), 48),
    "code: of another place": in_code(b"ConstantValue", index_alone),
}


# ---- too little room: (method's code, max_stack, max_locals, major version, catches), with the least that the JVM
# accepts

ROOM: dict[str, tuple[bytes, int, int, int, list[tuple[int, int, int, int]]]] = {
    f"{name} in {major}": (raw, stack, locals_, major, catches)
    for major in (48, 61)
    for name, raw, stack, locals_, catches in (
        ("a sum", b"\x1a\x1a\x60\xac", 2, 1, []),
        ("long and double", b"\x09\x0f\x58\x88\xac", 4, 1, []),
        ("a store", b"\x1a\x3c\x1b\xac", 1, 2, []),
        ("a store of two slots", b"\x0a\x40\x1a\xac", 2, 3, []),
        ("a store with an operand", b"\x1a\x36\x09\x1a\xac", 1, 10, []),
        ("a wide store of two slots", b"\x0a\xc4\x37\1\0\x1a\xac", 2, 258, []),
        ("iinc", b"\x1a\x36\5\x84\5\1\x1a\xac", 1, 6, []),
        ("junk at a return", b"\x1a\x1a\x1a\x1a\xac", 4, 1, []),
    )
} | {
    "a loop whose condition comes last": (b"\xa7\0\x09\x03\x04\x58\x84\0\xff\x1a\x9d\xff\xf9\x1a\xac", 2, 1, 48, []),
    "a handler": (b"\x1a\xac\x03\x04\x58\x57\x02\xac", 3, 1, 48, [(0, 2, 2, 0)]),
    "a switch": (b"\x1a\xaa\0\0" + u4(19) + u4(0) + u4(0) + u4(19) + b"\x04\x04\x04\xac", 3, 1, 48, []),
    "a far jump": (b"\xc8\0\0\0\5\x03\x04\x57\xac", 2, 1, 48, []),
    "code that is not reached": (b"\x1a\xac\x03\x03\x03\xac", 1, 1, 48, []),
}


def roomy(name: str, stack: int = 0, locals_: int = 0) -> bytes:
    """The class with stack and locals reduced by these numbers below what it needs."""
    raw, max_stack, max_locals, major, catches = ROOM[name]
    return Parts(run=raw, stack=max_stack - stack, locals=max_locals - locals_, major=major, catches=catches).bytes()


def deep() -> bytes:
    """A frame of unreachable code with a deeper stack than max_stack allows."""
    parts = Parts(run=b"\x1a\xac\x58\x1a\xac")
    parts.in_code.append(parts.pool.attribute(b"StackMapTable", u2(1) + b"\xff\0\2" + u2(1) + b"\1" + u2(2) + b"\1\1"))
    return parts.bytes()


def padded(padding: bytes, major: int) -> bytes:
    """A switch with these two bytes of padding, which must be zero before version 51."""
    raw = b"\x1a\xaa" + padding + u4(19) + u4(0) + u4(0) + u4(19) + b"\x1a\xac"
    parts = Parts(run=raw, major=major)
    parts.in_code.append(parts.pool.attribute(b"StackMapTable", u2(1) + b"\x14"))
    return parts.bytes()


def endless(major: int) -> bytes:
    """Code that falls off its end, with the stack that a handler would find."""
    return Parts(run=b"\x01", major=major).bytes()


def caught(start: int, stack: int = 0) -> bytes:
    """A method that returns at once, and a handler at byte 1, for the code from `start` on."""
    parts = Parts(major=48)
    raw = b"\xb1\x4b\xb1"  # return; astore_0; return
    body = [u2(stack), u2(1), u4(len(raw)), raw, u2(1), u2(start), u2(len(raw)), u2(1), u2(0), u2(0)]
    parts.methods.append(method(parts.pool, b"other", b"()V", parts.pool.attribute(b"Code", b"".join(body))))
    return parts.bytes()


def with_locals(table: bytes, major: int, start: int, local: int, descriptor: bytes = b"I") -> bytes:
    """A LocalVariableTable with one entry, for `run` with one local and two bytes of code."""
    parts = Parts(major=major)
    name, kind = parts.pool.utf8(b"i"), parts.pool.utf8(descriptor)
    parts.in_code.append(parts.pool.attribute(table, u2(1) + u2(start) + u2(0) + u2(name) + u2(kind) + u2(local)))
    return parts.bytes()


def chain(links: int, major: int, tail: bytes) -> bytes:
    """Code with this many gotos, each back to the one before; the first continues at `tail`."""
    end = 3 + 3 * links
    raw = b"\xa7" + u2(end - 3)  # to the last link
    for i in range(links):
        at = 3 + 3 * i
        raw += b"\xa7" + u2((-3 if i else end - at) & 0xFFFF)
    return Parts(run=raw + tail, major=major).bytes()


def many_handlers(dead: int) -> bytes:
    """The code that needs most stack is a handler after this many unreachable ones."""
    raw = b"\x1a\xac" + b"\x57\x03\xac" + b"\x59\x57\x57\x03\xac"  # run; a dead handler; a live one, which dups
    return Parts(run=raw, major=48, catches=[(2, 5, 2, 0)] * dead + [(0, 2, 5, 0)]).bytes()


def empty_frames(beyond: int) -> bytes:
    """A StackMapTable of length 0 counts as none; the bytes after it read like a frame that never ends. Another method
    refers to a constant that does not exist."""
    parts = Parts()
    parts.in_code += [parts.pool.attribute(b"StackMapTable", b""), parts.pool.attribute(b"Unknown", b"\xff" * 20)]
    parts.methods.append(method(parts.pool, b"other", b"()V", code(parts.pool, b"\x13" + u2(beyond) + b"\x57\xb1")))
    return parts.bytes()
