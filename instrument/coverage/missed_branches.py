"""Says in words which branch never happened: `if (x > 0): never false`, `switch: never case 3, default`.

1. A condition of the source is true where a compiler falls into the code that depends on it. A jump forward means that
   it is false, one backward (the end of a loop) that it is true; one that lands behind a later condition of the same
   expression has the value which that one has when it does not jump (`a || b`).
2. The condition is described by what is pushed in front of the jump, if that is simple. A report that has the source
   takes the text of the statement, if the line has no other condition in any method: a lambda's is not that of the
   statement around it.
3. A case is named by its key, by its text for switches over strings, else by the line where it leads.
4. A missed branch leads to what can be reached from it through instructions that never ran; these are named by it, and
   by no other.
"""

from __future__ import annotations

from classhook.classfile.opcodes import (
    ACONST_NULL,
    ALOAD,
    ARRAYLENGTH,
    ATHROW,
    BIPUSH,
    DCMPG,
    GETSTATIC,
    GOTO,
    IALOAD,
    ICONST_0,
    IFEQ,
    IFNONNULL,
    IFNULL,
    ILOAD,
    INSTANCEOF,
    INVOKEDYNAMIC,
    INVOKEVIRTUAL,
    ISTORE,
    LCMP,
    LCONST_0,
    LDC,
    NAMES,
    PUTFIELD,
    RET,
    RETURN,
    SIPUSH,
)
from classhook.coverage.filter_effects import Effects
from classhook.coverage.method_body import Body
from classhook.coverage.propagation import CONDITION, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# A condition's operator when its jump is taken; the other one of the pair when it is not.
_OPPOSITES: Final = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_OPERATORS: Final = {"eq": "==", "ne": "!=", "lt": "<", "ge": ">=", "gt": ">", "le": "<="}
# By opcode: the branches that the filter of `?.` gives it.
_SAFE_CALLS: Final = {IFNULL: ("a value", "null"), IFNONNULL: ("null", "a value")}
_COMPARISONS: Final = range(LCMP, DCMPG + 1)
_CALLS: Final = range(INVOKEVIRTUAL, INVOKEDYNAMIC + 1)
_FIELDS: Final = range(GETSTATIC, PUTFIELD + 1)
_LOADS: Final = range(ILOAD, ALOAD + 1)
_ENDS: Final = bytes(
    [op in (GOTO, ATHROW) or RET <= op <= RETURN for op in range(256)]
)  # control does not fall into the next instruction
_KEYWORDS: Final = ("if", "while", "for", "when", "switch", "assert", "return")
_ESCAPES: Final = {9: "\\t", 10: "\\n", 13: "\\r", 39: "\\'", 92: "\\\\"}
UNCLEAR: Final = "..."


class Missed:
    """A condition or switch with branches that never happened.

    what: `if`, `switch` or `?.`; condition: what is tested, as far as the class file tells; never: the branches, in
    words; empty if it was never reached. number, of: which condition of its line in its method it is, from 1 on; alone:
    whether the line has no other, and the text of its statement tells it. leads: the lines that did not run because of
    it.
    """

    __slots__ = ("alone", "condition", "leads", "line", "never", "number", "of", "what")

    def __init__(self, line: int, what: str, condition: str, never: list[str]) -> None:
        self.line: int = line
        self.what: str = what
        self.condition: str = condition
        self.never: list[str] = never
        self.number: int = 1
        self.of: int = 1
        self.alone: bool = True
        self.leads: set[int] = set()

    def words(self, source: str = "") -> str:
        """One line of text; `source`: the source line, if known."""
        subject = self.what
        if self.what == "if":
            subject = statement(source) if self.of == 1 and self.alone else ""
            if not subject:
                subject = f"if ({self.condition})"
            if self.of > 1:
                subject += f", condition {self.number} of {self.of}"
        return f"{subject}: never " + (", ".join(self.never) or "reached")


def statement(source: str) -> str:
    """`if (...)` or the like, if the line has one such statement; else empty."""
    found = ""
    for word in _KEYWORDS:
        at = source.find(word)
        before = source[at - 1 : at]
        rest = source[at + len(word) :].lstrip()
        if at < 0 or before.isalnum() or not rest.startswith("("):
            continue
        depth = 0
        for i in range(len(rest)):
            depth += (rest[i] == "(") - (rest[i] == ")")
            if depth == 0:
                if found:
                    return ""
                found = f"{word} {rest[: i + 1]}"
                break
    return found


