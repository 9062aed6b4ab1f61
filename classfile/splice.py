"""Inserts code into a method and updates everything that refers to code offsets.

1. Order the insertions: at one pc first those that jumps land behind, then those that only jumps reach, then the
   landing place, then those that always run before the instruction there, in the given order.
2. Lay out the new code (classfile.layout) and patch jumps and switches. If a 16-bit jump no longer reaches its target,
   widen it (classfile.widen) and lay out again.
3. Relocate the exception table (classfile.ranges) and put our own handler last: its code at the end of the code, its
   entries at the end of the table.
4. Relocate the tables that hold code offsets (classfile.tables); unknown attributes are copied.
5. Decode, relocate and encode the frames (classfile.frames), with the new local in each. At labels of inserted code,
   the frame is a copy of that of its place, so that nothing has to be inferred; one frame is for our handler.
"""

from __future__ import annotations

from classhook.classfile import frames
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError, CodeTooLarge, Unsupported
from classhook.classfile.frames import AS_AT_ENTRY, FrameTable
from classhook.classfile.insertions import Edit, Handler, in_order
from classhook.classfile.jumps import assemble
from classhook.classfile.layout import AS_THERE, IMPLICIT, MAX_CODE, Layout, lay_out
from classhook.classfile.pool import ConstantPool
from classhook.classfile.ranges import exception_table
from classhook.classfile.reader import ClassFile, Method
from classhook.classfile.tables import CHECKED, RELOCATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

NO_FRAMES: Final = b"\0\0"
MOST_LOCALS: Final = 65535  # max_locals and max_stack are u2 (JVMS 4.7.3)
TOO_MANY_LOCALS: Final = "more than 65,535 stack slots or locals"
TYPES_MAJOR: Final = 49  # first major version with LocalVariableTypeTables
FRAMES_MAJOR: Final = 50  # first major version with frames
ONLY_FRAMES_MAJOR: Final = 51  # first major version that is never verified without frames
STRICT_MAJOR: Final = 72  # first major version with strict fields, in classes of a preview version
PREVIEW_MINOR: Final = 65535
ACC_STRICT_INIT: Final = 0x0800
NO_FIELDS: Final[list[tuple[bytes, bytes]]] = []


class Context:
    """The inputs to a method's frames from outside its Code; `is_init`: a constructor, of any class but
    java/lang/Object; `strict`: name and descriptor of the fields that a constructor must set before super() (JEP 539),
    empty for other methods."""

    __slots__ = ("_initial", "access_flags", "descriptor", "is_init", "major", "strict", "this_class")

    def __init__(
        self,
        major: int,
        access_flags: int,
        descriptor: bytes,
        is_init: bool,
        this_class: int,
        strict: list[tuple[bytes, bytes]] = NO_FIELDS,
    ) -> None:
        self.major: int = major
        self.access_flags: int = access_flags
        self.descriptor: bytes = descriptor
        self.is_init: bool = is_init
        self.this_class: int = this_class
        self.strict: list[tuple[bytes, bytes]] = strict
        self._initial: list[bytes] | None = None

    def initial_locals(self) -> list[bytes]:
        """The locals with which the method is entered, as verification types."""
        if self._initial is None:
            self._initial = frames.initial_locals(self.access_flags, self.descriptor, self.is_init, self.this_class)
        return self._initial

    @staticmethod
    def from_method(cf: ClassFile, method: Method) -> Context:
        """The context of a method of a class."""
        pool = cf.pool
        is_init = cf.super_class != 0 and pool.utf8_bytes(method.name_index) == b"<init>"
        strict = NO_FIELDS
        if is_init and cf.minor == PREVIEW_MINOR and cf.major >= STRICT_MAJOR:
            strict = _strict(cf)
        return Context(
            cf.major, method.access_flags, pool.utf8_bytes(method.descriptor_index), is_init, cf.this_class, strict
        )


