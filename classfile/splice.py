"""Inserts code into a method and keeps everything true that said where its code was.

1. Order the insertions: at one pc first those that jumps land behind, then the landing place, then those that always run
   before the instruction there, in the order in which they were given.
2. Lay the code out anew (classfile.layout) and patch jumps and switches. Where a 16-bit jump does not reach any more, widen
   (classfile.widen) and lay out again.
3. Relocate the exception table (classfile.ranges) and put our own handler last: its code at the end of the code, its entries
   at the end of the table.
4. Relocate the tables that hold code offsets (classfile.tables); attributes that nobody knows are copied.
5. Decode, relocate and encode the frames (classfile.frames), with the new local in each and one for our handler.
"""

from __future__ import annotations

from classfile import frames
from classfile.code import Code
from classfile.errors import ClassFormatError, CodeTooLarge, Unsupported
from classfile.frames import FrameTable
from classfile.layout import MAX_CODE, Insertion, Layout, assemble, lay_out, place
from classfile.pool import ConstantPool
from classfile.ranges import exception_table
from classfile.reader import ClassFile, Method
from classfile.scan import Scan
from classfile.tables import CHECKED, RELOCATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FRAMES_MAJOR: Final = 50  # from this class-file version on, there are frames


class Handler:
    """A handler of any throwable at the end of the code, last in the exception table, for `ranges` of old pcs (half open).

    It starts with the throwable on the stack, and leaves with athrow. `join`: the offset in it of a jump's target, where only the
    throwable is on the stack; 0: there is none.
    """

    __slots__ = ("code", "join", "ranges")

    def __init__(self, code: bytes, ranges: list[tuple[int, int]], join: int = 0) -> None:
        self.code: bytes = code
        self.ranges: list[tuple[int, int]] = ranges
        self.join: int = join


class Edit:
    """What to do with one method. `new_local` is the verification type (a tag; Object: with a pool index) of a local that is
    put at old max_locals and that each frame has; `extra_stack` the slots that inserted code needs above the method's own.
    `entry_join`: the offset of a jump's target in the first insertion, which is at 0, where one int is on the stack; 0: there is none.
    Before the jump there are two.
    """

    __slots__ = ("entry_join", "extra_stack", "handler", "insertions", "new_local")

    def __init__(
        self,
        insertions: list[Insertion],
        handler: Handler | None = None,
        new_local: bytes | None = None,
        extra_stack: int = 0,
        entry_join: int = 0,
    ) -> None:
        self.entry_join: int = entry_join
        self.insertions: list[Insertion] = insertions
        self.handler: Handler | None = handler
        self.new_local: bytes | None = new_local
        self.extra_stack: int = extra_stack


class Context:
    """What a method's frames depend on outside its Code; `is_init`: a constructor, of any class but java/lang/Object."""

    __slots__ = ("access_flags", "descriptor", "is_init", "major", "this_class")

    def __init__(self, major: int, access_flags: int, descriptor: bytes, is_init: bool, this_class: int) -> None:
        self.major: int = major
        self.access_flags: int = access_flags
        self.descriptor: bytes = descriptor
        self.is_init: bool = is_init
        self.this_class: int = this_class

    @staticmethod
    def of(cf: ClassFile, method: Method) -> Context:
        """The context of a method of a class."""
        pool = cf.pool
        is_init = cf.super_class != 0 and pool.utf8_bytes(method.name_index) == b"<init>"
        return Context(cf.major, method.access_flags, pool.utf8_bytes(method.descriptor_index), is_init, cf.this_class)


def splice(code: Code, edit: Edit, pool: ConstantPool, context: Context) -> bytes:
    """The new Code attribute with its 6-byte header. Adds to the pool what frames need.

    Raises ClassFormatError, CodeTooLarge, PoolFull, Unsupported.
    """
    try:
        return _splice(code, edit, pool, context)
    except (IndexError, OverflowError):
        raise ClassFormatError("code offset or length out of range in the Code", code.at) from None


