"""The tracker's methods that read fields of objects, for conditions, keys and values: by Unsafe, at places that the
agent finds (native/watch/field_places.c).

1. FIELDS has, for the slot of a probe, a chain of elements: one for each field that its paths name (`key`) and each
   class of objects that came by, to which an element has a weak reference. It says what is there (`slot`: enum
   ch_place) and where (`at`). So nothing is read from an object of another class, and no access is checked.
2. An element never changes, and a chain only grows; both are @Stable, so that compiled code has them as constants.
   Beyond MOST classes, and where something is unusual, the answer is UNSURE: the condition may hold, and the agent
   decides it.
3. No method of the program is called, and no class is initialised.

``readOn(object, slot, asked)`` returns what a field has that is an object; an element of FIELDS stands for what is not
there, or not known. The methods that begin with ``is`` compare what a field has with a constant: 1 if `asked` has the
bit of the outcome (classhook.h).
"""

from __future__ import annotations

from jawa.assemble import Label

from classhook.native.building.tracker.coverage import SEEN_SHIFT, number_of_part, parts_of_slots
from classhook.native.building.tracker.field_code import CHAINS, ELEMENT, FIELDS, FieldCode, place
from classhook.native.building.tracker.names import NAME, OBJECT, UNSAFE, WEAK, Code
from classhook.native.building.tracker.part import Part
from classhook.native.building.tracker.thread_slots import Tracker

#: Of a chain; further classes are left to the agent. The first few are looked at without a loop, which the JIT would
#: not take for constant.
MOST, AT_ONCE = 24, 3
DEEPEST = 8  # of collections that wrap another one
SIZES = {
    "BYTE": ("getByte", "B"),
    "CHAR": ("getChar", "C"),
    "SHORT": ("getShort", "S"),
    "INT": ("getInt", "I"),
    "LONG": ("getLong", "J"),
}


def add(t: Tracker) -> None:
    t.declare("BARRIER", "I", final=False, volatile=True)
    p = FieldCode(t)
    look_up(p)
    anew(p)
    read_on(p)
    whole(p)
    key_behind(p)
    value_behind(p)


def initialise(t: Tracker) -> Code:
    p = FieldCode(t)
    code: Code = [*parts_of_slots(t, f"[{ELEMENT}"), t.put("FIELDS", CHAINS), *t.offset("NEXT", NAME, "next")]
    for name in ("UNSURE", "NOTHING"):
        code += [*p.made([("aconst_null",)], [("bipush", place(name))], [("iconst_m1",)]), t.put(name, ELEMENT)]
    return code


def link(t: Tracker) -> Code:
    return [("aconst_null",), ("iload_0",), ("iconst_0",), t.native("placeOf"), ("pop2",)]


def look_up(p: FieldCode) -> None:
    """``fieldOf(object, slot, asked)``: the element for an object that is not null. A volatile field is read behind a
    barrier."""
    t, other, missing, volatile, again = p.t, Label("other"), Label("missing"), Label("volatile"), Label("again")
    part, place_in = p.chain(1)

    def matches(otherwise: Label, same: Label) -> Code:  # the element in local 3
        return [
            ("aload", 3),
            ("ifnull", missing),
            ("aload", 3),
            t.field("key", "I"),
            ("iload", 2),
            ("sipush", p.asked),
            ("iand",),
            ("if_icmpne", otherwise),
            ("aload", 3),
            t.call("get", f"(){OBJECT}", WEAK),
            ("aload", 0),
            t.call("getClass", "()Ljava/lang/Class;", "java/lang/Object"),
            ("if_acmpeq", same),
            otherwise,
            ("aload", 3),
            t.field("next", ELEMENT),
            ("astore", 3),
        ]

    same = Label("same")
    code: Code = [
        ("aload", 0),
        ("instanceof", t.type(NAME)),
        ("ifeq", other),
        ("aload", 0),
        ("checkcast", t.type(NAME)),
        ("areturn",),
        other,
        *part,
        ("astore", 4),
        ("aload", 4),
        ("ifnull", missing),
        ("aload", 4),
        *place_in,
        ("aaload",),
        ("astore", 3),
    ]
    for _ in range(AT_ONCE):
        code += matches(p.label(), same)
    code += [
        again,
        *matches(p.label(), same),
        ("goto", again),
        same,
        ("aload", 3),
        t.field("slot", "I"),
        ("bipush", place("VOLATILE")),
        ("iand",),
        ("ifne", volatile),
        ("aload", 3),
        ("areturn",),
        volatile,
        t.get("BARRIER", "I"),
        ("pop",),
        ("aload", 3),
        ("areturn",),
        missing,
        ("aload", 0),
        ("iload", 1),
        ("iload", 2),
        t.call("fieldAnew", f"({OBJECT}II){ELEMENT}"),
        ("areturn",),
    ]
    t.method("fieldOf", f"({OBJECT}II){ELEMENT}", code, stack=4, local=5)


