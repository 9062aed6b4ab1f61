"""`cover`: which instructions and branches ran, as JaCoCo counts them; how often, with `hits`.

Complete numbers come first: if the probes make a method larger than HotSpot compiles, it keeps them all and runs in the
interpreter. With `compiled`, it gets fewer probes and is compiled.

A method has probes at the places that instrument/coverage/placing.py gives, each with a slot of its own:

    number, covered        or, with `hits`        number, count

With a rule `context`, all of them count: `covered` sets a byte of the process, counts are in the thread's block, which
contexts exchange (docs/decisions/0044-coverage-by-context-counts.md).

They lie on edges and in front of instructions, and change neither stack nor locals. A method that gets too large has
fewer of them, which its record in the probe table tells by the level. All else is made by the report from the class
file as it was (reader_classes.py).
"""

from __future__ import annotations

from classhook.classfile.insertions import BEFORE, BEHIND, EDGE, Insertion
from classhook.coverage.placement import BLOCKS, CASE, ENTER, ENTRY, EXACT, EXIT, FALL, FULL, GOTO, STARTS, TAKEN
from classhook.probes.measure import Measure, Planning, Probe
from classhook.probes.records import CoverRecord, OriginalRecord
from classhook.rules.words import CLASSES, NO_VALUE, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.classfile.reader import ClassFile
    from classhook.coverage.placement import Placement
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.ruleset import RuleSet

SEEN, COUNTED = "cover", "cover-hits"

#: By kind of probe: the rank of its insertion.
RANKS: Final = {FALL: BEHIND, EXIT: BEFORE, GOTO: BEFORE, TAKEN: EDGE, CASE: EDGE, ENTER: BEFORE}
#: By level: the next one with fewer probes.
FEWER: Final = {EXACT: FULL, FULL: BLOCKS, BLOCKS: STARTS, STARTS: ENTRY}

#: By level that a method is left with: what its coverage lacks.
LACKS: Final = {
    FULL: "which instructions ran before an exception is not known",
    BLOCKS: "code before a call that threw counts as missed",
    STARTS: "it is only known which blocks were entered; a branch counts as taken if the blocks at both ends ran",
    ENTRY: "it is only known whether the method was called",
}


class Places:
    """A method's probes, of one level."""

    __slots__ = ("code", "level", "placement")

    def __init__(self, code: Code, level: int) -> None:
        from classhook.coverage.placing import place  # only a rule `cover` needs it

        self.code = code
        self.level = level
        self.placement: Placement = place(code, level)


def probe_of(kind: str, rule: int, code: Code, level: int) -> Probe:
    """All probes of a method."""
    places = Places(code, level)
    return Probe(COVER, kind, places.placement.count, rule, places)


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    kind = COUNTED if planning.rules.contexts else SEEN
    level = FULL
    for index in rules:
        rule = planning.rules.rules[index]
        if rule.clause("hits"):
            kind = COUNTED
        if rule.clause("exact"):
            level = EXACT
    if code.scan().has_jsr:  # without its subroutines it would be too large
        level = ENTRY
    probe = probe_of(kind, rules[0], code, level)
    if probe.slots:
        probes.append(probe)
    return rules


def outgrows(rules: RuleSet, indices: tuple[int, ...]) -> bool:
    return not any([rules.rules[index].clause("compiled") for index in indices])


def places_of(probe: Probe) -> Places:
    assert isinstance(probe.detail, Places)
    return probe.detail


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    placement = places_of(probe).placement
    call = weaver.call("count" if probe.kind == COUNTED else "covered", b"(I)V")
    insertions = weaver.insertions
    kinds = placement.kinds
    pcs = placement.pcs
    targets = placement.targets
    scan = weaver.code.scan()
    released = frozenset(scan.returns if scan.monitors else ())
    for i in range(placement.count):
        rank = RANKS[kinds[i]]
        code = weaver.number(slot + i) + call
        # guarded: what a call may throw, for lack of stack, must find the program's handlers; but not in front of a
        # return, if there are monitors: one whose release is over would be released again (kotlinc's ranges go on
        # behind it), and the compilers refuse the method
        if rank == EDGE:
            insertions.append(Insertion(targets[i], code, EDGE, guarded=True, stack=1, source=pcs[i]))
        else:
            insertions.append(Insertion(pcs[i], code, rank, guarded=pcs[i] not in released, stack=1))


def cheaper(probe: Probe) -> Probe:
    places = places_of(probe)
    level = FEWER.get(places.level, ENTRY)
    return probe if level == places.level else probe_of(probe.kind, probe.rule, places.code, level)


def lost_with(probe: Probe) -> str:
    return LACKS[places_of(probe).level]


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    return CoverRecord(probe.kind, slot, probe.rule, method, descriptor, places_of(probe).level, probe.slots)


def about(cf: ClassFile) -> Record:
    return OriginalRecord(sha256_of(cf.data), len(cf.data))


def sha256_of(data: bytes) -> str:
    """The SHA-256 in hex. hashlib would import OpenSSL into the program."""
    try:
        from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            from hashlib import sha256
    text: str = sha256(data).hexdigest()
    return text


COVER = Measure(
    word=Word(
        "cover",
        CLASSES,
        (
            Clause("hits", NO_VALUE, about="also how often"),
            Clause("exact", NO_VALUE, about="counts the instructions before an exception as covered"),
            Clause("compiled", NO_VALUE, about="probes never keep HotSpot from compiling a method"),
        ),
        needs="cover",
        about="which instructions, branches and lines ran, as JaCoCo counts them",
    ),
    kinds={SEEN: 0, COUNTED: 0},
    plan=plan,
    insert=insert,
    lost="its coverage is coarser",
    cheaper=cheaper,
    steps=4,
    record=record,
    about=about,
    flat=True,
    outgrows=outgrows,
    lost_with=lost_with,
)
