"""The probes of watched writes, in front of the instruction that writes (JVMS 6.5.putfield, putstatic):

    of an object's field      copies of the object and the value, array, number, write
    of a static field         a copy of the value, what the field has, array, number, wrote
    in a constructor that     a copy of the value, null, array, number, wrote
    has not called super()

The array is null if the condition does not hold, as far as code can decide it (write_operands.py), or if the rule shows
no more. The agent reads what the object's field has, decides what is left of the condition, and writes down what the
rule shows. Before super() there is no object yet that code may pass on: `old` and `object` are not set.
"""

from __future__ import annotations

from classhook.classfile.inits import initialised_ranges
from classhook.classfile.insertions import BEFORE, Insertion
from classhook.classfile.opcodes import ACONST_NULL_CODE, DUP2_CODE, DUP_CODE, GETSTATIC, PUTSTATIC
from classhook.classfile.splice import Context
from classhook.measures.accesses import WRITING, accesses
from classhook.measures.calls import CallSite
from classhook.measures.event import LOADS
from classhook.measures.watch import agent_words, further_fields
from classhook.measures.watch.agent_words import masks_of, prefix, written_from
from classhook.measures.watch.condition_value import ONE, ConditionValue
from classhook.measures.watch.method_types import mismatch_of
from classhook.measures.watch.watched_method import hidden
from classhook.measures.watch.write_operands import WriteOperands
from classhook.probes.records import WatchedWriteRecord
from classhook.rules.condition_parser import condition, shown
from classhook.rules.condition_tokens import Wrong
from classhook.rules.conditions import Comparison, Condition, Path, Shown, comparisons, paths_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.pool import ConstantPool
    from classhook.classfile.reader import ClassFile
    from classhook.measures.watch.further_fields import FurtherFields
    from classhook.probes.measure import Planning, Probe
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule

OBJECTS: Final = "[Ljava/lang/Object;"
OBJECT: Final = "Ljava/lang/Object;"
USUAL: Final = "old, value"
NAMES: Final = ("old", "value", "object")
#: Copies of an object and of a long or double above it.
DUP_BOTH_WIDE: Final = b"\x5d\x58\x5b\x5b\x57\x5d"  # dup2_x1, pop2, dup_x2, dup_x2, pop, dup2_x1
ROOTS: Final = 2  # the value, and what a static field has
STACK: Final = 9


def read_condition(text: str) -> Condition:
    """Raises Wrong."""
    found = condition(text, locals_=True)
    _check(paths_in(found), text)
    return found


def read_shown(text: str) -> Shown:
    """Raises Wrong."""
    found = shown(text, locals_=True)
    _check(found.paths, text)
    if found.args >= 0:
        raise Wrong(max(text.find("args"), 0), "a write has no arguments", "`old`, `value`, `object`, or `stack 4`")
    return found


def _check(paths: tuple[Path, ...] | list[Path], text: str) -> None:
    for path in paths:
        if path.root not in NAMES:
            expected = "`old`, `value`, or `object`, and fields behind a dot: `object.id`"
            raise Wrong(max(text.find(path.root), 0), f"unknown name `{path.root}`", expected)


class Wanted:
    """The request of a rule at a write. `opcode`; `object_there`: whether the code may pass on the object; `declared`:
    the class that must declare the field, if that is not known yet; `operands`: what code can compare; `left`: the
    condition, unless code decides it."""

    __slots__ = (
        "class_name",
        "condition",
        "declared",
        "left",
        "object_there",
        "opcode",
        "operands",
        "rule",
        "shown",
        "site",
    )

    def __init__(
        self, rule: Rule, site: CallSite, code: Code, object_there: bool, declared: str, cf: ClassFile
    ) -> None:
        self.rule = rule
        self.site = site
        self.opcode = code.code[site.pc]
        self.object_there = object_there
        self.declared = declared
        self.class_name = cf.name
        self.operands = WriteOperands(site, self.static, object_there, code.code[site.pc + 1 : site.pc + 3])
        self.shown = read_shown(rule.clause("show") or USUAL)
        self.condition = read_condition(rule.clause("when")) if rule.clause("when") else None
        self.left = (
            self.condition if self.condition is not None and not self.decided(cf.pool).exact(self.condition) else None
        )

    @property
    def static(self) -> bool:
        return self.opcode == PUTSTATIC

    def decided(self, pool: ConstantPool, further: FurtherFields | None = None) -> ConditionValue:
        return ConditionValue(self.operands, self.class_name, pool, further)

    def written(self, path: Path) -> str:
        """The path as the agent reads it."""
        old = "a1" if self.static else f"t.{self.site.name}"
        return written_from({"old": old, "value": "a0", "object": "t"}[path.root], path)

    def hides(self, path: Path, masks: list[str]) -> bool:
        """True if a mask names the value, the field, or what is on the way."""
        whole = f"{self.site.owner}.{self.site.name}"
        return hidden([path.root] if path.root == "object" else [path.root, self.site.name, whole], path, masks)


