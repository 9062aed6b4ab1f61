"""Keys and values of calls (`by`, `value`): which slot a key has (native/watch/keys.c, values.c)."""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.names import NAME, OBJECT, WEAK, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker

#: log2 of the number of keys that KNOWN has room for.
KNOWN_SHIFT = 12


def add(t: Tracker) -> None:
    """``keyOf(Object value, int slot)`` returns the slot of a key that is one object. Of strings and constants of
    enums, KNOWN has slots: a call of a native takes longer than all else, and so does to look at an object there. An
    element stays as long as its object is used. ``keyFound`` is passed a value that code found in a field
    (fields.py)."""
    known, value = f"[L{NAME};", "Ljava/lang/Object;"
    text, enum = (t.type(f"java/lang/{name}") for name in ("String", "Enum"))
    load = {"value": ("aload_0",), "slot": ("iload_1",), "place": ("iload_2",), "known": ("aload_3",)}

    def hashed(otherwise: Label) -> Code:  # into `place`
        constant, there = Label("constant"), Label("there")
        return [
            load["value"],
            ("instanceof", text),
            ("ifeq", constant),
            load["value"],
            ("checkcast", text),
            t.call("hashCode", "()I", "java/lang/String"),
            ("goto", there),
            constant,
            load["value"],
            ("instanceof", enum),
            ("ifeq", otherwise),
            load["value"],
            ("invokestatic", t.ref("identityHashCode", "(Ljava/lang/Object;)I", "java/lang/System")),
            there,
            ("dup",),
            ("bipush", KNOWN_SHIFT),
            ("iushr",),
            ("ixor",),
            load["slot"],
            ("bipush", 31),
            ("imul",),
            ("ixor",),
            ("sipush", (1 << KNOWN_SHIFT) - 1),
            ("iand",),
            ("istore_2",),
        ]

    def referent() -> Code:
        return [load["known"], t.call("get", "()Ljava/lang/Object;", WEAK)]

    for name, native in (("keyOf", "key"), ("keyFound", "keyOfValue")):
        element: Code = [t.get("KNOWN", known), load["place"], ("aaload",), ("astore_3",), load["known"]]
        other, anew, same = Label("other"), Label("anew"), Label("same")
        code: Code = [
            *hashed(other),
            *element,
            ("ifnull", anew),
            load["known"],
            t.field("slot", "I"),
            load["slot"],
            ("if_icmpne", anew),
            *referent(),
            load["value"],
            ("if_acmpeq", same),
            load["value"],
            ("instanceof", text),
            ("ifeq", anew),
            load["value"],
            ("checkcast", text),
            *referent(),
            t.call("equals", "(Ljava/lang/Object;)Z", "java/lang/String"),
            ("ifeq", anew),
            same,
            load["slot"],
            t.call("count", "(I)V"),
            load["known"],
            t.field("key", "I"),
            ("ireturn",),
            other,
            load["value"],
            load["slot"],
            t.native(native),
            ("ireturn",),
            anew,
            load["value"],
            load["slot"],
            load["place"],
            t.call(f"{name}Anew", f"({value}II)I"),
            ("ireturn",),
        ]
        t.method(name, f"({value}I)I", code, stack=4, local=4)
        free, done = Label("free"), Label("done")
        made = ("new", t.type(NAME))
        code = [
            load["value"],
            load["slot"],
            t.native(native),
            ("istore", 4),
            # CH_KEYED_OTHERS: it may get a slot later
            ("iload", 4),
            load["slot"],
            ("isub",),
            ("iconst_1",),
            ("if_icmpeq", done),
            *element,
            ("ifnull", free),
            *referent(),
            ("ifnonnull", done),
            free,
            t.get("KNOWN", known),
            load["place"],
            made,
            ("dup",),
            load["value"],
            load["slot"],
            ("iload", 4),
            ("invokespecial", t.ref("<init>", f"({value}II)V")),
            ("aastore",),
            done,
            ("iload", 4),
            ("ireturn",),
            # without memory for an element: among the others
            ("pop",),
            load["slot"],
            ("iconst_1",),
            ("iadd",),
            ("ireturn",),
        ]
        t.method(f"{name}Anew", f"({value}II)I", code, stack=7, local=5, caught=5)
    code = [
        ("aload_0",),
        ("aload_1",),
        ("invokespecial", t.ref("<init>", f"({value})V", WEAK)),
        *(
            part
            for at, name in ((2, "slot"), (3, "key"))
            for part in (("aload_0",), ("iload", at), t.field(name, "I", "putfield"))
        ),
        ("return",),
    ]
    t.method("<init>", f"({value}II)V", code, stack=2, local=4, static=False)


def initialise(t: Tracker) -> Code:
    return [("sipush", 1 << KNOWN_SHIFT), ("anewarray", t.type(NAME)), t.put("KNOWN", f"[L{NAME};")]


def link(t: Tracker) -> Code:
    nothing, none = ("aconst_null",), ("iconst_m1",)
    return [
        nothing,
        none,
        t.native("keyPart"),
        nothing,
        none,
        t.native("key"),
        ("pop",),
        nothing,
        none,
        t.native("keyOfValue"),
        ("pop",),
        ("lconst_0",),
        none,
        t.native("keyNumber"),
        ("pop",),
    ]


#: Natives that woven classes call themselves.
OF_PROBES = {
    "key": f"({OBJECT}I)I",
    "keyPart": f"({OBJECT}I)V",
    "keyNumber": "(JI)I",
    "value": "(JI)V",
    "valueIn": f"({OBJECT}II)V",
    "valueReal": "(DI)V",
}
PART = Part(
    add,
    natives=OF_PROBES | {"keyOfValue": f"({OBJECT}I)I"},
    public=(*OF_PROBES, "keyOf"),
    not_inlined=("keyAnew", "keyFoundAnew"),
    fields={"KNOWN": f"[L{NAME};"},
    initialise=initialise,
    link=link,
)
