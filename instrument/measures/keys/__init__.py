"""`by` of `time` and `count`: the calls of a method apart by a key, the values that the rule names.

    entry     the value, number, keyNumber     pushes the slot of the key: then as without `by`, with this slot for
                                               the probe's own
              or: the object, number, keyOf
              or: the object, the one whose field it is, step, number, keyBehind
              or: each value but the last one, number, keyPart; the last value, number, key

The agent finds the slot of a key (native/watch/keys.c, native/blocks/key_slots.c). A number that is an argument is
passed as it is; all else as an object. An object in a field of the class itself is passed like an argument. The tracker
reads the fields of one value after further dots (classhook.measures.watch.further_fields); else the agent. The keys of
a probe are described when they first come, each by a record of its own.
"""

from __future__ import annotations

from classhook.classfile.opcodes import ACONST_NULL_CODE
from classhook.native._slots import CH_KEYED_OTHERS, CH_KEYED_RESUMED_SLOTS, CH_KEYED_SLOTS
from classhook.probes.carried import call_local
from classhook.probes.records import KeyedRecord
from classhook.rules.clause_values import is_of_end, sql_in
from classhook.rules.words import Clause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.measures.watch.context_key import Root
    from classhook.measures.watch.end_key import EndKey
    from classhook.probes.measure import Planning, Probe
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule
    from classhook.rules.words import Mistaken

MOST_PARTS: Final = 8  # as in native/watch/keys.c
MOST_FRAMES: Final = 16
USUAL_TOP: Final = 10_000
MOST_TOP: Final = 100_000
STACK: Final = 5  # slots of the operand stack that pushing a key needs, at most
I2L: Final = b"\x85"  # JVMS 6.5
NUMBERS: Final = frozenset("ZBCSIJ")  # types of arguments that are passed as numbers
ACC_STATIC: Final = 0x0008
SQL: Final = "Q"  # in front of a path: the value is an SQL text (native/watch/keys.h)
EXPECTED_PATH: Final = "`arg0`, `this.tenant`"
EXPECTED: Final = "`arg0`, `this.tenant`, `sql(arg0)`, `thread`, `stack 3`, with commas between several"


def wrong_by(value: str) -> Mistaken | None:
    return wrong_parts(value, _wrong_part, EXPECTED)


def wrong_parts(
    value: str, wrong_part: Callable[[str], Mistaken | None], expected: str = EXPECTED_PATH
) -> Mistaken | None:
    """The mistake in values with commas between them. `wrong_part`: says what is wrong with one, without blanks."""
    parts = value.split(",")
    if len(parts) > MOST_PARTS:
        return f"a key has at most {MOST_PARTS} values", expected
    at = 0
    for part in parts:
        if not part.strip():
            return "a value is missing", expected, at
        if wrong := wrong_part(part.strip()):
            return wrong[0], wrong[1], at + len(part) - len(part.lstrip()) + (wrong[2] if len(wrong) > 2 else 0)
        at += len(part) + 1
    return None


def wrong_by_also_of_end(value: str) -> Mistaken | None:
    """The same for words whose keys may be those of the end."""
    from classhook.measures.watch import end_key

    if not is_of_end(value):
        return wrong_by(value)
    return end_key.wrong(value)


def _wrong_part(part: str) -> Mistaken | None:
    from classhook.measures.watch.context_key import wrong

    word, _, frames = part.partition(" ")
    if word == "stack":
        good = frames.strip().isdecimal() and 1 <= int(frames) <= MOST_FRAMES
        return (
            None
            if good
            else ("a key has a part of the stack", f"the number of callers, as in `stack 3`, at most {MOST_FRAMES}")
        )
    if part == "thread":
        return None
    if (text := sql_in(part)) is not None:
        mistake = wrong(text) if text.strip() else ("the value of `sql` is missing", "`sql(arg0)`, `sql(this.text)`")
        return mistake and (mistake[0], mistake[1], len("sql(") + (mistake[2] if len(mistake) > 2 else 0))
    return wrong(part)


