"""Sampled objects: which rule each belongs to, and how many were allocated where.

1. The agent samples all of the JVM's objects. One belongs to the first rule that matches its type and the method that
   allocated it, or, if that is the JDK's, the method of the program for which the JDK did. If all of its frames are the
   JDK's, it belongs to rules about all classes. As many frames are kept as the rule says, and that of the program, if
   it is further down.
2. The counts of probes at a site are exact. If several stacks led there, it is divided by their shares of the samples.
   A multianewarray is counted as one object with the bytes of all its arrays: the number of the outermost arrays is
   exact, and the sum of all bytes. How these are divided among the arrays and those within them follows from the
   samples.
3. Allocations that no probe counted are estimated from the samples, and so are live objects. If the samples agree with
   what was counted, the live part of them is a better estimate than their sum, and what is live never more than what is
   allocated. They do not agree where the JIT compiler left allocations out, whose objects nobody sees.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from classhook.measures.alloc import ALLOC, FRAMES
from classhook.measures.alloc.reader_objects import BY_THE_JVM, OBJECTS, Estimate, ObjectRow
from classhook.measures.alloc.reader_types import TYPE_MATCHES
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.model.stacks import OF_THE_JDK, Frame, text_of
from classhook.rules.languages.written import written
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import Rule

SITE_ROWS = "allocations"  # the rows of reader.py
Site = tuple[Any, ...]  # class, method, descriptor, line, type
AGREEING = 3  # standard errors
ROUNDED = 1e-9

# ---- which rule an object belongs to


class SamplingRule:
    """A rule that asks for samples."""

    def __init__(self, snapshot: Snapshot, text: str, rule: Rule) -> None:
        self.text = text
        self._snapshot = snapshot
        self._rule = rule
        self._alone = RuleSet([rule])
        targets = (*rule.targets, *rule.excepts)
        self._by_name = not rule.sources and not any(
            target.class_annotations or target.class_pattern.subtypes for target in targets
        )
        self._by_class = not any(
            target.modifiers or (target.method and target.method.annotations) for target in targets
        )
        self._everywhere = not rule.sources and any(
            target.class_pattern.glob == "**" and target.whole_class for target in rule.targets
        )
        self._places: dict[Frame, bool] = {}
        self._frames = int(rule.clause("stack") or FRAMES)

    def wants(self, key: Key, row: ObjectRow, sites: dict[Site, Any]) -> bool:
        *_, type_name, _ = key
        supertypes = frozenset(self._snapshot.supertypes.get(type_name.rstrip("[]"), ()))
        if not TYPE_MATCHES.get(self._snapshot).matches(self._rule, type_name, supertypes):
            return False
        if key[:5] in sites or self._matches(row.stack[0]):
            return True
        own = own_frame(row.stack)
        return self._everywhere if own is None else self._matches(own)

    def kept(self, stack: tuple[Frame, ...]) -> tuple[Frame, ...]:
        """The frames of the stack that are shown."""
        top, own = stack[: self._frames], own_frame(stack)
        return top if own is None or own in top else (*top, own)

    def _matches(self, frame: Frame) -> bool:
        """True if the rule matches a method, as far as its name tells, or what the agent said of its class."""
        if frame not in self._places:
            self._places[frame] = bool(frame.cls) and (self._named(frame) if self._by_name else self._told(frame))
        return self._places[frame]

    def _named(self, frame: Frame) -> bool:
        bound = self._alone.bind(
            frame.cls, is_jdks(frame), frozenset, frozenset, "", lambda: written(frame.source, frame.cls, list)
        )
        return (
            bound is not None
            and self._by_class
            and bound.match_method(0, frame.method, frame.descriptor, frozenset) is not None
        )

    def _told(self, frame: Frame) -> bool:
        return self._by_class and frame.cls in self._snapshot.classes_of.get(self.text, ())


def own_frame(stack: tuple[Frame, ...]) -> Frame | None:
    """The topmost one of the program."""
    return next((frame for frame in stack if not is_jdks(frame)), None)


def is_jdks(frame: Frame) -> bool:
    """True if the frame belongs to the JDK or the JVM itself."""
    return frame == BY_THE_JVM or f"{frame.cls}.".startswith(OF_THE_JDK)


def conclude(snapshot: Snapshot) -> None:
    """Gives each row its rule and what is allocated; rows of no rule go."""
    rows = snapshot.tables[OBJECTS.name]
    asked = (
        [
            SamplingRule(snapshot, text, rule)
            for text, rule in snapshot.parsed_rules.items()
            if rule.kind == ALLOC.word.text and rule.clauses
        ]
        if rows
        else []
    )
    sites = counted(snapshot) if rows else {}
    found: dict[Key, ObjectRow] = {}
    for key, row in rows.items():
        first = next((rule for rule in asked if rule.wants(key, row, sites)), None)
        if first is not None:
            stack = first.kept(row.stack)
            found.setdefault((*key[:5], text_of(stack)), ObjectRow(first.text, stack=stack)).add(row)
    divide(found, sites)
    snapshot.tables[OBJECTS.name] = found


# ---- what is allocated


def counted(snapshot: Snapshot) -> dict[Site, list[int]]:
    """Objects and bytes by site; several on one line are one."""
    found: dict[Site, list[int]] = {}
    for (cls, method, descriptor, line, _, type_name), row in snapshot.tables[SITE_ROWS].items():
        sums = found.setdefault((cls, method, descriptor, line, type_name), [0, 0])
        sums[0] += row.count
        sums[1] += row.bytes
    return found


def divide(rows: dict[Key, ObjectRow], sites: dict[Site, list[int]]) -> None:
    """Divides the counts of a site among its stacks."""
    at_place: dict[Site, dict[str, list[ObjectRow]]] = {}
    for key, row in rows.items():
        at_place.setdefault(key[:4], {}).setdefault(key[4], []).append(row)
    for place, by_type in at_place.items():
        there = {name: sites[*place, name] for name in by_type if (*place, name) in sites}
        for name, (objects, bytes_) in there.items():
            within = [one for one in by_type if is_within(one, name)]
            if any(is_within(name, other) for other in there):
                continue  # they are among those of the other one
            if within:
                bytes_ += sum(there[one][1] for one in within if one in there)
                _share_nested(objects, bytes_, by_type[name], [row for one in within for row in by_type[one]])
            elif objects:
                _share(objects, bytes_, by_type[name])


def is_within(inner: str, outer: str) -> bool:
    """True if arrays of a type may be within those of another one, and be allocated with them (multianewarray)."""
    return inner.endswith("[]") and outer != inner and outer.startswith(inner)


def _share_nested(objects: int, bytes_: int, outermost: list[ObjectRow], within: list[ObjectRow]) -> None:
    """Shares so many outermost arrays, and the bytes of all of them."""
    sums = [
        [sum(getattr(row.allocated, name) for row in rows) for name in ("objects", "bytes")]
        for rows in (outermost, within)
    ]
    (some, some_bytes), (inner, inner_bytes) = sums
    if not objects or not some or not inner_bytes:
        return
    own = min(some_bytes / some * objects, bytes_)
    _share(objects, own, outermost)
    _share((bytes_ - own) * inner / inner_bytes, bytes_ - own, within)


def _share(objects: float, bytes_: float, rows: list[ObjectRow]) -> None:
    """Divides what was counted among rows by their shares of what they were estimated to be, and finds what is live of
    it. The variance of a ratio p = x / (x + y) is ((1 - p)^2 Var x + p^2 Var y) / (x + y)^2."""
    for name, number in (("objects", objects), ("bytes", bytes_)):
        spread = f"{name}_variance"
        parts = [row.allocated for row in rows]
        whole, variance = sum(getattr(part, name) for part in parts), sum(getattr(part, spread) for part in parts)
        if not whole:
            continue
        agrees = abs(whole - number) <= AGREEING * sqrt(max(variance, 0)) + ROUNDED * whole
        for row, part in zip(rows, parts, strict=True):
            estimate, own = getattr(part, name), getattr(part, spread)
            _set(part, name, number, _ratio(estimate, whole, own, variance))
            live, of_live = getattr(row.live, name), getattr(row.live, spread)
            if agrees and estimate and live <= estimate:
                _set(row.live, name, getattr(part, name), _ratio(live, estimate, of_live, own), getattr(part, spread))
            elif live > getattr(part, name) and live <= estimate:
                _set(row.live, name, getattr(part, name), (1, 0), getattr(part, spread))


def _ratio(part: float, whole: float, variance: float, of_whole: float) -> tuple[float, float]:
    """And its variance."""
    share = part / whole
    return share, ((1 - share) ** 2 * variance + share**2 * max(of_whole - variance, 0)) / whole**2


def _set(estimate: Estimate, name: str, number: float, share: tuple[float, float], variance: float = 0) -> None:
    """Sets an estimate to a share of a number that may have a variance of its own."""
    setattr(estimate, name, number * share[0])
    setattr(estimate, f"{name}_variance", number**2 * share[1] + share[0] ** 2 * variance)
