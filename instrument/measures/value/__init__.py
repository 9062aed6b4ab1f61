"""`value`: a number of each call, an argument, the result, or a field of one of these: how many, their sum, least,
largest, and percentiles.

    entry     the number, number, value              or: the object, number, number, valueIn
                                                     or: the object, the one whose field it is, step, number, number,
                                                     valueBehind
              with a key: its slot, store            (measures/keys)
    exit      for `result`: copies it, then the same, before each return

The number goes to a record of the thread (native/watch/values.c), whose histogram is that of times. With a key, to the
record of the key's slot. A number of a primitive type is passed as it is (`valueReal`: a float or double); else the
agent reads it from the object, without running code of the program. What is calculated:
watch/calculated_number.py.
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
    from collections.abc import Callable
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.measures.watch.calculated_number import Calculated
    from classhook.measures.watch.context_key import Root
    from classhook.measures.watch.watched_method import WatchedMethod
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.conditions import Operand, Path
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
OPERATORS: Final = "+-*/%("
SIZES: Final = ("len", "length", "size", "count")


def wrong_of(value: str) -> Mistaken | None:
    from classhook.rules.calculation_parser import EXPECTED as EXPECTED_OPERAND
    from classhook.rules.calculation_parser import number
    from classhook.rules.clause_values import wrong_text
    from classhook.rules.conditions import paths_of

    text = value.strip()
    before, opened, inner = text.partition("(")
    if opened and before and not before[-1].isspace() and before[-1] not in OPERATORS:
        call = before.split()[-1]
        name = inner.strip(") ") if call in SIZES else call.rpartition(".")[0]
        sized = call.rpartition(".")[2] in SIZES and name
        return f"`{call}(`: rules call no methods", f"`{name}.length`" if sized else EXPECTED
    wrong = wrong_text(number, text)
    if wrong:
        return (wrong[0], EXPECTED if wrong[1] == EXPECTED_OPERAND else wrong[1], *wrong[2:])
    for path in paths_of(number(text)):
        if mistake := _no_number_of_call(path):
            return (*mistake, max(text.find(str(path)), 0))
    return None


def _no_number_of_call(path: Path) -> tuple[str, str] | None:
    if path.names == ("this",):
        return "`this` is an object, not a number", "a field of it: `this.size`"
    if path.root == "exception":
        return "an exception has no number", EXPECTED
    if path.root == "thread" or path.static[0]:
        return f"`{path}` is not a value of the call", EXPECTED
    return None


def wrong_rule(rule: Rule) -> tuple[str, str, str, int] | None:
    if not rule.clause("of"):
        return "", "a `value` rule says which number", f"`of` and the number: {EXPECTED}", 0
    return keys.wrong_rule(rule)


def of_rule(rule: Rule) -> str:
    """The number that a rule records, as reports show it; empty: none."""
    from classhook.rules.calculation_parser import number

    text = rule.clause("of").strip()
    return str(number(text)) if text else ""


class Number:
    """The place of the number: `of` and `by`, as the rule has them; `path`, as the agent reads it; `root`: the value
    passed at the entry, None: the result; `kind`: the root's type; `steps`: fields on the way from there, if the
    tracker reads them; `calculated`: instead of these, if it is calculated."""

    __slots__ = ("by", "calculated", "key", "kind", "of", "path", "root", "steps")

    def __init__(self, of: str, path: str, key: keys.Key | None, by: str) -> None:
        self.by = by
        self.of = of
        self.path = path
        self.key = key
        self.root: Root | None = None
        self.kind = ""
        self.steps: list[str] = []
        self.calculated: Calculated | None = None


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each rule, but for those that ask for the same as one before; returns the rules that fit the
    method."""
    asked: list[tuple[str, str]] = []
    fit: list[int] = []
    for index in rules:
        rule = planning.rules.rules[index]
        same = (of_rule(rule), keys.written(rule))
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
    from classhook.measures.watch.insertion import names
    from classhook.measures.watch.watched_method import WatchedMethod
    from classhook.rules.calculation_parser import number
    from classhook.rules.conditions import Calculation, Path, operand_with, paths_of

    rule = planning.rules.rules[index]
    method, asked = WatchedMethod(planning.cf, planning.method, code), number(rule.clause("of"))
    wanted = operand_with(asked, method.meant)
    misfits = [method.misfit(path) for path in paths_of(asked)]
    if method.constructor:
        misfits += [
            f"`{path}`: a constructor has no `this` when it begins" for path in paths_of(wanted) if path.root == "this"
        ]
    misfits.append(no_number(asked, str(method), method.type_of))
    misfit = next(filter(None, misfits), "")
    doubt = misfit or next(filter(None, map(method.doubt, paths_of(wanted))), "")
    if doubt and names(rule, method):
        planning.unfit.setdefault((index, doubt), planning.method)
    if misfit:
        return None
    key = keys.key_of(planning, code, index)
    if key is None and rule.clause("by"):
        return None
    found = Number(str(asked), "", key, keys.written(rule))
    if isinstance(wanted, Calculation):
        from classhook.measures.watch.calculated_number import Calculated

        found.calculated = Calculated(method, wanted, planning.cf.pool)
        found.path = found.calculated.written()
    elif isinstance(wanted, Path):
        _place(found, method, wanted)
    return found


def _place(number: Number, method: WatchedMethod, wanted: Path) -> None:
    from classhook.measures.watch.agent_words import written
    from classhook.measures.watch.context_key import Root
    from classhook.measures.watch.further_fields import steps_of

    if wanted.root == "this":
        number.root = Root("L", 0)
    elif wanted.argument >= 0:
        number.root = Root(method.types[wanted.argument], method.locals[wanted.argument])
    number.path = written(wanted)
    number.kind = method.root_type(wanted)
    number.steps = steps_of(number.path, method.class_name)


def number_of_probe(probe: Probe) -> Number:
    if not isinstance(probe.detail, Number):
        raise TypeError(probe.kind)
    return probe.detail


def no_number(wanted: Operand, method: str, kind_of: Callable[[Path], str]) -> str:
    """The reason why this is not a number, by the known types of paths; empty if it may be one."""
    from classhook.measures.watch.method_types import no_operand, readable
    from classhook.rules.conditions import Path, operators_of, paths_of

    of_method = f" of {method}" if method else ""
    for path in paths_of(wanted):
        if kind_of(path) == "V":
            return f"`{path}`: {method or 'the method'} has no result"
    for op, path in operators_of(wanted):
        if why := no_operand(op, kind_of(path), f"`{path}`{of_method}"):
            return why
    kind = kind_of(wanted) if isinstance(wanted, Path) else ""
    if not kind or kind in WIDENED or kind in BOXED:
        return ""
    return f"`{wanted}`{of_method} is of type {readable(kind)}, not {NUMBER}"


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    number = number_of_probe(probe)
    first = weaver.number(slot)
    to = weaver.number(slot + CH_VALUE_RECORD)
    if number.key is not None:
        to = keys.carried_slot(weaver, number.key, slot)
    if number.calculated is not None:
        number.calculated.insert(weaver, first, to)
        return
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