def anew(p: FieldCode) -> None:
    """``fieldAnew``: asks the agent, and adds an element to the chain's end. Of two threads that do so at once, one
    adds; the other comes again."""
    t = p.t
    unsafe = t.get("U", f"L{UNSAFE};")
    there, last, end, full, first, done = (Label(name) for name in ("there", "last", "end", "full", "first", "done"))
    part, place_in = p.chain(1)
    number = number_of_part(t, 1)
    cas = t.call("compareAndSetReference", f"({OBJECT}J{OBJECT}{OBJECT})Z", UNSAFE)

    def address(index: Code) -> Code:  # of an element of an array
        return [t.get("BASE_arrayRef", "J"), *index, t.get("REF", "I"), ("ishl",), ("i2l",), ("ladd",)]

    code: Code = [
        *part,
        ("ifnonnull", there),
        unsafe,
        p.static("FIELDS"),
        *address(number),
        ("aconst_null",),
        ("sipush", 1 << SEEN_SHIFT),
        ("anewarray", t.type(NAME)),
        cas,
        ("pop",),
        there,
        ("aconst_null",),
        ("astore", 3),
        ("iconst_0",),
        ("istore", 4),
        *part,
        *place_in,
        ("aaload",),
        ("astore", 5),
        last,
        ("aload", 5),
        ("ifnull", end),
        ("aload", 5),
        ("astore", 3),
        ("iinc", 4, 1),
        ("aload", 5),
        t.field("next", ELEMENT),
        ("astore", 5),
        ("goto", last),
        end,
        ("iload", 4),
        ("bipush", MOST),
        ("if_icmpge", full),
        ("aload", 0),
        ("iload", 1),
        ("iload", 2),
        t.native("placeOf"),
        ("lstore", 6),
        *p.made(
            [("aload", 0), t.call("getClass", "()Ljava/lang/Class;", "java/lang/Object")],
            [("lload", 6), ("l2i",), ("sipush", 255), ("iand",)],
            [("iload", 2), ("sipush", p.asked), ("iand",)],
        ),
        ("astore", 5),
        ("aload", 5),
        ("lload", 6),
        ("bipush", 8),
        ("lshr",),
        t.field("at", "J", "putfield"),
        unsafe,
        ("aload", 3),
        ("ifnull", first),
        ("aload", 3),
        p.static("NEXT"),
        ("goto", done),
        first,
        *part,
        *address(place_in),
        done,
        ("aconst_null",),
        ("aload", 5),
        cas,
        ("pop",),
        ("aload", 5),
        ("areturn",),
        full,
        p.static("UNSURE"),
        ("areturn",),
        ("pop",),
        p.static("UNSURE"),
        ("areturn",),  # without memory
    ]
    t.method("fieldAnew", f"({OBJECT}II){ELEMENT}", code, stack=8, local=8, caught=5)


def read_on(p: FieldCode) -> None:
    """``readOn``; ``unwrapped(object, slot, asked)``: the collection whose size is that of this one."""
    t, null, go_on, primitive = p.t, Label("null"), Label("go on"), Label("primitive")
    code: Code = [
        *p.found(2, 3, 4, 1, null),
        ("iload", 4),
        ("bipush", place("OBJECT")),
        ("if_icmplt", go_on),
        ("iload", 4),
        ("bipush", place("ARRAY")),
        ("if_icmpgt", primitive),
        *p.read("getReference", "L", 3),
        ("areturn",),
        null,
        ("aconst_null",),
        ("areturn",),
        go_on,
        ("aload", 3),
        ("areturn",),
        primitive,
        p.static("NOTHING"),
        ("areturn",),
    ]
    t.method("readOn", f"({OBJECT}II){OBJECT}", code, stack=4, local=5)
    again, bare, nothing, too_deep = Label("again"), Label("bare"), Label("nothing"), Label("too deep")
    code = [
        ("iconst_0",),
        ("istore", 5),
        *p.found(2, 3, 4, 1, bare),
        *p.unless(4, "WRAPPED", bare),
        again,
        ("iinc", 5, 1),
        ("iload", 5),
        ("bipush", DEEPEST),
        ("if_icmpgt", too_deep),
        *p.read("getReference", "L", 3),
        ("astore", 0),
        *p.found(2, 3, 4, 1, nothing),
        *p.when(4, "WRAPPED", again),
        bare,
        ("aload", 0),
        ("areturn",),
        nothing,
        p.static("NOTHING"),
        ("areturn",),
        too_deep,
        p.static("UNSURE"),
        ("areturn",),
    ]
    t.method("unwrapped", f"({OBJECT}II){OBJECT}", code, stack=4, local=6)


