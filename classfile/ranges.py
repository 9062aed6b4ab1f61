"""The exception table, relocated: ranges are split around code that they must not cover (JVMS 4.7.3).

1. A range covers what is inserted at the instructions that it covers. If the code in front of a range takes a monitor
   and the range's handler gives it back, the compilers refuse a method with a call in between; so they do if a range
   goes on behind the release.
2. Code in front of a handler's first instruction is not covered by that handler, even if its range covers itself: C1
   refuses such methods.
3. Each hole within it splits it; parts keep their order, since the JVM uses the first entry that fits.
4. Our own handlers' ranges come last, with a place behind the new code as handler_pc and any as catch_type. They run
   from the landing place of their start to that of their end, without code that only jumps to it reach: what is
   inserted behind their last instruction belongs to them.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError, Unsupported
from classhook.classfile.layout import Layout


def exception_table(entries: list[tuple[int, int, int, int]], layout: Layout, own: list[tuple[int, int, int]]) -> bytes:
    """exception_table_length and the new entries; `own`: ranges of old pcs, and the new_pc of our handler for them.

    Sets `layout.first_entry`. Raises ClassFormatError, Unsupported.
    """
    if not entries and not own:
        return b"\x00\x00"
    out: list[bytes] = [b""]
    size = layout.old_size
    if entries:
        layout.first_entry = []
    for start_pc, end_pc, handler_pc, catch_type in entries:
        layout.first_entry.append(len(out) - 1)
        if handler_pc >= size:
            raise ClassFormatError("exception handler beyond the code, code offset", handler_pc)
        _check(layout, start_pc, end_pc)
        start = layout.begin(start_pc)
        rest = layout.land(handler_pc) << 16 | catch_type
        if start_pc <= handler_pc < end_pc and handler_pc in layout.before:
            _split(out, layout, start, layout.land(handler_pc), rest)
            start = layout.instruction(handler_pc)
        _split(out, layout, start, layout.begin(end_pc), rest)
    for start_pc, end_pc, new_pc in own:
        _check(layout, start_pc, end_pc)
        _split(out, layout, layout.land(start_pc), layout.end(end_pc), new_pc << 16)
    if len(out) > 65536:
        raise Unsupported("exception table with more than 65,535 entries")
    out[0] = (len(out) - 1).to_bytes(2, "big")
    return b"".join(out)


def _check(layout: Layout, start_pc: int, end_pc: int) -> None:
    if not 0 <= start_pc <= end_pc <= layout.old_size:
        raise ClassFormatError("exception range beyond the code, code offset", start_pc)


def _split(out: list[bytes], layout: Layout, start: int, end: int, rest: int) -> None:
    starts = layout.hole_starts
    ends = layout.hole_ends
    # the first hole that ends after the range's start
    low = 0
    high = len(ends)
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] <= start:
            low = middle + 1
        else:
            high = middle
    while low < len(starts) and starts[low] < end:
        if start < starts[low]:
            out.append((start << 48 | starts[low] << 32 | rest).to_bytes(8, "big"))
        start = ends[low]
        low += 1
    if start < end:
        out.append((start << 48 | end << 32 | rest).to_bytes(8, "big"))
    if len(out) > 1 << 17:
        raise Unsupported("exception table with more than 65,535 entries")
