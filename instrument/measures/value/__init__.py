"""`value`: a number of each call, an argument, the result, or a field of one of these: how many, their sum, least,
largest, and percentiles.

    entry     the number, number, value              or: the object, number, number, valueIn
                                                     or: the object, the one whose field it is, step, number, number,
                                                     valueBehind
              with a key: its slot, store            (measures/keys)
    exit      for `result`: copies it, then the same, before each return

The number goes to a record of the thread (native/watch/values.c), whose histogram is that of times. With a key, to the
record of the key's slot. A number of a primitive type is passed as it is (`valueReal`: a float or double); else the
agent reads it from the object, without running code of the program.
"""

from __future__ import annotations

from classhook.classfile.opcodes import DUP2_CODE, DUP_CODE
from classhook.measures import chosen_calls, keys
from classhook.native._slots import CH_VALUE_RECORD, CH_VALUE_SLOTS
from classhook.probes.exits import insert_call_exits
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import KeyedValueRecord, ValueRecord
from classhook.rules.words import METHODS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.measures.watch.context_key import Root
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.conditions import Path
    from classhook.rules.syntax import Rule
    from classhook.rules.words import Mistaken

WHOLE, BY = "value", "value-by"
STACK: Final = 5  # slots of the operand stack above a result
#: Instructions that make a long or a double of a number (JVMS 6.5): i2l, f2d.
WIDENED: Final = {"B": b"\x85", "S": b"\x85", "I": b"\x85", "J": b"", "F": b"\x8d", "D": b""}
REAL: Final = "FD"
#: Types of objects that may be numbers: the boxes, and their supertypes, which may also be the erasure of a type
#: variable.
BOXED: Final = frozenset(
    [
        f"Ljava/lang/{name};"
        for name in ("Byte", "Short", "Integer", "Long", "Float", "Double", "Number", "Object", "Comparable")
    ]
    + ["Ljava/io/Serializable;", "Ljava/lang/constant/Constable;", "Ljava/lang/constant/ConstantDesc;"]
)
NUMBER: Final = "a number: a primitive one, an Integer, a Double or the like"
EXPECTED: Final = "`arg0`, `this.size`, `result.length`"
SIZES: Final = ("len", "length", "size", "count")


def wrong_of(value: str) -> Mistaken | None:
    from classhook.rules.clause_values import wrong_text
    from classhook.rules.condition_parser import path

    text = value.strip()
    if text == "this":
        return "`this` is an object, not a number", "a field of it: `this.size`"
    if text.partition(".")[0] in ("thread", "thrown") or "::" in text:
        return f"`{text}` is not a value of the call", EXPECTED
    if text.split(".")[0] == "exception":
        return "an exception has no number", EXPECTED
    call, is_call, inner = text.partition("(")
    if is_call:
        name = inner.strip(") ") if call in SIZES else call.rpartition(".")[0]
        sized = call.rpartition(".")[2] in SIZES and name
        return f"`{call}(`: rules call no methods", f"`{name}.length`" if sized else EXPECTED
    wrong = wrong_text(path, text)
    return (wrong[0], EXPECTED, *wrong[2:]) if wrong else None


def wrong_rule(rule: Rule) -> tuple[str, str, str, int] | None:
    if not rule.clause("of"):
        return "", "a `value` rule says which number", f"`of` and the number: {EXPECTED}", 0
    return keys.wrong_rule(rule)


