"""The tracker's methods that read fields of objects, for conditions, keys and values: by Unsafe, at places that the agent finds
(native/watch/field_places.c).

1. FIELDS has, for the slot of a probe, a chain of elements: one for each field that its paths name (`key`) and each class of objects that came
   by, to which an element has a weak reference. It says what is there (`slot`: enum ch_place) and where (`at`). So nothing is read from an object of
   another class, and no access is checked.
2. An element never changes, and a chain only grows; both are @Stable, so that compiled code has them as constants. Beyond MOST classes, and where
   something is unusual, the answer is UNSURE: the condition may hold, and the agent decides it.
3. No method of the program is called, and no class is initialised.

``readOn(object, slot, asked)`` returns what a field has that is an object; an element of FIELDS stands for what is not there, or not known. The
methods that begin with ``is`` compare what a field has with a constant: 1 if `asked` has the bit of the outcome (classhook.h).
"""

from __future__ import annotations

from typing import Any

from jawa.assemble import Label

from classhook.native.building import header
from classhook.native.building.tracker_names import NAME, SEEN_SHIFT, UNSAFE, WEAK, Code

OBJECT, STRING, ELEMENT = "Ljava/lang/Object;", "Ljava/lang/String;", f"L{NAME};"
CHAINS = f"[[{ELEMENT}"
NATIVES = {"placeOf": f"({OBJECT}II)J"}
PUBLIC = frozenset({"readOn", "unwrapped", "keyBehind", "valueBehind", "isNull", "isTrue", "isText", "isNumber", "isReal"})
#: Static fields, and fields of an element beside its `slot` and `key`.
FIELDS = {"FIELDS": CHAINS, "UNSURE": ELEMENT, "NOTHING": ELEMENT, "NEXT": "J"}
PLACE = {"at": "J", "next": ELEMENT}
#: Of a chain; further classes are left to the agent. The first few are looked at without a loop, which the JIT would not take for constant.
MOST, AT_ONCE = 24, 3
DEEPEST = 8  # of collections that wrap another one
SIZES = {"BYTE": ("getByte", "B"), "CHAR": ("getChar", "C"), "SHORT": ("getShort", "S"), "INT": ("getInt", "I"), "LONG": ("getLong", "J")}
SMALL = ("java/lang/Integer", "java/lang/Long", "java/lang/Short", "java/lang/Byte")


def place(name: str) -> int:
    return header.constant(f"CH_PLACE_{name}")


