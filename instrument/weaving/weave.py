"""Weaves probes into a class: bytes and rule set in, bytes and probe table out.

1. A class that is too large is rejected before it is read.
2. Match the rules with the class (classhook.weaving.plan); if none matches, it is not woven.
3. Weave (classhook.weaving.class_weaver). If the constant pool gets too large, plan again with fewer probes, then with
   none; the table says so.

A pure function: the same in the JVM, ahead of time, and in a test.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError, PoolFull
from classhook.classfile.pool import MAX_COUNT
from classhook.classfile.reader import ClassFile
from classhook.classfile.validity import check_validity
from classhook.probes import reasons
from classhook.probes.measure import Timeout
from classhook.probes.records import ClassRecord, SkipRecord
from classhook.weaving import hand_over
from classhook.weaving.class_weaver import VIRTUAL_THREAD, Support, Weaver, Woven, cheapened, in_turn
from classhook.weaving.plan import ClassPlan, match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.probes.measure import Measure
    from classhook.rules.ruleset import RuleSet
    from classhook.weaving.plan import MethodPlan

TRACKER_CONSTANTS: Final = 6  # for a Methodref to the tracker's method, with its names
MAX_TABLE: Final = 16 << 20  # bytes; the table of a large class has some 100,000
MAX_CLASS: Final = (
    8 << 20
)  # bytes, as in native/classes/hook.c; weaving may take 45 times as much memory, and 0.5 s per MB


class ClassTooLarge(Exception):
    """The class has more than MAX_CLASS bytes."""


#: Why a class is not woven, by what `weave` raises.
REASONS: Final = (
    (ClassFormatError, reasons.MALFORMED),
    (ClassTooLarge, reasons.CLASS_TOO_LARGE),
    (Timeout, reasons.TIMEOUT),
)


def why_not(error: Exception) -> tuple[str, str]:
    """The reason and detail of an exception that `weave` raised; any exception that it does not raise on purpose is a
    defect."""
    for kind, reason in REASONS:
        if isinstance(error, kind):
            return reason, str(error)
    return reasons.INTERNAL, reasons.defect(error)


def weave(
    data: bytes,
    rules: RuleSet,
    in_jdk: bool,
    check_time: Callable[..., None] | None = None,
    support: bool = False,
    hands_over: bool = False,
    supertypes: frozenset[str] = frozenset(),
    family: Callable[[str], frozenset[str] | None] | None = None,
    source: str = "",
) -> Woven:
    """Weaves one class. `in_jdk`: it belongs to a module of the JDK; `check_time` may raise Timeout between methods;
    `support`: also add the calls that virtual threads need; `hands_over`: and those by which tasks keep their contexts;
    `supertypes`, `family`, `source`: see match.

    Raises ClassFormatError for a class whose structure cannot be read, ClassTooLarge; problems of one method are in the
    table instead.
    """
    if len(data) > MAX_CLASS:
        raise ClassTooLarge(f"{len(data)} bytes; the limit is {MAX_CLASS}")
    cf = ClassFile.parse(data)
    name = cf.name.replace("/", ".")
    if cf.super_name == cf.name:
        raise ClassFormatError("a class that is its own superclass", cf.pool.end_at + 4)
    plan = match(cf, name, rules, in_jdk, check_time, supertypes, family, source)
    if plan is not None and plan.empty:
        plan = None
    helped = Support(support and name == VIRTUAL_THREAD, hands_over and name in hand_over.CLASSES)
    if plan is None and not helped.any:
        return Woven(name, False, [])
    if plan is not None and table_size(plan) > MAX_TABLE:
        detail = f"its probe table would have more than {MAX_TABLE >> 20} MB"
        return Woven(name, True, [ClassRecord(name, ""), SkipRecord("", "", reasons.UNSUPPORTED, detail)])
    if plan is not None and plan.methods:
        check_validity(
            cf, [one.code for one in plan.methods], [one.code for one in plan.methods if one.grows], check_time
        )
    try:
        return Weaver(cf, name, plan or ClassPlan(), check_time, helped).weave()
    except PoolFull:
        pass
    full = f"{ClassFile.parse(data).pool.count} constants"
    turns = in_turn([probe for one in plan.methods for probe in one.probes]) if plan is not None else []
    for step in range(1, len(turns) + 2):
        cf = ClassFile.parse(data)  # a pool without the added constants
        plan = match(cf, name, rules, in_jdk, check_time, supertypes=supertypes, family=family, source=source)
        assert plan is not None
        missing: dict[tuple[str, str], str] = {}
        if step <= len(turns):
            for measure in turns[:step]:
                _drop(plan, measure, missing)
        else:
            _keep_some(plan, turns, MAX_COUNT - cf.pool.count - TRACKER_CONSTANTS, missing)
        if missing:
            try:
                woven = Weaver(cf, name, plan, check_time, helped).weave()
            except PoolFull:
                continue
            if woven.data is not None:
                woven.table += [
                    SkipRecord(*method, reasons.POOL_FULL, f"{what}: {full}") for method, what in missing.items()
                ]
                return woven
    return Woven(name, True, [ClassRecord(name, ""), SkipRecord("", "", reasons.POOL_FULL, full)])


def table_size(plan: ClassPlan) -> int:
    """The approximate size of the plan's probe table in bytes."""
    size = 0
    for one in plan.methods:
        names = 40 + len(one.method.name) + len(one.method.descriptor)
        for probe in one.probes:
            size += names + probe.text_bytes
    for _, name, descriptor, _ in plan.missed:
        size += 20 + len(name) + len(descriptor)
    return size


def _drop(plan: ClassPlan, measure: Measure, missing: dict[tuple[str, str], str]) -> None:
    """Replaces the probes of a measure by cheaper ones, and notes what each method lacks."""
    for one in plan.methods:
        if any([probe.measure is measure for probe in one.probes]):
            one.probes = cheapened(one.probes, measure)
            missing[one.method.name, one.method.descriptor] = measure.lost
    plan.methods = [one for one in plan.methods if one.probes]


def _keep_some(plan: ClassPlan, turns: list[Measure], room: int, missing: dict[tuple[str, str], str]) -> None:
    """Gives methods their cheapest probes, as long as `room` constants are enough."""
    kept: list[MethodPlan] = []
    for one in plan.methods:
        for measure in turns:
            probes = cheapened(one.probes, measure)
            if probes and any([probe.measure is measure for probe in one.probes]):
                missing[one.method.name, one.method.descriptor] = measure.lost
                one.probes = probes
        room -= sum([probe.slots for probe in one.probes])
        if room >= 0:
            kept.append(one)
        else:
            missing[one.method.name, one.method.descriptor] = one.probes[0].measure.lost
    plan.methods = kept
