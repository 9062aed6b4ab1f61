"""The StackMapTable (JVMS 4.7.4): decoded to full frames, extended by a new local, encoded again as compactly as
possible.

1. A decoded frame is (pc, locals, stack); the last two are lists of raw verification types: a tag, and for Object and
   Uninitialized two more bytes. Frames with the same locals share one list. Classes that the descriptor names get their
   pool index only when they are written.
2. Uninitialized(offset) is relocated while decoding, to the `new` instruction itself.
3. With a new local, each frame's locals are padded with Top up to old max_locals, followed by the new one.
4. A frame is written as same, same_locals_1, chop or append if possible, else as full. With a new local, which comes
   last, chop and append are never possible; but frames whose locals did not change remain short.
5. A constructor that sets strict fields before super() has frames that say which are not set yet (early_larval_frame,
   JEP 539). Other frames inherit that from the frame before, as long as `this` is uninitialised. So it is known for
   each frame, and is written where the frame before, which may be an added one, says something else.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError, Unsupported
from classhook.classfile.layout import Layout
from classhook.classfile.pool import ConstantPool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

TOP: Final = b"\x00"
INTEGER: Final = b"\x01"
FLOAT: Final = b"\x02"
DOUBLE: Final = b"\x03"
LONG: Final = b"\x04"
UNINITIALIZED_THIS: Final = b"\x06"
OBJECT: Final = b"\x07"
UNNAMED: Final = b"\x07\x00\x00"  # an Object whose class has no pool index yet; its name follows
ACC_STATIC: Final = 0x0008
#: A frame around another one: number_of_unset_fields, and the NameAndType of each field that is not set yet.
EARLY_LARVAL: Final = 246
AS_AT_ENTRY: Final = b""

# Short frames may expand a lot, and padding for a new local makes each long: no compiler's method comes near these
# limits.
_MOST_TYPES: Final = 2_000_000
_MOST_BYTES: Final = 4_000_000

_BYTES: Final = [bytes((byte,)) for byte in range(128)]  # frames of one byte, and verification types that are a tag

# By a descriptor's first byte: its verification type.
_TYPES: Final = {
    0x42: INTEGER,
    0x43: INTEGER,
    0x49: INTEGER,
    0x53: INTEGER,
    0x5A: INTEGER,
    0x46: FLOAT,
    0x44: DOUBLE,
    0x4A: LONG,
}


class FrameTable:
    """Frames in order of their pcs: pcs[i], locals[i], stacks[i].

    unset[i]: the early_larval_frame that says which fields are not set, without the frame in it; AS_AT_ENTRY: what
    holds at the entry, or nothing. Frames that inherit it have the same object.
    """

    __slots__ = ("locals", "pcs", "stacks", "unset")

    def __init__(self) -> None:
        self.pcs: list[int] = []
        self.locals: list[list[bytes]] = []
        self.stacks: list[list[bytes]] = []
        self.unset: list[bytes] = []

    def append(self, pc: int, locals_: list[bytes], stack: list[bytes], unset: bytes = AS_AT_ENTRY) -> None:
        """Adds a frame."""
        self.pcs.append(pc)
        self.locals.append(locals_)
        self.stacks.append(stack)
        self.unset.append(unset)

    def in_order(self) -> FrameTable:
        """The same frames, ascending."""
        places = [self.pcs[i] << 20 | i for i in range(len(self.pcs))]
        places.sort()
        found = FrameTable()
        for at in places:
            i = at & 0xFFFFF
            found.append(self.pcs[i], self.locals[i], self.stacks[i], self.unset[i])
        return found


def initial_locals(access_flags: int, descriptor: bytes, is_init: bool, this_class: int) -> list[bytes]:
    """The locals of the implicit first frame (JVMS 4.10.1.6); `is_init` for a constructor of any class but Object."""
    found: list[bytes] = []
    if not access_flags & ACC_STATIC:
        found.append(UNINITIALIZED_THIS if is_init else OBJECT + this_class.to_bytes(2, "big"))
    at = 1
    end = descriptor.rfind(b")")
    if end < 0 or descriptor[:1] != b"(":
        raise ClassFormatError("bad method descriptor", 0)
    while at < end:
        simple = _TYPES.get(descriptor[at])
        if simple is not None:
            found.append(simple)
            at += 1
            continue
        start = at
        while descriptor[at] == 0x5B:  # [
            at += 1
        if descriptor[at] == 0x4C:  # L
            at = descriptor.find(b";", at)
        elif descriptor[at] not in _TYPES:
            at = -1
        if at < 0 or at >= end:
            raise ClassFormatError("bad method descriptor", 0)
        at += 1
        # a class is named without L and ;, an array by its descriptor (JVMS 4.4.1)
        found.append(UNNAMED + (descriptor[start:at] if descriptor[start] == 0x5B else descriptor[start + 1 : at - 1]))
    return found


def decode(data: bytes, at: int, end_at: int, initial: list[bytes], layout: Layout | None) -> FrameTable:
    """The frames of a StackMapTable's bytes from number_of_entries on, offsets relocated by `layout` if given.

    The pcs remain old ones. Raises ClassFormatError, Unsupported.
    """
    table = FrameTable()
    room = _MOST_TYPES
    if at + 2 > end_at:
        raise ClassFormatError("truncated StackMapTable", at)
    count = data[at] << 8 | data[at + 1]
    at += 2
    pc = -1
    locals_ = initial
    nothing: list[bytes] = []
    unset = AS_AT_ENTRY
    for _ in range(count):
        if at >= end_at:
            raise ClassFormatError("truncated StackMapTable", at)
        kind = data[at]
        at += 1
        stack = nothing
        says_unset = kind == EARLY_LARVAL
        if says_unset:
            start = at - 1
            at += 2 + 2 * (data[at] << 8 | data[at + 1])
            unset = data[start:at]
            kind = data[at]
            at += 1
        if kind < 64:
            delta = kind
        elif kind < 128:
            delta = kind - 64
            stack = []
            at = _decode_types(data, at, 1, stack, layout)
        else:
            delta = data[at] << 8 | data[at + 1]
            at += 2
            if kind == 255:
                locals_ = []
                at = _decode_types(data, at + 2, data[at] << 8 | data[at + 1], locals_, layout)
                stack = []
                at = _decode_types(data, at + 2, data[at] << 8 | data[at + 1], stack, layout)
            elif kind > 251:
                locals_ = locals_.copy()
                at = _decode_types(data, at, kind - 251, locals_, layout)
            elif kind == 247:
                stack = []
                at = _decode_types(data, at, 1, stack, layout)
            elif kind > 247:
                if kind < 251:
                    if len(locals_) < 251 - kind:
                        raise ClassFormatError("chop frame without locals", at)
                    locals_ = locals_[: kind - 251]
            else:
                raise ClassFormatError(f"unknown frame kind {kind}", at)
        pc += delta + 1
        if kind > 247:
            room -= len(locals_)
            if room < 0:
                raise Unsupported("frames with too many locals")
        if unset and not _is_larval(locals_, stack):
            if says_unset:
                raise ClassFormatError("fields that are not set where `this` is initialised,", at)
            unset = AS_AT_ENTRY
        table.pcs.append(pc)  # not by `append`: in plain Python, a call for each frame is dear
        table.locals.append(locals_)
        table.stacks.append(stack)
        table.unset.append(unset)
    if at != end_at:
        raise ClassFormatError("StackMapTable of a wrong length", at)
    return table


def none_set(fields: list[int]) -> bytes:
    """The early_larval_frame, without the frame in it, that names these fields: NameAndType constants."""
    return b"".join(
        [(EARLY_LARVAL << 16 | len(fields)).to_bytes(3, "big"), *[index.to_bytes(2, "big") for index in fields]]
    )


def _is_larval(locals_: list[bytes], stack: list[bytes]) -> bool:
    """True if `this` is not initialised."""
    return UNINITIALIZED_THIS in locals_ or UNINITIALIZED_THIS in stack


def _decode_types(data: bytes, at: int, count: int, types: list[bytes], layout: Layout | None) -> int:
    """Appends `count` verification types to `types`; returns the byte after them."""
    for _ in range(count):
        tag = data[at]
        if tag < 7:
            types.append(_BYTES[tag])
            at += 1
        elif tag == 8 and layout is not None:
            types.append(b"\x08" + layout.instruction(data[at + 1] << 8 | data[at + 2]).to_bytes(2, "big"))
            at += 3
        elif tag <= 8:
            types.append(data[at : at + 3])
            at += 3
        else:
            raise ClassFormatError(f"unknown verification type {tag}", at)
    return at


def added(new_local: bytes | None) -> tuple[int, int]:
    """The number of locals that these verification types are, and the slots that they take."""
    count = slots = at = 0
    while new_local is not None and at < len(new_local):
        tag = new_local[at : at + 1]
        count += 1
        slots += 2 if tag in (LONG, DOUBLE) else 1
        at += 3 if tag == OBJECT else 1
    return count, slots


def encode_one(pc: int, stack: bytes, max_locals: int, new_local: bytes | None) -> bytes:
    """The bytes of a StackMapTable with a single frame at new_pc `pc`, with only the new local and one stack entry."""
    locals_ = b"" if new_local is None else bytes(max_locals) + new_local
    count = 0 if new_local is None else max_locals + added(new_local)[0]
    return b"".join([(1 << 40 | 255 << 32 | pc << 16 | count).to_bytes(7, "big"), locals_, b"\x00\x01", stack])


def encode(
    table: FrameTable, initial: list[bytes], pool: ConstantPool, max_locals: int, new_local: bytes | None, bare: int = 0
) -> bytes:
    """The StackMapTable's bytes from number_of_entries on, of frames whose pcs are new ones, ascending.

    The first `bare` frames have no new local yet: they are in the code inserted at the entry.
    """
    out = [len(table.pcs).to_bytes(2, "big")]
    size = 0  # of the full frames and early_larval_frames; only they may be large
    previous_pc = -1
    previous = initial
    previous_unset = AS_AT_ENTRY
    body = b""
    body_of: list[bytes] | None = None
    for i in range(len(table.pcs)):
        pc = table.pcs[i]
        delta = pc - previous_pc - 1
        if delta < 0:
            raise ClassFormatError("two frames at code offset", pc)
        locals_ = table.locals[i]
        stack = table.stacks[i]
        height = len(stack)
        local = None if i < bare else new_local
        fresh = local is not None and i == bare  # must be full, since the frame before it has no new local
        unset = table.unset[i]
        if unset is not previous_unset:
            if not unset and _is_larval(locals_, stack):
                raise Unsupported("a jump back over more than 32 KB, in a constructor that sets fields before super()")
            out.append(unset)
            size += len(unset)
            previous_unset = unset
            if size > _MOST_BYTES:
                raise Unsupported("frames with too many unset fields")
        if height < 2 and not fresh and (locals_ is previous or locals_ == previous):
            if height == 0:
                out.append(_BYTES[delta] if delta < 64 else (251 << 16 | delta).to_bytes(3, "big"))
            else:
                out.append(_BYTES[64 + delta] if delta < 64 else (247 << 16 | delta).to_bytes(3, "big"))
                out.append(stack[0])
        else:
            change = len(locals_) - len(previous)
            if local is None and height == 0 and 0 < change < 4 and locals_[:-change] == previous:
                out.append(((251 + change) << 16 | delta).to_bytes(3, "big"))
                out.append(_types(locals_[-change:], pool))
            elif local is None and height == 0 and -4 < change < 0 and locals_ == previous[:change]:
                out.append(((251 + change) << 16 | delta).to_bytes(3, "big"))
            else:
                if body_of is not locals_ or fresh:
                    body = _full_locals(locals_, pool, max_locals, local)
                    body_of = locals_
                out.append((255 << 16 | delta).to_bytes(3, "big"))
                out.append(body)
                if height:
                    out.append(height.to_bytes(2, "big"))
                    out += stack
                else:
                    out.append(b"\x00\x00")
                size += len(body) + 3 * height
                if size > _MOST_BYTES:
                    raise Unsupported("frames with too many locals")
        previous = locals_
        previous_pc = pc
    return b"".join(out)


def _types(types: list[bytes], pool: ConstantPool) -> bytes:
    """Verification types as bytes; classes known by name get their pool index."""
    return b"".join([t if len(t) <= 3 else OBJECT + pool.add_class(t[3:]).to_bytes(2, "big") for t in types])


def _full_locals(locals_: list[bytes], pool: ConstantPool, max_locals: int, new_local: bytes | None) -> bytes:
    """number_of_locals and the locals of a full frame, with the new one at local `max_locals`."""
    count = len(locals_)
    raw = _types(locals_, pool)
    if new_local is not None:
        slots = count
        for t in locals_:
            if t in (LONG, DOUBLE):
                slots += 1
        if slots > max_locals:
            raise ClassFormatError("frame with more locals than max_locals", slots)
        raw += bytes(max_locals - slots) + new_local
        count += max_locals - slots + added(new_local)[0]
    if count > 65535:
        raise Unsupported("too many locals for a frame")
    return count.to_bytes(2, "big") + raw