class Parts:
    """Pieces of code; objects and elements are in locals."""

    def __init__(self, tracker: Any) -> None:
        self.t = tracker
        self.labels = 0
        self.asked = header.constant("CH_ASKED_PLACE")

    def label(self) -> Label:
        """A new one; jawa takes labels of one name for one."""
        self.labels += 1
        return Label(f"label {self.labels}")

    def type(self, name: str) -> Any:
        return self.t.cf.constants.create_class(name)

    def field(self, name: str, descriptor: str, op: str = "getfield") -> Any:
        return op, self.t.cf.constants.create_field_ref(NAME, name, descriptor)

    def static(self, name: str) -> Any:
        return self.t.get(name, FIELDS[name])

    def virtual(self, name: str, descriptor: str, owner: str) -> Any:
        return "invokevirtual", self.t.ref(name, descriptor, owner)

    def made(self, referent: Code, kind: Code, key: Code) -> Code:
        """Pushes a new element."""
        return [("new", self.type(NAME)), ("dup",), *referent, *kind, *key, ("invokespecial", self.t.ref("<init>", f"({OBJECT}II)V"))]

    def chain(self, slot: int) -> tuple[Code, Code]:
        """Pushes the chains of a part of all slots; pushes the place of a slot's chain there."""
        number: Code = [("iload", slot), self.t.get("MASK", "I"), ("iand",)]
        part: Code = [self.static("FIELDS"), *number, ("bipush", SEEN_SHIFT), ("iushr",), ("aaload",)]
        return part, [*number, ("sipush", (1 << SEEN_SHIFT) - 1), ("iand",)]

    def found(self, asked: int, element: int, kind: int, slot: int, null: Label) -> Code:
        """Jumps if the object in local 0 is null. Else stores the element for it, and what is there."""
        return [
            ("aload", 0), ("ifnull", null), ("aload", 0), ("iload", slot), ("iload", asked), self.t.call("fieldOf", f"({OBJECT}II){ELEMENT}"),
            ("astore", element), ("aload", element), self.field("slot", "I"), ("bipush", 15), ("iand",), ("istore", kind),
        ]

    def read(self, method: str, letter: str, element: int) -> Code:
        """Pushes what the field has."""
        what = OBJECT if letter == "L" else letter
        return [
            self.t.get("U", f"L{UNSAFE};"), ("aload", 0), ("aload", element), self.field("at", "J"),
            self.virtual(method, f"({OBJECT}J){what}", UNSAFE),
        ]

    def unless(self, kind: int, name: str, label: Label) -> Code:
        return [("iload", kind), ("bipush", place(name)), ("if_icmpne", label)]

    def when(self, kind: int, name: str, label: Label) -> Code:
        return [("iload", kind), ("bipush", place(name)), ("if_icmpeq", label)]

    def answer(self, asked: int, outcome: str | Code) -> Code:
        """Returns whether the comparison may hold with this outcome."""
        number: Code = [("bipush", header.constant(f"CH_IS_{outcome}"))] if isinstance(outcome, str) else outcome
        shift = header.constant("CH_ASKED_OUTCOMES")
        return [("iload", asked), ("bipush", shift), ("iushr",), *number, ("iushr",), ("iconst_1",), ("iand",), ("ireturn",)]

    def rest(self, kind: int, asked: int, nothing: Label, unsure: Label) -> Code:
        """Answers for what this comparison cannot read, and for what it knows nothing of."""
        return [
            *self.when(kind, "UNSURE", unsure), *self.when(kind, "WRAPPED", unsure), nothing, *self.answer(asked, "NOTHING"),
            unsure, *self.answer(asked, "UNSURE"),
        ]

    def text(self, object_: int, text: int, asked: int) -> Code:
        """Answers for a string or null."""
        other = self.label()
        return [
            ("aload", text), ("aload", object_), self.virtual("equals", f"({OBJECT})Z", "java/lang/String"), ("ifeq", other),
            *self.answer(asked, "EQUAL"),
            other, *self.answer(asked, "OTHER"),
        ]


def initialiser(tracker: Any) -> Code:
    """Sets the static fields, at the start."""
    p = Parts(tracker)
    code: Code = [
        tracker.get("MASK", "I"), ("bipush", SEEN_SHIFT), ("iushr",), ("iconst_1",), ("iadd",), ("anewarray", p.type(f"[{ELEMENT}")),
        tracker.put("FIELDS", CHAINS), *tracker.offset("NEXT", NAME, "next"),
    ]
    for name in ("UNSURE", "NOTHING"):
        code += [*p.made([("aconst_null",)], [("bipush", place(name))], [("iconst_m1",)]), tracker.put(name, ELEMENT)]
    return code


def add(tracker: Any) -> None:
    """Adds the methods."""
    barrier = tracker.cf.fields.create("BARRIER", "I")
    barrier.access_flags.acc_static = barrier.access_flags.acc_private = barrier.access_flags.acc_volatile = True
    barrier.access_flags.acc_public = False
    p = Parts(tracker)
    look_up(p)
    anew(p)
    read_on(p)
    whole(p)
    key_behind(p)
    value_behind(p)
    compare(p)


