"""`alloc`: allocations by site, how many and how large (JVMS 6.5: new, newarray, anewarray, multianewarray).

The agent measures an object's size and keeps it in a slot that threads share; for arrays, the bytes are summed.
Bytecode names the allocated type but not its supertypes, which need not be loaded yet. So for `alloc Type+` each site
of any type is counted, and the report decides by the supertypes that the agent saw which ones it shows.

With `when`, a probe has twice the slots: code decides the condition, without a jump (watch/condition_value.py), and the
number of the slots is that of the second ones where it holds; reports read these only.

With `live`, `stack` or `every` the agent also samples objects with their stacks (native/objects/): which of them live
on, and who allocated them. `threads` tells the threads apart that did. With `sampled`, it does only that.
"""

from __future__ import annotations

from classhook.base.units import size
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.insertions import Insertion
from classhook.classfile.opcodes import ANEWARRAY, ARRAYLENGTH_CODE, DUP_CODE, IADD, LENGTHS, NEW, NEWARRAY
from classhook.native._slots import CH_ALLOC_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import SiteRecord
from classhook.rules.words import NO_VALUE, SAMPLED, TYPES, Clause, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.pool import ConstantPool
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule
    from classhook.rules.words import Mistaken

OBJECT, ARRAY = "object", "array"

# newarray's operand (JVMS table 6.5.newarray-A): name and the tracker's method for arrays of that element size
PRIMITIVE_ARRAYS: Final = {
    4: ("boolean[]", "array1"),
    5: ("char[]", "array2"),
    6: ("float[]", "array4"),
    7: ("double[]", "array8"),
    8: ("byte[]", "array1"),
    9: ("short[]", "array2"),
    10: ("int[]", "array4"),
    11: ("long[]", "array8"),
}
TRACKER_METHODS: Final = {NEW: "allocated", ANEWARRAY: "arrayRef"}  # else "arrays"
DESCRIPTORS: Final = {
    "Z": "boolean",
    "C": "char",
    "F": "float",
    "D": "double",
    "B": "byte",
    "S": "short",
    "I": "int",
    "J": "long",
}
# By method of the tracker: what it is passed besides the number, and its descriptor; the other methods get the array's
# length.
OPERANDS: Final = {"allocated": (b"", b"(I)V"), "arrays": (DUP_CODE, b"(Ljava/lang/Object;I)V")}
LENGTH: Final = (DUP_CODE + ARRAYLENGTH_CODE, b"(II)V")
TIMES_SLOTS: Final = b"\x04\x78"  # iconst_1, ishl (JVMS 6.5): CH_ALLOC_SLOTS for each
NAME: Final = "length"  # what conditions are about
CHOSEN: Final = " [when "  # between a type and a condition

# Settings of samples: mean bytes between two of them; frames of their stacks, as CH_LOCK_FRAMES in
# native/locks/locks.h.
EVERY: Final = "512KB"
LARGEST: Final = 1 << 30
FRAMES: Final = "4"
MOST_FRAMES: Final = 256


class Site:
    """An allocation at `pc`, whose probe goes to `next_pc`; `tracker` is the tracker's method; `undecided`: see
    deciding; `line`: 0 if unknown; `condition`: the text of the rule's."""

    __slots__ = ("condition", "line", "next_pc", "pc", "tracker", "type", "undecided")

    def __init__(self, pc: int, next_pc: int, type_name: str, tracker: str) -> None:
        self.pc = pc
        self.next_pc = next_pc
        self.type = type_name
        self.tracker = tracker
        self.undecided: tuple[int, ...] = ()
        self.line = 0
        self.condition = ""

    def with_condition(self, condition: str) -> Site:
        """The same for rules with a condition."""
        one = Site(self.pc, self.next_pc, self.type, self.tracker)
        one.condition = condition
        return one

    @property
    def label(self) -> str:
        """The type as reports show it: `byte[] [when length > 1000]`."""
        return f"{self.type}{CHOSEN}{self.condition}]" if self.condition else self.type


def type_name(internal: str) -> str:
    """The source form of a type in a CONSTANT_Class: `java.util.List` for `java/util/List`, `int[][]` for `[[I`."""
    element = internal.lstrip("[")
    dimensions = len(internal) - len(element)
    if dimensions:
        element = element[1:-1] if element.endswith(";") else DESCRIPTORS.get(element, element)
    return element.replace("/", ".") + "[]" * dimensions


