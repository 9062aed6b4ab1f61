"""Inserts a plan's probes into one class.

1. Reserve constants that number the probes, one for each slot; the agent replaces them by the class's slots when it
   loads the class.
2. Each probe's measure inserts it into its method (instrument/measures); the method is spliced (classfile.splice). If
   it gets too large, or a measure cannot insert its probes, cheaper probes are tried, then none; the table says so.
3. Put the class together.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError, CodeTooLarge, PoolFull, Unsupported
from classhook.classfile.insertions import BEFORE, Edit, Insertion
from classhook.classfile.lines import line_numbers
from classhook.classfile.opcodes import ALOAD_0_CODE
from classhook.classfile.splice import Context, splice
from classhook.classfile.write import rebuild
from classhook.native._slots import CH_UNNUMBERED
from classhook.probes import carried, reasons
from classhook.probes.method_weaver import ClassConstants, MethodWeaver
from classhook.probes.records import ClassRecord, MadeRecord, ProbeRecord, RuleRecord, SkipRecord, UnmatchedRecord
from classhook.rules.made import may_be_made
from classhook.weaving import hand_over
from classhook.weaving.empty_methods import meaning
from classhook.weaving.plan import HUGE_METHOD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Final

    from classhook.classfile.reader import ClassFile
    from classhook.probes.measure import Measure, Probe
    from classhook.probes.records import Record
    from classhook.weaving.plan import ClassPlan, MethodPlan


#: A virtual thread's shadow stack moves with it: if anything is timed, this class notifies the tracker.
VIRTUAL_THREAD: Final = "java.lang.VirtualThread"


class Woven:
    """The result for a class. `data` is None if it stays unchanged; `matched`: some rule matches; `table`: the probe
    table.

    The numbers of the probes are in `slots` Integer constants, the value of the first at byte `integers_at` of `data`,
    each next one 5 bytes further. `probes`: whether some record of the table counts something.
    """

    __slots__ = ("data", "integers_at", "matched", "name", "probes", "slots", "table")

    def __init__(self, name: str, matched: bool, table: list[Record]) -> None:
        self.name = name
        self.matched = matched
        self.table = table
        self.data: bytes | None = None
        self.slots = 0
        self.integers_at = 0
        self.probes = False


class Support:
    """Code that a class of the JDK needs besides its probes. `mounts`: the calls by which virtual threads take their
    data along; `hands_over`: those by which tasks keep their contexts."""

    __slots__ = ("hands_over", "mounts")

    def __init__(self, mounts: bool = False, hands_over: bool = False) -> None:
        self.mounts = mounts
        self.hands_over = hands_over

    @property
    def any(self) -> bool:
        return self.mounts or self.hands_over


class Weaver:
    """Weaves the plan's probes, and what the class needs beside them, into one class."""

    __slots__ = ("about", "cf", "check_time", "constants", "name", "plan", "replaced", "slots", "support", "table")

    def __init__(
        self, cf: ClassFile, name: str, plan: ClassPlan, check_time: Callable[[], None] | None, support: Support
    ) -> None:
        self.cf = cf
        self.name = name
        self.plan = plan
        self.check_time = check_time
        self.support = support
        self.replaced: dict[int, bytes] = {}
        self.slots = 0
        self.constants = ClassConstants(cf.pool, 0)
        self.table: list[Record] = []
        self.about: list[Measure] = []  # those of the probes that say something about the class

    def weave(self) -> Woven:
        cf = self.cf
        needed = 0
        for plan in self.plan.methods:
            for probe in plan.probes:
                needed += probe.slots
        first_integer = cf.pool.reserve_integers(
            needed, CH_UNNUMBERED
        )  # placeholders: probes that the agent does not number count nowhere
        self.constants = ClassConstants(cf.pool, first_integer)
        self.table.append(ClassRecord(self.name, cf.source_file))
        for rule, methods in self.plan.rules.items():
            self.table.append(RuleRecord(rule, len(methods)))
        self.table += [UnmatchedRecord(*missed) for missed in self.plan.missed]
        self.table += [SkipRecord("", "", *obstacle) for obstacle in self.plan.obstacles]
        self.table += [
            SkipRecord(method.name, method.descriptor, reason, detail) for method, reason, detail in self.plan.failed
        ]
        for plan in self.plan.methods:
            if self.check_time is not None:
                self.check_time()
            self.weave_method(plan)
        self.table[1:1] = [measure.about(cf) for measure in self.about if measure.about is not None]
        if self.support.hands_over:
            hand_over.weave(cf, self.name, self.constants, self.replaced)
        if self.support.mounts:
            self.weave_support()
        woven = Woven(self.name, not self.support.any or bool(self.plan.rules), self.table)
        if self.replaced:
            woven.data = rebuild(cf, self.replaced)
            woven.slots = needed
            woven.integers_at = cf.pool.integer_value_at(first_integer) if needed else 0
            woven.probes = self.slots > 0
        return woven

    def weave_method(self, plan: MethodPlan) -> None:
        """Weaves the method with all its probes; if they make it too large, with cheaper ones; or with none."""
        empty = meaning(self.name, plan.method, plan.code.code)
        if empty is not None:
            self.skip(plan, *empty)
            return
        obstacle = self.attempt(plan, plan.probes)
        if obstacle is None:
            return
        reason, why, turns = obstacle
        for lost, probes in lesser(plan.probes, turns):
            if probes and self.attempt(plan, probes) is None:
                self.skip(plan, reason, f"{lost}: {why}")
                return
        self.skip(plan, reason, why)

    def attempt(self, plan: MethodPlan, probes: list[Probe]) -> tuple[str, str, list[Measure]] | None:
        """Weaves the method with these probes; if that fails, the reason, the detail, and the measures that give way in
        turn (see lesser)."""
        try:
            code = self.woven_code(plan, probes)
            too_large = uncompiled(plan, code)
            if too_large:
                # a measure that keeps to what HotSpot compiles does so beside one that does not
                bound = [probe for probe in probes if probe.measure not in plan.outgrowing]
                why = too_large if len(bound) == len(probes) else ""
                if bound and not why and len(plan.code.code) <= HUGE_METHOD:
                    why = uncompiled(plan, self.woven_code(plan, bound))
                if why:
                    return reasons.CODE_TOO_LARGE, why, in_turn(bound)
            records = described(plan, probes, self.slots)
        except PoolFull:
            raise
        except CodeTooLarge as exceeding:  # a name for each exception: compiled, a name has one type
            return reasons.CODE_TOO_LARGE, str(exceeding), in_turn(probes)
        except ClassFormatError as malformed:
            return reasons.MALFORMED, str(malformed), []
        except Unsupported as unsupported:
            return reasons.UNSUPPORTED, str(unsupported), []
        except Exception as error:  # a defect of one measure must not cost the others
            return reasons.INTERNAL, reasons.defect(error), []
        self.replaced[plan.method.code_at] = code
        self.table += records
        if may_be_made(self.name, plan.method.name):
            numbers = list(line_numbers(plan.code).values())
            self.table.append(
                MadeRecord(
                    plan.method.name, plan.method.descriptor, plan.method.access_flags, numbers[0] if numbers else 0
                )
            )
        for probe in probes:
            self.slots += probe.slots
            if probe.measure.about is not None and probe.measure not in self.about:
                self.about.append(probe.measure)
        if too_large:
            self.skip(plan, reasons.NOT_COMPILED, too_large)
        return None

    def woven_code(self, plan: MethodPlan, probes: list[Probe]) -> bytes:
        code = plan.code
        slot = self.slots
        method = MethodWeaver(self.constants, code, Context.from_method(self.cf, plan.method), plan.resumable, slot)
        for probe in probes:
            probe.measure.insert(method, probe, slot)
            slot += probe.slots
        carried.close(method)
        return splice(code, Edit(method.insertions, method.handler, method.local), self.cf.pool, method.context)

    def skip(self, plan: MethodPlan, reason: str, detail: str) -> None:
        self.table.append(SkipRecord(plan.method.name, plan.method.descriptor, reason, detail))

    def weave_support(self) -> None:
        """Weaves VirtualThread: `mount` notifies the tracker at its end, `unmount` at its beginning."""
        from classhook.classfile.code import Code

        for method in self.cf.methods:
            if method.descriptor != "()V" or method.name not in ("mount", "unmount") or not method.code_at:
                continue
            at = method.code_at
            data = self.cf.data
            if at in self.replaced:  # counted as well
                data = bytes(at) + self.replaced[at]
            code = Code(data, at, self.cf.pool)
            if method.name == "mount":
                mounted = ALOAD_0_CODE + self.constants.call("mounted", b"(Ljava/lang/Thread;)V")
                insertions = [Insertion(pc, mounted, BEFORE, stack=1) for pc in code.scan().returns]
            else:
                insertions = [Insertion(0, self.constants.call("unmounting", b"()V"))]
            self.replaced[at] = splice(code, Edit(insertions), self.cf.pool, Context.from_method(self.cf, method))


