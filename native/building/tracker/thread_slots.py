"""A probe's way to the thread's slots: what all methods share that count in Java code.

A field of the Thread object holds the address of the thread's block (native/threads/thread_blocks.c). From JDK 19 on, a
probe looks at the current thread first: the JIT assumes that it does not change within a method, but not so for the
carrier. A virtual thread has no such field; then a second method (``countCarrier`` for ``count``) looks at the carrier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jawa.assemble import Label

from classhook.native.building import header
from classhook.native.building.tracker.assembly import Assembly
from classhook.native.building.tracker.names import THREAD, UNSAFE, Code

#: Counters are always above this address (the kernel places mappings far above the first 4 GB).
LEAST_ADDRESS = 1 << 32

#: Makes a probe's code, given the code that finds the thread's slots and the label of the slow path.
Body = Callable[[Code, Label], Code]


@dataclass
class Tracker(Assembly):
    """The tracker class under construction; `carriers`: Thread.currentCarrierThread exists (JDK 19 and later);
    `values`: the JVM has value objects (JDK 28 and later), whose arrays may be flat."""

    carriers: bool
    values: bool

    def thread(self, name: str) -> tuple[Any, ...]:
        return ("invokestatic", self.ref(name, f"()L{THREAD};", THREAD))

    def current(self) -> tuple[Any, ...]:
        """Calls for the thread that counts: the carrier, in JDKs with virtual threads."""
        return self.thread("currentCarrierThread" if self.carriers else "currentThread")

    def own_slots(self, thread: tuple[Any, ...], at: int, slow: Label) -> Code:
        """Loads the address of this thread's slots into local `at`. Jumps to `slow` if the thread has none yet, or if
        the value is no negated address: the JDK and programs may store small negative numbers there."""
        unsafe, where = self.get("U", f"L{UNSAFE};"), self.get("SLOTS", "J")
        found: Code = [unsafe, thread]
        if self.carriers:  # virtual threads have no holder, nor do threads that are attaching
            found += [
                self.get("HOLDER", "J"),
                self.call("getReference", "(Ljava/lang/Object;J)Ljava/lang/Object;", UNSAFE),
                ("astore", at),
                ("aload", at),
                ("ifnull", slow),
                unsafe,
                ("aload", at),
            ]
        found += [where, self.call("getLong", "(Ljava/lang/Object;J)J", UNSAFE), ("lstore", at), ("lload", at)]
        found += [("ldc2_w", self.cf.constants.create_long(-LEAST_ADDRESS)), ("lcmp",), ("ifge", slow)]
        return [*found, ("lload", at), ("lneg",), ("lstore", at)]  # what is added to it is part of the instruction then

    def probe(
        self, name: str, descriptor: str, code: Body, native: str, arguments: Code, at: int, stack: int, local: int
    ) -> None:
        """A method with int parameters that counts in this thread's slots, whose address goes into local `at`. If the
        thread has none yet, `native` (if any) is called with the `arguments` and the thread that counts."""
        back = ("return",) if descriptor.endswith("V") else ("ireturn",)
        slowly: Code = [*arguments, self.current(), self.native(native)] if native else []
        ways = [(name, "currentThread", [*slowly, back])]
        if self.carriers:
            carrier, same = f"{name}Carrier", [("iload", i) for i in range(descriptor.index(")") - 1)]
            ways = [
                (name, "currentThread", [*same, self.call(carrier, descriptor), back]),
                (carrier, "currentCarrierThread", ways[0][2]),
            ]
        for method, thread, otherwise in ways:
            slow = Label("slow")
            self.method(
                method,
                descriptor,
                [*code(self.own_slots(self.thread(thread), at, slow), slow), slow, *otherwise],
                stack,
                local,
            )

    def slot(self, number: int, at: int) -> Code:
        """Pushes the address of the slot whose number is in a local. The address is within the block, whatever the
        number is."""
        return self.word(number, ("lload", at))

    def word(self, number: int, base: tuple[Any, ...]) -> Code:
        """Pushes the address of a slot's word in a table of as many words as there are slots; `base` pushes the
        table's."""
        return [
            ("iload", number),
            self.get("MASK", "I"),
            ("iand",),
            ("i2l",),
            ("iconst_3",),
            ("lshl",),
            base,
            ("ladd",),
        ]

    def further(self, here: str, there: str) -> tuple[Any, ...]:
        """Pushes the distance in bytes between two slots of a probe."""
        slots = header.slots()
        return "ldc2_w", self.cf.constants.create_long(8 * (slots[there] - slots[here]))

    def load(self, *address: tuple[Any, ...]) -> Code:
        """Loads the word at an address, by the intrinsic itself: the JIT would have to inline its wrapper each time."""
        return [
            self.get("U", f"L{UNSAFE};"),
            ("aconst_null",),
            *address,
            self.call("getLong", "(Ljava/lang/Object;J)J", UNSAFE),
        ]

    def add(self, address: int, amount: Code) -> Code:
        """Adds to the word whose address is in a local; a plain load and store, since only the owner writes there."""
        return [
            self.get("U", f"L{UNSAFE};"),
            ("aconst_null",),
            ("lload", address),
            *self.load(("lload", address)),
            *amount,
            ("ladd",),
            self.call("putLong", "(Ljava/lang/Object;JJ)V", UNSAFE),
        ]