def _splice(code: Code, edit: Edit, pool: ConstantPool, context: Context) -> bytes:
    scan = code.scan()
    insertions = _in_order(edit.insertions, scan)
    handler = edit.handler
    layout = lay_out(code.code, scan, insertions)
    if handler is not None:
        layout.pieces.append(handler.code)
    new_code = assemble(layout, scan)
    trampolines: list[tuple[int, int]] = []
    if new_code is None:
        from classfile.widen import widen

        tail = b"" if handler is None else handler.code
        layout, new_code, trampolines = widen(code.code, scan, insertions, _framed(code, context), tail)
    max_stack = code.max_stack + edit.extra_stack
    max_locals = code.max_locals
    if edit.new_local is not None:
        max_locals += 2 if edit.new_local == frames.LONG or edit.new_local == frames.DOUBLE else 1
    if handler is not None:
        max_stack = max(max_stack, 1 + edit.extra_stack)
    if edit.entry_join:
        max_stack = max(max_stack, 2)
    if len(new_code) > MAX_CODE:
        raise CodeTooLarge(f"{len(new_code)} bytes of code")
    if max_stack > 65535 or max_locals > 65535:
        raise Unsupported("more than 65,535 stack slots or locals")
    data = code.data
    pieces = [
        (max_stack << 48 | max_locals << 32 | len(new_code)).to_bytes(8, "big"),
        new_code,
        exception_table(code.exception_table, layout, handler.ranges if handler is not None else []),
        b"",
    ]
    had_frames = False
    for name, at, end_at in code.attributes:
        if name == b"StackMapTable":
            if had_frames:
                raise ClassFormatError("two StackMapTables", at)
            had_frames = True
            body = _relocate_frames(code, at + 6, end_at, edit, pool, context, layout, trampolines)
        else:
            relocate = RELOCATE.get(name)
            if relocate is None:
                pieces.append(data[at:end_at])
                continue
            try:
                body = relocate(data, at + 6, end_at, layout)
            except (ClassFormatError, IndexError, OverflowError):
                if name in CHECKED:
                    raise
                pieces.append(data[at:end_at])  # wrong before us, and no JVM has ever looked
                continue
        pieces.append(data[at : at + 2] + len(body).to_bytes(4, "big"))
        pieces.append(body)
    count = len(code.attributes)
    if not had_frames and (handler is not None or edit.entry_join) and context.major >= FRAMES_MAJOR:
        if handler is not None and not edit.entry_join and not handler.join:
            body = frames.encode_one(layout.size, _throwable(pool), code.max_locals, edit.new_local)
        else:
            body = _encode_frames(FrameTable(), code, edit, pool, context, layout, [])
        pieces.append((pool.add_utf8(b"StackMapTable") << 32 | len(body)).to_bytes(6, "big"))
        pieces.append(body)
        count += 1
    pieces[3] = count.to_bytes(2, "big")
    attribute = b"".join(pieces)
    return data[code.at : code.at + 2] + len(attribute).to_bytes(4, "big") + attribute


def _in_order(insertions: list[Insertion], scan: Scan) -> list[Insertion]:
    """Sorted by their place, those of one place as they were given. Raises ClassFormatError."""
    bounds = scan.bounds
    last = 0
    sorted_already = True
    for insertion in insertions:
        pc = insertion.pc
        if pc < 0 or pc >= len(bounds) or not bounds[pc]:
            raise ClassFormatError("insertion where no instruction begins, code offset", pc)
        at = pc << 3 | insertion.rank
        if at < last:
            sorted_already = False
        last = at
    return insertions if sorted_already else sorted(insertions, key=place)


def _framed(code: Code, context: Context) -> list[int]:
    """The old pcs, ascending, whose frames are known: all where the JVM needs none."""
    bounds = code.scan().bounds
    pcs = list(range(len(bounds)))
    for name, at, end_at in code.attributes:
        if name == b"StackMapTable":
            initial = frames.initial_locals(context.access_flags, context.descriptor, context.is_init, context.this_class)
            pcs = frames.decode(code.data, at + 6, end_at, initial, None).pcs
    return [pc for pc in pcs if pc < len(bounds) and bounds[pc]]


def _relocate_frames(
    code: Code,
    at: int,
    end_at: int,
    edit: Edit,
    pool: ConstantPool,
    context: Context,
    layout: Layout,
    trampolines: list[tuple[int, int]],
) -> bytes:
    """The new StackMapTable's bytes behind its header."""
    initial = frames.initial_locals(context.access_flags, context.descriptor, context.is_init, context.this_class)
    table = frames.decode(code.data, at, end_at, initial, layout)
    if trampolines:
        table = _with_trampolines(table, layout, trampolines)
    else:
        pcs = table.pcs
        for i in range(len(pcs)):
            pcs[i] = layout.land(pcs[i])
    return _encode_frames(table, code, edit, pool, context, layout, initial)


def _encode_frames(
    table: FrameTable, code: Code, edit: Edit, pool: ConstantPool, context: Context, layout: Layout, initial: list[bytes]
) -> bytes:
    """The bytes of the program's frames, at new pcs, and of ours."""
    entry_join = 0
    if context.major >= FRAMES_MAJOR:
        entry_join = edit.entry_join
        if edit.handler is not None:
            nothing: list[bytes] = []
            table.append(layout.size, nothing, [_throwable(pool)])
            if edit.handler.join:
                table.append(layout.size + edit.handler.join, nothing, [_throwable(pool)])
    return frames.encode(table, initial, pool, code.max_locals, edit.new_local, entry_join)


def _throwable(pool: ConstantPool) -> bytes:
    """The verification type of what our handler finds on the stack."""
    return frames.OBJECT + pool.add_class(b"java/lang/Throwable").to_bytes(2, "big")


def _with_trampolines(table: FrameTable, layout: Layout, trampolines: list[tuple[int, int]]) -> FrameTable:
    """The table at new pcs, with a copy of its target's frame for each trampoline (new_pc, old target)."""
    index_of = {table.pcs[i]: i for i in range(len(table.pcs))}
    # (new_pc, index): new pcs differ, so that sorting never looks at the index
    places = [(layout.land(table.pcs[i]), i) for i in range(len(table.pcs))]
    for new_pc, target in trampolines:
        index = index_of.get(target, -1)
        if index >= 0:  # where there is none, the JVM did without: version 50, or a class that is not verified
            places.append((new_pc, index))
    places.sort()
    merged = FrameTable()
    for new_pc, index in places:
        merged.append(new_pc, table.locals[index], table.stacks[index])
    return merged