def _strict(cf: ClassFile) -> list[tuple[bytes, bytes]]:
    """Name and descriptor of the strict fields of instances."""
    pool = cf.pool
    fields = [field for field in cf.fields() if field[0] & (ACC_STRICT_INIT | frames.ACC_STATIC) == ACC_STRICT_INIT]
    return [(pool.utf8_bytes(name), pool.utf8_bytes(descriptor)) for _, name, descriptor in fields]


def splice(code: Code, edit: Edit, pool: ConstantPool, context: Context) -> bytes:
    """The new Code attribute with its 6-byte header. Adds the constants that frames need to the pool.

    Raises ClassFormatError, CodeTooLarge, PoolFull, Unsupported.
    """
    try:
        return _splice(code, edit, pool, context)
    except (IndexError, OverflowError):
        raise ClassFormatError("code offset or length out of range in the Code", code.at) from None


def _splice(code: Code, edit: Edit, pool: ConstantPool, context: Context) -> bytes:
    scan = code.scan()
    insertions = in_order(edit.insertions, scan)
    handler = edit.handler
    layout = lay_out(code.code, scan, insertions)
    tail = b"" if handler is None else handler.code * len(handler.parts())
    layout.pieces.append(tail)
    new_code = assemble(layout, scan)
    if new_code is None:
        from classhook.classfile.widen import widen

        layout, new_code = widen(code.code, scan, insertions, _framed(code, context), tail)
    max_stack = edit.max_stack(code.max_stack)
    max_locals = code.max_locals + frames.added(edit.new_local)[1]
    if len(new_code) > MAX_CODE:
        raise CodeTooLarge(f"{len(new_code)} bytes of code")
    if max_stack > MOST_LOCALS or max_locals > MOST_LOCALS:
        raise Unsupported(TOO_MANY_LOCALS)
    data = code.data
    pieces = [
        (max_stack << 48 | max_locals << 32 | len(new_code)).to_bytes(8, "big"),
        new_code,
        exception_table(code.exception_table, layout, [] if handler is None else _own(handler, layout.size)),
        b"",
    ]
    had_frames = False
    dropped = 0
    for name, at, end_at in code.attributes:
        if name == b"StackMapTable":
            if end_at == at + 6:  # the JVM treats it as missing
                dropped += 1
                continue
            if context.major < FRAMES_MAJOR:  # the JVM ignores it
                pieces.append(data[at:end_at])
                continue
            if had_frames:
                raise ClassFormatError("two StackMapTables", at)
            had_frames = True
            table = frames.decode(data, at + 6, end_at, context.initial_locals(), layout)
            body = _encode_frames(table, code, edit, pool, layout, context)
        else:
            relocate = RELOCATE.get(name)
            if relocate is None:
                pieces.append(data[at:end_at])
                continue
            try:
                body = relocate(data, at + 6, end_at, layout)
            except (ClassFormatError, IndexError, OverflowError):
                if name in CHECKED and (context.major >= TYPES_MAJOR or name != b"LocalVariableTypeTable"):
                    raise
                pieces.append(data[at:end_at])  # it was wrong before, and no JVM reads it
                continue
        pieces.append(data[at : at + 2] + len(body).to_bytes(4, "big"))
        pieces.append(body)
    count = len(code.attributes) - dropped
    if not had_frames and context.major >= FRAMES_MAJOR and (handler is not None or layout.joins):
        if handler is not None and not handler.labels and not handler.early and not layout.joins:
            body = frames.encode_one(layout.size, _throwable(pool), code.max_locals, edit.new_local)
        else:
            body = _encode_frames(FrameTable(), code, edit, pool, layout, context)
        if body != NO_FRAMES:
            pieces.append((pool.add_utf8(b"StackMapTable") << 32 | len(body)).to_bytes(6, "big"))
            pieces.append(body)
            count += 1
    pieces[3] = count.to_bytes(2, "big")
    attribute = b"".join(pieces)
    return data[code.at : code.at + 2] + len(attribute).to_bytes(4, "big") + attribute