def wanted_by(planning: Planning, code: Code, rules: tuple[int, ...]) -> dict[int, list[Wanted]]:
    """The requests of each rule at the method's writes."""
    return {index: wanted_of(planning, code, index) for index in rules}


def wanted_of(planning: Planning, code: Code, index: int) -> list[Wanted]:
    """The requests of the rule with this index at the method's writes."""
    rule = planning.rules.rules[index]
    found, _ = accesses(planning, code, (index,), WRITING)
    ranges = (
        initialised_ranges(code, planning.cf.pool, Context.from_method(planning.cf, planning.method)) if found else []
    )
    wanted = []
    for site in found:
        opcode, known = code.code[site.pc], site.rule >= 0
        object_there = opcode != PUTSTATIC and any([start <= site.pc < end for start, end in ranges])
        if not known and not object_there:
            continue  # whose field it is, nothing tells
        declared = (
            "" if known else next(target.class_pattern.glob for target in rule.called if target.method is not None)
        )
        one = Wanted(rule, site, code, object_there, declared, planning.cf)
        compared = comparisons(one.condition) if one.condition is not None else []
        wrong = [_mismatch(each, site) for each in compared]
        for why in filter(None, wrong):
            planning.unfit.setdefault((index, why), planning.method)
        if not any(wrong):
            wanted.append(one)
    return wanted


def _mismatch(comparison: Comparison, site: CallSite) -> str:
    def kind_of(path: Path) -> str:
        return site.descriptor if path.root != "object" and len(path.names) == 1 else ""

    return mismatch_of(comparison, kind_of, lambda path: f"`{path}` of {site.name}")


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    wanted = probe.detail
    assert isinstance(wanted, Wanted)
    site, number = wanted.site, weaver.number(slot)
    kind = site.descriptor if site.descriptor[0] not in "L[" else OBJECT
    _, _, slots, box = LOADS[kind[0]]
    letter = kind if box else ""
    before, holds, needed = _condition(weaver, wanted, slots, number)
    watching = (
        holds + bytes((3 + ROOTS + 1,)) + number + weaver.call("watchingIf", f"(III){OBJECTS}".encode())
    )  # iconst_3
    if wanted.object_there:
        code = before + (DUP_BOTH_WIDE if slots == 2 else DUP2_CODE)
        code += watching + number + weaver.call(f"write{letter}", f"({OBJECT}{kind}{OBJECTS}I)V".encode())
    else:
        code = before + (DUP2_CODE if slots == 2 else DUP_CODE)
        code += _old(weaver, wanted, kind, box) if wanted.static else ACONST_NULL_CODE
        code += watching + number + weaver.call(f"wrote{letter}", f"({kind}{OBJECT}{OBJECTS}I)V".encode())
    weaver.insertions.append(Insertion(site.pc, code, BEFORE, guarded=True, stack=STACK + needed))


def _condition(weaver: MethodWeaver, wanted: Wanted, slots: int, number: bytes) -> tuple[bytes, bytes, int]:
    """The code that keeps the value for the condition, the code that pushes whether the condition may hold, and the
    stack that this needs."""
    if wanted.condition is None:
        return b"", ONE, 0
    kept = b""
    if any([path.root == "value" for path in paths_in(wanted.condition)]):
        wanted.operands.value = weaver.scratch()
        kept = (DUP2_CODE if slots == 2 else DUP_CODE) + wanted.operands.store()
    conditions = wanted.decided(
        weaver.pool, further_fields.from_condition(wanted.left, wanted.class_name, weaver.pool, number, weaver.call)
    )
    return kept, conditions.code(wanted.condition), conditions.stack(wanted.condition)


def _old(weaver: MethodWeaver, wanted: Wanted, kind: str, box: str) -> bytes:
    """The value of the static field; its class is initialised one instruction earlier than by the write."""
    index = weaver.code.code[wanted.site.pc + 1 : wanted.site.pc + 3]
    return bytes((GETSTATIC,)) + index + (weaver.call(box, f"({kind}){OBJECT}".encode()) if box else b"")


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    """The record for the agent and for reports."""
    wanted = probe.detail
    assert isinstance(wanted, Wanted)
    site, masks = wanted.site, masks_of(wanted.rule)
    shown = [(wanted.written(path), wanted.hides(path, masks), str(path)) for path in wanted.shown.paths]
    fields = agent_words.fields(wanted.rule, wanted.shown.frames, shown, prefix(wanted.left, wanted.written))
    return WatchedWriteRecord(
        probe.kind,
        slot,
        probe.rule,
        method,
        descriptor,
        *fields,
        line=site.line,
        roots=ROOTS,
        owner=site.owner,
        field=site.name,
        declared=wanted.declared,
    )
