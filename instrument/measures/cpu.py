"""`cpu`: samples of the stacks of all threads, by the agent alone (native/counting/cpu.c). Nothing is woven.

Methods that were sampled have numbers of their own, which the data file names (CH_META_METHOD). `depth`: frames of a sample, the topmost ones.
"""

from __future__ import annotations

from instrument.measures.profile import microseconds
from instrument.measures.unwoven import unwoven
from rules.words import PROCESS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from instrument.data.rows import Snapshot
    from instrument.measures.table import Table
    from rules.syntax import Rule

PERIOD: Final = "10ms"
DEPTH: Final = "1024"
DEEPEST: Final = 1024  # CH_MOST_DEPTH in native/counting/counting.h


def wrong_period(value: str) -> tuple[str, str] | None:
    return None if 1000 <= microseconds(value) <= 1_000_000 else ("so often no samples are taken", "from `1ms` to `1s`")


def wrong_depth(value: str) -> tuple[str, str] | None:
    return None if len(value) < 9 and 1 <= int(value) <= DEEPEST else ("so many frames no sample has", f"from `1` to `{DEEPEST}`")


def samples(rule: Rule) -> tuple[int, int]:
    return microseconds(rule.clause("every") or PERIOD), int(rule.clause("depth") or DEPTH)


def table() -> Table:
    from instrument.measures.sampled import TABLE

    return TABLE


def conclude(snapshot: Snapshot) -> None:
    from instrument.measures.sampled import add_rows

    add_rows(snapshot)


CPU = unwoven(
    word=Word("cpu", PROCESS, (Clause("every", "DURATION", wrong_period), Clause("depth", "NUMBER", wrong_depth)), needs="S", samples=samples),
    table=table,
    gives_way=99,
    conclude=conclude,
)