def look_up(p: Parts) -> None:
    """``fieldOf(object, slot, asked)``: the element for an object that is not null. A volatile field is read behind a barrier."""
    t, other, missing, volatile, again = p.t, Label("other"), Label("missing"), Label("volatile"), Label("again")
    part, place_in = p.chain(1)

    def matches(otherwise: Label, same: Label) -> Code:  # the element in local 3
        return [
            ("aload", 3), ("ifnull", missing),
            ("aload", 3), p.field("key", "I"), ("iload", 2), ("sipush", p.asked), ("iand",), ("if_icmpne", otherwise),
            ("aload", 3), p.virtual("get", f"(){OBJECT}", WEAK), ("aload", 0), p.virtual("getClass", "()Ljava/lang/Class;", "java/lang/Object"),
            ("if_acmpeq", same),
            otherwise, ("aload", 3), p.field("next", ELEMENT), ("astore", 3),
        ]

    same = Label("same")
    code: Code = [
        ("aload", 0), ("instanceof", p.type(NAME)), ("ifeq", other), ("aload", 0), ("checkcast", p.type(NAME)), ("areturn",),
        other, *part, ("astore", 4), ("aload", 4), ("ifnull", missing), ("aload", 4), *place_in, ("aaload",), ("astore", 3),
    ]
    for _ in range(AT_ONCE):
        code += matches(p.label(), same)
    code += [
        again, *matches(p.label(), same),
        ("goto", again),
        same, ("aload", 3), p.field("slot", "I"), ("bipush", place("VOLATILE")), ("iand",), ("ifne", volatile), ("aload", 3),
        ("areturn",),
        volatile, ("getstatic", t.static("BARRIER", "I")), ("pop",), ("aload", 3), ("areturn",),
        missing, ("aload", 0), ("iload", 1), ("iload", 2), t.call("fieldAnew", f"({OBJECT}II){ELEMENT}"), ("areturn",),
    ]
    t.method("fieldOf", f"({OBJECT}II){ELEMENT}", code, stack=4, local=5)


def anew(p: Parts) -> None:
    """``fieldAnew``: asks the agent, and adds an element to the chain's end. Of two threads that do so at once, one adds; the other comes again."""
    t = p.t
    unsafe = t.get("U", f"L{UNSAFE};")
    there, last, end, full, first, done = (Label(name) for name in ("there", "last", "end", "full", "first", "done"))
    part, place_in = p.chain(1)
    number: Code = [("iload", 1), t.get("MASK", "I"), ("iand",), ("bipush", SEEN_SHIFT), ("iushr",)]
    cas = p.virtual("compareAndSetReference", f"({OBJECT}J{OBJECT}{OBJECT})Z", UNSAFE)

    def address(index: Code) -> Code:  # of an element of an array
        return [t.get("BASE_arrayRef", "J"), *index, t.get("REF", "I"), ("ishl",), ("i2l",), ("ladd",)]

    code: Code = [
        *part, ("ifnonnull", there),
        unsafe, p.static("FIELDS"), *address(number), ("aconst_null",), ("sipush", 1 << SEEN_SHIFT), ("anewarray", p.type(NAME)), cas, ("pop",),
        there, ("aconst_null",), ("astore", 3), ("iconst_0",), ("istore", 4), *part, *place_in, ("aaload",), ("astore", 5),
        last, ("aload", 5), ("ifnull", end), ("aload", 5), ("astore", 3), ("iinc", 4, 1), ("aload", 5), p.field("next", ELEMENT), ("astore", 5),
        ("goto", last),
        end, ("iload", 4), ("bipush", MOST), ("if_icmpge", full),
        ("aload", 0), ("iload", 1), ("iload", 2), t.call("placeOf", NATIVES["placeOf"]), ("lstore", 6),
        *p.made(
            [("aload", 0), p.virtual("getClass", "()Ljava/lang/Class;", "java/lang/Object")],
            [("lload", 6), ("l2i",), ("sipush", 255), ("iand",)],
            [("iload", 2), ("sipush", p.asked), ("iand",)],
        ),
        ("astore", 5), ("aload", 5), ("lload", 6), ("bipush", 8), ("lshr",), p.field("at", "J", "putfield"),
        unsafe, ("aload", 3), ("ifnull", first), ("aload", 3), p.static("NEXT"), ("goto", done),
        first, *part, *address(place_in),
        done, ("aconst_null",), ("aload", 5), cas, ("pop",), ("aload", 5), ("areturn",),
        full, p.static("UNSURE"), ("areturn",),
        ("pop",), p.static("UNSURE"), ("areturn",),  # without memory
    ]
    t.method("fieldAnew", f"({OBJECT}II){ELEMENT}", code, stack=8, local=8, caught=5)


