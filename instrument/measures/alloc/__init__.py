"""`alloc`: allocations by site, how many and how large (JVMS 6.5: new, newarray, anewarray, multianewarray).

The agent measures an object's size and keeps it in a slot that threads share; for arrays, the bytes are summed.
Bytecode names the allocated type but not its supertypes, which need not be loaded yet. So for `alloc Type+` each site
of any type is counted, and the report decides by the supertypes that the agent saw which ones it shows.

With `live`, `stack` or `every` the agent also samples objects with their stacks (native/objects/): which of them live
on, and who allocated them. `threads` tells the threads apart that did.
"""

from __future__ import annotations

from classhook.base.units import size
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.insertions import Insertion
from classhook.classfile.opcodes import ANEWARRAY, ARRAYLENGTH_CODE, DUP_CODE, LENGTHS, NEW, NEWARRAY
from classhook.native._slots import CH_ALLOC_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import SiteRecord
from classhook.rules.words import NO_VALUE, TYPES, Clause, Sampler, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.pool import ConstantPool
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule

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

# Settings of samples: mean bytes between two of them; frames of their stacks, as CH_LOCK_FRAMES in
# native/locks/locks.h.
EVERY: Final = "512KB"
LARGEST: Final = 1 << 30
FRAMES: Final = "4"
MOST_FRAMES: Final = 256


class Site:
    """An allocation at `pc`, whose probe goes to `next_pc`; `tracker` is the tracker's method; `undecided`: see
    deciding; `line`: 0 if unknown."""

    __slots__ = ("line", "next_pc", "pc", "tracker", "type", "undecided")

    def __init__(self, pc: int, next_pc: int, type_name: str, tracker: str) -> None:
        self.pc = pc
        self.next_pc = next_pc
        self.type = type_name
        self.tracker = tracker
        self.undecided: tuple[int, ...] = ()
        self.line = 0


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
    """A probe for each site whose type a rule matches, with the first such rule; returns the rules that match the type
    of a site."""
    first: dict[
        str, tuple[int, tuple[int, ...]]
    ] = {}  # by type: the first matching rule, -1 if none; those before it that may match
    found: set[int] = set()
    wanted: list[Site] = []
    for site in sites(code, planning.cf.pool):
        known = first.get(site.type)
        if known is None:
            matching, known = deciding(planning, rules, site.type)
            first[site.type] = known
            found.update(matching)
        rule, site.undecided = known
        if rule >= 0 or site.undecided:
            kind = OBJECT if site.tracker == "allocated" else ARRAY
            probes.append(Probe(ALLOC, kind, CH_ALLOC_SLOTS, rule, site, len(site.type)))
            wanted.append(site)
    for site, line in zip(wanted, lines_of(code, [site.pc for site in wanted]), strict=True):
        site.line = line
    return tuple(sorted(found))


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
    code = operands + weaver.number(slot) + weaver.call(site.tracker, descriptor)
    weaver.insertions.append(Insertion(site.next_pc, code, guarded=True, stack=2 if operands else 1))


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    site = site_of(probe)
    return SiteRecord(probe.kind, slot, probe.rule, method, descriptor, site.line, site.pc, site.undecided, site.type)


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


def samples(rule: Rule) -> Sampler | None:
    if not rule.clauses:
        return None
    every, frames = size(rule.clause("every") or EVERY), int(rule.clause("stack") or FRAMES)
    live, threads = (int(bool(rule.clause(word))) for word in ("live", "threads"))
    return Sampler("objects", every_bytes=every, frames=frames, live=live, threads=threads)


CLAUSES: Final = (
    Clause("live", NO_VALUE, about="also the objects that stay alive, from samples"),
    Clause("stack", "NUMBER", wrong_stack, about="the number of stack frames"),
    Clause("every", "SIZE", wrong_size, about="the time between two of them, or the bytes between two samples"),
    Clause("threads", NO_VALUE, about="each thread's data is kept separately"),
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