def whole(p: FieldCode) -> None:
    """``whole(object, element, kind)``: a whole number of any type; ``real``: a double or float."""
    t, double = p.t, Label("double")
    code: Code = []
    for name, (method, letter) in SIZES.items():
        other = p.label()
        code += [
            *p.unless(2, name, other),
            *p.read(method, letter, 1),
            *([("i2l",)] if letter != "J" else []),
            ("lreturn",),
            other,
        ]
    string = Label("string")
    code += [
        *p.when(2, "STRING_LENGTH", string),
        ("aload", 0),
        ("invokestatic", t.ref("getLength", f"({OBJECT})I", "java/lang/reflect/Array")),
        ("i2l",),
        ("lreturn",),
        string,
        ("aload", 0),
        ("checkcast", t.type("java/lang/String")),
        t.call("length", "()I", "java/lang/String"),
        ("i2l",),
        ("lreturn",),
    ]
    t.method("whole", f"({OBJECT}{ELEMENT}I)J", code, stack=4, local=3)
    code = [
        *p.when(2, "DOUBLE", double),
        *p.read("getFloat", "F", 1),
        ("f2d",),
        ("dreturn",),
        double,
        *p.read("getDouble", "D", 1),
        ("dreturn",),
    ]
    t.method("real", f"({OBJECT}{ELEMENT}I)D", code, stack=4, local=3)


def key_behind(p: FieldCode) -> None:
    """``keyBehind(root, object, asked, slot)``: the slot of the key that a field of this object has. What is no object
    and no whole number of a primitive type is left to the agent, which begins at the root."""
    t, an_object, left = p.t, Label("an object"), Label("left")
    code: Code = [
        ("aload", 0),
        ("astore", 5),
        ("aload", 1),
        ("astore", 0),
        *p.found(2, 6, 7, 3, left),
        ("iload", 7),
        ("bipush", place("ARRAY")),
        ("if_icmple", an_object),
        *p.when(7, "WRAPPED", left),
        *(part for name in ("BOOLEAN", "CHAR", "FLOAT", "DOUBLE") for part in p.when(7, name, left)),
        ("aload", 0),
        ("aload", 6),
        ("iload", 7),
        t.call("whole", f"({OBJECT}{ELEMENT}I)J"),
        ("iload", 3),
        t.call("keyNumber", "(JI)I"),
        ("ireturn",),
        an_object,
        ("iload", 7),
        ("bipush", place("OBJECT")),
        ("if_icmplt", left),
        *p.read("getReference", "L", 6),
        ("astore", 8),
        ("aload", 8),
        ("ifnull", left),
        ("aload", 8),
        ("iload", 3),
        t.call("keyFound", f"({OBJECT}I)I"),
        ("ireturn",),
        left,
        ("aload", 5),
        ("iload", 3),
        t.call("key", f"({OBJECT}I)I"),
        ("ireturn",),
    ]
    t.method("keyBehind", f"({OBJECT}{OBJECT}II)I", code, stack=4, local=9)


def value_behind(p: FieldCode) -> None:
    """``valueBehind(root, object, asked, first, slot)``: records a number that a field of this object has. What is no
    number is left to the agent, which begins at the root."""
    t, real, an_object, left = p.t, Label("real"), Label("an object"), Label("left")
    code: Code = [
        ("aload", 0),
        ("astore", 5),
        ("aload", 1),
        ("astore", 0),
        *p.found(2, 6, 7, 3, left),
        ("iload", 7),
        ("bipush", place("ARRAY")),
        ("if_icmple", an_object),
        *p.when(7, "FLOAT", real),
        *p.when(7, "DOUBLE", real),
        *(part for name in ("WRAPPED", "BOOLEAN", "CHAR") for part in p.when(7, name, left)),
        ("aload", 0),
        ("aload", 6),
        ("iload", 7),
        t.call("whole", f"({OBJECT}{ELEMENT}I)J"),
        ("iload", 4),
        t.call("value", "(JI)V"),
        ("return",),
        real,
        ("aload", 0),
        ("aload", 6),
        ("iload", 7),
        t.call("real", f"({OBJECT}{ELEMENT}I)D"),
        ("iload", 4),
        t.call("valueReal", "(DI)V"),
        ("return",),
        an_object,
        *p.unless(7, "OBJECT", left),
        *p.read("getReference", "L", 6),
        ("astore", 8),
        *p.boxed(8, left),
        ("iload", 4),
        t.call("value", "(JI)V"),
        ("return",),
        left,
        ("aload", 5),
        ("iload", 3),
        ("iload", 4),
        t.call("valueIn", f"({OBJECT}II)V"),
        ("return",),
    ]
    t.method("valueBehind", f"({OBJECT}{OBJECT}III)V", code, stack=4, local=9)


PART = Part(
    add,
    natives={"placeOf": f"({OBJECT}II)J"},
    public=("readOn", "unwrapped", "keyBehind", "valueBehind"),
    not_inlined=("fieldAnew",),
    fields=FIELDS,
    stable=("FIELDS",),
    initialise=initialise,
    link=link,
)