def described(plan: MethodPlan, probes: list[Probe], slot: int) -> list[Record]:
    """The probe table's records of a woven method, whose slots begin at `slot`."""
    records: list[Record] = []
    name, descriptor = plan.method.name, plan.method.descriptor
    for probe in probes:
        record = probe.measure.record
        if not probe.slots:  # it belongs to another one
            continue
        if record is None:
            records.append(ProbeRecord(probe.kind, slot, probe.rule, name, descriptor))
        else:
            records.append(record(probe, slot, name, descriptor))
        slot += probe.slots
    return records


def lesser(probes: list[Probe], turns: list[Measure]) -> Iterator[tuple[str, list[Probe]]]:
    """Alternatives to these probes, which do not fit: for each, a text about what the method then lacks, and the
    probes.

    In too large a method the measures of `turns` are made cheaper in turn, and left out in the end. If `turns` is
    empty, a single measure is the obstacle: each one is first made cheaper on its own, then left out, so that the other
    measures lose nothing.
    """
    if not turns:
        turns = in_turn(probes)
        for measure in dict.fromkeys(turns):
            fewer = probes
            for _ in range(measure.steps):
                fewer = cheapened(fewer, measure)
                yield _lost(measure, fewer), fewer
            yield _none([measure]), [probe for probe in probes if probe.measure is not measure]
    fewer = probes
    for measure in turns:
        fewer = cheapened(fewer, measure)
        yield _lost(measure, fewer), fewer
    yield _none(turns), [probe for probe in probes if probe.measure not in turns]