def read_on(p: Parts) -> None:
    """``readOn``; ``unwrapped(object, slot, asked)``: the collection whose size is that of this one."""
    t, null, go_on, primitive = p.t, Label("null"), Label("go on"), Label("primitive")
    code: Code = [
        *p.found(2, 3, 4, 1, null),
        ("iload", 4), ("bipush", place("OBJECT")), ("if_icmplt", go_on), ("iload", 4), ("bipush", place("ARRAY")), ("if_icmpgt", primitive),
        *p.read("getReference", "L", 3), ("areturn",),
        null, ("aconst_null",), ("areturn",),
        go_on, ("aload", 3), ("areturn",),
        primitive, p.static("NOTHING"), ("areturn",),
    ]
    t.method("readOn", f"({OBJECT}II){OBJECT}", code, stack=4, local=5)
    again, bare, nothing, too_deep = Label("again"), Label("bare"), Label("nothing"), Label("too deep")
    code = [
        ("iconst_0",), ("istore", 5), *p.found(2, 3, 4, 1, bare), *p.unless(4, "WRAPPED", bare),
        again, ("iinc", 5, 1), ("iload", 5), ("bipush", DEEPEST), ("if_icmpgt", too_deep),
        *p.read("getReference", "L", 3), ("astore", 0), *p.found(2, 3, 4, 1, nothing), *p.when(4, "WRAPPED", again),
        bare, ("aload", 0), ("areturn",),
        nothing, p.static("NOTHING"), ("areturn",),
        too_deep, p.static("UNSURE"), ("areturn",),
    ]
    t.method("unwrapped", f"({OBJECT}II){OBJECT}", code, stack=4, local=6)


def whole(p: Parts) -> None:
    """``whole(object, element, kind)``: a whole number of any type; ``real``: a double or float."""
    t, double = p.t, Label("double")
    code: Code = []
    for name, (method, letter) in SIZES.items():
        other = p.label()
        code += [*p.unless(2, name, other), *p.read(method, letter, 1), *([("i2l",)] if letter != "J" else []), ("lreturn",), other]
    string = Label("string")
    code += [
        *p.when(2, "STRING_LENGTH", string),
        ("aload", 0), ("invokestatic", t.ref("getLength", f"({OBJECT})I", "java/lang/reflect/Array")), ("i2l",), ("lreturn",),
        string, ("aload", 0), ("checkcast", p.type("java/lang/String")), p.virtual("length", "()I", "java/lang/String"), ("i2l",), ("lreturn",),
    ]
    t.method("whole", f"({OBJECT}{ELEMENT}I)J", code, stack=4, local=3)
    code = [
        *p.when(2, "DOUBLE", double), *p.read("getFloat", "F", 1), ("f2d",), ("dreturn",),
        double, *p.read("getDouble", "D", 1), ("dreturn",),
    ]
    t.method("real", f"({OBJECT}{ELEMENT}I)D", code, stack=4, local=3)


