"""Assembles the tracker class, java.lang.ClasshookTracker, with jawa.

1. The class is in java.lang, so that every loader resolves it and it may use jdk.internal.misc.Unsafe; its class file version is 49, the
   last one that needs no stack map frames.
2. A count is a load and a store in the block of the carrier thread. A field of the Thread object holds the block's address (thread_blocks.c).
3. From JDK 19 on, a probe looks at the current thread first: the JIT assumes that it does not change within a method, but not so for the
   carrier. A virtual thread has no such field; then a second method (``countCarrier`` for ``count``) looks at the carrier.
4. Every method has @Hidden, so that stack traces of exceptions do not show it. None has @ForceInline: C1 would then inline probes into
   every method, which costs the JIT more than the program gains (H2 with all methods counted: 1.62 times the CPU time, without it 1.21).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from typing import Any

from jawa.assemble import Label, assemble
from jawa.attribute import Attribute
from jawa.attributes.code import CodeException
from jawa.cf import ClassFile

from classhook.native.building import header, object_fields
from classhook.native.building.tracker_names import NAME, SEEN_SHIFT, UNSAFE, WEAK, Code

THREAD = "java/lang/Thread"
HOLDER = "java/lang/Thread$FieldHolder"  # fields that only platform threads have

#: Counters are always above this address (the kernel places mappings far above the first 4 GB).
LEAST_ADDRESS = 1 << 32

#: log2 of the number of keys that KNOWN has room for.
KNOWN_SHIFT = 12

#: Natives of the agent: name -> descriptor. See thread_blocks.c, attribution.c, tasks.c, virtual_threads.c, timing.c, shadow_stacks.c,
#: allocation_sites.c, watch/, shutdown_hook.c.
NATIVES = {
    "mask": "()I",
    "coverBase": "()J",
    "alignment": "()I",
    "arrayBase": "(Ljava/lang/Class;)J",
    "countSlowly": "(ILjava/lang/Thread;)V",
    "allocatedSlowly": "(ILjava/lang/Thread;)V",
    "arraySlowly": "(JILjava/lang/Thread;)V",
    "multiArray": "(Ljava/lang/Object;ILjava/lang/Thread;)V",
    "enter": "(I)I",
    "enterTree": "(I)I",
    "caught": "(I)V",
    "exit": "(I)V",
    "thrown": "(I)V",
    "enterDue": "(I)I",
    "dueSlowly": "(ILjava/lang/Thread;)I",
    "pathAt": "()I",
    "pushSlowly": "(ILjava/lang/Thread;)I",
    "mountedOn": "(JLjava/lang/Thread;)V",
    "unmountingFrom": "(Ljava/lang/Thread;)V",
    "contextBegins": "(ILjava/lang/Thread;)I",
    "contextBeginsBy": "(Ljava/lang/Object;ILjava/lang/Thread;)I",
    "contextEnds": "(ILjava/lang/Thread;)V",
    "contextGoesOn": "(ILjava/lang/Thread;)V",
    "key": "(Ljava/lang/Object;I)I",
    "keyOfValue": "(Ljava/lang/Object;I)I",
    "keyPart": "(Ljava/lang/Object;I)V",
    "keyNumber": "(JI)I",
    "value": "(JI)V",
    "regionBegins": "(I)I",
    "regionEnds": "(I)V",
    "countBelow": "(I)V",
    "enterBelow": "(I)I",
    "valueIn": "(Ljava/lang/Object;II)V",
    "valueReal": "(DI)V",
    "submitted": "(Ljava/lang/Object;)V",
    "taskBegins": "(Ljava/lang/Object;Ljava/lang/Thread;)I",
    "taskFollows": "(Ljava/lang/Object;Ljava/lang/Thread;)V",
    "tasksEnd": "(Ljava/lang/Thread;)V",
    "now": "()J",
    "entered": "(ILjava/lang/Object;[Ljava/lang/Object;)V",
    "left": "(Ljava/lang/Object;IJLjava/lang/Object;[Ljava/lang/Object;)V",
    "threw": "(Ljava/lang/Object;IJLjava/lang/Object;[Ljava/lang/Object;)V",
    "watchBegins": "([Ljava/lang/Object;I)J",
    "watchEnds": "(Ljava/lang/Object;[Ljava/lang/Object;IZJ)V",
    "watchLine": "([Ljava/lang/Object;I)Z",
    **object_fields.NATIVES,
    "shutDown": "()V",
}

#: Types of Java in C, by the first letter of a descriptor; all others are references.
C_TYPES = {"V": "void", "Z": "jboolean", "I": "jint", "J": "jlong", "D": "jdouble"}

#: Methods that make an object of a number, for handlers: method -> (descriptor of the number, class).
BOXES = {
    "boxBoolean": ("Z", "Boolean"), "boxByte": ("B", "Byte"), "boxChar": ("C", "Character"), "boxShort": ("S", "Short"),
    "boxInt": ("I", "Integer"), "boxLong": ("J", "Long"), "boxFloat": ("F", "Float"), "boxDouble": ("D", "Double"),
}

#: Array probes: method -> (array class with this layout, log2 of an element's size, or None for the size of a reference).
ARRAYS = {"array1": ("[B", 0), "array2": ("[S", 1), "array4": ("[I", 2), "array8": ("[J", 3), "arrayRef": ("[Ljava/lang/Object;", None)}

#: Methods that woven classes call; the rest are private, except for two that VirtualThread calls within the package.
PUBLIC = frozenset({
    "count", "allocated", *ARRAYS, "arrays", "enter", "enterTree", "caught", "exit", "thrown", "due", "enterDue", "exitPaced", "thrownPaced",
    "thrownCall",
    "push", "pushOpaque", "pop", "popOpaque", "popThrown", "restore", "covered",
    "entered", "left", "threw", "now", "array", *BOXES, "beginContext", "beginContextBy", "endContext", "endContextOnward",
    "key", "keyOf", "keyPart", "keyNumber", "value", "valueIn", "valueReal",
    "regionBegins", "regionEnds", "countBelow", "enterBelow", "submitted", "beginTask", "nextTask", "noTask",
    "watching", "begun", "constructed", "onlyIf", "watched", "watchedThrown", *(f"watched{letter}" for letter, _ in BOXES.values()),
    "watchingIf", "passed", "keep", *(f"keep{letter}" for letter, _ in BOXES.values()),
    "write", "wrote", *(f"{name}{letter}" for name in ("write", "wrote") for letter, _ in BOXES.values()),
    *object_fields.PUBLIC,
})
#: What handlers call, and what a probe of coverage does once: they hardly run, but the JIT would inline it into all of them.
NOT_INLINED = frozenset({
    "keyAnew", "keyFoundAnew", "begun", "thrownPaced", "thrownCall", "popThrown", "restore", "coveredFirst", "seen",
    "fieldAnew",
})
PACKAGE = frozenset({("mounted", f"(L{THREAD};)V"), ("unmounting", "()V")})

#: Makes a probe's code, given the code that finds the thread's slots and the label of the slow path.
Body = Callable[[Code, Label], Code]


@dataclass
class Tracker:
    """The class under construction; `carriers`: Thread.currentCarrierThread exists (JDK 19 and later)."""

    carriers: bool
    cf: ClassFile = field(init=False)

    def __post_init__(self) -> None:
        self.cf = ClassFile.create(NAME, WEAK)
        self.cf.version = (49, 0)
        self.cf.access_flags.acc_public = True
        self.cf.access_flags.acc_final = True

    def bytes(self) -> bytes:
        """The class file."""
        for name, descriptor in NATIVES.items():
            self.method(name, descriptor)
        self.fields()
        self.initialiser()
        self.counting("count", "countSlowly")
        self.counting("allocated", "allocatedSlowly", slowly_at_zero=True)
        for name in ARRAYS:
            self.array(name)
        self.multi()
        self.paced()
        self.paths()
        self.coverage()
        self.contexts()
        self.keys()
        self.tasks()
        self.virtual_threads()
        self.events()
        self.watch()
        self.watch_lines()
        self.watch_writes()
        object_fields.add(self)
        self.invoke()
        self.shutdown_hook()
        self.link()
        out = BytesIO()
        self.cf.save(out)
        return out.getvalue()

    # ---- shorthands

    def ref(self, name: str, descriptor: str, owner: str = NAME) -> Any:
        return self.cf.constants.create_method_ref(owner, name, descriptor)

    def static(self, name: str, descriptor: str) -> Any:
        return self.cf.constants.create_field_ref(NAME, name, descriptor)

    def get(self, name: str, descriptor: str) -> tuple[Any, ...]:
        return ("getstatic", self.static(name, descriptor))

    def put(self, name: str, descriptor: str) -> tuple[Any, ...]:
        return ("putstatic", self.static(name, descriptor))

    def call(self, name: str, descriptor: str, owner: str = NAME) -> tuple[Any, ...]:
        return ("invokestatic" if owner == NAME else "invokevirtual", self.ref(name, descriptor, owner))

    def method(
        self, name: str, descriptor: str, code: Code | None = None, stack: int = 0, local: int = 0, caught: int = 0, static: bool = True
    ) -> None:
        """Adds a method, native without code. `caught`: so many bytes at its end handle what the others throw."""
        m = self.cf.methods.create(name, descriptor, code=True if code else None)  # code=False would make a broken method
        m.access_flags.acc_static = static
        m.access_flags.acc_public = name in PUBLIC or not static
        m.access_flags.acc_private = static and name not in PUBLIC and (name, descriptor) not in PACKAGE
        if code:
            m.code.max_stack, m.code.max_locals = stack, local
            m.code.assemble(assemble([short(one) for one in code]))
            if caught:
                handler_pc = len(m.code._code) - caught
                m.code.exception_table.append(CodeException(0, handler_pc, handler_pc, 0))
        else:
            m.access_flags.acc_native = True
        annotations = ["Hidden", "DontInline"] if name in NOT_INLINED else ["Hidden"]
        m.attributes.create(*self.annotations(*annotations))

    def annotations(self, *names: str) -> tuple[Any, ...]:
        """The arguments that make an attribute with these annotations of the JVM's own."""
        types = [self.cf.constants.create_utf8(f"Ljdk/internal/vm/annotation/{one};") for one in names]
        info = len(types).to_bytes(2, "big") + b"".join(t.index.to_bytes(2, "big") + b"\0\0" for t in types)
        return Annotations, self.cf.constants.create_utf8("RuntimeVisibleAnnotations").index, info

    # ---- the parts

    def fields(self) -> None:
        names = {"U": f"L{UNSAFE};", "HOLDER": "J", "SLOTS": "J", "TID": "J", "ALIGN": "J", "REF": "I", "MASK": "I", "PATH": "J",
                 "COVER": "J", "SEEN": "[[B", "KNOWN": f"[L{NAME};", **object_fields.FIELDS}
        for name, descriptor in (names | {f"BASE_{name}": "J" for name in ARRAYS}).items():
            f = self.cf.fields.create(name, descriptor)
            f.access_flags.acc_static = f.access_flags.acc_final = f.access_flags.acc_private = True
            f.access_flags.acc_public = False  # jawa's default
            if name in ("SEEN", "FIELDS"):
                f.attributes.create(*self.annotations("Stable"))
        for name, descriptor in {"slot": "I", "key": "I", **object_fields.PLACE}.items():  # of an element of KNOWN, or of FIELDS
            f = self.cf.fields.create(name, descriptor)
            f.access_flags.acc_final = descriptor == "I"
            f.access_flags.acc_private = True
            f.access_flags.acc_public = False
            f.attributes.create(*self.annotations("Stable"))

    def initialiser(self) -> None:
        """Sets static final fields, which the JIT treats as constants once the class is initialised."""
        unsafe = self.get("U", f"L{UNSAFE};")
        code: Code = [
            ("invokestatic", self.ref("getUnsafe", f"()L{UNSAFE};", UNSAFE)), self.put("U", f"L{UNSAFE};"),
            self.call("mask", "()I"), self.put("MASK", "I"),
            self.call("coverBase", "()J"), self.put("COVER", "J"),
            self.get("MASK", "I"), ("bipush", SEEN_SHIFT), ("iushr",), ("iconst_1",), ("iadd",), ("anewarray", self.cf.constants.create_class("[B")),
            self.put("SEEN", "[[B"),
            ("sipush", 1 << KNOWN_SHIFT), ("anewarray", self.cf.constants.create_class(NAME)), self.put("KNOWN", f"[L{NAME};"),
            self.call("pathAt", "()I"), ("i2l",), self.put("PATH", "J"),
            self.call("alignment", "()I"), ("i2l",), self.put("ALIGN", "J"),
            *self.offset("TID", THREAD, "tid"),
            *(self.offset("HOLDER", THREAD, "holder") if self.carriers else []),
            *self.offset("SLOTS", HOLDER if self.carriers else THREAD, "stackSize"),
            # log2 of a reference's size: 4 or 8 bytes
            unsafe, ("ldc_w", self.cf.constants.create_class("[Ljava/lang/Object;")),
            self.call("arrayIndexScale", "(Ljava/lang/Class;)I", UNSAFE), ("iconst_2",), ("ishr",), ("iconst_1",), ("iadd",), self.put("REF", "I"),
        ]
        code += object_fields.initialiser(self)
        for name, (array, _) in ARRAYS.items():
            code += [("ldc_w", self.cf.constants.create_class(array)), self.call("arrayBase", "(Ljava/lang/Class;)J"), self.put(f"BASE_{name}", "J")]
        self.method("<clinit>", "()V", [*code, ("return",)], stack=5)

    def offset(self, field: str, owner: str, name: str) -> Code:
        """Stores the offset of a JDK field in a static field of the tracker."""
        return [
            self.get("U", f"L{UNSAFE};"), ("ldc_w", self.cf.constants.create_class(owner)), ("ldc_w", self.cf.constants.create_string(name)),
            self.call("objectFieldOffset", "(Ljava/lang/Class;Ljava/lang/String;)J", UNSAFE), self.put(field, "J"),
        ]

    def thread(self, name: str) -> tuple[Any, ...]:
        return ("invokestatic", self.ref(name, f"()L{THREAD};", THREAD))

    def current(self) -> tuple[Any, ...]:
        """Calls for the thread that counts: the carrier, in JDKs with virtual threads."""
        return self.thread("currentCarrierThread" if self.carriers else "currentThread")

    def own_slots(self, thread: tuple[Any, ...], at: int, slow: Label) -> Code:
        """Loads the address of this thread's slots into local `at`. Jumps to `slow` if the thread has none yet, or if the value is no negated
        address: the JDK and programs may store small negative numbers there."""
        unsafe, where = self.get("U", f"L{UNSAFE};"), self.get("SLOTS", "J")
        found: Code = [unsafe, thread]
        if self.carriers:  # virtual threads have no holder, nor do threads that are attaching
            found += [self.get("HOLDER", "J"), self.call("getReference", "(Ljava/lang/Object;J)Ljava/lang/Object;", UNSAFE), ("astore", at),
                      ("aload", at), ("ifnull", slow), unsafe, ("aload", at)]
        found += [where, self.call("getLong", "(Ljava/lang/Object;J)J", UNSAFE), ("lstore", at), ("lload", at)]
        found += [("ldc2_w", self.cf.constants.create_long(-LEAST_ADDRESS)), ("lcmp",), ("ifge", slow)]
        return [*found, ("lload", at), ("lneg",), ("lstore", at)]  # what is added to it is part of the instruction then

    def probe(self, name: str, descriptor: str, code: Body, native: str, arguments: Code, at: int, stack: int, local: int) -> None:
        """A method with int parameters that counts in this thread's slots, whose address goes into local `at`. If the thread has none yet,
        `native` (if any) is called with the `arguments` and the thread that counts."""
        back = ("return",) if descriptor.endswith("V") else ("ireturn",)
        slowly: Code = [*arguments, self.current(), self.call(native, NATIVES[native])] if native else []
        ways = [(name, "currentThread", [*slowly, back])]
        if self.carriers:
            carrier, same = f"{name}Carrier", [("iload", i) for i in range(descriptor.index(")") - 1)]
            ways = [(name, "currentThread", [*same, self.call(carrier, descriptor), back]), (carrier, "currentCarrierThread", ways[0][2])]
        for method, thread, otherwise in ways:
            slow = Label("slow")
            self.method(method, descriptor, [*code(self.own_slots(self.thread(thread), at, slow), slow), slow, *otherwise], stack, local)

    def slot(self, number: int, at: int) -> Code:
        """Pushes the address of the slot whose number is in a local. The address is within the block, whatever the number is."""
        return [("iload", number), self.get("MASK", "I"), ("iand",), ("i2l",), ("iconst_3",), ("lshl",), ("lload", at), ("ladd",)]

    def further(self, here: str, there: str) -> tuple[Any, ...]:
        """Pushes the distance in bytes between two slots of a probe."""
        slots = header.slots()
        return "ldc2_w", self.cf.constants.create_long(8 * (slots[there] - slots[here]))

    def add(self, address: int, amount: Code) -> Code:
        """Adds to the word whose address is in a local; a plain load and store, since only the owner writes there."""
        return [
            self.get("U", f"L{UNSAFE};"), ("aconst_null",), ("lload", address), *self.load(("lload", address)), *amount, ("ladd",),
            self.call("putLong", "(Ljava/lang/Object;JJ)V", UNSAFE),
        ]

    def load(self, *address: tuple[Any, ...]) -> Code:
        """Loads the word at an address, by the intrinsic itself: the JIT would have to inline its wrapper each time."""
        return [self.get("U", f"L{UNSAFE};"), ("aconst_null",), *address, self.call("getLong", "(Ljava/lang/Object;J)J", UNSAFE)]

    def counting(self, name: str, native: str, slowly_at_zero: bool = False) -> None:
        """``name(int slot)``: adds one to the slot."""
        def code(found: Code, slow: Label) -> Code:
            first: Code = [*self.load(("lload_1",)), ("lconst_0",), ("lcmp",), ("ifeq", slow)] if slowly_at_zero else []
            return [*found, *self.slot(0, 1), ("lstore_1",), *first, *self.add(1, [("lconst_1",)]), ("return",)]

        self.probe(name, "(I)V", code, native, [("iload_0",)], at=1, stack=8, local=3)

    def array(self, name: str) -> None:
        """``name(int length, int slot)``: adds one to the slot and the array's bytes to the next one."""
        shift = ARRAYS[name][1]
        bits: Code = [self.get("REF", "I")] if shift is None else [(f"iconst_{shift}",)]
        size: Code = [
            ("iload_0",), ("i2l",), *bits, ("lshl",), self.get(f"BASE_{name}", "J"), ("ladd",),
            self.get("ALIGN", "J"), ("ladd",), ("lconst_1",), ("lsub",), self.get("ALIGN", "J"), ("lneg",), ("land",), ("lstore", 4),
        ]

        def code(found: Code, slow: Label) -> Code:
            return [
                *size, *found, *self.slot(1, 2), ("lstore_2",),
                *self.add(2, [("lconst_1",)]),
                ("lload_2",), self.further("CH_ALLOC_COUNT", "CH_ALLOC_BYTES"), ("ladd",), ("lstore_2",),
                *self.add(2, [("lload", 4)]), ("return",),
            ]

        self.probe(name, "(II)V", code, "arraySlowly", [("lload", 4), ("iload_1",)], at=2, stack=10, local=6)

    def multi(self) -> None:
        code = [("aload_0",), ("iload_1",), self.current(), self.call("multiArray", f"(Ljava/lang/Object;IL{THREAD};)V"), ("return",)]
        self.method("arrays", "(Ljava/lang/Object;I)V", code, stack=3, local=2)

    def paced(self) -> None:
        """``due(int slot)`` counts in the slot. It returns the slot if the count has reached the number in the next slot (pacing.c) and
        the activation is to be timed, else 0. ``exitPaced`` is passed the result of `enterDue`, or that 0; so is ``thrownPaced``, and the
        slot that counts exceptions. ``thrownCall`` is passed what `enter` returned for a call that is timed, or 0."""
        untimed = Label("untimed")

        def ask(found: Code, slow: Label) -> Code:
            due = Label("due")
            return [
                *found, *self.slot(0, 1), ("lstore", 1), *self.load(("lload", 1)), ("lstore", 3),
                self.get("U", f"L{UNSAFE};"), ("aconst_null",), ("lload", 1), ("lload", 3), ("lconst_1",), ("ladd",),
                self.call("putLong", "(Ljava/lang/Object;JJ)V", UNSAFE),
                ("lload", 3), *self.load(("lload", 1), self.further("CH_PACED_CALLS", "CH_PACED_NEXT"), ("ladd",)), ("lcmp",), ("ifge", due),
                ("iconst_0",), ("ireturn",), due, ("iload", 0), ("ireturn",),
            ]

        self.probe("due", "(I)I", ask, "dueSlowly", [("iload", 0)], at=1, stack=8, local=5)
        code: Code = [("iload_0",), ("ifeq", untimed), ("iload_0",), self.call("exit", "(I)V"), untimed, ("return",)]
        self.method("exitPaced", "(I)V", code, stack=1, local=1)
        thrown: Code = [("iload_1",), self.call("count", "(I)V"), ("iload_0",), ("ifeq", untimed), ("iload_0",), self.call("thrown", "(I)V")]
        self.method("thrownPaced", "(II)V", [*thrown, untimed, ("return",)], stack=1, local=2)
        call: Code = [("iload_0",), ("ifeq", untimed), ("iload_0",), self.call("thrown", "(I)V"), untimed, ("return",)]
        self.method("thrownCall", "(I)V", call, stack=1, local=1)

    def paths(self) -> None:
        """``push(int slot)`` counts in the slot, puts it on the thread's path, and returns the frame's depth (paths.c), which ``pop``
        takes to end it; -1 where there is no path. ``restore`` ends the frames above it: those that an exception left.

        Of two plain stores to the depth with only arithmetic between them, a loop perhaps, the JIT keeps the second, and the sampler would
        never see what the first belongs to. So methods with loops use ``pushOpaque`` and ``popOpaque``. Elsewhere that would cost much: it
        ends the JIT's knowledge of all memory, the thread's block included.
        """
        unsafe, base = self.get("U", f"L{UNSAFE};"), 4
        path: Code = [self.get("PATH", "J"), ("lload", 2), ("ladd",), ("lstore", base)]
        plainly, opaquely = (self.call(name, "(Ljava/lang/Object;JI)V", UNSAFE) for name in ("putInt", "putIntOpaque"))
        last = ("sipush", header.constant("CH_PATH_FRAMES") - 1)
        # It shows the JIT that the depth is not negative. Less than CH_UNNUMBERED, which would make this class look like one whose probes nobody
        # numbered.
        positive = ("ldc_w", self.cf.constants.create_integer(0x3FFFFFFF))
        # The frame's place: (depth | (last - depth) >> 31) & last, without a branch. Of more frames than there is room for, the one called last
        # is in the last place.
        at: Code = [
            ("iload_1",), last, ("iload_1",), ("isub",), ("bipush", 31), ("ishr",), ("ior",), last, ("iand",),
            ("i2l",), ("iconst_2",), ("lshl",),
        ]
        # the depth into local 1, and a frame for the slot in local 0
        frame: Code = [
            unsafe, ("aconst_null",), ("lload", base), self.call("getInt", "(Ljava/lang/Object;J)I", UNSAFE), positive, ("iand",), ("istore_1",),
            unsafe, ("aconst_null",), ("lload", base), ("ldc2_w", self.cf.constants.create_long(header.constant("CH_PATH_AT"))), ("ladd",),
            *at, ("ladd",), ("iload_0",), plainly,
            unsafe, ("aconst_null",), ("lload", base), ("iload_1",), ("iconst_1",), ("iadd",),
        ]

        def push(found: Code, slow: Label, *, set_depth: Any) -> Code:
            return [*found, *path, *self.slot(0, 2), ("lstore_2",), *self.add(2, [("lconst_1",)]), *frame, set_depth, ("iload_1",), ("ireturn",)]

        def pop(found: Code, slow: Label, *, set_depth: Any, above: Code) -> Code:
            return [("iload_0",), ("iflt", slow), *found, unsafe, ("aconst_null",), *path[:3], ("iload_0",), *above, set_depth, ("return",)]

        for kind, set_depth in (("", plainly), ("Opaque", opaquely)):
            self.probe(f"push{kind}", "(I)I", partial(push, set_depth=set_depth), "pushSlowly", [("iload_0",)], at=2, stack=8, local=8)
            self.probe(f"pop{kind}", "(I)V", partial(pop, set_depth=set_depth, above=[]), "", [], at=2, stack=8, local=6)
        self.probe("restore", "(I)V", partial(pop, set_depth=opaquely, above=[("iconst_1",), ("iadd",)]), "", [], at=2, stack=8, local=6)
        popped: Code = [("iload_0",), self.call("pop", "(I)V"), ("iload_1",), self.call("count", "(I)V"), ("return",)]
        self.method("popThrown", "(II)V", popped, stack=1, local=2)

    def coverage(self) -> None:
        """``covered(int slot)`` sets the slot's byte in the region CH_COVER.

        It looks into SEEN first, and comes to the region only for what is not set there: no two threads write to one cache line again and
        again. SEEN is @Stable: the JIT takes elements that are set for constants, so that a probe that was hit before its method is
        compiled leaves no code. It is made in parts, when their first slot is hit: one large array that lives from the start on makes G1
        choose larger young generations (H2: +42 MB for 1 MB).
        """
        slow, done, known, there = Label("slow"), Label("done"), Label("known"), Label("there")
        unsafe = self.get("U", f"L{UNSAFE};")
        number: Code = [("iload_0",), self.get("MASK", "I"), ("iand",), ("bipush", SEEN_SHIFT), ("iushr",)]
        part: Code = [self.get("SEEN", "[[B"), *number, ("aaload",)]
        inside: Code = [("iload_0",), ("sipush", (1 << SEEN_SHIFT) - 1), ("iand",)]
        code: Code = [
            *part, ("astore_1",), ("aload_1",), ("ifnull", slow), ("aload_1",), *inside, ("baload",), ("ifne", done),
            slow, ("iload_0",), self.call("coveredFirst", "(I)V"), done, ("return",), *([("nop",)] * 4), ("return",),
        ]
        self.method("covered", "(I)V", code, stack=3, local=2)
        code = [  # the address is within the region, whatever the number is
            self.get("COVER", "J"), ("iload_0",), self.get("MASK", "I"), ("iand",), ("i2l",), ("ladd",), ("lstore_1",),
            unsafe, ("aconst_null",), ("lload_1",), self.call("getByte", "(Ljava/lang/Object;J)B", UNSAFE), ("ifne", known),
            unsafe, ("aconst_null",), ("lload_1",), ("iconst_1",), self.call("putByte", "(Ljava/lang/Object;JB)V", UNSAFE),
            known, ("iload_0",), self.call("seen", "(I)V"), ("return",),
        ]
        self.method("coveredFirst", "(I)V", code, stack=6, local=3)
        code = [
            *part, ("ifnonnull", there),
            unsafe, self.get("SEEN", "[[B"), self.get("BASE_arrayRef", "J"), *number, self.get("REF", "I"), ("ishl",), ("i2l",), ("ladd",),
            ("aconst_null",), ("sipush", 1 << SEEN_SHIFT), ("newarray", 8),
            self.call("compareAndSetReference", "(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Z", UNSAFE), ("pop",),
            there, *part, *inside, ("iconst_1",), ("bastore",), ("return",),
        ]
        # without memory for a part, the program goes on and comes here again
        self.method("seen", "(I)V", [*code, ("pop",), ("return",)], stack=8, local=1, caught=2)

    def contexts(self) -> None:
        """``beginContext(int slot)`` and ``beginContextBy(Object root, int slot)`` return the context's depth, which ``endContext`` and
        ``endContextOnward`` take."""
        code: Code = [("iload_0",), self.current(), self.call("contextBegins", NATIVES["contextBegins"]), ("ireturn",)]
        self.method("beginContext", "(I)I", code, stack=2, local=1)
        code = [("aload_0",), ("iload_1",), self.current(), self.call("contextBeginsBy", NATIVES["contextBeginsBy"]), ("ireturn",)]
        self.method("beginContextBy", "(Ljava/lang/Object;I)I", code, stack=3, local=2)
        for name, native in (("endContext", "contextEnds"), ("endContextOnward", "contextGoesOn")):
            none = Label("none")
            code = [("iload_0",), ("ifeq", none), ("iload_0",), self.current(), self.call(native, NATIVES[native]), none, ("return",)]
            self.method(name, "(I)V", code, stack=2, local=1)

    def keys(self) -> None:
        """``keyOf(Object value, int slot)`` returns the slot of a key that is one object. Of strings and constants of enums, KNOWN has slots: a call
        of a native takes longer than all else, and so does to look at an object there. An element stays as long as its object is used.
        ``keyFound`` is passed a value that code found in a field (object_fields.py)."""
        known, value = f"[L{NAME};", "Ljava/lang/Object;"
        text, enum = (self.cf.constants.create_class(f"java/lang/{name}") for name in ("String", "Enum"))
        load = {"value": ("aload_0",), "slot": ("iload_1",), "place": ("iload_2",), "known": ("aload_3",)}

        def field(name: str) -> tuple[Any, ...]:
            return "getfield", self.cf.constants.create_field_ref(NAME, name, "I")

        def hashed(otherwise: Label) -> Code:  # into `place`
            constant, there = Label("constant"), Label("there")
            return [
                load["value"], ("instanceof", text), ("ifeq", constant),
                load["value"], ("checkcast", text), self.call("hashCode", "()I", "java/lang/String"), ("goto", there),
                constant, load["value"], ("instanceof", enum), ("ifeq", otherwise),
                load["value"], ("invokestatic", self.ref("identityHashCode", "(Ljava/lang/Object;)I", "java/lang/System")),
                there, ("dup",), ("bipush", KNOWN_SHIFT), ("iushr",), ("ixor",), load["slot"], ("bipush", 31), ("imul",), ("ixor",),
                ("sipush", (1 << KNOWN_SHIFT) - 1), ("iand",), ("istore_2",),
            ]

        def referent() -> Code:
            return [load["known"], self.call("get", "()Ljava/lang/Object;", WEAK)]

        for name, native in (("keyOf", "key"), ("keyFound", "keyOfValue")):
            element: Code = [self.get("KNOWN", known), load["place"], ("aaload",), ("astore_3",), load["known"]]
            other, anew, same = Label("other"), Label("anew"), Label("same")
            code: Code = [
                *hashed(other), *element, ("ifnull", anew), load["known"], field("slot"), load["slot"], ("if_icmpne", anew),
                *referent(), load["value"], ("if_acmpeq", same),
                load["value"], ("instanceof", text), ("ifeq", anew),
                load["value"], ("checkcast", text), *referent(), self.call("equals", "(Ljava/lang/Object;)Z", "java/lang/String"), ("ifeq", anew),
                same, load["slot"], self.call("count", "(I)V"), load["known"], field("key"), ("ireturn",),
                other, load["value"], load["slot"], self.call(native, NATIVES[native]), ("ireturn",),
                anew, load["value"], load["slot"], load["place"], self.call(f"{name}Anew", f"({value}II)I"), ("ireturn",),
            ]
            self.method(name, f"({value}I)I", code, stack=4, local=4)
            free, done = Label("free"), Label("done")
            made = ("new", self.cf.constants.create_class(NAME))
            code = [
                load["value"], load["slot"], self.call(native, NATIVES[native]), ("istore", 4),
                ("iload", 4), load["slot"], ("isub",), ("iconst_1",), ("if_icmpeq", done),  # CH_KEYED_OTHERS: it may get a slot later
                *element, ("ifnull", free), *referent(), ("ifnonnull", done),
                free, self.get("KNOWN", known), load["place"], made, ("dup",), load["value"], load["slot"], ("iload", 4),
                ("invokespecial", self.ref("<init>", f"({value}II)V")), ("aastore",),
                done, ("iload", 4), ("ireturn",),
                ("pop",), load["slot"], ("iconst_1",), ("iadd",), ("ireturn",),  # without memory for an element: among the others
            ]
            self.method(f"{name}Anew", f"({value}II)I", code, stack=7, local=5, caught=5)
        code = [
            ("aload_0",), ("aload_1",), ("invokespecial", self.ref("<init>", f"({value})V", WEAK)),
            *(part for at, name in ((2, "slot"), (3, "key")) for part in
              (("aload_0",), ("iload", at), ("putfield", self.cf.constants.create_field_ref(NAME, name, "I")))),
            ("return",),
        ]
        self.method("<init>", f"({value}II)V", code, stack=2, local=4, static=False)

    def tasks(self) -> None:
        """``submitted(Object task)`` marks a task with this thread's context; ``beginTask(Object task)`` enters the task's, and returns a depth for
        ``endContext``; ``nextTask(Object task)`` leaves all before, and ``noTask()`` leaves all."""
        code: Code = [("aload_0",), self.current(), self.call("taskBegins", NATIVES["taskBegins"]), ("ireturn",)]
        self.method("beginTask", "(Ljava/lang/Object;)I", code, stack=2, local=1)
        code = [("aload_0",), self.current(), self.call("taskFollows", NATIVES["taskFollows"]), ("return",)]
        self.method("nextTask", "(Ljava/lang/Object;)V", code, stack=2, local=1)
        code = [self.current(), self.call("tasksEnd", NATIVES["tasksEnd"]), ("return",)]
        self.method("noTask", "()V", code, stack=1)

    def virtual_threads(self) -> None:
        """``mounted(Thread)`` and ``unmounting()``: woven into VirtualThread.mount and unmount."""
        code = [
            self.get("U", f"L{UNSAFE};"), ("aload_0",), self.get("TID", "J"), self.call("getLong", "(Ljava/lang/Object;J)J", UNSAFE),
            self.current(), self.call("mountedOn", NATIVES["mountedOn"]), ("return",),
        ]
        self.method("mounted", f"(L{THREAD};)V", code, stack=4, local=1)
        code = [self.current(), self.call("unmountingFrom", NATIVES["unmountingFrom"]), ("return",)]
        self.method("unmounting", "()V", code, stack=1)

    def events(self) -> None:
        """What `event` weaves beside its natives: an array for arguments, objects for numbers."""
        array = [("iload_0",), ("anewarray", self.cf.constants.create_class("java/lang/Object")), ("areturn",)]
        self.method("array", "(I)[Ljava/lang/Object;", array, stack=1, local=1)
        for name, (letter, box) in BOXES.items():
            load = {"J": "lload_0", "F": "fload_0", "D": "dload_0"}.get(letter, "iload_0")
            boxed = ("invokestatic", self.ref("valueOf", f"({letter})Ljava/lang/{box};", f"java/lang/{box}"))
            code = [(load,), boxed, ("areturn",), ("pop",), ("aconst_null",), ("areturn",)]  # without memory for it, the program goes on
            self.method(name, f"({letter})Ljava/lang/Object;", code, stack=2, local=2, caught=3)

    def watch(self) -> None:
        """``watching(int length, int slot)``: an array for an activation; null, if none is watched any more: SEEN says so. ``begun`` returns it
        with the time when the activation began as its last element; null if it is not to be watched. The others take it where the activation ends;
        ``onlyIf(int holds, array)`` returns it, or null if nothing holds.
        """
        objects = "[Ljava/lang/Object;"
        over, go_on, none = Label("over"), Label("go on"), Label("none")
        number: Code = [("iload_1",), self.get("MASK", "I"), ("iand",), ("bipush", SEEN_SHIFT), ("iushr",)]
        made = ("anewarray", self.cf.constants.create_class("java/lang/Object"))
        nothing: Code = [("aconst_null",), ("areturn",), ("pop",), ("aconst_null",), ("areturn",)]
        code: Code = [
            self.get("SEEN", "[[B"), *number, ("aaload",), ("astore_2",), ("aload_2",), ("ifnull", go_on),
            ("aload_2",), ("iload_1",), ("sipush", (1 << SEEN_SHIFT) - 1), ("iand",), ("baload",), ("ifne", over),
            go_on, ("iload_0",), made, ("areturn",), over, *nothing,
        ]
        self.method("watching", f"(II){objects}", code, stack=3, local=3, caught=3)
        boxed = ("invokestatic", self.ref("valueOf", "(J)Ljava/lang/Long;", "java/lang/Long"))
        code = [
            ("aload_0",), ("iload_1",), self.call("watchBegins", NATIVES["watchBegins"]), ("lstore_2",),
            ("lload_2",), ("lconst_0",), ("lcmp",), ("ifgt", go_on),
            ("lload_2",), ("lconst_0",), ("lcmp",), ("ifeq", none), ("iload_1",), self.call("seen", "(I)V"), ("goto", none),
            go_on, ("aload_0",), ("dup",), ("arraylength",), ("iconst_1",), ("isub",), ("lload_2",), boxed, ("aastore",), ("aload_0",), ("areturn",),
            none, *nothing,
        ]
        self.method("begun", f"({objects}I){objects}", code, stack=5, local=4, caught=3)
        code = [("aload_0",), ("ifnull", none), ("aload_0",), ("iconst_0",), ("aload_1",), ("aastore",), none, ("return",)]
        self.method("constructed", f"({objects}Ljava/lang/Object;)V", code, stack=3, local=2)
        code = [("iload_0",), ("ifeq", none), ("aload_1",), ("areturn",), none, ("aconst_null",), ("areturn",)]
        self.method("onlyIf", f"(I{objects}){objects}", code, stack=1, local=2)
        long = self.cf.constants.create_class("java/lang/Long")

        def ends(at: int) -> Code:  # with the array in this local
            begun: Code = [("aload", at), ("dup",), ("arraylength",), ("iconst_1",), ("isub",), ("aaload",), ("checkcast", long)]
            return [*begun, ("invokevirtual", self.ref("longValue", "()J", "java/lang/Long")), self.call("watchEnds", NATIVES["watchEnds"])]

        for name, threw in (("watched", "iconst_0"), ("watchedThrown", "iconst_1")):
            code = [("aload_1",), ("ifnull", none), ("aload_0",), ("aload_1",), ("iload_2",), (threw,), *ends(1), none, ("return",)]
            self.method(name, f"(Ljava/lang/Object;{objects}I)V", code, stack=7, local=3)
        for name, (letter, _) in BOXES.items():
            at = 2 if letter in "JD" else 1
            load = {"J": "lload_0", "F": "fload_0", "D": "dload_0"}.get(letter, "iload_0")
            code = [
                ("aload", at), ("ifnull", none), (load,), self.call(name, f"({letter})Ljava/lang/Object;"),
                ("aload", at), ("iload", at + 1), ("iconst_0",), *ends(at), none, ("return",),
            ]
            self.method(f"watched{letter}", f"({letter}{objects}I)V", code, stack=7, local=at + 2)

    def watch_lines(self) -> None:
        """``watchingIf(int holds, int length, int slot)``: as ``watching``, but null if nothing holds. ``keep(array, index, value)`` puts a value
        into the array, and ``passed(array, slot)`` tells the agent of it; with null they do nothing. So the code at a line needs no jump.
        """
        objects = "[Ljava/lang/Object;"
        none = Label("none")
        nothing: Code = [("aconst_null",), ("areturn",)]
        code: Code = [("iload_0",), ("ifeq", none), ("iload_1",), ("iload_2",), self.call("watching", f"(II){objects}"), ("areturn",), none, *nothing]
        self.method("watchingIf", f"(III){objects}", code, stack=2, local=3)
        code = [("aload_0",), ("ifnull", none), ("aload_0",), ("iload_1",), ("aload_2",), ("aastore",), none, ("return",)]
        self.method("keep", f"({objects}ILjava/lang/Object;)V", code, stack=3, local=3)
        for name, (letter, _) in BOXES.items():
            load = {"J": "lload_2", "F": "fload_2", "D": "dload_2"}.get(letter, "iload_2")
            boxed = self.call(name, f"({letter})Ljava/lang/Object;")
            code = [("aload_0",), ("ifnull", none), ("aload_0",), ("iload_1",), (load,), boxed, ("aastore",), none, ("return",)]
            self.method(f"keep{letter}", f"({objects}I{letter})V", code, stack=4, local=4)
        code = [
            ("aload_0",), ("ifnull", none), ("aload_0",), ("iload_1",), self.call("watchLine", NATIVES["watchLine"]), ("ifeq", none),
            ("iload_1",), self.call("seen", "(I)V"), none, ("return",),
        ]
        self.method("passed", f"({objects}I)V", code, stack=2, local=2)

    def watch_writes(self) -> None:
        """``write(object, value, array, slot)`` puts both into the array and tells the agent; ``wrote(value, old, array, slot)`` does so where there
        is no object: the array's first element is the array itself then. With null they do nothing.
        """
        objects, object_ = "[Ljava/lang/Object;", "Ljava/lang/Object;"
        none = Label("none")
        for name, letter in [("", object_), *((name, letter) for name, (letter, _) in BOXES.items())]:
            load = {"J": "lload", "F": "fload", "D": "dload", object_: "aload"}.get(letter, "iload")
            boxed = [self.call(name, f"({letter}){object_}")] if name else []
            wide = letter in ("J", "D")
            suffix = letter if name else ""
            at = 3 if wide else 2
            told: Code = [
                ("aload", at), ("iload", at + 1), self.call("watchLine", NATIVES["watchLine"]), ("ifeq", none),
                ("iload", at + 1), self.call("seen", "(I)V"), none, ("return",),
            ]
            put: Code = [("aload", at), ("iconst_1",), (load, 1), *boxed, ("aastore",)]
            code = [
                ("aload", at), ("ifnull", none), ("aload", at), ("iconst_0",), ("aload_0",), ("aastore",), *put,
                *told,
            ]
            self.method(f"write{suffix}", f"({object_}{letter}{objects}I)V", code, stack=4, local=at + 2)
            put = [("aload", at), ("iconst_1",), (load, 0), *boxed, ("aastore",)]
            code = [
                ("aload", at), ("ifnull", none), ("aload", at), ("iconst_0",), ("aload", at), ("aastore",), *put,
                ("aload", at), ("iconst_2",), ("aload", at - 1), ("aastore",), *told,
            ]
            self.method(f"wrote{suffix}", f"({letter}{object_}{objects}I)V", code, stack=4, local=at + 2)

    def invoke(self) -> None:
        """``invoke(Method)``: calls a static method without arguments, as the JDK's own code."""
        call = self.call("invoke", "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;", "java/lang/reflect/Method")
        code = [("aload_0",), ("aconst_null",), ("aconst_null",), call, ("pop",), ("return",)]
        self.method("invoke", "(Ljava/lang/reflect/Method;)V", code, stack=3, local=1)

    def shutdown_hook(self) -> None:
        """``run()`` of Runnable, for java.lang.Shutdown (native/base/shutdown_hook.c); that class runs no method that is static."""
        self.cf._interfaces.append(self.cf.constants.create_class("java/lang/Runnable").index)  # jawa's property can only be read
        self.method("run", "()V", [self.call("shutDown", NATIVES["shutDown"]), ("return",)], local=1, static=False)

    def link(self) -> None:
        """``link(int slot)`` calls each native once, with slots that belong to no probe: from `slot` on an allocation's, which serve as those
        of a counted and a profiled method, too; then a paced method's (ch_tracker_link in tracker_class.c takes them).

        The JVM looks up a native at its first call, partly with Java code. If that code were woven, its probes would call the native
        that is being looked up.
        """
        slot, timed, zero, nothing, thread = ("iload_0",), ("iload_1",), ("lconst_0",), ("aconst_null",), self.current()
        slots = header.slots()
        record, calls = slots["CH_ALLOC_SLOTS"] + slots["CH_PACED_RECORD"], slots["CH_ALLOC_SLOTS"] + slots["CH_PACED_CALLS"]
        code: Code = [
            ("iload_0",), ("bipush", record), ("iadd",), ("istore_1",),
            *(part for name in ("countSlowly", "allocatedSlowly") for part in (slot, thread, self.call(name, NATIVES[name]))),
            zero, slot, thread, self.call("arraySlowly", NATIVES["arraySlowly"]),
            ("aconst_null",), slot, thread, self.call("multiArray", NATIVES["multiArray"]),
            timed, self.call("enter", "(I)I"), self.call("exit", "(I)V"), timed, self.call("enter", "(I)I"), self.call("thrown", "(I)V"),
            timed, self.call("enterTree", "(I)I"), ("dup",), self.call("caught", "(I)V"), self.call("exit", "(I)V"),
            ("iinc", 1, calls - record), timed, self.call("enterDue", "(I)I"), self.call("exit", "(I)V"),
            timed, thread, self.call("dueSlowly", NATIVES["dueSlowly"]), ("pop",),
            slot, thread, self.call("pushSlowly", NATIVES["pushSlowly"]), self.call("pop", "(I)V"),
            zero, thread, self.call("mountedOn", NATIVES["mountedOn"]), thread, self.call("unmountingFrom", NATIVES["unmountingFrom"]),
            nothing, self.call("submitted", NATIVES["submitted"]), nothing, thread, self.call("taskBegins", NATIVES["taskBegins"]), ("pop",),
            nothing, thread, self.call("taskFollows", NATIVES["taskFollows"]), thread, self.call("tasksEnd", NATIVES["tasksEnd"]),
            nothing, ("iconst_m1",), thread, self.call("contextBeginsBy", NATIVES["contextBeginsBy"]), ("pop",),
            ("iconst_m1",), thread, self.call("contextBegins", NATIVES["contextBegins"]), thread, self.call("contextEnds", NATIVES["contextEnds"]),
            ("iconst_0",), thread, self.call("contextGoesOn", NATIVES["contextGoesOn"]),
            nothing, ("iconst_m1",), self.call("keyPart", NATIVES["keyPart"]), nothing, ("iconst_m1",), self.call("key", NATIVES["key"]), ("pop",),
            nothing, ("iconst_m1",), self.call("keyOfValue", NATIVES["keyOfValue"]), ("pop",),
            zero, ("iconst_m1",), self.call("keyNumber", NATIVES["keyNumber"]), ("pop",),
            self.call("now", "()J"), ("pop2",), slot, nothing, nothing, self.call("entered", NATIVES["entered"]),
            *(part for name in ("left", "threw") for part in (nothing, slot, zero, nothing, nothing, self.call(name, NATIVES[name]))),
            nothing, slot, self.call("watchBegins", NATIVES["watchBegins"]), ("pop2",),
            nothing, nothing, slot, ("iconst_0",), zero, self.call("watchEnds", NATIVES["watchEnds"]),
            nothing, slot, self.call("watchLine", NATIVES["watchLine"]), ("pop",),
            nothing, slot, ("iconst_0",), self.call("placeOf", NATIVES["placeOf"]), ("pop2",),
            ("return",),
        ]
        self.method("link", "(I)V", code, stack=6, local=2)