def wrong_top(value: str) -> tuple[str, str] | None:
    good = len(value) < 9 and 1 <= int(value) <= MOST_TOP
    return None if good else ("this number of keys cannot be told apart", f"from `1` to `{MOST_TOP}`")


def wrong_rule(rule: Rule) -> tuple[str, str, str, int] | None:
    if rule.clause("top") and not rule.clause("by"):
        return "top", "`top` is about keys", "`by arg0` in the rule", 0
    return None


#: Classes that the tracker calls to find a key.
OF_TRACKER: Final = frozenset(
    [f"java/lang/{name}" for name in ("String", "StringLatin1", "StringUTF16", "ref/Reference", "ref/WeakReference")]
)


def clauses(wrong: Callable[[str], Mistaken | None] = wrong_by) -> tuple[Clause, ...]:
    """The clauses of words whose rules may have keys. `wrong`: says what is wrong with the values."""
    return (
        Clause(
            "by",
            "EXPRESSION",
            wrong,
            ("sample", "tree"),
            expects="the values of a key (`arg0, this.tenant`)",
            about="separate numbers for each value, the key",
        ),
        Clause("top", "NUMBER", wrong_top, about="the largest number of keys"),
    )


class KeyPart:
    """A value of a key. `word`: as the agent reads it; `root`: what is passed, None: nothing; `steps`: fields on the
    way from there, if the tracker reads them."""

    __slots__ = ("root", "steps", "word")

    def __init__(self, word: str, root: Root | Field | None, steps: list[str] | None = None) -> None:
        self.steps = steps or []
        self.word = word
        self.root = root

    @property
    def is_number(self) -> bool:
        """True if it is an argument that is passed as a number."""
        return self.root is not None and self.root.kind in NUMBERS and "." not in self.word

    @property
    def is_alone(self) -> bool:
        """True if the key is the object that is passed, and not in it."""
        return self.root is not None and self.root.kind[0] == "L" and "." not in self.word

    def number(self, weaver: MethodWeaver) -> bytes:
        if self.root is None:
            raise TypeError(self.word)
        return self.root.bare(weaver) + (b"" if self.root.kind == "J" else I2L)

    def object(self, weaver: MethodWeaver) -> bytes:
        return ACONST_NULL_CODE if self.root is None else self.root.code(weaver)


class Field:
    """Pushes what a field of the class has. Like a Root."""

    __slots__ = ("kind", "name", "owner")

    def __init__(self, owner: str, name: str, kind: str) -> None:
        self.owner = owner
        self.name = name
        self.kind = kind

    def bare(self, weaver: MethodWeaver) -> bytes:
        from classhook.measures.watch.condition_code import own_field

        return own_field(weaver.pool, self.owner, self.name, self.kind)

    def code(self, weaver: MethodWeaver) -> bytes:
        return self.bare(weaver)


class Key:
    """A key, which tells the calls of a method apart: see KeyPart. `top`: how many keys have slots of their own."""

    __slots__ = ("parts", "top")

    def __init__(self, parts: list[KeyPart], top: int) -> None:
        self.parts = parts
        self.top = top

    @property
    def words(self) -> str:
        return " ".join([part.word for part in self.parts])

    def insert(self, weaver: MethodWeaver, slot: int) -> None:
        """Counts each call by its key; `slot`: the probe's first."""
        weaver.at_call(self.push(weaver, slot) + weaver.call("count", b"(I)V"), STACK)

    def push(self, weaver: MethodWeaver, slot: int) -> bytes:
        """Pushes the slot of the key; `slot`: the probe's first."""
        number, last = weaver.number(slot), self.parts[-1]
        if len(self.parts) == 1 and last.is_number:
            return last.number(weaver) + number + weaver.call("keyNumber", b"(JI)I")
        if len(self.parts) == 1 and last.is_alone:
            return last.object(weaver) + number + weaver.call("keyOf", b"(Ljava/lang/Object;I)I")
        if len(self.parts) == 1 and last.steps:
            from classhook.measures.watch.further_fields import KEY, owner_and_step

            found = last.object(weaver) + owner_and_step(last.steps, KEY, number, weaver.call)
            return found + number + weaver.call("keyBehind", b"(Ljava/lang/Object;Ljava/lang/Object;II)I")
        before = [
            part.object(weaver) + number + weaver.call("keyPart", b"(Ljava/lang/Object;I)V") for part in self.parts[:-1]
        ]
        return b"".join(before) + last.object(weaver) + number + weaver.call("key", b"(Ljava/lang/Object;I)I")