def explain(flow: Flow, effects: Effects, bits: list[int], lines: dict[int, list[int]]) -> list[Missed]:
    """The missed branches of lines that ran in part; the arguments are as they are after filters."""
    body = flow.body
    branches = flow.branches
    found: list[Missed] = []
    of: dict[int, int] = {}
    seen: bytearray | None = None
    for i in range(body.count):
        line = body.lines[i]
        if effects.ignored[i] or branches[i] < 2 or line not in lines or not lines[line][1]:
            continue
        of[line] = of.get(line, 0) + 1
        if bits[i].bit_count() < branches[i]:
            one = _missed(flow, effects, i, bits[i])
            one.number = of[line]
            if bits[i]:
                seen = _left(flow, effects, bits) if seen is None else seen
                one.leads = _leads(body, bits, _never(flow, effects, i, bits[i]), seen)
            found.append(one)
    for one in found:
        one.of = of[one.line]
    return found


def settle(missed: list[Missed], name: str, own: dict[int, list[int]], lines: dict[int, list[int]]) -> None:
    """Says of a method's missed branches whether they are alone in their lines; `lines`: of all methods of the source
    file."""
    is_lambda = "lambda$" in name or "$anonfun$" in name
    for one in missed:
        mine = own.get(one.line)
        every = lines.get(one.line)
        one.alone = (
            not is_lambda and mine is not None and every is not None and mine[2] + mine[3] == every[2] + every[3]
        )


def _never(flow: Flow, effects: Effects, i: int, covered: int) -> list[int]:
    """The targets of the branches of i that were never taken."""
    switch = flow.body.switches.get(i)
    if i in effects.replaced:
        return _replaced_targets(flow, effects.replaced[i], covered)
    if switch is None:
        return [target for way, target in ((0, i + 1), (1, flow.body.targets[i])) if not covered >> way & 1]
    return [target for target, way in zip(switch.distinct, flow.switch_ways[i], strict=True) if not covered >> way & 1]


def _replaced_targets(flow: Flow, replaced: list[list[tuple[int, int]]], covered: int) -> list[int]:
    """The same for branches that a filter has put in place of others."""
    found: list[int] = []
    for b in range(len(replaced)):
        if not covered >> b & 1:
            for k, way in replaced[b]:
                switch = flow.body.switches.get(k)
                if switch is None:
                    found.append(flow.body.targets[k] if way else k + 1)
                else:
                    found += [
                        target for target, one in zip(switch.distinct, flow.switch_ways[k], strict=True) if one == way
                    ]
    return found


def _left(flow: Flow, effects: Effects, bits: list[int]) -> bytearray:
    """Marks what never ran though a branch that happened leads there: an exception was thrown."""
    body = flow.body
    waiting: list[int] = []
    for i in range(body.count):
        covered = bits[i]
        if not covered or i in effects.replaced:
            continue
        if i in body.switches:
            for target, way in zip(body.switches[i].distinct, flow.switch_ways[i], strict=True):
                if covered >> way & 1:
                    waiting.append(target)
        elif covered & 2 and body.targets[i] >= 0:
            waiting.append(body.targets[i])
        if covered & 1 and not _ENDS[body.ops[i]]:
            waiting.append(i + 1)
    seen = bytearray(body.count)
    _leads(body, bits, waiting, seen)
    return seen


def _leads(body: Body, bits: list[int], waiting: list[int], seen: bytearray) -> set[int]:
    """The lines of what never ran and can be reached from there; `seen`: the instructions that some condition has led
    to."""
    found: set[int] = set()
    while waiting:
        i = waiting.pop()
        if not 0 <= i < body.count or bits[i] or seen[i]:
            continue
        seen[i] = 1
        found.add(body.lines[i])
        switch = body.switches.get(i)
        if switch is not None:
            waiting += switch.distinct
            continue
        if body.targets[i] >= 0:
            waiting.append(body.targets[i])
        if not _ENDS[body.ops[i]]:
            waiting.append(i + 1)
    return found


