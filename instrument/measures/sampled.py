"""The table of sampled methods: CPU and wall time with their standard errors, of all threads. Only reports import this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from instrument.data.calls import Sampled, add_times
from instrument.measures.profiled import times, times_of
from instrument.measures.table import Entry, Key, Section, Table, share
from instrument.names import method_label, time_label

if TYPE_CHECKING:
    from instrument.data.rows import Snapshot

WORD = "cpu"


@dataclass(slots=True)
class SampledRow:
    """A method's times; some frames stand for methods that are not known: their class is empty."""

    rule: str = ""
    sampled: Sampled | None = None


#: What they can be sorted by, largest first; by anything else, as by `self`.
SORT_KEYS: dict[str, Callable[[Any], int]] = {
    "self": lambda row: times(row).cpu_self,
    "total": lambda row: times(row).cpu_total,
    "wall": lambda row: times(row).wall_total,
}


def add_rows(snapshot: Snapshot) -> None:
    """A row for each method that was seen. The rule's matches are what was seen, too."""
    rows = snapshot.tables[TABLE.name]
    rules = [text for text, rule in snapshot.parsed_rules.items() if rule.kind == WORD]
    for call, entered in snapshot.stacks.walk():
        if entered and call.method is not None and call.method not in rows:
            rows[call.method] = SampledRow(rules[0] if rules else "?")
    add_times(snapshot.stacks, rows)
    known = [key for key in rows if key[0]]
    for text in rules:
        row = snapshot.rules[text]
        row.matched_methods, row.matched_classes = len(known), len({key[0] for key in known})


def title(rows: list[Entry], sort: str, whole: int) -> str:
    by = "wall" if sort == "wall" else f"CPU {sort if sort in SORT_KEYS else 'self'}"
    return f"Sampled methods by {by}: {len(rows):,}, {time_label(whole).strip()} of CPU time in all"


def cells(key: Key, row: Any, whole: int, alias: str) -> tuple[str, ...]:
    sampled = times(row)
    return (
        time_label(sampled.cpu_self), share(sampled.cpu_self, whole), f"±{100 * sampled.cpu_self_error / whole:.1f}%" if whole else "",
        time_label(sampled.cpu_total), share(sampled.cpu_total, whole), time_label(sampled.wall_self), time_label(sampled.wall_total),
        method_label(*key) + alias,
    )  # fmt: skip


def notes(rows: list[Entry]) -> list[str]:
    deeper = any(not key[0] and key[1] == "[deeper]" for key, _ in rows)
    found = ["samples of all threads; self and total are CPU time, and ± is the standard error of self"]
    return [*found, "[deeper] stands for the outermost frames of deep stacks, and totals leave those out; `depth N` keeps more"] if deeper else found


TABLE = Table(
    name="cpu",
    row=SampledRow,
    counts=times_of,
    ran=lambda row: row.sampled is not None,
    sections=(
        Section(
            what="methods",
            belongs=lambda row: True,
            weight=lambda row, sort: SORT_KEYS.get(sort, SORT_KEYS["self"])(row),
            title=title,
            whole=lambda row: times(row).cpu_self,
            columns=("self", "", "", "total", "", "wall self", "wall total", "method"),
            cells=cells,
            notes=notes,
        ),
    ),
)