class Number:
    """The place of the number: `of` and `by`, as the rule has them; `path`, as the agent reads it; `root`: the value
    passed at the entry, None: the result; `kind`: the root's type; `steps`: fields on the way from there, if the
    tracker reads them."""

    __slots__ = ("by", "key", "kind", "of", "path", "root", "steps")

    def __init__(
        self, of: str, path: str, root: Root | None, kind: str, steps: list[str], key: keys.Key | None, by: str
    ) -> None:
        self.by = by
        self.of = of
        self.path = path
        self.root = root
        self.kind = kind
        self.steps = steps
        self.key = key


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each rule, but for those that ask for the same as one before; returns the rules that fit the
    method."""
    asked: list[tuple[str, str]] = []
    fit: list[int] = []
    for index in rules:
        rule = planning.rules.rules[index]
        same = (rule.clause("of").strip(), keys.written(rule))
        if same in asked:
            fit.append(index)
            continue
        number = number_of(planning, code, index)
        if number is not None:
            asked.append(same)
            fit.append(index)
            text_bytes = len(number.of) + len(number.path) + (len(number.key.words) if number.key is not None else 0)
            keyed = number.key is not None
            probes.append(
                Probe(VALUE, BY if keyed else WHOLE, keys.SLOTS if keyed else CH_VALUE_SLOTS, index, number, text_bytes)
            )
    return tuple(fit)


def number_of(planning: Planning, code: Code, index: int) -> Number | None:
    """The number that a rule records in a method; None: the method does not have it, which is noted."""
    from classhook.measures.watch.agent_words import written
    from classhook.measures.watch.context_key import Root
    from classhook.measures.watch.further_fields import steps_of
    from classhook.measures.watch.insertion import names
    from classhook.measures.watch.watched_method import WatchedMethod
    from classhook.rules.condition_parser import path

    rule = planning.rules.rules[index]
    method, asked = WatchedMethod(planning.cf, planning.method, code), path(rule.clause("of").strip())
    wanted = method.meant(asked)
    misfit = method.misfit(asked)
    if not misfit and wanted.root == "this" and method.constructor:
        misfit = f"`{wanted}`: a constructor has no `this` when it begins"
    kind = method.type_of(wanted)
    misfit = misfit or no_number(asked, str(method), kind)
    doubt = misfit or method.doubt(wanted)
    if doubt and names(rule, method):
        planning.unfit.setdefault((index, doubt), planning.method)
    if misfit:
        return None
    key = keys.key_of(planning, code, index)
    if key is None and rule.clause("by"):
        return None
    root = None
    if wanted.root == "this":
        root = Root("L", 0)
    elif wanted.argument >= 0:
        root = Root(method.types[wanted.argument], method.locals[wanted.argument])
    text = written(wanted)
    return Number(
        str(asked), text, root, method.root_type(wanted), steps_of(text, planning.cf.name), key, keys.written(rule)
    )


def number_of_probe(probe: Probe) -> Number:
    if not isinstance(probe.detail, Number):
        raise TypeError(probe.kind)
    return probe.detail


def no_number(wanted: Path, method: str, kind: str) -> str:
    """The reason why a value of this type is not a number; empty if it may be one."""
    from classhook.measures.watch.method_types import readable

    if not kind or kind in WIDENED or kind in BOXED:
        return ""
    return (
        f"`{wanted}`: {method} has no result"
        if kind == "V"
        else f"`{wanted}` of {method} is of type {readable(kind)}, not {NUMBER}"
    )


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    number = number_of_probe(probe)
    first = weaver.number(slot)
    to = weaver.number(slot + CH_VALUE_RECORD)
    if number.key is not None:
        to = keys.carried_slot(weaver, number.key, slot)
    if number.root is None:
        insert_call_exits(
            weaver, (DUP2_CODE if number.kind in ("J", "D") else DUP_CODE) + told(weaver, number, first, to), STACK
        )
        return
    passed = number.root.bare(weaver) if number.kind in WIDENED else number.root.code(weaver)
    weaver.at_call(passed + told(weaver, number, first, to), STACK)


def told(weaver: MethodWeaver, number: Number, first: bytes, to: bytes) -> bytes:
    """Tells the number, or the object that has it, which is on the stack. `first` and `to` push the slots of the probe,
    and where it counts."""
    if number.kind in WIDENED:
        told = weaver.call("valueReal", b"(DI)V") if number.kind in REAL else weaver.call("value", b"(JI)V")
        return WIDENED[number.kind] + to + told
    if not number.steps:
        return first + to + weaver.call("valueIn", b"(Ljava/lang/Object;II)V")
    from classhook.measures.watch import further_fields

    found = further_fields.owner_and_step(number.steps, further_fields.VALUE, first, weaver.call)
    return found + first + to + weaver.call("valueBehind", b"(Ljava/lang/Object;Ljava/lang/Object;III)V")


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    number = number_of_probe(probe)
    if number.key is None:
        return ValueRecord(probe.kind, slot, probe.rule, method, descriptor, number.path, number.of)
    key = number.key
    return KeyedValueRecord(
        probe.kind, slot, probe.rule, method, descriptor, key.words, key.top, number.path, number.of, number.by
    )


VALUE = Measure(
    word=Word(
        "value",
        METHODS,
        (
            Clause("of", "EXPRESSION", wrong_of, expects=f"a number ({EXPECTED})", about="the number of each call"),
            Clause(
                "by",
                "EXPRESSION",
                keys.wrong_by,
                expects="the values of a key (`arg0, this.tenant`)",
                about="separate numbers for each value, the key",
            ),
            Clause("top", "NUMBER", keys.wrong_top, about="the largest number of keys"),
            *chosen_calls.clauses("also the numbers of the calls that this is true of", "by", "top"),
        ),
        wrong=wrong_rule,
        beside=chosen_calls.beside,
        about="count, sum, mean, minimum, maximum and percentiles of a number of each call",
    ),
    kinds={WHOLE: CH_VALUE_SLOTS, BY: keys.SLOTS},
    plan=plan,
    insert=insert,
    lost="its values are not recorded",
    record=record,
)
