"""The number of bytecodes that a method executed, from how often its probes were hit.

1. The instructions that link to each other form trees with probes as leaves (propagation.py), so a hit of a leaf stands
   for as many bytecodes as its way to the root has instructions.
2. With `exact`, some instructions have a count of their own: how often they were begun. Such an instruction, a stop,
   ran as often as it was begun, and at least as often as what is below it. Ways end in front of stops.
3. The sum over leaves and stops is the number of bytecodes. It takes a multiplication for each, so that thousands of
   tests can be told apart.

An instruction that throws counts. Without `exact`, what ran before it in the same line does not.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.coverage.class_info import ClassInfo, MethodInfo
from classhook.coverage.method_body import Body
from classhook.coverage.placing import place
from classhook.coverage.propagation import Flow
from classhook.coverage.subroutines import flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from classhook.classfile.reader import Method

NONE = -1  # above the highest stop


class Stop:
    """An instruction that is counted when it begins. `size`: of the way from it to the next stop, itself included;
    `begun`, `leaves`: probes; `above`: the place of the next stop, NONE if there is none."""

    __slots__ = ("above", "begun", "leaves", "size")

    def __init__(self, size: int, above: int) -> None:
        self.size: int = size
        self.above: int = above
        self.begun: list[int] = []
        self.leaves: list[int] = []


class Weights:
    """A method: `leaves` has for each probe how many bytecodes a hit stands for, `stops` the stops, the lowest
    first."""

    __slots__ = ("_flow", "leaves", "stops")

    def __init__(self, flow: Flow) -> None:
        self.leaves: list[int] = [0] * flow.placement.count
        self.stops: list[Stop] = []
        self._flow: Flow | None = flow if flow.placement.blocks else None
        if self._flow is None:
            self._follow(flow)

    def _follow(self, flow: Flow) -> None:
        index_at = flow.body.index_at
        begun: dict[int, list[int]] = {}
        for probe, pc in flow.placement.begun:
            begun.setdefault(index_at[pc], []).append(probe)
        sizes, nexts = _ways_up(flow.parents, begun)
        depths: dict[int, int] = {}
        for i in begun:
            way = [i]
            while way[-1] not in depths and nexts[flow.parents[way[-1]]] != NONE:
                way.append(nexts[flow.parents[way[-1]]])
            for each in reversed(way):
                depths.setdefault(each, depths.get(nexts[flow.parents[each]], 0) + 1)
        order = sorted(begun, key=lambda i: -depths[i])
        place_of = {i: at for at, i in enumerate(order)}
        for i in order:
            parent = flow.parents[i]
            stop = Stop(1 + sizes[parent], place_of.get(nexts[parent], NONE))
            stop.begun = begun[i]
            self.stops.append(stop)
        for probe, (i, _) in enumerate(flow.leaves):
            self.leaves[probe] += sizes[i]
            if nexts[i] != NONE:
                self.stops[place_of[nexts[i]]].leaves.append(probe)

    def executed(self, hits: Sequence[int]) -> int:
        """The number of bytecodes that these hits of all probes stand for. Raises ValueError for hits of another
        method."""
        if len(hits) != len(self.leaves):
            raise ValueError(f"{len(hits)} hits of a method with {len(self.leaves)} probes")
        if self._flow is not None:
            return sum(self._flow.counts(hits)[0])
        total = sum([hit * weight for hit, weight in zip(hits, self.leaves, strict=True) if hit])
        below = [0] * len(self.stops)
        for at, stop in enumerate(self.stops):
            ran = below[at]
            for probe in stop.leaves:
                ran += hits[probe]
            started = 0
            for probe in stop.begun:
                started += hits[probe]
            ran = max(ran, started)
            total += ran * stop.size
            if stop.above != NONE:
                below[stop.above] += ran
        return total


def _ways_up(parents: list[int], stops: dict[int, list[int]]) -> tuple[list[int], list[int]]:
    """For each instruction, how many instructions its way to the next stop has, itself included and the stop not, and
    that stop. The last entry, which index -1 has, is that of no instruction."""
    count = len(parents)
    sizes = [-1] * count + [0]
    nexts = [NONE] * (count + 1)
    for stop in stops:
        sizes[stop], nexts[stop] = 0, stop
    for start in range(count):
        way = []
        i = start
        while sizes[i] < 0:
            way.append(i)
            i = parents[i]
        for each in reversed(way):
            sizes[each], nexts[each] = sizes[i] + 1, nexts[i]
            i = each
    return sizes, nexts


class MethodWeights:
    """The weights of a class's methods, each found when it is first asked for."""

    __slots__ = ("_cls", "_known", "_methods")

    def __init__(self, data: bytes) -> None:
        """Raises ClassFormatError."""
        cf = ClassFile.parse(data)
        self._cls = ClassInfo(cf)
        self._methods: dict[tuple[str, str], Method] = {(one.name, one.descriptor): one for one in cf.methods}
        self._known: dict[tuple[str, str, int], Weights | None] = {}

    def of_method(self, name: str, descriptor: str, level: int) -> Weights | None:
        """The weights of a method with probes of a level; None if these do not tell, or there is no such method."""
        key = name, descriptor, level
        if key not in self._known:
            try:
                self._known[key] = self._found(self._methods.get((name, descriptor)), level)
            except (ClassFormatError, IndexError, KeyError):
                self._known[key] = None
        return self._known[key]

    def _found(self, method: Method | None, level: int) -> Weights | None:
        if method is None or not method.code_at:
            return None
        pool = self._cls.pool
        own = Code(pool.data, method.code_at, pool)
        code = flat(own, pool)
        placement = place(code, level)
        # a copy of subroutines has other instructions than the method
        told = code is own and (placement.standard > 0 or len(placement.blocks) > 0)
        return Weights(Flow(Body(code, MethodInfo(self._cls, method)), placement)) if told else None