def _none(measures: list[Measure]) -> str:
    return ", ".join([f"no `{word}`" for word in dict.fromkeys([measure.word.text for measure in measures])])


def in_turn(probes: list[Probe]) -> list[Measure]:
    """The measures of the probes, in the order in which they give way, each as often as it can."""
    found: list[Measure] = []
    for probe in probes:
        if probe.measure not in found:
            found += [probe.measure] * probe.measure.steps
    return sorted(found, key=_gives_way)


def _gives_way(measure: Measure) -> int:
    return measure.gives_way


def _lost(measure: Measure, probes: list[Probe]) -> str:
    """The data that a method with only these probes lacks."""
    for probe in probes:
        if probe.measure is measure and measure.lost_with is not None:
            return measure.lost_with(probe)
    return measure.lost


def cheapened(probes: list[Probe], measure: Measure) -> list[Probe]:
    """The probes, with those of this measure replaced by cheaper ones or dropped."""
    changed: list[Probe] = []
    for probe in probes:
        if probe.measure is not measure:
            changed.append(probe)
        elif measure.cheaper is not None:
            changed.append(measure.cheaper(probe))
    return changed


def uncompiled(plan: MethodPlan, new: bytes) -> str:
    """The size of the method's new code, if HotSpot compiles the method as it is, but not with this code; else
    empty."""
    size = new[11] << 16 | new[12] << 8 | new[13]  # code_length (JVMS 4.7.3)
    crosses = size > HUGE_METHOD >= plan.length and not runs_once(plan)
    return f"{size} bytes of code, which HotSpot would not compile" if crosses else ""


def runs_once(plan: MethodPlan) -> bool:
    """True if HotSpot would never compile the method, whatever its size: a class initializer without a loop."""
    if plan.method.name != "<clinit>":
        return False
    scan = plan.code.scan()
    backward = any([scan.targets16[i] <= scan.jumps16[i] for i in range(len(scan.jumps16))])
    return not (backward or scan.jumps32 or scan.switches)