def sites(code: Code, pool: ConstantPool) -> list[Site]:
    """All allocation sites, by pc. Raises ClassFormatError."""
    text = code.code
    found: list[Site] = []
    names: dict[int, str] = {}  # by pool index, negated for anewarray's array types
    for pc in code.scan().allocations:
        op = text[pc]
        if op == NEWARRAY:
            kind = PRIMITIVE_ARRAYS.get(text[pc + 1])
            if kind is None:
                raise ClassFormatError(f"newarray of unknown type {text[pc + 1]}, code offset", pc)
            found.append(Site(pc, pc + 2, kind[0], kind[1]))
            continue
        index = text[pc + 1] << 8 | text[pc + 2]
        key = -index if op == ANEWARRAY else index
        name = names.get(key)
        if name is None:
            name = names[key] = type_name(pool.class_name(index)) + "[]" * (op == ANEWARRAY)
        found.append(Site(pc, pc + LENGTHS[op], name, TRACKER_METHODS.get(op, "arrays")))
    return found


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each site whose type a rule matches, with the first such rule, and one for each condition; returns
    the rules that match the type of a site."""
    found: set[int] = set()
    wanted: list[Site] = []
    groups = by_condition(planning, rules)
    if not groups:
        return ()
    known: dict[tuple[str, str], tuple[list[int], tuple[int, tuple[int, ...]]]] = {}
    for site in sites(code, planning.cf.pool):
        for condition, group in groups.items():
            if condition and not site.type.endswith("[]"):  # which has no length
                continue
            key = (site.type, condition)
            if key not in known:
                known[key] = deciding(planning, group, site.type)
            matching, (rule, undecided) = known[key]
            found.update(matching)
            if rule < 0 and not undecided:
                continue
            one = site.with_condition(condition) if condition else site
            one.undecided = undecided
            slots = CH_ALLOC_SLOTS * (2 if condition else 1)
            kind = OBJECT if site.tracker == "allocated" else ARRAY
            probes.append(Probe(ALLOC, kind, slots, rule, one, len(one.label)))
            wanted.append(one)
    for site, line in zip(wanted, lines_of(code, [site.pc for site in wanted]), strict=True):
        site.line = line
    return tuple(sorted(found))


def by_condition(planning: Planning, rules: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """The rules that count, by the text of their conditions; empty: none."""
    groups: dict[str, tuple[int, ...]] = {}
    for index in rules:
        if planning.rules.rules[index].clause(SAMPLED):
            continue
        condition = planning.rules.rules[index].clause("when")
        groups[condition] = (*groups.get(condition, ()), index)
    return groups


def deciding(
    planning: Planning, rules: tuple[int, ...], type_name: str
) -> tuple[list[int], tuple[int, tuple[int, ...]]]:
    """The rules that match a type; the first of them, and those before it that match if the type has the right
    supertypes."""
    asking = [rule for rule in rules if planning.rules.may_match_type(rule, type_name)]
    supertypes = planning.family(type_name.rstrip("[]")) if asking and planning.family is not None else None
    matching = [rule for rule in rules if planning.rules.match_type(rule, type_name, supertypes or ())]
    first = matching[0] if matching else -1
    undecided = [rule for rule in asking if supertypes is None and (rule < first or first < 0)]
    return matching, (first, tuple(undecided))


def site_of(probe: Probe) -> Site:
    assert isinstance(probe.detail, Site)
    return probe.detail


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    site = site_of(probe)
    operands, descriptor = OPERANDS.get(site.tracker, LENGTH)
    number, before, stack = weaver.number(slot), b"", 2 if operands else 1
    if site.condition:
        from classhook.measures.watch.condition_value import ConditionValue
        from classhook.measures.watch.kept_operand import KeptOperand
        from classhook.rules.condition_parser import condition

        length = KeptOperand(NAME, "I", weaver.scratch())
        holds = ConditionValue(length, "", weaver.pool)
        before = DUP_CODE + ARRAYLENGTH_CODE + length.store()
        asked = condition(site.condition, locals_=True)
        number = holds.code(asked) + TIMES_SLOTS + number + bytes((IADD,))
        stack += holds.stack(asked)
    code = before + operands + number + weaver.call(site.tracker, descriptor)
    weaver.insertions.append(Insertion(site.next_pc, code, guarded=True, stack=stack))


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    site = site_of(probe)
    if site.condition:
        slot += CH_ALLOC_SLOTS
    return SiteRecord(probe.kind, slot, probe.rule, method, descriptor, site.line, site.pc, site.undecided, site.label)


def lines_of(code: Code, pcs: list[int]) -> list[int]:
    """The source lines of the instructions at these pcs, ascending, by the LineNumberTable (JVMS 4.7.12); 0 where
    unknown."""
    line_at: dict[int, int] = {}  # the last entry for a pc wins
    data = code.data
    for name, at, end_at in code.attributes:
        if name == b"LineNumberTable":
            for entry_at in range(at + 8, end_at - 3, 4):
                line_at[data[entry_at] << 8 | data[entry_at + 1]] = data[entry_at + 2] << 8 | data[entry_at + 3]
    starts = sorted(line_at)
    lines: list[int] = []
    i = 0
    for pc in pcs:
        while i < len(starts) and starts[i] <= pc:
            i += 1
        lines.append(line_at[starts[i - 1]] if i else 0)
    return lines


def wrong_size(value: str) -> tuple[str, str] | None:
    return (
        None
        if len(value) < 12 and size(value) <= LARGEST
        else ("objects cannot be sampled at this interval", "from `0`, which is each object, to `1024MB`")
    )


NO_STACK: Final = "a stack with this number of frames cannot be recorded"


def wrong_stack(value: str) -> tuple[str, str] | None:
    return None if len(value) < 9 and 1 <= int(value) <= MOST_FRAMES else (NO_STACK, f"from `1` to `{MOST_FRAMES}`")


def wrong_when(value: str) -> Mistaken | None:
    from classhook.measures.watch.calculation_code import CalculationCode
    from classhook.rules.clause_values import wrong_text
    from classhook.rules.condition_parser import condition
    from classhook.rules.conditions import Literal, Path, comparisons, paths_in

    if mistake := wrong_text(lambda text: condition(text, locals_=True), value):
        return mistake
    asked = condition(value, locals_=True)
    compared = comparisons(asked)
    for path in paths_in(asked):
        if path.names != (NAME,) or not any([path in one.paths for one in compared]):
            at = max(value.find(str(path)), 0)
            return f"`{path}`: the condition is about the length of new arrays", EXPECTED, at
    for one in compared:
        plain = isinstance(one.left, Path) and isinstance(one.right, Literal) and one.right.value.__class__ is int
        if not (plain or CalculationCode(None, lambda path: "I", lambda path: b"").compared(one)):
            return "a length is compared with a whole number", EXPECTED, max(value.find(str(one.left)), 0)
    return None


def samples(rule: Rule) -> Sampler | None:
    if not [word for word, _ in rule.clauses if word != "when"]:
        return None
    every, frames = size(rule.clause("every") or EVERY), int(rule.clause("stack") or FRAMES)
    live, threads = (int(bool(rule.clause(word))) for word in ("live", "threads"))
    return Sampler("objects", every_bytes=every, frames=frames, live=live, threads=threads)


EXPECTED: Final = "`length > 1000`, `length == 0 || length >= 4096`"
CLAUSES: Final = (
    Clause(
        "when",
        "EXPRESSION",
        wrong_when,
        ("live", "stack", "every", "threads", "sampled"),
        expects=f"a condition ({EXPECTED})",
        about="only arrays of which this is true",
    ),
    Clause("live", NO_VALUE, about="also the objects that stay alive, from samples"),
    Clause("stack", "NUMBER", wrong_stack, about="the number of stack frames"),
    Clause("every", "SIZE", wrong_size, about="the time between two of them, or the bytes between two samples"),
    Clause("threads", NO_VALUE, about="each thread's data is kept separately"),
    Clause(SAMPLED, NO_VALUE, about="only samples: no class is woven for this rule"),
)


ALLOC = Measure(
    word=Word(
        "alloc",
        TYPES,
        CLAUSES,
        samples=samples,
        about="how many objects and bytes of these types each place in the code allocates",
    ),
    kinds={OBJECT: CH_ALLOC_SLOTS, ARRAY: CH_ALLOC_SLOTS},
    plan=plan,
    insert=insert,
    lost="its allocations are not counted",
    record=record,
)
