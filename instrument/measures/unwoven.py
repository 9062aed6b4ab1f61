"""What measures have in common that the agent takes by itself: nothing is woven, and no probe is read."""

from __future__ import annotations

from instrument.measures.base import Measure, Planning, Probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from classfile.code import Code
    from instrument.data.rows import Snapshot
    from instrument.data.tally import ClassReader, ProbeLine
    from instrument.measures.table import Table
    from instrument.weaving.method_weaver import MethodWeaver
    from rules.words import Word


def plan(planning: Planning, code: Code, rules: tuple[int, ...], probes: list[Probe]) -> tuple[int, ...]:
    return ()  # never called: such a rule matches no class


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    """There are no probes."""


def read(reader: ClassReader, line: ProbeLine) -> None:
    """There are no probes."""


def unwoven(word: Word, table: Callable[[], Table], gives_way: int, conclude: Callable[[Snapshot], None]) -> Measure:
    return Measure(word=word, letters={}, plan=plan, insert=insert, read=read, table=table, lost="", gives_way=gives_way, conclude=conclude)