def _missed(flow: Flow, effects: Effects, i: int, covered: int) -> Missed:
    body = flow.body
    line = body.lines[i]
    replaced = effects.replaced.get(i)
    safe = _SAFE_CALLS.get(body.ops[i])
    if replaced is not None and safe is not None:
        return Missed(line, "?.", "", [safe[b] for b in range(2) if not covered >> b & 1] if covered else [])
    if replaced is not None or i in body.switches:
        return Missed(line, "switch", "", _missed_cases(flow, replaced, i, covered) if covered else [])
    value = jump_value(body, i)
    names = [name for branch, name in ((value, "true"), (1 - value, "false")) if not covered >> branch & 1]
    return Missed(line, "if", _condition(body, i, value), names if covered else [])


def jump_value(body: Body, i: int) -> int:
    """The value of the condition when the jump at i is taken: 1 for true."""
    negated = 0
    while True:
        target = body.targets[i]
        if target <= i or _is_guard(body, i):
            return 1 - negated
        last = target - 1
        if last == i or not CONDITION[body.ops[last]]:
            return negated
        negated = 1 - negated
        i = last


def _is_guard(body: Body, i: int) -> bool:
    """True if the jump at i is that of a guard (`case ... when`) that holds: it leaves out javac's way back to the
    switch, for the next case."""
    back = i + 3
    if body.targets[i] != i + 4 or body.ops[i + 2] != ISTORE or not 0 <= body.targets[back] <= i:
        return False
    at = body.targets[back]
    return body.ops[at + 1] == ILOAD and body.slot(at + 1) == body.slot(i + 2) and body.ops[at + 2] == INVOKEDYNAMIC


def _condition(body: Body, i: int, value: int) -> str:
    """The condition as it is in the source, when its jump is taken if `value`."""
    name = NAMES[body.text[body.pcs[i]]]
    right = _pushed(body, i - 1)
    if name in ("ifnull", "ifnonnull"):
        equal = (name == "ifnull") == bool(value)
        return f"{right} {'==' if equal else '!='} null"
    operator = _OPERATORS[name[-2:]]
    if not value:
        operator = _OPPOSITES[operator]
    if "cmp" in name:
        return f"{_pushed(body, i - 2) if _is_simple(body, i - 1) else UNCLEAR} {operator} {right}"
    if i and body.ops[i - 1] in _COMPARISONS:
        left = _pushed(body, i - 3) if _is_simple(body, i - 2) else UNCLEAR
        return f"{left} {operator} {_pushed(body, i - 2)}"
    if _is_of(body, i - 1, "Z"):
        return right if operator == "!=" else f"!{right}"
    return f"{right} {operator} 0"


def _is_of(body: Body, i: int, descriptor: str) -> bool:
    """True if instruction i pushes a boolean (Z) or a char (C)."""
    if i < 0:
        return False
    op = body.ops[i]
    if op in _CALLS or op in _FIELDS:
        return body.member(i)[2].endswith(descriptor.encode())
    return (op == INSTANCEOF and descriptor == "Z") or (op in _LOADS and _variable(body, i)[1] == descriptor)


def _is_simple(body: Body, i: int) -> bool:
    """True if instruction i pushes something by itself, without operands."""
    return i >= 0 and (ACONST_NULL <= body.ops[i] <= ALOAD or body.ops[i] == GETSTATIC)


def _pushed(body: Body, i: int) -> str:
    """Describes the value that instruction i pushes."""
    if i < 0:
        return UNCLEAR
    op = body.ops[i]
    if op in _LOADS:
        return _variable(body, i)[0] or UNCLEAR
    if op in _CALLS:
        return _text(body.member(i)[1]) + "()"
    if op in _FIELDS:
        return _text(body.member(i)[1])
    if op == INSTANCEOF:
        return f"instanceof {body.cls.pool.class_name(body.index(i)).rpartition('/')[2]}"
    if ICONST_0 - 1 <= op <= ICONST_0 + 5:
        return str(op - ICONST_0)
    pc = body.pcs[i]
    if op == BIPUSH:
        return str(int.from_bytes(body.text[pc + 1 : pc + 2], "big", signed=True))
    if op == SIPUSH:
        return str(int.from_bytes(body.text[pc + 1 : pc + 3], "big", signed=True))
    return {ARRAYLENGTH: "length", ACONST_NULL: "null", LCONST_0: "0", LCONST_0 + 1: "1"}.get(op, UNCLEAR)


