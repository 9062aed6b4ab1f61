"""Finds the probes that each context hit, from the blocks of data files in which contexts counted
(native/contexts/attribution.c).

Most contexts hit the same probes of a method as others did. So what is kept, for each method, is the different hits,
each with the contexts that had them: reports analyse each of them once. Hits of one context in several processes stay
apart; what they cover together is the union.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from classhook.store.data_file import DataFile

#: By the method's place in the class file and its hits, a byte 0 or 1 each: the contexts, by number.
Told = dict[int, dict[bytes, set[int]]]
Key = tuple[str, str]  # a class's name and the hash of its file
Method = tuple[str, str]  # name and descriptor
OUTSIDE = 0  # the number of what ran outside of all contexts


class Places:
    """The places of methods' probes among the slots of a file."""

    def __init__(self, slots: int) -> None:
        self.number = array("i", bytes(4 * slots))  # of the method that a slot belongs to, 0 for none
        self.methods: list[tuple[int, int, tuple[Key, Method, int]]] = [(0, 0, (("", ""), ("", ""), 0))]

    def add(self, first: int, count: int, what: tuple[Key, Method, int]) -> None:
        self.number[first : first + count] = array("i", [len(self.methods)]) * count
        self.methods.append((first, count, what))


@dataclass(slots=True)
class ByContext:
    """The hits in contexts, of all files.

    names: of the contexts, by their numbers
    hits: by class and method: by level and hits, the numbers of the contexts that had these
    untold: classes of which it is not known which contexts ran them, because their probes do not count
    """

    names: list[str] = field(default_factory=lambda: [""])
    hits: dict[Key, dict[Method, dict[tuple[int, bytes], set[int]]]] = field(default_factory=dict)
    untold: set[str] = field(default_factory=set)
    _numbers: dict[str, int] = field(default_factory=lambda: {"": OUTSIDE})

    def add_untold(self, key: Key, method: Method, level: int, hits: bytes) -> None:
        """Hits of probes that only say whether they were hit: they count as outside of contexts."""
        if any(hits):
            self.hits.setdefault(key, {}).setdefault(method, {}).setdefault((level, hits), set()).add(OUTSIDE)
            self.untold.add(key[0])

    def add(self, file: DataFile, places: Places) -> None:
        """The hits of a file whose records have been read."""
        of_slots: dict[int, int] = {}
        for name, slots in file.context_slots().items():
            if name not in self._numbers:
                self._numbers[name] = len(self.names)
                self.names.append(name)
            of_slots.update(dict.fromkeys(slots, self._numbers[name]))
        number_of, methods = places.number, places.methods
        for context, words in file.words_by(lambda block: of_slots.get(block.context, OUTSIDE)):
            found: dict[int, bytearray] = {}
            for slot in words.slots:
                number = number_of[slot] if slot < len(number_of) else 0
                if number:
                    first, count, _ = methods[number]
                    hits = found.get(number)
                    if hits is None:
                        hits = found[number] = bytearray(count)
                    hits[slot - first] = 1
            for number, hits in found.items():
                key, method, level = methods[number][2]
                of_class = self.hits.setdefault(key, {})
                of_class.setdefault(method, {}).setdefault((level, bytes(hits)), set()).add(context)
