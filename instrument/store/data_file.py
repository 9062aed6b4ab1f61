"""The data of one process: the counts of its blocks, and the descriptions of what they count.

The metadata is walked record by record; slots and records of the blocks are looked up by their positions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from classhook.base.names import shortened
from classhook.native._layout import lib
from classhook.store.layout import META, META_BYTES
from classhook.store.nonzero_slots import NonzeroSlots, nonzero_slots
from classhook.store.region import PAGE, Block, Region
from classhook.store.sealed_parts import SealedPart

K = TypeVar("K")

#: Descriptions that are about one session, and not about classes.
OF_A_SESSION = (lib.CH_META_LABELS, lib.CH_META_NOTE, lib.CH_META_PLACED, lib.CH_META_DEADLOCK, lib.CH_META_DUMP)
#: Regions in which contexts are not told apart, and those in which threads are not.
OF_PROCESS = (lib.CH_EXACT_TREE, lib.CH_COVER)
OF_ALL_THREADS = (lib.CH_COVER,)
#: Descriptions that belong to the rules before them, and the beginning of the line of a class that has rules of its
#: own.
OF_RULES = (lib.CH_META_RULES, lib.CH_META_CLASS, lib.CH_META_SKIP)
OWN_RULES = b"\nU\t"
#: The begin of a line of compiled rules that says what is woven (native/classes/active_rules.c): classes woven by the
#: same have one description.
OF_WEAVING = (b"rule\t", b"target\t", b"type\t", b"called\t", b"except\t", b"source\t")
Weaving = tuple[bytes, ...]
HIT = bytes([0, *(1 for _ in range(255))])


@dataclass(slots=True)
class DataFile:
    """One process's data. `shared`: the one of `blocks` in which all threads may count; `sealed`: what emptied blocks
    had counted (sealed_parts.py); `notes`: what is missing in the file."""

    path: Path
    header: Any
    running: bool
    regions: dict[tuple[int, int], Region]  # by kind and block
    blocks: list[Block]
    shared: Block
    notes: list[str]
    sealed: list[SealedPart] = field(default_factory=list)
    all_described: bool = True  # set by `descriptions`
    base: DataFile | None = None  # an earlier state, to be taken off: see baseline.py
    earlier: bool = False  # what `descriptions` yielded last came before the session
    _by_page: dict[int, list[Block]] = field(default_factory=dict)
    _by_key: dict[int, dict[int, list[Block]]] = field(default_factory=dict)
    _held: dict[int, list[tuple[SealedPart, int]]] | None = None

    def region(self, kind: int) -> Region:
        return self.regions.get((kind, 0), Region())

    def _having(self, slot: int) -> list[Block]:
        """The blocks that have data in a slot's page, and the sum of the sealed parts as one."""
        if not self._by_page:
            for block in (*self.blocks, *([_sum_of(self.sealed)] if self.sealed else [])):
                for page in block.pages:
                    self._by_page.setdefault(page, []).append(block)
        return self._by_page.get(slot // PAGE, [])

    def sums(self, first: int, slots: int) -> list[int]:
        """The values of these slots, summed over all blocks."""
        sums = [0] * slots
        at, end = first, first + slots
        while at < end:
            stop = min(end, at - at % PAGE + PAGE)
            for block in self._having(at):
                for i, value in enumerate(block.pages[at // PAGE][at % PAGE : at % PAGE + stop - at], at - first):
                    sums[i] += value
            at = stop
        if self.base is not None:
            return [now - before for now, before in zip(sums, self.base.sums(first, slots), strict=True)]
        return sums

    def holding(self, slot: int) -> Iterator[tuple[Block, int]]:
        """The blocks and sealed parts that have a record for a slot, and its position there."""
        for block in self._having(slot):
            if block.index >= 0 and (position := block.slot(slot)):
                yield block, position
        if self._held is None:
            self._held = {}
            for part in self.sealed:
                for place, value in part.words() if part.has_records else ():
                    if not value % lib.CH_UNIT:
                        self._held.setdefault(place, []).append((part, value))
        yield from self._held.get(slot, ())

    def having(self, contexts: Iterable[int] | None, threads: Iterable[int] | None = None) -> Iterator[Block]:
        """The blocks and sealed parts of contexts and of threads, given by the slots of contexts and of threads' names;
        0: those outside of all, and of no thread that is known; None: all."""
        if not self._by_key:
            for block in (*self.blocks, *self.sealed):
                self._by_key.setdefault(block.context, {}).setdefault(block.thread, []).append(block)
        for context in self._by_key if contexts is None else contexts:
            by_thread = self._by_key.get(context, {})
            for thread in by_thread if threads is None else threads:
                yield from by_thread.get(thread, ())

    def words(self, contexts: Iterable[int] | None, threads: Collection[int] | None = None) -> NonzeroSlots:
        """The counts of these contexts and threads."""
        wanted = None if contexts is None else [*contexts]
        before = self.base.having(wanted, threads) if self.base is not None else ()
        return nonzero_slots([*self.having(wanted, threads)], before)

    def slots_in_use(self, contexts: Iterable[int] | None, threads: Collection[int] | None = None) -> Iterable[int]:
        """The slots that are not 0 in these. That of a timed method has the position of its record, which is the same
        as in the earlier state."""
        return nonzero_slots([*self.having(contexts, threads)]).slots

    def words_by(self, key: Callable[[Block], K]) -> Iterator[tuple[K, NonzeroSlots]]:
        """The counts of all blocks, grouped by any key of theirs."""
        now, before = _grouped((*self.blocks, *self.sealed), key), {}
        if self.base is not None:
            before = _grouped((*self.base.blocks, *self.base.sealed), key)
        for one, blocks in now.items():
            yield one, nonzero_slots(blocks, before.get(one, ()))

    def context_slots(self) -> dict[str, set[int]]:
        """The slots of contexts, by name; "": outside of all."""
        found: dict[str, set[int]] = {"": {0}}
        for kind, slot, _, text in self.descriptions():
            if kind == lib.CH_META_CONTEXT:
                found.setdefault(shortened(text.decode("utf-8", "replace")), set()).add(slot)
        return found

    def without(self, kinds: Collection[int], of_process: Collection[int] = OF_PROCESS) -> DataFile:
        """The same without regions of some kinds, and those in which contexts are not told apart."""
        regions = {key: one for key, one in self.regions.items() if key[0] not in kinds and key[0] not in of_process}
        return replace(self, regions=regions, base=self.base and self.base.without(kinds, of_process))

    def blocks_within(
        self, file: DataFile, contexts: Collection[int] | None, threads: Collection[int] | None = None
    ) -> DataFile:
        """A view of this file with only the blocks of these contexts and threads."""
        every = [*self.having(contexts, threads)]
        blocks = [replace(block, _taken=set()) for block in every if not isinstance(block, SealedPart)]
        parts = [block for block in every if isinstance(block, SealedPart)]
        for part in parts:
            part.begin()
        return replace(file, blocks=blocks, sealed=parts, notes=[], _by_page={}, _by_key={}, _held=None)

    def within(self, contexts: Collection[int]) -> DataFile:
        """The same, but only with the blocks of these contexts."""
        return self.blocks_within(self.without(()), contexts)

    def covered(self, first: int, slots: int) -> bytes:
        """The hits of these slots' probes of coverage: 1 if hit, else 0."""
        found = self.region(lib.CH_COVER).read(first, slots)
        return bytes(slots) if found is None else bytes(found).translate(HIT)

    def descriptions(self) -> Iterator[tuple[int, int, int, bytes]]:
        """(kind, first slot, slots, text) of each complete record of the metadata, but for those that are about earlier
        sessions only."""
        own = self._own_rules() if self.header.session_meta else None
        others = False  # the last rules are of an earlier session only
        for at, kind, first_slot, slots, text in self._records():
            self.earlier = at < self.header.session_meta
            if own is not None and kind == lib.CH_META_RULES:
                others = _weaving(text) not in own
            of_others = others and kind in OF_RULES and OWN_RULES not in text
            if not of_others and not (self.earlier and kind in OF_A_SESSION):
                yield kind, first_slot, slots, text
        if not self.all_described:
            self.notes.append(f"{self.path}: descriptions of classes are missing, and with them their counts")

    def _own_rules(self) -> set[Weaving]:
        """The weaving of the file's session, from its compiled rules. Without them, the earlier rules are in force."""
        own, before = set[Weaving](), Weaving()
        for at, kind, _, _, text in self._records():
            if kind == lib.CH_META_RULES:
                before = _weaving(text)
                if at >= self.header.session_meta:
                    own.add(before)
        return own or {before}

    def _records(self) -> Iterator[tuple[int, int, int, int, bytes]]:
        """The place of each complete record of the metadata, and (kind, first slot, slots, text)."""
        region = self.region(lib.CH_META)
        at, end, missing = 0, self.header.meta_used, False
        rules: list[bytes] = []  # that are in force again may be named by their number
        while at + META_BYTES <= end:
            head = region.whole(at, META_BYTES)
            size, kind, first_slot, slots = META.unpack(head) if head is not None else (0, 0, 0, 0)
            if not kind:
                break
            text = region.whole(at + META_BYTES, size)
            if text is not None and kind == lib.CH_META_RULES:
                if text:
                    rules.append(text)
                if text or 0 < first_slot <= len(rules):
                    yield at, kind, 0, slots, text or rules[first_slot - 1]
            elif text is not None:
                yield at, kind, first_slot, slots, text
            missing |= text is None  # the disk was full, or the file was truncated
            at = (at + META_BYTES + size + 7) & ~7
        self.all_described = at >= end and not missing

    @property
    def ns_per_tick(self) -> float:
        """The factor for times in the records."""
        header = self.header
        ticks, ns = header.last_ticks - header.first_ticks, header.last_ns - header.first_ns
        return ns / ticks if header.clock == lib.CH_CLOCK_TICKS and ticks > 0 and ns > 0 else 1.0


def _grouped(blocks: Iterable[Block], key: Callable[[Block], K]) -> dict[K, list[Block]]:
    found: dict[K, list[Block]] = {}
    for block in blocks:
        found.setdefault(key(block), []).append(block)
    return found


def _sum_of(parts: Iterable[SealedPart]) -> Block:
    """All sealed parts as one block, without records."""
    pages: dict[int, list[int]] = {}
    for part in parts:
        for slot, value in part.words():
            page = pages.get(slot // PAGE)
            if page is None:
                page = pages[slot // PAGE] = [0] * PAGE
            page[slot % PAGE] += value
    return Block(pages, Region(), -1)


def _weaving(text: bytes) -> Weaving:
    """The parts of compiled rules that decide how classes are woven; not the rules' names and places."""
    lines = [line for line in text.splitlines() if line.startswith(OF_WEAVING)]
    return tuple(b"\t".join(line.split(b"\t", 3)[:3]) if line.startswith(b"rule\t") else line for line in lines)