def carried_slot(weaver: MethodWeaver, key: Key, slot: int) -> bytes:
    """Code that pushes the slot of a call's key, in each of its activations; of one that was lost, that of the
    others."""
    return call_local(weaver, key.push(weaver, slot), STACK, lost=weaver.number(slot + CH_KEYED_OTHERS)).load


def written(rule: Rule) -> str:
    """The key that a rule asks for, as reports show it."""
    return ", ".join([part.strip() for part in rule.clause("by").split(",")])


def end_key_of(planning: Planning, code: Code, index: int) -> EndKey | None:
    """The same as `key_of` for a key of the end."""
    from classhook.measures.watch import end_key

    if _looks_up_keys(planning, index):
        return None
    return end_key.end_key_of(planning, code, index, int(planning.rules.rules[index].clause("top") or USUAL_TOP))


def _looks_up_keys(planning: Planning, index: int) -> bool:
    """True if the class has no keys, which is noted."""
    if planning.cf.name not in OF_TRACKER:
        return False
    planning.unfit.setdefault(
        (index, f"the calls of {planning.cf.name.replace('/', '.')} have no keys: it looks up keys"), planning.method
    )
    return True


def key_of(planning: Planning, code: Code, index: int) -> Key | None:
    """The key that a rule asks for in a method; None: for none, or the method does not have its values, which is
    noted."""
    rule = planning.rules.rules[index]
    if not rule.clause("by") or _looks_up_keys(planning, index):
        return None
    parts: list[KeyPart] = []
    for text in rule.clause("by").split(","):
        word, _, frames = text.strip().partition(" ")
        if word == "stack":
            parts.append(KeyPart(f"S{int(frames)}", None))
        elif word == "thread":
            parts.append(KeyPart("T", None))
        else:
            part = _part_at(planning, code, index, text.strip())
            if part is None:
                return None
            parts.append(part)
    return Key(parts, int(rule.clause("top") or USUAL_TOP))


def _part_at(planning: Planning, code: Code, index: int, text: str) -> KeyPart | None:
    """The value at a path, perhaps in `sql(...)`."""
    from classhook.measures.watch.context_key import root_of
    from classhook.measures.watch.further_fields import steps_of

    sql = sql_in(text)
    path, root = root_of(planning, code, index, text if sql is None else sql)
    if root is None:
        return None
    field = _own_field(planning, (text if sql is None else sql).strip())
    part = KeyPart(path, root, steps_of(path, planning.cf.name)) if field is None else KeyPart("t", field)
    if sql is not None and part.is_number:
        name = f"{planning.cf.name.replace('/', '.')}.{planning.method.name}"
        planning.unfit.setdefault((index, f"`{text}`: {name} has a number there, and no text"), planning.method)
        return None
    if sql is not None:
        part.word = SQL + part.word
    return part


def _own_field(planning: Planning, path: str) -> Field | None:
    """The field of the class itself at `this.NAME`, if it has an object."""
    root, _, name = path.partition(".")
    cf = planning.cf
    for flags, name_at, type_at in cf.fields() if root == "this" else ():
        kind = cf.pool.utf8(type_at)
        if kind[0] == "L" and cf.pool.utf8(name_at) == name and not flags & ACC_STATIC:
            return Field(cf.name, name, kind)
    return None


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    key = probe.detail
    if not isinstance(key, Key):
        from classhook.measures.watch.end_key import EndKey

        if not isinstance(key, EndKey):
            raise TypeError(probe.kind)
    return KeyedRecord(probe.kind, slot, probe.rule, method, descriptor, key.words, key.top)


SLOTS: Final[int] = CH_KEYED_SLOTS
RESUMED_SLOTS: Final[int] = CH_KEYED_RESUMED_SLOTS
