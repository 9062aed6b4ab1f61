"""The field or element of its object that a flattened value is in: `total.currency`, and the number of the element, for
whole columns.

1. Fields and elements of objects name flattened values by their ids; those of flattened values name the ones within
   them.
2. So names are found level by level, each value's from what names it; a value that is named twice, as none is, keeps
   the first name.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from classhook.extensions.heap.classes import REFERENCE
from classhook.extensions.heap.field_columns import at_places
from classhook.extensions.heap.object_columns import Objects
from classhook.extensions.heap.record_batches import Column
from classhook.extensions.heap.tags import INSTANCE, OBJECT_ARRAY
from classhook.extensions.heap.values import DEEPEST

NO_ELEMENT = UNNAMED = -1


@dataclass(slots=True)
class Names:
    """Names by the number of a flattened value: `name`: the number of a text in `texts`, or UNNAMED; `element`: of an
    array, or NO_ELEMENT."""

    name: Column
    element: Column
    texts: list[str] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]

    def within(self, name: int) -> str:
        """The prefix of the names of fields in a value of this name."""
        return self.texts[name] + "." if name != UNNAMED and self.texts[name] else ""


def part_names(all_: Objects) -> Names:
    """Finds the names of all flattened values."""
    parts, size = all_.parts, all_.heap.dump.id_size
    found = Names(np.full(len(parts), UNNAMED, np.int64), np.full(len(parts), NO_ELEMENT, np.int64))
    order = np.argsort(parts.id, kind="stable")
    ids = parts.id[order]

    def named(at: Column) -> tuple[Column, Column]:
        """The places in the dump, of these, that name a flattened value without a name so far, and the value's
        number."""
        target = at_places(all_, at, size)
        row = np.searchsorted(ids, target).clip(0, len(ids) - 1)
        chosen = np.flatnonzero(ids[row] == target)
        values = order[row[chosen]]
        new = found.name[values] == UNNAMED
        return chosen[new], values[new]

    def name_fields(cls: Column, length: Column, at: Column, before: Column, element: Column) -> None:
        """Names the fields of instances or flattened values, given the names of these."""
        for number in np.unique(cls).tolist():
            rows = np.flatnonzero(cls == number)
            for name, type_, place in all_.heap.classes.places(all_.heap.classes.all[number]):
                if type_ == REFERENCE:
                    whole = rows[length[rows] >= place + size]
                    chosen, values = named(at[whole] + np.uint64(place))
                    above = before[whole[chosen]]
                    longer = {one: found.number(found.within(one) + name) for one in np.unique(above).tolist()}
                    found.name[values] = [longer[one] for one in above.tolist()]
                    found.element[values] = element[whole[chosen]]

    if not len(parts):
        return found
    holders = np.unique(parts.of)
    arrays, some = holders[all_.tag[holders] == OBJECT_ARRAY], holders[all_.tag[holders] == INSTANCE]
    lengths = all_.length[arrays].astype(np.int64)
    element = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    chosen, values = named(np.repeat(all_.at[arrays], lengths) + element.astype(np.uint64) * np.uint64(size))
    found.name[values], found.element[values] = found.number(""), element[chosen]
    none = np.full(len(some), NO_ELEMENT, np.int64)
    name_fields(all_.cls[some], all_.length[some], all_.at[some], none, none)
    before = np.zeros(len(parts), bool)
    for _ in range(DEEPEST):
        now = np.flatnonzero((found.name != UNNAMED) & ~before)
        before[now] = True
        name_fields(parts.cls[now], parts.length[now], parts.at[now], found.name[now], found.element[now])
    return found
