"""The code for methods that look for their thread's slots, and the sizes that the JIT looks at.

In the sources, a probe reads the field of the current thread that holds the address of its slots; if it holds none, the
probe goes on to its end, which is the slow way. Until JDK 18, that is all. From JDK 19 on, the field is in the thread's
holder. Virtual threads have none, nor do threads that are attaching: a second method (``countCarrier`` for ``count``)
looks at the carrier, and has the slow way. The JIT assumes that the current thread does not change within a method, but
not so for the carrier.
"""

from __future__ import annotations

import re
from typing import Any

from jawa.assemble import Label
from jawa.util.bytecode import opcode_table

from classhook.native.building.tracker.merged import Merged
from classhook.native.building.tracker.names import NAME, OBJECT, THREAD, UNSAFE, Code

#: Bytes up to which C1 inlines any method (MaxInlineSize), and up to which C2 inlines one that runs often
#: (FreqInlineSize).
INLINED, INLINED_IF_HOT = 35, 325
#: Methods that C1 would inline without bytes that do nothing.
PADDED = ("covered",)
#: Methods that ask for the thread itself, not for its block: no probes.
OF_THREADS = ("delay",)
#: Methods that C2 need not inline.
LARGE = ("<clinit>", "link")

CALL_OF_THREAD = f"()L{THREAD};"


def plain(merged: Merged, name: str, descriptor: str, code: Code) -> dict[str, Code]:
    """The code until JDK 18: every thread is its own carrier."""
    current, carrier = threads(merged)
    probe = current in code and name not in OF_THREADS
    return checked({name: padded(name, [current if one == carrier else one for one in code])}, probe)


def with_carriers(merged: Merged, name: str, descriptor: str, code: Code) -> dict[str, Code]:
    """The code from JDK 19 on."""
    current, carrier = threads(merged)
    if current not in code or name in OF_THREADS:
        return checked({name: padded(name, code)}, False)
    at = code.index(current)
    slow = next(one[1] for one in code[at:] if one[0] == "ifge")
    begin = code.index(slow) + 1
    end = next(i for i in range(begin, len(code)) if code[i][0].endswith("return"))
    assert code[begin - 2][0].endswith("return"), f"{name} does not fall through to its slow way"
    other = f"{name}Carrier"
    ints = [(f"iload_{i}",) for i in range(descriptor.index(")") - 1)]
    call = ("invokestatic", merged.constant("method_ref", NAME, other, descriptor))
    ways = {
        name: through_holder(merged, [*code[:begin], *ints, call, *code[end:]], at, current, slow),
        other: through_holder(merged, code, at, carrier, slow),
    }
    return checked(ways, True)


def threads(merged: Merged) -> list[Any]:
    """The calls for the current thread and for its carrier."""
    names = "currentThread", "currentCarrierThread"
    return [("invokestatic", merged.constant("method_ref", THREAD, name, CALL_OF_THREAD)) for name in names]


def through_holder(merged: Merged, code: Code, at: int, thread: Any, slow: Label) -> Code:
    """Code that reads the field of the holder of `thread`, in place of that of the thread for which it calls at `at`:
    the holder is in the local that has the field's value later."""
    unsafe, _, _, _, store = code[at - 1 : at + 4]
    local = re.fullmatch(r"lstore_?(\d*)", store[0])
    assert local, "the field's value is stored at once"
    store, load = ((f"a{op}_{local[1]}",) if local[1] else (f"a{op}", store[1]) for op in ("store", "load"))
    place = ("getstatic", merged.constant("field_ref", NAME, "HOLDER", "J"))
    read = merged.constant("method_ref", UNSAFE, "getReference", f"(L{OBJECT};J)L{OBJECT};")
    found = [thread, place, ("invokevirtual", read), store, load, ("ifnull", slow), unsafe, load]
    return [*code[:at], *found, *code[at + 1 :]]


def padded(name: str, code: Code) -> Code:
    """Code with as many bytes behind its end that C1 does not inline it, if it is to be so."""
    return [*code, *[("nop",)] * (INLINED + 1 - size_of(code)), code[-1]] if name in PADDED else code


def size_of(code: Code) -> int:
    """The bytes of code."""
    operands = (opcode_table[one[0]]["operands"] or () for one in code if not isinstance(one, Label))
    return sum(1 + sum(fmt.value.size for fmt, _ in each) for each in operands)


def checked(ways: dict[str, Code], probe: bool) -> dict[str, Code]:
    """The same methods. Raises ValueError for one of a size with which the JIT would treat it otherwise."""
    for name, code in ways.items():
        size = size_of(code)
        if size > INLINED_IF_HOT and name not in LARGE:
            raise ValueError(f"{name} has {size} bytes, and C2 inlines methods of up to {INLINED_IF_HOT}")
        if size <= INLINED and (probe or name in PADDED):
            raise ValueError(f"{name} has {size} bytes, and C1 inlines methods of up to {INLINED}")
    return ways
