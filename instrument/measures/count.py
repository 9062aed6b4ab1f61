"""`count`: the exact number of calls, and nothing else."""

from __future__ import annotations

from classfile.insertions import Insertion
from instrument.measures.base import Measure, Planning, Probe
from native._slots import CH_COUNT_CALLS, CH_COUNT_SLOTS
from rules.words import METHODS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classfile.code import Code
    from instrument.data.tally import ClassReader, ProbeLine
    from instrument.measures.table import Table
    from instrument.weaving.method_weaver import MethodWeaver


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    probes.append(probe_of(rules[0]))
    return rules


def probe_of(rule: int) -> Probe:
    """A probe that only counts, whatever its rule asks for."""
    return Probe(COUNT, "c", CH_COUNT_SLOTS, rule)


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    insert_at(weaver, slot + CH_COUNT_CALLS)


def insert_at(weaver: MethodWeaver, slot: int) -> None:
    """Counts each activation in this slot."""
    weaver.insertions.append(Insertion(0, counting(weaver, slot), stack=1))


def counting(weaver: MethodWeaver, slot: int) -> bytes:
    """Code that adds one to a slot; it needs one stack slot."""
    return weaver.number(slot) + weaver.call("count", b"(I)V")


def read(reader: ClassReader, line: ProbeLine) -> None:
    reader.row(table(), line).calls += reader.total(line.slot + CH_COUNT_CALLS)


def table() -> Table:
    from instrument.measures.methods import TABLE

    return TABLE


COUNT = Measure(
    word=Word("count", METHODS, row="methods"),
    letters={"c": CH_COUNT_SLOTS},
    plan=plan,
    insert=insert,
    read=read,
    table=table,
    lost="not counted",
    gives_way=4,
    needs_room=False,
)
