"""`count calls`: calls by the instruction that makes them, in the classes after `in` (JVMS 6.5: invokevirtual,
invokespecial, invokestatic, invokeinterface). The called method is not woven, so it may be native, abstract or one of
the JDK's own.

An instruction names a class, a method and a descriptor; by these a rule matches it, whatever is called in the end. It
is counted just before the call. With `+`, a subtype may be named. Which classes are subtypes is not known yet when the
caller is woven: then the report decides, as for `alloc Type+`, by the supertypes that the agent saw.

An invokedynamic names no method that is called: what it runs is linked by the JVM, and no class file has the
instructions that call it. `time calls` (measures/timedcalls) has the same sites.
"""

from __future__ import annotations

from classhook.classfile.insertions import BEFORE, Insertion
from classhook.classfile.opcodes import INVOKEINTERFACE, INVOKESPECIAL, INVOKESTATIC, INVOKEVIRTUAL
from classhook.measures.alloc import lines_of, type_name
from classhook.measures.count import counting
from classhook.native._slots import CH_COUNT_CALLS, CH_COUNT_SLOTS
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import CallRecord
from classhook.rules.words import CALLS as SUBJECT
from classhook.rules.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.classfile.code import Code
    from classhook.classfile.pool import ConstantPool
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record

COUNTED = "call"
#: The deciding word, of two that ask for the same sites: `time calls`; see Word.
ROW, TIMED_WORD = "calls", "time calls"


class CallSite:
    """A call at `pc` of a method that it names: `owner` as in source code. `rule`: the first that matches, -1 if none
    is known to; `undecided`: those before it that match if the owner has the right supertypes; `timed`: whether a rule
    asks for times, or may do so; `line`: 0 if unknown."""

    __slots__ = ("descriptor", "line", "name", "next_pc", "owner", "pc", "rule", "timed", "undecided")

    def __init__(self, pc: int, next_pc: int, callee: _Callee) -> None:
        self.pc = pc
        self.next_pc = next_pc
        self.owner = callee.owner
        self.name = callee.name
        self.descriptor = callee.descriptor
        self.rule = callee.rule
        self.undecided = callee.undecided
        self.timed = callee.timed
        self.line = 0


class TimedSite:
    """A call that is timed. `handlers`: those of the method's to which an exception of one of its timed calls may go
    and in front of which it can end; `late`: whether there are others, too."""

    __slots__ = ("handlers", "late", "site")

    def __init__(self, site: CallSite) -> None:
        self.site = site
        self.handlers: list[int] = []
        self.late = False


class _Callee:
    """A method that instructions name, and what the rules say of it; `matching`: those that are known to match. The
    rest is as for a CallSite."""

    __slots__ = ("descriptor", "matching", "name", "owner", "rule", "timed", "undecided")

    def __init__(self, planning: Planning, pool: ConstantPool, index: int, rules: tuple[int, ...]) -> None:
        name, descriptor = pool.name_and_type(index)
        self.owner = owner = type_name(pool.class_name(int.from_bytes(pool.entry(index)[1:3], "big")))
        self.name = name.decode("utf-8", "replace")
        self.descriptor = descriptor.decode("utf-8", "replace")
        known = planning.rules
        asking = [rule for rule in rules if known.may_match_call(rule, owner, self.name, self.descriptor)]
        supertypes = planning.family(owner) if asking and planning.family is not None else None
        self.matching = [
            rule for rule in rules if known.match_call(rule, owner, self.name, self.descriptor, supertypes or ())
        ]
        self.rule = self.matching[0] if self.matching else -1
        self.undecided = tuple([rule for rule in asking if supertypes is None and (rule < self.rule or self.rule < 0)])
        deciding = self.matching if supertypes is not None else self.matching + asking
        self.timed = any([known.rules[rule].kind == TIMED_WORD for rule in deciding])


def sites(
    planning: Planning,
    code: Code,
    rules: tuple[int, ...],
    opcodes: tuple[int, ...] = (INVOKEVIRTUAL, INVOKESPECIAL, INVOKESTATIC, INVOKEINTERFACE),
) -> tuple[list[CallSite], tuple[int, ...]]:
    """The call sites that the rules may match, by pc, and the rules that are known to match one; with other `opcodes`,
    those of fields. Raises ClassFormatError."""
    text, scan, pool = code.code, code.scan(), planning.cf.pool
    callees: dict[int, _Callee] = {}
    found: list[CallSite] = []
    matching: set[int] = set()
    bounds = scan.bounds
    for pc in range(len(text)):
        if not (bounds[pc] and text[pc] in opcodes):
            continue
        index = text[pc + 1] << 8 | text[pc + 2]
        callee = callees.get(index)
        if callee is None:
            callee = callees[index] = _Callee(planning, pool, index, rules)
        if callee.rule >= 0 or callee.undecided:
            matching.update(callee.matching)
            found.append(CallSite(pc, scan.next_pc(pc), callee))
    for site, line in zip(found, lines_of(code, [site.pc for site in found]), strict=True):
        site.line = line
    return found, tuple(sorted(matching))


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each site; returns the rules that are known to match one."""
    found, matching = sites(planning, code, rules)
    for site in found:
        probes.append(probe_of(site))
    return matching


def probe_of(site: CallSite) -> Probe:
    """A probe that only counts, whatever its rule asks for."""
    return Probe(COUNT_CALLS, COUNTED, CH_COUNT_SLOTS, site.rule, site, text_bytes(site))


def text_bytes(site: CallSite) -> int:
    return len(site.owner) + len(site.name) + len(site.descriptor)


def site_of(probe: Probe) -> CallSite:
    site = probe.detail.site if isinstance(probe.detail, TimedSite) else probe.detail
    assert isinstance(site, CallSite)
    return site


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    insert_counting(weaver, site_of(probe).pc, slot, BEFORE)


def insert_counting(weaver: MethodWeaver, pc: int, slot: int, rank: int) -> None:
    weaver.insertions.append(Insertion(pc, counting(weaver, slot + CH_COUNT_CALLS), rank, guarded=True, stack=1))


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    site = site_of(probe)
    return CallRecord(
        probe.kind,
        slot,
        probe.rule,
        method,
        descriptor,
        site.line,
        site.pc,
        site.undecided,
        site.owner,
        site.name,
        site.descriptor,
    )


COUNT_CALLS = Measure(
    word=Word("count calls", SUBJECT, row=ROW, about="how often methods are called, by the line that calls them"),
    kinds={COUNTED: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="its calls are not counted",
    record=record,
)
