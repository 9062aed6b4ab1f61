"""Puts a plan's probes into one class.

1. Reserve constants that number the probes, one for each slot; the agent gives them the class's own slots when it loads.
2. Build each method's insertions and splice them (classfile.splice). A method that gets too large is tried again with cheaper
   probes, then left alone; the table says so.
3. Put the class together.
"""

from __future__ import annotations

from classfile.errors import ClassFormatError, CodeTooLarge, Unsupported
from classfile.frames import INTEGER
from classfile.inits import initialised_ranges
from classfile.insertions import BEFORE, Edit, Handler, Insertion
from classfile.intervals import without
from classfile.layout import MAX_CODE
from classfile.monitors import locked_pcs
from classfile.splice import Context, splice
from classfile.write import rebuild
from instrument import probes, reasons, timing
from instrument.empty import meaning
from instrument.sites import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classfile.reader import ClassFile
    from instrument.match import ClassPlan, MethodPlan
    from instrument.sites import Site
    from rules.syntax import Pace

TRACKER: Final = b"java/lang/ClasshookTracker"
DESCRIPTORS: Final = {
    "count": b"(I)V", "enter": b"(I)I", "exit": b"(I)V", "thrown": b"(I)V",
    "due": b"(I)I", "enterDue": b"(I)I", "exitPaced": b"(I)V", "allocated": b"(I)V",
    "array1": b"(II)V", "array2": b"(II)V", "array4": b"(II)V", "array8": b"(II)V", "arrayRef": b"(II)V",
    "arrays": b"(Ljava/lang/Object;I)V", "mounted": b"(Ljava/lang/Thread;)V", "unmounting": b"()V",
}  # fmt: skip
#: The first probe's number until the agent numbers them (CH_UNNUMBERED in native/classhook.h): what nobody numbers counts nowhere.
UNNUMBERED: Final = 0x7FFF0000
ALOAD_0, DUP, INVOKESTATIC, ARRAYLENGTH = b"\x2a", b"\x59", b"\xb8", b"\xbe"
HUGE_METHOD: Final = 8000  # HotSpot compiles no method with more bytecode (HugeMethodLimit)

#: A virtual thread's shadow stack travels with it: these tell the tracker, when anything is timed.
VIRTUAL_THREAD: Final = "java.lang.VirtualThread"
#: Timing would follow a stack that is being switched.
NEVER_TIMED: Final = frozenset({VIRTUAL_THREAD, "jdk.internal.vm.Continuation"})


class Woven:
    """What became of a class. `data` is None where it is left as it was; `matched`: some rule matches; `table`: probe table lines.

    The numbers of the probes lie in `slots` Integer constants, the value of the first at byte `integers_at` of `data`,
    each next one 5 bytes further. `probes`: some line of the table counts something.
    """

    __slots__ = ("data", "integers_at", "matched", "name", "probes", "slots", "table")

    def __init__(self, name: str, matched: bool, table: list[tuple[object, ...]]) -> None:
        self.name = name
        self.matched = matched
        self.table = table
        self.data: bytes | None = None
        self.slots = 0
        self.integers_at = 0
        self.probes = False


