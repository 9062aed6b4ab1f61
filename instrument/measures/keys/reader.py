"""The rows of keys: what a method counted for each of them; and its own row, if that is the sum of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from classhook.base.names import shortened
from classhook.measures.keys import written
from classhook.measures.methods.reader import MethodRow
from classhook.model.added_fields import AddedField
from classhook.model.class_reader import ClassReader
from classhook.model.reader import Reader
from classhook.model.rows import RowKind
from classhook.native._layout import lib
from classhook.native._slots import CH_KEYED_OTHERS, CH_KEYED_RESUMED
from classhook.probes.records import ProbeRecord
from classhook.rules.errors import RuleError
from classhook.rules.syntax import Rule

#: The key of what has no slot of its own; no other is empty.
OTHERS = ""


@dataclass(init=False)
class KeyRow(MethodRow):
    """`others`: it is that of all keys that have no row; `before`: so many of its calls, at most, are in that row, from
    before it had one."""

    others: bool = False
    before: int = 0


KEYS = RowKind(
    name="keys",
    row=KeyRow,
    ran=lambda row: row.calls > 0,
    key={"by": "string", "key": "string"},
    add=KeyRow.add,
    finish=KeyRow.finish,
    counted=lambda row: row.calls,
    whole=lambda key: ("methods", key[:3]),
)


class KeyedProbe(NamedTuple):
    """A probe that counts by key: its class's reader, its record, the key as its rule has it, and the row that has the
    sum, if it is to have it. `add`: adds a key to rows of another kind; `resumed`: beside each key's slot is one for
    its resumptions; `timed`: a key's slot has records of times."""

    reader: ClassReader
    probe: ProbeRecord
    by: str
    whole: MethodRow | None
    add: Callable[[KeySlot], None] | None = None
    resumed: bool = False
    timed: bool = False


class KeySlot(NamedTuple):
    """A key, and its slot."""

    first: int
    slot: int
    text: str
    before: int


#: The keys of a file that is read, by their first slots.
PROBES: AddedField[dict[int, KeyedProbe]] = AddedField(dict)


def note_probe(
    reader: ClassReader,
    probe: ProbeRecord,
    whole: MethodRow | None = None,
    add: Callable[[KeySlot], None] | None = None,
    resumed: bool = False,
    timed: bool = False,
    by: str = "",
) -> None:
    """The keys of a probe are read when all records are read. `by`: the key as reports show it, if not as the rule has
    it."""
    at = reader.first_slot + probe.slot
    rule = rule_of(reader, probe)
    by = by or (written(rule) if rule is not None else "")
    keyed = KeyedProbe(reader, probe, by, whole, add, resumed, timed or whole is not None)
    reader.then(lambda: PROBES.get(reader.reading).__setitem__(at, keyed))


def rule_of(reader: ClassReader, probe: ProbeRecord) -> Rule | None:
    """The rule that asked for a probe. None: it is not known."""
    return rule_at(reader, probe.rule)


def rule_at(reader: ClassReader, index: int) -> Rule | None:
    """The rule with this index; of a class woven ahead of time, there is only its text. None: it is not known."""
    text = reader.rule(index)
    return reader.snapshot.parsed_rules.get(text) or _parsed(text)


@cache
def _parsed(text: str) -> Rule | None:
    from classhook.rules.parse import parse_text

    try:
        return parse_text(text, "")[0]
    except (RuleError, IndexError):
        return None


class KeyReader(Reader):
    rows = (KEYS,)
    records = (lib.CH_META_KEY,)

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.keys: list[KeySlot] = []

    def record(self, kind: int, number: int, more: int, text: bytes) -> None:
        before, _, key = text.partition(b"\t")
        probed = PROBES.get(self.reading).get(more)
        self.reading.free.take(number, 1 + CH_KEYED_RESUMED if probed is not None and probed.resumed else 1)
        self.keys.append(KeySlot(more, number, shortened(key.decode("utf-8", "replace")), int(before)))
        if probed is not None:
            self.reading.frames[number] = (probed.reader.name, probed.probe.method, probed.probe.descriptor)

    def in_context(self, whole: Reader) -> None:
        if isinstance(whole, KeyReader):
            self.keys = whole.keys

    def finish(self) -> int:
        probes = PROBES.get(self.reading)
        for first, probed in probes.items():
            self._add(probed, KeySlot(first, first + CH_KEYED_OTHERS, OTHERS, 0))
        for key in self.keys:
            if key.first in probes:
                self._add(probes[key.first], key)
        return 0

    def _add(self, probed: KeyedProbe, key: KeySlot) -> None:
        if probed.add is not None:
            probed.add(key)
            return
        file, timed = self.reading.file, probed.timed
        if timed and not any(True for _ in file.holding(key.slot)):
            return
        calls = 0 if timed else file.sums(key.slot, 1)[0]
        if not (timed or calls):
            return
        row: KeyRow = probed.reader.row(KEYS, probed.probe, probed.by, key.text)
        row.others, row.timed = key.slot == key.first + CH_KEYED_OTHERS, timed
        row.before += key.before
        row.calls += calls
        row.resumptions += file.sums(key.slot + CH_KEYED_RESUMED, 1)[0] if probed.resumed else 0
        if probed.whole is not None:
            probed.whole.add_records_at(probed.reader, key.slot, first=True)
        if timed:
            row.add_records_at(probed.reader, key.slot, first=probed.whole is None)


READER = KeyReader
