"""`time calls`: how long calls take, by the instruction that makes them; what is called is not woven. The sites are
those of `count calls`.

A new local has what `enter` returned for the call that runs, else 0. One is enough, since a method's activation runs
one instruction at a time.

    number, enter, store      the call      load, exit, 0, store

An exception that the call throws takes its way as if nothing were there. It ends the timing where it arrives:

    at a handler of the method, in front of its code:       load, thrownCall, 0, store
    in our handler of all that leaves the method:           load, thrownCall, athrow

In front of a handler no call may stand where a monitor is held that only this handler releases (classfile/monitors.py).
Such handlers are those that javac makes for `synchronized`, and they throw on. If one does not, a call that has not
ended does so before the next one is timed, and before the method returns: the same code is there.

Our handler does not cover a constructor's code before it calls that of its superclass, nor where a monitor is held that
no handler of the method releases: there, calls are only counted.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.errors import Unsupported
from classhook.classfile.frames import added
from classhook.classfile.inits import initialised_ranges
from classhook.classfile.insertions import BEFORE, Insertion
from classhook.classfile.monitors import locked_pcs
from classhook.classfile.opcodes import ICONST_0, ISTORE, ISTORE_0
from classhook.classfile.splice import Context
from classhook.measures.calls import ROW, TIMED_WORD, CallSite, TimedSite, probe_of, record, site_of, sites, text_bytes
from classhook.measures.calls import insert as insert_call
from classhook.measures.within import obstacle
from classhook.native._slots import CH_COUNT_SLOTS, CH_TIME_RECORD, CH_TIME_SLOTS
from classhook.probes.exits import LEAVE, insert_exits
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.method_weaver import local_op
from classhook.rules.words import CALLS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.probes.method_weaver import MethodWeaver

TIMED, UNTIMED = "call-time", "call-untimed"
ZERO: Final = bytes((ICONST_0,))
ANY: Final = 0  # catch_type


class Locals:
    """Code that loads the local of a method, and that sets it."""

    __slots__ = ("load", "store")

    def __init__(self, load: bytes, store: bytes) -> None:
        self.load = load
        self.store = store


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    """A probe for each site; returns the rules that are known to match one."""
    found, matching = sites(planning, code, rules)
    if not found:
        return matching
    fit = timeable(planning, code, [site.pc for site in found if site.timed])
    timed: list[TimedSite] = []
    for site in found:
        if not site.timed:
            probes.append(probe_of(site))
        elif site.pc in fit:
            timed.append(TimedSite(site))
            probes.append(Probe(TIME_CALLS, TIMED, CH_TIME_SLOTS, site.rule, timed[-1], text_bytes(site)))
        else:
            probes.append(Probe(TIME_CALLS, UNTIMED, CH_COUNT_SLOTS, site.rule, site, text_bytes(site)))
    if timed and code.exception_table:
        handlers, late = arrivals(code, [one.site.pc for one in timed])
        for one in timed:
            one.handlers, one.late = handlers, late
    return matching


def timeable(planning: Planning, code: Code, pcs: list[int]) -> set[int]:
    """The calls, of those at these pcs, whose exceptions arrive at a handler, the method's own or ours."""
    scan, context = code.scan(), Context.from_method(planning.cf, planning.method)
    if not context.is_init and not scan.monitors:
        return set(pcs)
    try:
        covered = initialised_ranges(code, planning.cf.pool, context) if context.is_init else [(0, len(code.code))]
        locked = locked_pcs(code.code, scan, code.exception_table)
    except Unsupported:
        return set()
    return {pc for pc in pcs if within(pc, covered) and not within(pc, locked)}


def within(pc: int, ranges: list[tuple[int, int]]) -> bool:
    for start_pc, end_pc in ranges:  # noqa: SIM110  # any() would create a generator
        if start_pc <= pc < end_pc:
            return True
    return False


def arrivals(code: Code, pcs: list[int]) -> tuple[list[int], bool]:
    """The handlers to which an exception of a call at these pcs may go, of those in front of which a call may stand;
    whether there are others."""
    asked = {entry[2] for entry in code.exception_table if any([entry[0] <= pc < entry[1] for pc in pcs])}
    scan = code.scan()
    if not scan.monitors:
        return sorted(asked), False
    # code in front of a handler is not covered by that one (classfile/ranges.py)
    locked = locked_pcs(
        code.code, scan, [entry for entry in code.exception_table if not entry[0] <= entry[2] < entry[1]]
    )
    free = [pc for pc in sorted(asked) if not within(pc, locked)]
    return free, len(free) < len(asked)


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    timed = probe.detail
    if isinstance(timed, CallSite):
        insert_call(weaver, probe, slot)
        return
    assert isinstance(timed, TimedSite)
    kept = weaver.kept.get(TIMED_WORD)
    if kept is None:
        kept = weaver.kept[TIMED_WORD] = prepare(weaver, timed)
    assert isinstance(kept, Locals)
    ended = ending(weaver, kept) if timed.late else b""
    entry = ended + weaver.number(slot + CH_TIME_RECORD) + weaver.call("enter", b"(I)I") + kept.store
    leave = kept.load + weaver.call("exit", LEAVE) + ZERO + kept.store
    weaver.insertions.append(Insertion(timed.site.pc, entry, BEFORE, guarded=True, stack=1))
    weaver.insertions.append(Insertion(timed.site.next_pc, leave, guarded=True, stack=1))


def prepare(weaver: MethodWeaver, timed: TimedSite) -> Locals:
    """Makes the local, and ends calls where exceptions arrive. Raises Unsupported, CodeTooLarge."""
    local = weaver.code.max_locals + added(weaver.local)[1]
    kept = Locals(weaver.new_local(ZERO, 1), local_op(ISTORE, ISTORE_0, local))
    for pc in timed.handlers:
        weaver.insertions.append(Insertion(pc, ending(weaver, kept) + ZERO + kept.store, BEFORE, guarded=True, stack=1))
    if timed.late:
        insert_exits(weaver, ending(weaver, kept))
    ranges = weaver.handled()
    if ranges:
        weaver.handle(ending(weaver, kept), ranges, 1)
    return kept


def ending(weaver: MethodWeaver, kept: Locals) -> bytes:
    """Ends a call that an exception has left, if there is one."""
    return kept.load + weaver.call("thrownCall", LEAVE)


def cheaper(probe: Probe) -> Probe:
    return Probe(TIME_CALLS, UNTIMED, CH_COUNT_SLOTS, probe.rule, site_of(probe), probe.text_bytes)


TIME_CALLS = Measure(
    word=Word(
        TIMED_WORD,
        CALLS,
        row=ROW,
        needs="time",
        about="how often methods are called, and how long the calls take, by the line that calls them",
    ),
    kinds={TIMED: CH_TIME_SLOTS, UNTIMED: CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    lost="its calls are not timed, only counted",
    cheaper=cheaper,
    record=record,
    obstacle=obstacle,
)