class Weaver:
    """Weaves the plan's probes into one class.

    `counted`: of the methods that are to be paced, the places of those that are only counted, as too short for their budget. They
    keep the slots of a paced one.
    """

    __slots__ = ("cf", "check_time", "counted", "first_integer", "name", "place", "plan", "refs", "replaced", "slots", "support", "table")

    def __init__(self, cf: ClassFile, name: str, plan: ClassPlan, check_time: Callable[[], None] | None, support: bool,
                 counted: frozenset[int]) -> None:  # fmt: skip
        self.cf = cf
        self.name = name
        self.plan = plan
        self.check_time = check_time
        self.support = support
        self.counted = counted
        self.place = 0  # of the next method that is to be paced, whatever it turns out to have room for
        self.refs: dict[str, bytes] = {}
        self.replaced: dict[int, bytes] = {}
        self.slots = 0
        self.first_integer = 0
        self.table: list[tuple[object, ...]] = []

    def weave(self) -> Woven:
        cf = self.cf
        needed = sum([slots_of(plan) for plan in self.plan.methods])
        self.first_integer = cf.pool.reserve_integers(needed, UNNUMBERED)
        self.table.append(("C", self.name, cf.source_file))
        for rule, methods in self.plan.rules.items():
            self.table.append(("R", rule, methods))
        self.table += [("N", *missed) for missed in self.plan.missed]
        if self.name in NEVER_TIMED and any([plan.kind == "time" for plan in self.plan.methods]):
            self.table.append(("S", "", "", reasons.TRACKER, "its methods are not timed: they switch the stacks of virtual threads"))
        for plan in self.plan.methods:
            if self.check_time is not None:
                self.check_time()
            self.weave_method(plan)
            self.place += plan.pace is not None
        if self.support:
            self.weave_support()
        woven = Woven(self.name, not self.support or bool(self.plan.rules), self.table)
        if self.replaced:
            woven.data = rebuild(cf, self.replaced)
            woven.slots = needed
            woven.integers_at = cf.pool.integer_value_at(self.first_integer) if needed else 0
            woven.probes = self.slots > 0
        return woven

    def weave_method(self, plan: MethodPlan) -> None:
        """With all its probes; where those make it too large, with cheaper ones; or none."""
        kind = None if self.name in NEVER_TIMED and plan.kind == "time" else plan.kind  # which was said once for the class
        if kind is None and not plan.sites:
            return
        empty = meaning(self.name, plan.method, plan.code.code)
        if empty is not None:
            self.skip(plan, *empty)
            return
        obstacle = self.attempt(plan, kind, plan.sites)
        if obstacle is None:
            return
        reason, why = obstacle
        for cheaper in [kind, "count"] if kind == "time" else [kind]:
            if cheaper is not None and (plan.sites or cheaper != kind) and self.attempt(plan, cheaper, []) is None:
                missing = "not timed, only counted" if cheaper != kind else "its allocations are not counted"
                self.skip(plan, reason, f"{missing}: {why}")
                return
        self.skip(plan, reason, why)

    def attempt(self, plan: MethodPlan, kind: str | None, sites: list[Site]) -> tuple[str, str] | None:
        """Weaves the method with these probes; else the reason, and what exactly is in the way."""
        first = self.slots
        try:
            self.replaced[plan.method.code_at] = self.woven_code(plan, kind, sites)
        except CodeTooLarge as too_large:
            obstacle = (reasons.CODE_TOO_LARGE, str(too_large))
        except ClassFormatError as malformed:
            obstacle = (reasons.MALFORMED, str(malformed))
        except Unsupported as unsupported:
            obstacle = (reasons.UNSUPPORTED, str(unsupported))
        else:
            self.describe(plan, kind, sites, first)
            return None
        self.slots = first
        return obstacle

    def woven_code(self, plan: MethodPlan, kind: str | None, sites: list[Site]) -> bytes:
        code = plan.code
        context = Context.of(self.cf, plan.method)
        insertions: list[Insertion] = []
        handler, new_local = None, None
        if kind == "count" or (kind == "time" and plan.pace is not None and self.place in self.counted):
            insertions.append(Insertion(0, self.number(letter(kind, plan.pace)) + self.call("count"), stack=1))
        elif kind == "time":
            weave_timing = timing.plain if plan.pace is None else timing.paced
            timed = weave_timing(self.number(letter(kind, plan.pace)), self.call, code.max_locals)
            insertions.append(Insertion(0, timed.entry, stack=timed.stack, labels=timed.entry_labels))
            least = len(code.code) + len(code.scan().returns) * len(timed.leave)
            if least > MAX_CODE:  # told early, since a hostile class may have many returns in many methods
                raise CodeTooLarge(f"{least} bytes of code")
            insertions += [Insertion(pc, timed.leave, BEFORE, stack=1) for pc in code.scan().returns]
            if ranges := self.handled(plan, context):
                handler = Handler(timed.handler, ranges, 1, timed.handler_labels)
            new_local = INTEGER
        for site in sites:
            insertions.append(Insertion(site.next_pc, self.site_probe(site.probe), guarded=True, stack=1 if site.probe == "allocated" else 2))
        edit = Edit(insertions, handler, new_local)
        new = splice(code, edit, self.cf.pool, context)
        size = new[11] << 16 | new[12] << 8 | new[13]  # code_length (JVMS 4.7.3)
        if size > HUGE_METHOD >= len(code.code) and not runs_once(plan):
            raise CodeTooLarge(f"{size} bytes of code, which HotSpot would not compile")
        return new

    def handled(self, plan: MethodPlan, context: Context) -> list[tuple[int, int]]:
        """Where an exception counts as the method's exceptional exit."""
        code = plan.code
        scan = code.scan()
        ranges = initialised_ranges(code, self.cf.pool, context) if context.is_init else [(0, len(code.code))]
        # behind an exit probe the activation has ended: a return throws only where the monitors of the method are wrong
        ranges = without(ranges, [(pc, pc + 1) for pc in scan.returns])
        if scan.monitors:
            ranges = without(ranges, locked_pcs(code.code, scan, code.exception_table))
        return ranges

    def site_probe(self, probe: str) -> bytes:
        number = self.number(probes.OBJECT if probe == "allocated" else probes.ARRAY)
        operands = {"allocated": b"", "arrays": DUP}.get(probe, DUP + ARRAYLENGTH)
        return operands + number + self.call(probe)

    def number(self, form: str) -> bytes:
        """Pushes the number of the next probe, by which it knows the first of its slots; of a paced method the second."""
        index = self.first_integer + self.slots + (form == "p")
        self.slots += probes.SLOTS[form]
        return b"\x12" + index.to_bytes(1, "big") if index < 256 else b"\x13" + index.to_bytes(2, "big")

    def call(self, method: str) -> bytes:
        found = self.refs.get(method)
        if found is None:
            index = self.cf.pool.add_method_ref(TRACKER, method.encode(), DESCRIPTORS[method])
            found = self.refs[method] = INVOKESTATIC + index.to_bytes(2, "big")
        return found

    def describe(self, plan: MethodPlan, kind: str | None, sites: list[Site], slot: int) -> None:
        """The table's lines of a woven method, whose slots begin at `slot`."""
        name, descriptor = plan.method.name, plan.method.descriptor
        if kind is not None:
            form = letter(kind, plan.pace)
            pace = f"{plan.pace.sample}/{plan.pace.budget}/{self.place}" if form == "p" and plan.pace is not None else ""
            self.table.append(("M", slot, form + pace, plan.rule, name, descriptor))
            slot += probes.SLOTS[form]
        if not sites:
            return
        for site, line in zip(sites, lines_of(plan.code, [site.pc for site in sites]), strict=True):
            form = probes.OBJECT if site.probe == "allocated" else probes.ARRAY
            self.table.append(("A", slot, form, site.rule, name, descriptor, line, site.pc, site.type))
            slot += probes.SLOTS[form]

    def skip(self, plan: MethodPlan, reason: str, detail: str) -> None:
        self.table.append(("S", plan.method.name, plan.method.descriptor, reason, detail))

    def weave_support(self) -> None:
        """VirtualThread's own methods: what mounted tells the tracker last, and what unmounts first."""
        from classfile.code import Code

        for method in self.cf.methods:
            if method.descriptor != "()V" or method.name not in ("mount", "unmount") or not method.code_at:
                continue
            at = method.code_at
            data = self.cf.data
            if at in self.replaced:  # counted as well
                data = bytes(at) + self.replaced[at]
            code = Code(data, at, self.cf.pool)
            if method.name == "mount":
                insertions = [Insertion(pc, ALOAD_0 + self.call("mounted"), BEFORE, stack=1) for pc in code.scan().returns]
            else:
                insertions = [Insertion(0, self.call("unmounting"))]
            self.replaced[at] = splice(code, Edit(insertions), self.cf.pool, Context.of(self.cf, method))


def letter(kind: str, pace: Pace | None) -> str:
    """How the probe table calls a method's probe."""
    return "c" if kind == "count" else "t" if pace is None else "p"


def slots_of(plan: MethodPlan) -> int:
    """How many slots the method's probes take at most."""
    own = 0 if plan.kind is None else probes.SLOTS[letter(plan.kind, plan.pace)]
    return own + probes.SLOTS[probes.OBJECT] * len(plan.sites)


def runs_once(plan: MethodPlan) -> bool:
    """Whether HotSpot would never compile the method, whatever its size: a class initializer without a loop."""
    if plan.method.name != "<clinit>":
        return False
    scan = plan.code.scan()
    backward = any([scan.targets16[i] <= scan.jumps16[i] for i in range(len(scan.jumps16))])
    return not (backward or scan.jumps32 or scan.switches)