def _variable(body: Body, i: int) -> tuple[str, str]:
    """Name and descriptor of the local variable that instruction i loads; empty without a LocalVariableTable."""
    slot = body.slot(i)
    pc = body.pcs[i]
    if slot == 0 and not body.method.access & 8:
        return "this", ""
    data = body.code.data
    for name, at, end_at in body.code.attributes:
        if name == b"LocalVariableTable":
            for entry in range(at + 8, end_at - 9, 10):
                start, length, name_index, descriptor_index, index = [
                    data[k] << 8 | data[k + 1] for k in range(entry, entry + 10, 2)
                ]
                if index == slot and start <= pc < start + length:
                    return body.cls.pool.utf8(name_index), body.cls.pool.utf8(descriptor_index)
    return "", ""


def _missed_cases(flow: Flow, replaced: list[list[tuple[int, int]]] | None, i: int, covered: int) -> list[str]:
    """The names of a switch's branches that were not covered."""
    body = flow.body
    switch = body.switches.get(i)
    names: list[str] = []
    if replaced is not None:
        for b in range(len(replaced)):
            if not covered >> b & 1:
                names.append(_replacement(body, replaced[b]))
        return sorted(names, key="default".__eq__)
    assert switch is not None
    texts = _strings(body, i)
    for target, way in zip(switch.distinct, flow.switch_ways[i], strict=True):
        if not covered >> way & 1:
            names.append("default" if target == switch.default else _case(body, i, target, texts))
    return sorted(names, key="default".__eq__)


def _case(body: Body, i: int, target: int, texts: dict[int, str]) -> str:
    """The keys that lead to `target`, as the source has them if they can be known, else the line there."""
    switch = body.switches[i]
    keys = [switch.keys[k] for k in range(len(switch.cases)) if switch.cases[k] == target]
    if texts:
        return "case " + ", ".join([f'"{texts.get(key, UNCLEAR)}"' for key in keys])
    if i and (
        body.ops[i - 1] == IALOAD
        or body.ops[i - 1] == INVOKEDYNAMIC
        or (body.ops[i - 1] in _CALLS and body.member(i - 1)[1] == b"ordinal")
    ):
        return f"the case in line {body.lines[target]}"  # the number is not one of the source: of an enum, a type
    if _is_of(body, i - 1, "C"):
        return "case " + ", ".join([_char(key) for key in keys])
    return "case " + ", ".join([str(key) for key in keys])


def _char(key: int) -> str:
    """A char as in the source, whatever it is."""
    escaped = _ESCAPES.get(key)
    if escaped is None:
        escaped = chr(key) if 32 <= key < 127 else f"\\u{key & 0xFFFF:04x}"
    return f"'{escaped}'"


def _strings(body: Body, i: int) -> dict[int, str]:
    """The texts by key, if this is the second of javac's switches over strings: `ldc; equals; ifeq; number; istore` in
    front of it."""
    if not i or body.ops[i - 1] != 21:
        return {}
    slot = body.slot(i - 1)
    found: dict[int, str] = {}
    for k in body.each(54):
        if k < i and body.slot(k) == slot and k >= 4 and body.ops[k - 2] == IFEQ and body.ops[k - 4] == LDC:
            number = _pushed(body, k - 1)
            if number != UNCLEAR:
                found[int(number)] = _text(body.cls.text(body.index(k - 4)))
    return found


def _replacement(body: Body, sources: list[tuple[int, int]]) -> str:
    """The name of a branch that a filter has put in place of others."""
    i, branch = sources[0]
    switch = body.switches.get(i)
    if switch is not None:
        return "default" if branch == 0 else _case(body, i, switch.distinct[branch], {})
    texts = [_text(body.cls.text(body.index(k - 2))) for k, _ in sources if k >= 2 and body.ops[k - 2] == LDC]
    return "case " + ", ".join([f'"{text}"' for text in texts]) if texts else f"line {body.lines[i]}"


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")