def _framed(code: Code, context: Context) -> list[int]:
    """The old pcs, ascending, whose frames are known; all instructions if the JVM needs no frames."""
    bounds = code.scan().bounds
    pcs = list(range(len(bounds)))
    for name, at, end_at in code.attributes:
        if name == b"StackMapTable" and end_at > at + 6 and context.major >= FRAMES_MAJOR:
            pcs = frames.decode(code.data, at + 6, end_at, context.initial_locals(), None).pcs
    return [pc for pc in pcs if pc < len(bounds) and bounds[pc]]


def _own(handler: Handler, new_pc: int) -> list[tuple[int, int, int]]:
    """Our entries in the exception table; the handler's code is at `new_pc`."""
    found: list[tuple[int, int, int]] = []
    for ranges, _ in handler.parts():
        found += [(start_pc, end_pc, new_pc) for start_pc, end_pc in ranges]
        new_pc += len(handler.code)
    return found


def _encode_frames(
    table: FrameTable, code: Code, edit: Edit, pool: ConstantPool, layout: Layout, context: Context
) -> bytes:
    """The bytes of the program's frames, which are still at old pcs, and of the added ones."""
    bare = 0
    handler = edit.handler
    initial = context.initial_locals()
    if layout.joins:
        table = _joined(table, layout, initial, context.major)
        set_at = edit.local_set_at()
        bare = sum([new_pc < set_at for new_pc, _, _ in layout.joins])
    else:
        pcs = table.pcs
        for i in range(len(pcs)):
            pcs[i] = layout.land(pcs[i])
    if handler is not None:
        new_pc = layout.size
        for _, early in handler.parts():
            _add_handler(table, handler, new_pc, early, pool, context)
            new_pc += len(handler.code)
    return frames.encode(table, initial, pool, code.max_locals, edit.new_local, bare)


def _add_handler(
    table: FrameTable, handler: Handler, new_pc: int, early: bool, pool: ConstantPool, context: Context
) -> None:
    """The frames of our handler, whose code is at `new_pc`. Before super(), any field may be unset."""
    thrown = _throwable(pool)
    locals_: list[bytes] = [frames.UNINITIALIZED_THIS] if early else []
    unset = AS_AT_ENTRY
    if early and context.strict:
        unset = frames.none_set([pool.add_name_and_type(name, descriptor) for name, descriptor in context.strict])
    table.append(new_pc, locals_, [thrown], unset)
    for label in handler.labels:
        table.append(new_pc + label.offset, locals_, [thrown, *label.stack], unset)


def _throwable(pool: ConstantPool) -> bytes:
    """The verification type of the throwable on our handler's stack."""
    return frames.OBJECT + pool.add_class(b"java/lang/Throwable").to_bytes(2, "big")


def _joined(table: FrameTable, layout: Layout, initial: list[bytes], major: int) -> FrameTable:
    """The table at new pcs, with the frames that Layout.joins asks for."""
    index_of = {table.pcs[i]: i for i in range(len(table.pcs))}
    found = FrameTable()
    for i in range(len(table.pcs)):
        found.append(layout.land(table.pcs[i]), table.locals[i], table.stacks[i], table.unset[i])
    for new_pc, pc, label in layout.joins:
        index = IMPLICIT if pc == IMPLICIT else index_of.get(pc, IMPLICIT if pc == 0 else MAX_CODE)
        if index < MAX_CODE:
            if index == IMPLICIT:
                found.append(new_pc, initial, label.stack)
            else:
                found.append(new_pc, table.locals[index], table.stacks[index] + label.stack, table.unset[index])
        elif label.stack or (label is not AS_THERE and major >= ONLY_FRAMES_MAJOR):
            raise Unsupported(f"no frame is known for a jump in code inserted at code offset {pc}")
        # else the JVM needs none: version 50, or the program jumps there without a frame, in a class that is not
        # verified
    return found.in_order()
