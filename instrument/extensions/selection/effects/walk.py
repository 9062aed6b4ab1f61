"""Objects that a static field may refer to, and the methods that may change them.

A graph leads from each static field to the objects there, from an object to the fields of its class, and to what is in
it. Nodes of a circle have the same answer, so the graph is walked once for all fields (circles.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from classhook.extensions.selection.effects.changes import Changes
from classhook.extensions.selection.effects.circles import without_circles
from classhook.extensions.selection.effects.places import numbers
from classhook.extensions.selection.effects.values import WORLD
from classhook.extensions.selection.effects.ways import FieldOf, Node, Way, Ways
from classhook.extensions.selection.facts import STATIC
from classhook.extensions.selection.fixed_types import is_fixed

MOST_STEPS = 5_000_000  # from node to node: some seconds
#: A part of what a field refers to, if that is not known: any other field may refer to the same.
UNKNOWN = "unknown"


class Found(NamedTuple):
    """`changers`: the methods that may change what a static field refers to, by their numbers; `parts`: what that is:
    objects, classes and types, by which it can be compared with that of another field; `classes`: all classes of the
    program that it may be of."""

    changers: set[int]
    parts: frozenset[object]
    classes: set[str]


class Met(NamedTuple):
    """The methods that change something, the objects and classes on the ways from a node: a bit for each; and whether
    there are objects that are not told apart."""

    changers: int = 0
    objects: int = 0
    classes: int = 0
    others: bool = False


class Reachable:
    """Objects that static fields may refer to. If there are more ways than `steps`, all methods change all fields."""

    def __init__(self, changes: Changes, steps: int = MOST_STEPS) -> None:
        self.changes, self.steps = changes, steps
        self._class_names = [*changes.classes]
        self._nodes: dict[Node, int] = {}
        self._all: list[Node] = []
        self._own: list[Met] = []  # of each node, without the ways from it
        self._met: dict[int, Met] = {}
        self._known: dict[Met, Found] = {}
        for owner, facts in changes.classes.items():
            for name, (flags, _) in facts.fields.items():
                if flags & STATIC:
                    self._number(FieldOf(owner, name))
        self._walk()

    def of(self, owner: str, name: str) -> Found:
        if is_fixed(self.changes.classes[owner].fields[name][1]):
            return Found({*self.changes.anything}, frozenset(), set())
        if self.steps <= 0:
            return Found(self.changes.every, frozenset({UNKNOWN}), set())
        met = self._met[self._nodes[FieldOf(owner, name)]]
        if met not in self._known:
            self._known[met] = self._found(met)
        return self._known[met]

    def _found(self, met: Met) -> Found:
        changes = self.changes
        objects = {one for one in numbers(met.objects) if one in changes.by_object or changes.world >> one & 1}
        classes = {self._class_names[number] for number in numbers(met.classes)}
        made = {number for number in objects if not changes.places.objects[number].is_own}
        others = {WORLD} if met.others else set()
        parts = frozenset(made | (classes & changes.set_classes) | others)
        return Found({*numbers(met.changers)} | changes.anything, parts, classes)

    def _walk(self) -> None:
        """Finds all nodes, and what is met from each."""
        ways, all_ways = dict[int, set[int]](), Ways(self.changes)
        for number, node in enumerate(self._all):  # it grows meanwhile
            way = Way(all_ways, node)
            ways[number] = {self._number(to) for to in way.to}
            self._own.append(Met(way.changers, way.objects, way.classes, way.others))
            self.steps -= 1 + len(way.to)
            if self.steps <= 0:
                return
        for circle in reversed(without_circles(ways)):
            beyond = {self._met[to] for number in circle for to in ways[number] if to in self._met}
            met = together([*(self._own[number] for number in circle), *beyond])
            met = next((one for one in beyond if one == met), met)  # most are the same, and need no memory then
            self._met |= dict.fromkeys(circle, met)

    def _number(self, node: Node) -> int:
        number = self._nodes.get(node)
        if number is None:
            number = self._nodes[node] = len(self._all)
            self._all.append(node)
        return number


def together(every: Iterable[Met]) -> Met:
    changers = objects = classes = 0
    others = False
    for one in every:
        changers |= one.changers
        objects |= one.objects
        classes |= one.classes
        others |= one.others
    return Met(changers, objects, classes, others)