def short(one: Any) -> Any:
    """A load or store of a local in its shortest form: the JIT's limits are in bytes of bytecode."""
    if isinstance(one, tuple) and len(one) == 2 and one[0][1:] in ("load", "store") and one[1] < 4:
        return (f"{one[0]}_{one[1]}",)
    return one


class Annotations(Attribute):
    """RuntimeVisibleAnnotations without values; jawa has no class for it."""

    def __init__(self, table: Any, name_index: int, info: bytes) -> None:
        super().__init__(table, name_index)
        self.info = info

    def pack(self) -> bytes:
        return self.info


def c_array(name: str, data: bytes) -> str:
    """C source of a constant array."""
    return f"static const unsigned char {name}[] = {{{','.join(map(str, data))}}};\n"


def natives_header() -> str:
    """Prototypes of the natives, so that the compiler compares their C definitions with the class."""
    lines = ["#include <jni.h>"]
    for name, descriptor in NATIVES.items():
        arguments, result = descriptor[1:].split(")")
        types = [C_TYPES.get(letter[0], "jobject") for letter in re.findall(r"\[*(?:L[^;]+;|.)", arguments)]
        lines.append(f"JNIEXPORT {C_TYPES[result]} JNICALL Java_{NAME.replace('/', '_')}_{name}({', '.join(['JNIEnv *', 'jclass', *types])});")
    return "\n".join(lines) + "\n"


def c_header() -> str:
    """C source of both variants of the class, and of its natives without their addresses."""
    natives = ", ".join(f'{{(char *)(uintptr_t)"{name}", (char *)(uintptr_t)"{descriptor}", NULL}}' for name, descriptor in NATIVES.items())
    classes = c_array("tracker_plain", Tracker(False).bytes()) + c_array("tracker_carrier", Tracker(True).bytes())
    return f"{classes}#define TRACKER_NATIVES {natives}\n"