def key_behind(p: Parts) -> None:
    """``keyBehind(root, object, asked, slot)``: the slot of the key that a field of this object has. What is no object and no whole number of a
    primitive type is left to the agent, which begins at the root."""
    t, an_object, left = p.t, Label("an object"), Label("left")
    code: Code = [
        ("aload", 0), ("astore", 5), ("aload", 1), ("astore", 0), *p.found(2, 6, 7, 3, left),
        ("iload", 7), ("bipush", place("ARRAY")), ("if_icmple", an_object), *p.when(7, "WRAPPED", left),
        *(part for name in ("BOOLEAN", "CHAR", "FLOAT", "DOUBLE") for part in p.when(7, name, left)),
        ("aload", 0), ("aload", 6), ("iload", 7), t.call("whole", f"({OBJECT}{ELEMENT}I)J"), ("iload", 3), t.call("keyNumber", "(JI)I"), ("ireturn",),
        an_object, ("iload", 7), ("bipush", place("OBJECT")), ("if_icmplt", left), *p.read("getReference", "L", 6), ("astore", 8),
        ("aload", 8), ("ifnull", left), ("aload", 8), ("iload", 3), t.call("keyFound", f"({OBJECT}I)I"), ("ireturn",),
        left, ("aload", 5), ("iload", 3), t.call("key", f"({OBJECT}I)I"), ("ireturn",),
    ]
    t.method("keyBehind", f"({OBJECT}{OBJECT}II)I", code, stack=4, local=9)


def value_behind(p: Parts) -> None:
    """``valueBehind(root, object, asked, first, slot)``: records a number that a field of this object has. What is no number is left to the agent,
    which begins at the root."""
    t, real, an_object, left = p.t, Label("real"), Label("an object"), Label("left")
    code: Code = [
        ("aload", 0), ("astore", 5), ("aload", 1), ("astore", 0), *p.found(2, 6, 7, 3, left),
        ("iload", 7), ("bipush", place("ARRAY")), ("if_icmple", an_object), *p.when(7, "FLOAT", real), *p.when(7, "DOUBLE", real),
        *(part for name in ("WRAPPED", "BOOLEAN", "CHAR") for part in p.when(7, name, left)),
        ("aload", 0), ("aload", 6), ("iload", 7), t.call("whole", f"({OBJECT}{ELEMENT}I)J"), ("iload", 4), t.call("value", "(JI)V"), ("return",),
        real, ("aload", 0), ("aload", 6), ("iload", 7), t.call("real", f"({OBJECT}{ELEMENT}I)D"), ("iload", 4), t.call("valueReal", "(DI)V"),
        ("return",),
        an_object, *p.unless(7, "OBJECT", left), *p.read("getReference", "L", 6), ("astore", 8), *boxed(p, 8, left), ("iload", 4),
        t.call("value", "(JI)V"), ("return",),
        left, ("aload", 5), ("iload", 3), ("iload", 4), t.call("valueIn", f"({OBJECT}II)V"), ("return",),
    ]
    t.method("valueBehind", f"({OBJECT}{OBJECT}III)V", code, stack=4, local=9)


def compare(p: Parts) -> None:
    is_null(p)
    is_true(p)
    is_text(p)
    is_number(p)
    is_real(p)


def is_null(p: Parts) -> None:
    null, primitive, nothing, unsure = (Label(name) for name in ("null", "primitive", "nothing", "unsure"))
    code: Code = [
        *p.found(2, 3, 4, 1, null),
        ("iload", 4), ("bipush", place("ARRAY")), ("if_icmpgt", primitive), ("iload", 4), ("bipush", place("OBJECT")), ("if_icmplt", nothing),
        *p.read("getReference", "L", 3), ("ifnull", null), *p.answer(2, "OTHER"),
        null, *p.answer(2, "EQUAL"),
        primitive, *p.when(4, "WRAPPED", unsure), *p.answer(2, "OTHER"),
        nothing, *p.when(4, "UNSURE", unsure), *p.answer(2, "NOTHING"),
        unsure, *p.answer(2, "UNSURE"),
    ]
    p.t.method("isNull", f"({OBJECT}II)I", code, stack=4, local=5)


