"""Which probes each context hit, from the blocks of data files in which contexts counted (native/counting/attribution.c).

Most contexts hit the same probes of a method as others did. So what is kept, for each method, is the different hits, each with the contexts that
had them: reports analyse each of them once. Hits of one context from several blocks stay apart; what they cover together is the union.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from classhook.names import shortened
from classhook.store.data_file import DataFile, lib
from classhook.store.region import PAGE

#: By the method's place in the class file and its hits, a byte 0 or 1 each: the contexts, by number.
Told = dict[int, dict[bytes, set[int]]]
Key = tuple[str, str]  # a class's name and the hash of its file
Method = tuple[str, str]  # name and descriptor
OUTSIDE = 0  # the number of what ran outside of all contexts


class Places:
    """Where the probes of methods are among the slots of a file."""

    def __init__(self, slots: int) -> None:
        self.number = array("i", bytes(4 * slots))  # of the method that a slot belongs to, 0 for none
        self.methods: list[tuple[int, int, tuple[Key, Method, int]]] = [(0, 0, (("", ""), ("", ""), 0))]

    def add(self, first: int, count: int, what: tuple[Key, Method, int]) -> None:
        self.number[first : first + count] = array("i", [len(self.methods)]) * count
        self.methods.append((first, count, what))


def contexts_of(file: DataFile) -> dict[str, set[int]]:
    """The slots of a file's contexts, by name."""
    found: dict[str, set[int]] = {}
    for kind, slot, _, text in file.descriptions():
        if kind == lib.CH_META_CONTEXT:
            found.setdefault(name_of(text), set()).add(slot)
    return found


def name_of(text: bytes) -> str:
    """A context's name, by its record CH_META_CONTEXT."""
    return shortened(text.decode("utf-8", "replace"))


@dataclass(slots=True)
class ByContext:
    """What was hit in contexts, of all files.

    names: of the contexts, by their numbers
    hits: by class and method: by level and hits, the numbers of the contexts that had these
    untold: classes of which it is not known which contexts ran them, because their probes do not count
    """

    names: list[str] = field(default_factory=lambda: [""])
    hits: dict[Key, dict[Method, dict[tuple[int, bytes], set[int]]]] = field(default_factory=dict)
    untold: set[str] = field(default_factory=set)
    _numbers: dict[str, int] = field(default_factory=lambda: {"": OUTSIDE})
    _slots: dict[int, int] = field(default_factory=dict)  # by a context's slot in the file that is being read, its number

    def name(self, slot: int, text: bytes) -> None:
        """A record CH_META_CONTEXT."""
        name = name_of(text)
        if name not in self._numbers:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        self._slots[slot] = self._numbers[name]

    def add_untold(self, key: Key, method: Method, level: int, hits: bytes) -> None:
        """Hits of probes that only say whether they were hit: they count as outside of contexts."""
        if any(hits):
            self.hits.setdefault(key, {}).setdefault(method, {}).setdefault((level, hits), set()).add(OUTSIDE)
            self.untold.add(key[0])

    def add(self, file: DataFile, places: Places) -> None:
        """The hits of a file whose records have been read."""
        number_of, methods = places.number, places.methods
        for block in file.blocks:
            context = self._slots.get(file.context_of(block), OUTSIDE)
            found: dict[int, bytearray] = {}
            for page, values in block.pages.items():
                base = page * PAGE
                for at, value in enumerate(values.tolist(), base):
                    if value and at < len(number_of) and (number := number_of[at]):
                        first, count, _ = methods[number]
                        hits = found.get(number)
                        if hits is None:
                            hits = found[number] = bytearray(count)
                        hits[at - first] = 1
            for number, hits in found.items():
                key, method, level = methods[number][2]
                of_class = self.hits.setdefault(key, {})
                of_class.setdefault(method, {}).setdefault((level, bytes(hits)), set()).add(context)
        self._slots.clear()
