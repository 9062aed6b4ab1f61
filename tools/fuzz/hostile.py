"""Classes below 1 MB made to be slow or large to weave: each makes one table, or one product of two, as large as
possible."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable

LIMIT = 1_000_000
MAIN = b"([Ljava/lang/String;)V"


def u2(number: int) -> bytes:
    return number.to_bytes(2, "big")


def u4(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "big")


class Pool:
    """A constant pool under construction."""

    def __init__(self) -> None:
        self.entries: list[bytes] = []
        self.known: dict[bytes, int] = {}

    def add(self, entry: bytes) -> int:
        if entry not in self.known:
            self.entries.append(entry)
            self.known[entry] = len(self.entries)
        return self.known[entry]

    def utf8(self, raw: bytes) -> int:
        return self.add(b"\1" + u2(len(raw)) + raw)

    def class_(self, name: bytes) -> int:
        return self.add(b"\7" + u2(self.utf8(name)))

    def method(self, owner: bytes, name: bytes, descriptor: bytes) -> int:
        pair = self.add(b"\x0c" + u2(self.utf8(name)) + u2(self.utf8(descriptor)))
        return self.add(b"\x0a" + u2(self.class_(owner)) + u2(pair))

    def attribute(self, name: bytes, body: bytes) -> bytes:
        return u2(self.utf8(name)) + u4(len(body)) + body


Entries = Iterable[tuple[int, int, int, int]]


def code(pool: Pool, raw: bytes, entries: Entries = (), attributes: Iterable[bytes] = (), size: int = 10) -> bytes:
    """A Code attribute."""
    table = [struct.pack(">HHHH", *entry) for entry in entries]
    found = list(attributes)
    body = u2(size) * 2 + u4(len(raw)) + raw + u2(len(table)) + b"".join(table) + u2(len(found)) + b"".join(found)
    return pool.attribute(b"Code", body)


def method(pool: Pool, name: bytes, descriptor: bytes, *attributes: bytes, flags: int = 9) -> bytes:
    return u2(flags) + u2(pool.utf8(name)) + u2(pool.utf8(descriptor)) + u2(len(attributes)) + b"".join(attributes)


def build(
    pool: Pool, methods: list[bytes], attributes: Iterable[bytes] = (), name: bytes = b"hostile/T", major: int = 52
) -> bytes:
    this, above = pool.class_(name), pool.class_(b"java/lang/Object")
    found = list(attributes)
    head = b"\xca\xfe\xba\xbe" + u4(major) + u2(len(pool.entries) + 1) + b"".join(pool.entries)
    tail = u2(0x21) + u2(this) + u2(above) + u2(0) + u2(0) + u2(len(methods)) + b"".join(methods)
    return head + tail + u2(len(found)) + b"".join(found)


def fill(one: bytes, left: int, most: int = 65535) -> list[bytes]:
    """Repeats these bytes as often as there is room for them."""
    return [one] * min(most, left // len(one))


LONG = b"a/" * 32700
LONG_DESCRIPTOR = b"(" + b"La;" * 21000 + b")V"


def tiny_methods() -> bytes:
    pool = Pool()
    one = method(pool, b"m", b"()V", code(pool, b"\xb1"))
    return build(pool, fill(one, LIMIT - 1000))


def long_names() -> bytes:
    pool = Pool()
    one = method(pool, LONG, b"()V", code(pool, b"\xb1"))
    return build(pool, fill(one, LIMIT - 70000), name=LONG)


def long_descriptors() -> bytes:
    pool = Pool()
    one = method(pool, b"m", LONG_DESCRIPTOR, code(pool, b"\xb1"))
    return build(pool, fill(one, LIMIT - 70000))


def names_times_descriptors() -> bytes:
    pool = Pool()
    body = code(pool, b"\xb1")
    names = [b"%04d" % i + b"abc" * 700 for i in range(110)]
    descriptors = [b"(" + b"La%04d;" % i * 300 + b")V" for i in range(110)]
    return build(pool, [method(pool, name, descriptor, body) for name in names for descriptor in descriptors])


def many_annotations() -> bytes:
    pool = Pool()
    long = pool.utf8(b"L" + LONG + b";")
    table = u2(65535) + (u2(long) + u2(0)) * 65535
    one = pool.attribute(b"RuntimeVisibleAnnotations", table)
    return build(pool, [method(pool, b"m", b"()V", code(pool, b"\xb1"), one)], [one, one])


def deep_annotations() -> bytes:
    pool = Pool()
    name = u2(pool.utf8(b"LA;"))
    arrays = u2(1) + name + u2(1) + name + b"[\0\1" * 150_000 + b"I" + name
    nested = u2(1) + (name + u2(1) + name + b"@") * 50_000 + name + u2(0)
    wide = u2(1) + name + u2(65535) + (name + b"[\0\0") * 65535
    return build(
        pool,
        [],
        [
            pool.attribute(b"RuntimeVisibleAnnotations", arrays),
            pool.attribute(b"RuntimeInvisibleAnnotations", nested),
            pool.attribute(b"RuntimeInvisibleAnnotations", wide[:60000]),
        ],
    )


def many_attributes() -> bytes:
    pool = Pool()
    one = pool.attribute(LONG, b"")
    inside = code(pool, b"\xb1", attributes=[one] * 60000)
    return build(pool, [method(pool, b"m", b"()V", inside, *[one] * 40000)], [one] * 40000)


def many_classes() -> bytes:
    pool = Pool()
    name = pool.utf8(LONG)
    body = method(pool, b"m", b"()V", code(pool, b"\xbb" + u2(30000) + b"\x57\xb1"))
    pool.class_(b"hostile/T"), pool.class_(b"java/lang/Object")
    while len(pool.entries) < 60000:
        pool.entries.append(b"\7" + u2(name))
    return build(pool, [body])


def long_types() -> bytes:
    pool = Pool()
    one = method(pool, b"m", b"()V", code(pool, (b"\xbb" + u2(pool.class_(LONG)) + b"\x57") * 16383 + b"\xb1"))
    return build(pool, fill(one, LIMIT - 70000))


def many_sites() -> bytes:
    pool = Pool()
    one = method(pool, b"m", b"()V", code(pool, (b"\xbb" + u2(pool.class_(b"a/B")) + b"\x57") * 6000 + b"\xb1"))
    return build(pool, fill(one, LIMIT - 2000))


def lines_times_sites() -> bytes:
    pool = Pool()
    lines = pool.attribute(b"LineNumberTable", u2(65535) + b"".join(u2(i) + u2(i) for i in range(65535)))
    raw = (b"\xbb" + u2(pool.class_(b"a/B")) + b"\x57") * 7000 + b"\xb1"
    return build(pool, [method(pool, b"m%d" % i, b"()V", code(pool, raw, attributes=[lines])) for i in range(3)])


def handlers_and_monitors() -> bytes:
    pool = Pool()
    raw = b"\x2a\xc2" * 30000 + b"\xb1"
    entries = [(2 * (i % 20000), 60000 - 2 * (i % 9000), 2 * ((i * 7919) % 30000), 0) for i in range(65535)]
    return build(pool, [method(pool, b"m", b"()V", code(pool, raw, entries))])


def chains_of_handlers() -> bytes:
    """Each handler is in the range of the next, so that depths go from one to the next."""
    pool = Pool()
    raw = b"\x2a\xc2\xb1\x57\xb1" + b"\x57\xb1" * 6000
    entries = [(4 + 2 * i, 5 + 2 * i, 6 + 2 * i, 1) for i in range(5990, 0, -1)] + [(0, 3, 6, 1)]
    one = method(pool, b"m", b"()V", code(pool, raw, entries))
    return build(pool, fill(one, LIMIT - 1000))


def catch_all_combs() -> bytes:
    """Catch-any entries with gaps between them, and many typed entries over all of them."""
    pool = Pool()
    raw = b"\x2a\xc2" + b"\x57" * 30000 + b"\xb1"
    entries = [(4 + 4 * i, 6 + 4 * i, 4, 0) for i in range(7000)] + [(2, 30000, 4, 1)] * 20000
    one = method(pool, b"m", b"()V", code(pool, raw, entries))
    return build(pool, fill(one, LIMIT - 1000))


def little_combs() -> bytes:
    pool = Pool()
    raw = b"\x2a\xc2" + b"\x57" * 400 + b"\xb1"
    entries = [(4 + 4 * i, 6 + 4 * i, 4, 0) for i in range(90)] + [(2, 400, 4, 1)] * 20
    one = method(pool, b"m", b"()V", code(pool, raw, entries))
    return build(pool, fill(one, LIMIT - 1000))


def annotated_names() -> bytes:
    """Long names that a rule must match, and an annotation on each method that must be checked."""
    pool = Pool()
    mark = pool.attribute(b"RuntimeVisibleAnnotations", u2(1) + u2(pool.utf8(b"La/b;")) + u2(0))
    one = method(pool, b"ab" * 32000, b"()V", code(pool, b"\xb1"), mark)
    return build(pool, fill(one, LIMIT - 70000))


def small_monitors() -> bytes:
    pool = Pool()
    raw = b"\x2a\xc2\x2a\xc2" + b"\x57\xb1" * 20
    entries = [(4 + 2 * i, 5 + 2 * i, 6 + 2 * i, 1) for i in range(12, -1, -1)] + [(0, 4, 4, 1)]
    return build(pool, fill(method(pool, b"m", b"()V", code(pool, raw, entries)), LIMIT - 1000))


def handlers_times_returns() -> bytes:
    pool = Pool()
    raw = b"\xb1" * 60000
    one = method(pool, b"m", b"()V", code(pool, raw, [(0, 60000, 0, 1)] * 10000))
    return build(pool, fill(one, LIMIT - 1000))


def switches() -> bytes:
    pool = Pool()
    one = method(
        pool, b"m", b"()V", code(pool, b"\x03\xaa\0\0" + u4(-1) + u4(0) + u4(16000) + u4(-1) * 16001 + b"\xb1")
    )
    lookup = method(
        pool, b"l", b"()V", code(pool, b"\x03\xab\0\0" + u4(-1) + u4(8000) + (u4(1) + u4(-1)) * 8000 + b"\xb1")
    )
    return build(pool, [*fill(one, LIMIT // 2), *fill(lookup, LIMIT // 2 - 1000)])


def little_switches() -> bytes:
    pool = Pool()
    out = bytearray(b"\x00")
    while len(out) < 60000:
        out += b"\xaa" + bytes(~len(out) & 3) + u4(0) + u4(0) + u4(0) + u4(0)
    one = method(pool, b"m", b"()V", code(pool, bytes(out) + b"\xb1"))
    return build(pool, fill(one, LIMIT - 1000))


def append_frames() -> bytes:
    pool = Pool()
    frames = pool.attribute(b"StackMapTable", u2(60000) + b"\xfe\0\0\1\1\1" * 20000 + b"\xf8\0\0" * 40000)
    return build(
        pool, [method(pool, b"m", b"()V", code(pool, bytes(64000) + b"\xb1", attributes=[frames], size=65000))]
    )


def same_frames() -> bytes:
    """Small frames; with a new local, each one after a change is written as a full_frame."""
    pool = Pool()
    frames = pool.attribute(
        b"StackMapTable", u2(60000) + b"\xff\0\0" + u2(60000) + b"\1" * 60000 + u2(0) + b"\xfa\0\0\xfc\0\0\1" * 29999
    )
    return build(
        pool, [method(pool, b"m", b"()V", code(pool, bytes(64000) + b"\xb1", attributes=[frames], size=65000))]
    )


def full_frames() -> bytes:
    pool = Pool()
    body = b"".join(b"\xff\0\0" + u2(200) + b"\1" * 200 + u2(20) + b"\1" * 20 for i in range(280))
    frames = pool.attribute(b"StackMapTable", u2(280) + body)
    one = method(pool, b"m", b"()V", code(pool, bytes(300) + b"\xb1", attributes=[frames], size=65000))
    return build(pool, fill(one, LIMIT - 1000))


def top_frames() -> bytes:
    """With a new local after 65,000 others, each frame grows by that number."""
    pool = Pool()
    frames = pool.attribute(
        b"StackMapTable", u2(30000) + b"".join(b"\xfc\0\0\1" if i % 2 else b"\xfa\0\0" for i in range(1, 30001))
    )
    return build(
        pool, [method(pool, b"m", b"()V", code(pool, bytes(64000) + b"\xb1", attributes=[frames], size=65000))]
    )


def chop_chains() -> bytes:
    """Long lists of locals, each a little different."""
    pool = Pool()
    body = b"\xff\0\0" + u2(20000) + b"\1" * 20000 + u2(0) + b"\xf8\0\0\xfe\0\0\1\1\1" * 30000
    frames = pool.attribute(b"StackMapTable", u2(60001) + body)
    return build(
        pool, [method(pool, b"m", b"()V", code(pool, bytes(64000) + b"\xb1", attributes=[frames], size=65000))]
    )


def constructors() -> bytes:
    """Branches everywhere before super(), so that the analysis converges slowly."""
    pool = Pool()
    jumps = bytearray()
    for i in range(15000):
        jumps += b"\x1b\x99" + u2(4 + (4 if i < 14000 and i % 3 else 0))
    init = b"\x2a\xb7" + u2(pool.method(b"java/lang/Object", b"<init>", b"()V")) + b"\xb1"
    one = method(pool, b"<init>", b"(I)V", code(pool, bytes(jumps) + init), flags=1)
    return build(pool, fill(one, LIMIT - 1000))


def guarded_constructors() -> bytes:
    pool = Pool()
    init = b"\x2a\xb7" + u2(pool.method(b"java/lang/Object", b"<init>", b"()V")) + b"\xb1"
    raw = b"\x1b\x99\0\5\0" * 400 + init + b"\x57" + init
    at = len(raw) - len(init) - 1
    one = method(pool, b"<init>", b"(I)V", code(pool, raw, [(0, 400 * 5, at, 0)] * 300), flags=1)
    return build(pool, fill(one, LIMIT - 1000))


def holders() -> bytes:
    """Many locals that hold uninitializedThis, at many joins; each backward jump removes one."""
    pool = Pool()
    init = b"\x2a\xb7" + u2(pool.method(b"java/lang/Object", b"<init>", b"()V")) + b"\xb1"
    raw = b"".join(b"\x2a\x3a" + bytes((i,)) for i in range(2, 250))
    start = len(raw)
    for i in range(2, 250):
        raw += b"\x03\x36" + bytes((i,))
        raw += b"\x1b\x99" + struct.pack(">h", start - len(raw) - 1)
    one = method(pool, b"<init>", b"(I)V", code(pool, raw + init, size=250), flags=1)
    return build(pool, fill(one, LIMIT - 1000))


def subroutines() -> bytes:
    pool = Pool()
    raw = bytearray(b"\x2a\xc2\xa7\0\4\0")
    while len(raw) < 3000:  # each calls the next twice
        raw += b"\x4c\xa8\0\x08\xa8\0\5\xa9\1"
    raw += b"\x4c\xa9\1\xb1"
    one = method(pool, b"m", b"()V", code(pool, b"\xa8\0\4\xb1\x4c\xa8\0\5\xa9\1" + bytes(raw)))
    return build(pool, fill(one, LIMIT - 1000), major=48)


def far_jumps() -> bytes:
    """Conditional jumps that each need a trampoline, and allocation sites that move all of them."""
    pool = Pool()
    raw = bytearray()
    for i in range(5000):
        raw += b"\x1b\x99" + struct.pack(">h", 32000 - 1 - i % 6 * 4)
    raw += (b"\xbb" + u2(pool.class_(b"a/B")) + b"\x57") * 9000
    raw += bytes(3000) + b"\xb1"
    one = method(pool, b"m", b"(I)V", code(pool, bytes(raw), size=300))
    return build(pool, fill(one, LIMIT - 1000), major=48)


def alternating_jumps() -> bytes:
    """Gotos that become goto_w one after another, each because the one before did."""
    pool = Pool()
    raw = bytearray()
    for i in range(9000):
        raw += b"\xa7" + struct.pack(">h", 32767 - (i * 2) % 90)
    raw += bytes(65000 - len(raw)) + b"\xb1"
    one = method(pool, b"m", b"(I)V", code(pool, bytes(raw)))
    return build(pool, fill(one, LIMIT - 1000), major=48)


def local_tables() -> bytes:
    pool = Pool()
    entry = struct.pack(">HHHHH", 1, 2, pool.utf8(b"x"), pool.utf8(b"I"), 0)
    body = u2(65535) + entry * 65535
    table = pool.attribute(b"LocalVariableTable", body)
    small = pool.attribute(b"LocalVariableTypeTable", u2(30000) + entry * 30000)
    return build(pool, [method(pool, b"m", b"()V", code(pool, bytes(64) + b"\xb1", attributes=[table, small]))])


def type_annotations() -> bytes:
    pool = Pool()
    name = u2(pool.utf8(b"LA;"))
    body = u2(65535) + (b"\x44\0\1\0" + name + u2(0)) * 65535
    one = pool.attribute(b"RuntimeVisibleTypeAnnotations", body)
    wide = pool.attribute(
        b"RuntimeInvisibleTypeAnnotations", u2(1) + b"\x40" + u2(60000) + bytes(6) * 60000 + b"\0" + name + u2(0)
    )
    return build(pool, [method(pool, b"m", b"()V", code(pool, bytes(64) + b"\xb1", attributes=[one, wide]))])


def many_returns() -> bytes:
    pool = Pool()
    one = method(pool, b"m", b"()V", code(pool, b"\xb1" * 12000))
    return build(pool, fill(one, LIMIT - 1000))


def array_types() -> bytes:
    """Types of 65,535 dimensions, at each site."""
    pool = Pool()
    deep = pool.class_(b"[" * 65000 + b"I")
    one = method(pool, b"m", b"()V", code(pool, (b"\x03\xbd" + u2(deep) + b"\x57") * 2000 + b"\xb1"))
    return build(pool, fill(one, LIMIT - 70000))


HOSTILE: tuple[Callable[[], bytes], ...] = (
    tiny_methods,
    long_names,
    long_descriptors,
    names_times_descriptors,
    many_annotations,
    deep_annotations,
    many_attributes,
    many_classes,
    long_types,
    many_sites,
    lines_times_sites,
    handlers_and_monitors,
    chains_of_handlers,
    small_monitors,
    catch_all_combs,
    little_combs,
    annotated_names,
    handlers_times_returns,
    switches,
    little_switches,
    append_frames,
    same_frames,
    full_frames,
    top_frames,
    chop_chains,
    constructors,
    guarded_constructors,
    holders,
    subroutines,
    far_jumps,
    alternating_jumps,
    local_tables,
    type_annotations,
    many_returns,
    array_types,
)
