"""The coverage of different hits of a class's methods, each by itself: for coverage by test, in which most hits of a
method recur.

A method is prepared once, when hits of it or of a later one come: filters look at methods in their order. Lines,
branches and methods are bits of numbers, so that what several hits cover together is their union, and what one has
alone a difference:

- lines by their number
- branches by their place among those of the class, in the order in which methods were prepared
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.reader import ClassFile
from classhook.coverage.analysis import DEFAULT, Options, jacoco_probes, line_map
from classhook.coverage.class_info import NO_LINE, ClassInfo, MethodInfo
from classhook.coverage.filter_effects import Effects
from classhook.coverage.filters import filters_for
from classhook.coverage.method_body import UNKNOWN, Body
from classhook.coverage.placement import OUT
from classhook.coverage.placing import place
from classhook.coverage.propagation import Flow
from classhook.coverage.subroutines import flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from classhook.classfile.reader import Method
    from classhook.coverage.smap import Mapping

    Patterns = dict[int, dict[bytes, set[int]]]  # by method and hits, the numbers of the contexts that had them


class Covers:
    """The coverage of hits of a method. `inlined`: lines of Kotlin's inline functions, by the name of the class that
    declares them."""

    __slots__ = ("branches", "inlined", "lines")

    def __init__(self) -> None:
        self.lines: int = 0
        self.branches: int = 0
        self.inlined: dict[str, int] = {}


class _Prepared:
    """A method; `places`: by instruction with several branches, the place of the first of them."""

    __slots__ = ("effects", "flow", "places")

    def __init__(self, flow: Flow, effects: Effects, places: dict[int, int]) -> None:
        self.flow = flow
        self.effects = effects
        self.places = places


class ByHits:
    """A class, whose methods are named by their places in the class file. Options, hits and errors are those of
    `analysis.analyze`."""

    __slots__ = ("_branches", "_cls", "_filters", "_known", "_mappings", "_methods", "_options")

    def __init__(self, data: bytes, options: Options = DEFAULT) -> None:
        cf = ClassFile.parse(data)
        self._cls = ClassInfo(cf, options.enums)
        self._mappings: list[Mapping] = [one for one in line_map(self._cls) if not one.is_identity(cf.name)]
        self._cls.first_inlined = min([one.output for one in self._mappings], default=NO_LINE)
        self._filters = filters_for(self._cls, options.strict)
        self._options = options
        self._methods: list[Method] = list(cf.methods)
        self._known: list[_Prepared | None] = []
        self._branches = 0

    def name(self, number: int) -> tuple[str, str]:
        """A method's name and descriptor."""
        method = self._methods[number]
        return method.name, method.descriptor

    def covers(self, number: int, hits: Sequence[int]) -> Covers:
        """The coverage of these hits of a method's probes. Raises ClassFormatError, ValueError."""
        found = Covers()
        one = self._prepared(number)
        if one is None:
            return found
        flow = one.flow
        if len(hits) != flow.placement.count:
            raise ValueError(f"{len(hits)} hits of a method with {flow.placement.count} probes")
        body = flow.body
        bits = flow.bits(hits)
        for mapping in self._mappings:
            end = mapping.output + mapping.repeat
            for i in range(body.count):
                if bits[i] and mapping.output <= body.lines[i] < end:
                    line = mapping.input + body.lines[i] - mapping.output
                    found.inlined[mapping.name] = found.inlined.get(mapping.name, 0) | 1 << line
        one.effects.apply(bits, flow.branches.copy())
        ignored = one.effects.ignored
        line = UNKNOWN
        for i in range(body.count):
            if bits[i] and not ignored[i] and body.lines[i] != line:
                line = body.lines[i]
                found.lines |= 1 << line if line != UNKNOWN else 0
        for i, at in one.places.items():
            found.branches |= bits[i] << at
        return found

    def jacoco(self, patterns: Patterns) -> dict[int, bytes]:
        """The class's probes in each context, as JaCoCo's agent has them (analysis.as_jacoco). Raises as
        `covers`."""
        found: dict[int, bytearray] = {}
        total = 0
        firsts: dict[int, int] = {}
        for number, method in enumerate(self._methods):
            if method.code_at:
                firsts[number] = total
                total += place(flat(Code(self._cls.cf.data, method.code_at, self._cls.pool), self._cls.pool)).count
        for number, of_method in patterns.items():
            one = self._prepared(number)
            if one is None:
                continue
            for hits, contexts in of_method.items():
                probes = jacoco_probes(one.flow, hits)
                at = firsts[number]
                for context in contexts:
                    whole = found.setdefault(context, bytearray(total))
                    for i, hit in enumerate(probes, at):
                        whole[i] |= hit
        return {context: bytes(probes) for context, probes in found.items()}

    def _prepared(self, number: int) -> _Prepared | None:
        try:
            for each in range(len(self._known), number + 1):
                self._known.append(self._prepare(each))
            return self._known[number]
        except (IndexError, KeyError):
            raise ClassFormatError("index out of range in the class file or its code", 0) from None

    def _prepare(self, number: int) -> _Prepared | None:
        """The method; None if no rule asks for it."""
        method = self._methods[number]
        level = self._options.levels.get(number, self._options.level)
        found: _Prepared | None = None
        if level != OUT and method.code_at:
            code = flat(Code(self._cls.cf.data, method.code_at, self._cls.pool), self._cls.pool)
            body = Body(code, MethodInfo(self._cls, method))
            flow = Flow(body, place(code, level), self._options.strict)
            effects = Effects(body.count)
            for one in self._filters:
                one.apply(body, effects)
            branches = flow.branches.copy()
            effects.apply([0] * body.count, branches)
            found = _Prepared(flow, effects, {})
            for i, n in enumerate(branches):
                if n > 1 and not effects.ignored[i]:
                    found.places[i] = self._branches
                    switch = body.switches.get(
                        i
                    )  # its branches may have the numbers of its cases, of which several go to one place
                    self._branches += n if switch is None else max(n, 1 + len(switch.cases))
        return found