def is_true(p: Parts) -> None:
    null, other, boxed, nothing, unsure, true = (Label(name) for name in ("null", "other", "boxed", "nothing", "unsure", "true"))
    boolean = "java/lang/Boolean"
    code: Code = [
        *p.found(2, 3, 4, 1, null), *p.unless(4, "BOOLEAN", other), *p.read("getBoolean", "Z", 3), ("ifne", true), *p.answer(2, "LESS"),
        other, ("iload", 4), ("bipush", place("ARRAY")), ("if_icmpgt", nothing), ("iload", 4), ("bipush", place("OBJECT")), ("if_icmplt", nothing),
        *p.read("getReference", "L", 3), ("astore", 5), ("aload", 5), ("ifnull", null), *p.when(4, "OBJECT", boxed), *p.answer(2, "NOTHING"),
        boxed, ("aload", 5), ("instanceof", p.type(boolean)), ("ifeq", unsure), ("aload", 5), ("checkcast", p.type(boolean)),
        p.virtual("booleanValue", "()Z", boolean), ("ifne", true), *p.answer(2, "LESS"),
        true, *p.answer(2, "EQUAL"),
        null, *p.answer(2, "OTHER"),
        nothing, *p.rest(4, 2, Label("really nothing"), unsure),
    ]
    p.t.method("isTrue", f"({OBJECT}II)I", code, stack=4, local=6)


def is_text(p: Parts) -> None:
    """``isText(object, text, slot, asked)``; a constant of an enum by its name, a char as a text of one."""
    names = ("null", "not a string", "not an object", "char", "enum", "nothing", "unsure")
    null, other, no_object, char, enum, nothing, unsure = (Label(name) for name in names)
    unequal, text = Label("unequal"), "java/lang/String"
    code: Code = [
        *p.found(3, 4, 5, 2, null), *p.when(5, "CHAR", char),
        ("iload", 5), ("bipush", place("ARRAY")), ("if_icmpgt", no_object), ("iload", 5), ("bipush", place("OBJECT")), ("if_icmplt", no_object),
        *p.read("getReference", "L", 4), ("astore", 6), ("aload", 6), ("ifnull", null), *p.unless(5, "STRING", other), *p.text(6, 1, 3),
        other, *p.when(5, "ARRAY", nothing), ("aload", 6), ("instanceof", p.type(text)), ("ifeq", enum), *p.text(6, 1, 3),
        enum, ("aload", 6), ("instanceof", p.type("java/lang/Enum")), ("ifeq", unsure), ("aload", 6), ("checkcast", p.type("java/lang/Enum")),
        p.virtual("name", f"(){STRING}", "java/lang/Enum"), ("astore", 6), *p.text(6, 1, 3),
        char, ("aload", 1), p.virtual("length", "()I", text), ("iconst_1",), ("if_icmpne", unequal), ("aload", 1), ("iconst_0",),
        p.virtual("charAt", "(I)C", text), *p.read("getChar", "C", 4), ("if_icmpne", unequal), *p.answer(3, "EQUAL"),
        unequal, null, *p.answer(3, "OTHER"),
        no_object, *p.rest(5, 3, nothing, unsure),
    ]
    p.t.method("isText", f"({OBJECT}{STRING}II)I", code, stack=5, local=7)


def boxed(p: Parts, object_: int, unsure: Label) -> Code:
    """Pushes the number of one of the wrapper classes of whole numbers."""
    code: Code = []
    found = Label("found")
    for name in SMALL:
        code += [("aload", object_), ("instanceof", p.type(name)), ("ifne", found)]
    return [
        *code, ("goto", unsure), found, ("aload", object_), ("checkcast", p.type("java/lang/Number")),
        p.virtual("longValue", "()J", "java/lang/Number"),
    ]


