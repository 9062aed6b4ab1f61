"""Finds which objects may be at which places: each place has a set, which grows until it has all that flows there (the
inclusion-based analysis of L. O. Andersen, 1994). Fields are told apart by their class, and not by their object.

It is solved in waves (F. Pereira, D. Berlin: Wave propagation and deep propagation for pointer analysis, 2009): places
in a circle become one, then objects flow along all others once, then what is in new objects adds further ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from classhook.extensions.selection.effects.circles import without_circles
from classhook.extensions.selection.effects.values import Place


@dataclass(frozen=True, slots=True)
class Object:
    """Objects that count as one: all that one instruction makes, all objects of a class of the program, or of it and
    its subclasses, or all of a library's type that are not told apart.

    `kind`: their type, a descriptor; `exact`: no subtype; `made_at`: the place where they are made, if they are told
    apart from others of their type; `is_own`: they are of a class of the program; `holds`: something may be in them, as
    in an array or a collection."""

    kind: str
    exact: bool
    made_at: Place | None = None
    is_own: bool = False
    holds: bool = True


def content(of: int) -> Place:
    """The place of what is in an array, a collection or the like."""
    return Place(name=f"*{of}")


class Places:
    """Places have numbers. `_one`: the place that a place has become one with."""

    def __init__(self) -> None:
        self.objects: list[Object] = []
        self._number: dict[Object, int] = {}
        self._places: dict[Place, int] = {}
        self._one: list[int] = []
        self._at: list[int] = []  # a bit for each object
        self._followed: list[int] = []  # those of which it is known what is in them
        self._flows: list[set[int]] = []
        self._loads: dict[int, set[int]] = {}  # places that get what is in the objects there
        self._stores: dict[int, set[int]] = {}  # places of what gets into the objects there

    def add(self, place: Place, one: Object) -> None:
        """An object may be at a place."""
        number = self._number.get(one)
        if number is None:
            number = self._number[one] = len(self.objects)
            self.objects.append(one)
        alone = place if place.within is None else Place(name=f"={number}")
        self._at[self._find(self._node(alone))] |= 1 << number
        if alone != place:
            self.flow(place, alone)

    def know(self, place: Place) -> None:
        """A place that is asked for later."""
        self._node(place)

    def flow(self, to: Place, of: Place) -> None:
        """Objects at the place `of` get to the place `to`."""
        source = self._node(of)
        if to.within is not None:
            self._node(to)
            self._stores.setdefault(self._node(to.within), set()).add(source)
        else:
            self._flows[self._find(source)].add(self._node(to))

    def _node(self, place: Place) -> int:
        known = self._places.get(place)
        if known is None:
            known = self._places[place] = len(self._one)
            self._one.append(known)
            self._at.append(0)
            self._followed.append(0)
            self._flows.append(set())
            if place.within is not None:
                self._loads.setdefault(self._node(place.within), set()).add(known)
        return known

    def _find(self, place: int) -> int:
        one = self._one
        while one[place] != place:
            one[place] = one[one[place]]
            place = one[place]
        return place

    def solve(self) -> None:
        """Lets all objects get to where they may be."""
        while True:
            for first, *others in (order := without_circles(self._live())):
                for other in others:
                    self._join(first, other)
            for first, *_ in order:
                at = self._at[first]
                if at:
                    for to in self._flows[first]:
                        self._at[self._find(to)] |= at
            if not self._follow():
                return

    def _live(self) -> dict[int, set[int]]:
        """The ways between places, without those that have become one with others."""
        found: dict[int, set[int]] = {}
        for place, flows in enumerate(self._flows):
            if self._one[place] == place:
                flows = self._flows[place] = {self._find(to) for to in flows} - {place}
                found[place] = flows
        return found

    def _join(self, one: int, other: int) -> None:
        self._one[other] = one
        self._at[one] |= self._at[other]
        self._followed[one] &= self._followed[other]
        self._flows[one] |= self._flows[other]
        self._flows[other] = set()
        for ways in (self._loads, self._stores):
            if other in ways:
                ways.setdefault(one, set()).update(ways.pop(other))

    def _follow(self) -> bool:
        """Adds ways from and to what is in objects that are new at a place; returns whether there were any."""
        new_ways = False
        for place in {self._find(one) for one in (*self._loads, *self._stores)}:
            new = self._at[place] & ~self._followed[place]
            self._followed[place] |= new
            for one in numbers(new):
                if not self.objects[one].holds:
                    continue
                inner = self._find(self._node(content(one)))
                for to in self._loads.get(place, ()):
                    new_ways |= self._way(inner, to)
                for of in self._stores.get(place, ()):
                    new_ways |= self._way(self._find(of), inner)
        return new_ways

    def _way(self, of: int, to: int) -> bool:
        to = self._find(to)
        if of == to or to in self._flows[of]:
            return False
        self._flows[of].add(to)
        return True

    def at(self, place: Place) -> int:
        """The objects at a place: a bit for each."""
        known = self._places.get(place)
        return 0 if known is None else self._at[self._find(known)]

    def within(self, one: int) -> int:
        return self.at(content(one))


def numbers(objects: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while objects:
        lowest = objects & -objects
        yield lowest.bit_length() - 1
        objects ^= lowest
