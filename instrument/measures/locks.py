"""`locks`: how long threads were blocked at monitors, and waited in Object.wait, by the agent alone (native/locks/). Nothing is woven.

`over`: shorter ones are only summed up; `stack`: frames of a stack, the topmost ones; `parks`: also threads that park, as for locks of
java.util.concurrent.
"""

from __future__ import annotations

from instrument.measures.profile import microseconds
from instrument.measures.unwoven import unwoven
from rules.words import NO_VALUE, PROCESS, Clause, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from instrument.data.rows import Snapshot
    from instrument.measures.table import Table
    from rules.syntax import Rule

FRAMES: Final = "4"
MOST_FRAMES: Final = 256  # CH_LOCK_FRAMES in native/locks/locks.h
PARKS: Final = 1 << 16  # CH_LOCK_PARKS


def wrong_time(value: str) -> tuple[str, str] | None:
    return None if microseconds(value) <= 3_600_000_000 else ("nobody is blocked for so long", "up to `3600s`")


def wrong_stack(value: str) -> tuple[str, str] | None:
    return None if len(value) < 9 and 1 <= int(value) <= MOST_FRAMES else ("so many frames no stack has here", f"from `1` to `{MOST_FRAMES}`")


def asked(rule: Rule) -> tuple[int, int]:
    return microseconds(rule.clause("over") or "0us"), int(rule.clause("stack") or FRAMES) + (PARKS if rule.clause("parks") else 0)


def table() -> Table:
    from instrument.measures.blocked import TABLE

    return TABLE


def conclude(snapshot: Snapshot) -> None:
    from instrument.measures.blocked import name_rule

    name_rule(snapshot)


LOCKS = unwoven(
    word=Word(
        "locks", PROCESS, (Clause("over", "DURATION", wrong_time), Clause("stack", "NUMBER", wrong_stack), Clause("parks", NO_VALUE)),
        needs="L", samples=asked,
    ),
    table=table,
    gives_way=98,
    conclude=conclude,
)