def is_number(p: Parts) -> None:
    """``isNumber(object, number, slot, asked)``: exactly, whatever the field's type."""
    names = ("null", "an object", "real", "compared", "nothing", "unsure")
    null, an_object, real, compared, nothing, unsure = (Label(name) for name in names)
    outcome = header.constant("CH_IS_EQUAL")
    code: Code = [
        *p.found(4, 5, 6, 3, null), ("iload", 6), ("bipush", place("ARRAY")), ("if_icmple", an_object), *p.when(6, "WRAPPED", nothing),
        *p.when(6, "BOOLEAN", nothing), *p.when(6, "FLOAT", real), *p.when(6, "DOUBLE", real),
        ("aload", 0), ("aload", 5), ("iload", 6), p.t.call("whole", f"({OBJECT}{ELEMENT}I)J"), ("lstore", 7),
        compared, *p.answer(4, [("lload", 7), ("lload", 1), ("lcmp",), ("bipush", outcome), ("iadd",)]),
        real, ("lload", 1), ("l2d",), ("d2l",), ("lload", 1), ("lcmp",), ("ifne", unsure), ("aload", 0), ("aload", 5), ("iload", 6),
        p.t.call("real", f"({OBJECT}{ELEMENT}I)D"), ("dstore", 7), ("dload", 7), ("dload", 7), ("dcmpl",), ("ifne", null),  # NaN
        *p.answer(4, [("dload", 7), ("lload", 1), ("l2d",), ("dcmpl",), ("bipush", outcome), ("iadd",)]),
        an_object, ("iload", 6), ("bipush", place("OBJECT")), ("if_icmplt", nothing), *p.read("getReference", "L", 5), ("astore", 9),
        ("aload", 9), ("ifnull", null), *p.unless(6, "OBJECT", nothing), *boxed(p, 9, unsure), ("lstore", 7),
        ("goto", compared), null, *p.answer(4, "OTHER"),
        nothing, *p.rest(6, 4, Label("really nothing"), unsure),
    ]
    p.t.method("isNumber", f"({OBJECT}JII)I", code, stack=7, local=10)


def is_real(p: Parts) -> None:
    """``isReal(object, number, slot, asked)``."""
    names = ("null", "an object", "real", "compared", "nothing", "unsure")
    null, an_object, real, compared, nothing, unsure = (Label(name) for name in names)
    code: Code = [
        *p.found(4, 5, 6, 3, null), ("iload", 6), ("bipush", place("ARRAY")), ("if_icmple", an_object), *p.when(6, "WRAPPED", nothing),
        *p.when(6, "BOOLEAN", nothing), *p.when(6, "FLOAT", real), *p.when(6, "DOUBLE", real),
        *p.when(6, "LONG", unsure),  # a double may not have its value
        ("aload", 0), ("aload", 5), ("iload", 6), p.t.call("whole", f"({OBJECT}{ELEMENT}I)J"), ("l2d",), ("dstore", 7),
        ("goto", compared), real, ("aload", 0), ("aload", 5), ("iload", 6), p.t.call("real", f"({OBJECT}{ELEMENT}I)D"), ("dstore", 7),
        ("dload", 7), ("dload", 7), ("dcmpl",), ("ifne", null),  # NaN
        compared, *p.answer(4, [("dload", 7), ("dload", 1), ("dcmpl",), ("bipush", header.constant("CH_IS_EQUAL")), ("iadd",)]),
        an_object, ("iload", 6), ("bipush", place("OBJECT")), ("if_icmplt", nothing), *p.read("getReference", "L", 5), ("ifnull", null),
        *p.when(6, "OBJECT", unsure), *p.answer(4, "NOTHING"),
        null, *p.answer(4, "OTHER"),
        nothing, *p.rest(6, 4, Label("really nothing"), unsure),
    ]
    p.t.method("isReal", f"({OBJECT}DII)I", code, stack=7, local=9)
