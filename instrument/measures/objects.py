"""The table of sampled objects: what lives on, and who allocated it. Only reports import this.

1. The agent samples all of the JVM's objects. One belongs to the first rule that matches its type and the method that allocated it, or, if that is
   the JDK's, the method of the program for which the JDK did. If all of its frames are the JDK's, it belongs to rules about all classes. Of its
   frames as many are kept as the rule says, and that of the program, if it is further down.
2. What probes counted at a site is exact. If several stacks led there, it is divided by their shares of the samples.
3. What no probe counted is estimated from the samples, and so is what is live.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from instrument.data.objects import BY_THE_JVM, Estimate, ObjectRow
from instrument.data.rows import Snapshot
from instrument.data.traces import OF_THE_JDK, Frame, text_of
from instrument.labels import Label
from instrument.measures.alloc import FRAMES
from instrument.measures.columns import BYTES, Column, detail, share_of
from instrument.measures.places import caller, stack_label
from instrument.measures.table import Entry, Key, Section, Table
from instrument.names import quantity, several
from rules.ruleset import RuleSet
from rules.syntax import Rule

WORD = "alloc"
Site = tuple[Any, ...]  # class, method, descriptor, line, type

# ---- which rule an object belongs to


class Asked:
    """A rule that asks for samples."""

    def __init__(self, snapshot: Snapshot, text: str, rule: Rule) -> None:
        self.text = text
        self._snapshot = snapshot
        self._alone = RuleSet([rule])
        targets = (*rule.targets, *rule.excepts)
        self._by_name = not rule.sources and not any(target.class_annotations or target.class_pattern.subtypes for target in targets)
        self._by_class = not any(target.modifiers or (target.method and target.method.annotations) for target in targets)
        self._everywhere = not rule.sources and any(target.class_pattern.glob == "**" and target.whole_class for target in rule.targets)
        self._places: dict[Frame, bool] = {}
        self._frames = int(rule.clause("stack") or FRAMES)

    def wants(self, key: Key, row: ObjectRow, sites: dict[Site, Any]) -> bool:
        *_, type_name, _ = key
        if not self._snapshot.matches_type(self.text, type_name, frozenset(self._snapshot.supertypes.get(type_name.rstrip("[]"), ()))):
            return False
        if key[:5] in sites or self._matches(row.stack[0]):
            return True
        own = own_frame(row.stack)
        return self._everywhere if own is None else self._matches(own)

    def kept(self, stack: tuple[Frame, ...]) -> tuple[Frame, ...]:
        """Its frames that are shown."""
        top, own = stack[: self._frames], own_frame(stack)
        return top if own is None or own in top else (*top, own)

    def _matches(self, frame: Frame) -> bool:
        """Whether the rule matches a method, as far as its name tells, or what the agent said of its class."""
        if frame not in self._places:
            self._places[frame] = bool(frame.cls) and (self._named(frame) if self._by_name else self._told(frame))
        return self._places[frame]

    def _named(self, frame: Frame) -> bool:
        bound = self._alone.bind(frame.cls, is_jdks(frame), frozenset, frozenset)
        return bound is not None and self._by_class and bound.match_method(0, frame.method, frame.descriptor, frozenset) is not None

    def _told(self, frame: Frame) -> bool:
        return self._by_class and frame.cls in self._snapshot.classes_of.get(self.text, ())


def own_frame(stack: tuple[Frame, ...]) -> Frame | None:
    """The topmost one of the program."""
    return next((frame for frame in stack if not is_jdks(frame)), None)


def is_jdks(frame: Frame) -> bool:
    """Or the JVM's."""
    return frame == BY_THE_JVM or f"{frame.cls}.".startswith(OF_THE_JDK)


def conclude(snapshot: Snapshot) -> None:
    """Gives each row its rule and what is allocated; rows of no rule go."""
    rows = snapshot.tables[TABLE.name]
    asked = [Asked(snapshot, text, rule) for text, rule in snapshot.parsed_rules.items() if rule.kind == WORD and rule.clauses] if rows else []
    sites = counted(snapshot) if rows else {}
    found: dict[Key, ObjectRow] = {}
    for key, row in rows.items():
        first = next((rule for rule in asked if rule.wants(key, row, sites)), None)
        if first is not None:
            stack = first.kept(row.stack)
            found.setdefault((*key[:5], text_of(stack)), ObjectRow(first.text, stack=stack)).add(row)
    divide(found, sites)
    snapshot.tables[TABLE.name] = found


# ---- what is allocated


def counted(snapshot: Snapshot) -> dict[Site, list[int]]:
    """Objects and bytes by site; several on one line are one."""
    found: dict[Site, list[int]] = {}
    for (cls, method, descriptor, line, _, type_name), row in snapshot.tables["allocations"].items():
        sums = found.setdefault((cls, method, descriptor, line, type_name), [0, 0])
        sums[0] += row.count
        sums[1] += row.bytes
    return found


def divide(rows: dict[Key, ObjectRow], sites: dict[Site, list[int]]) -> None:
    """What was counted at a site, divided among its stacks."""
    at_site: dict[Site, list[ObjectRow]] = {}
    for key, row in rows.items():
        at_site.setdefault(key[:5], []).append(row)
    for site, stacks in at_site.items():
        objects, bytes_ = sites.get(site, (0, 0))
        if objects and not is_nested(site, at_site):
            _share(objects, bytes_, [row.allocated for row in stacks])


def is_nested(site: Site, at_site: dict[Site, Any]) -> bool:
    """Whether arrays that are elements of this site's were allocated there, too (multianewarray): it counts them all as one."""
    *place, type_name = site
    return type_name.endswith("[][]") and (*place, type_name[:-2]) in at_site


def _share(objects: int, bytes_: int, parts: list[Estimate]) -> None:
    """Sets the parts, of which the ratios to their sum are known, to what they are of these numbers. The variance of a ratio p = x / (x + y) is
    ((1 - p)^2 Var x + p^2 Var y) / (x + y)^2."""
    for name, number in (("objects", objects), ("bytes", bytes_)):
        whole, variance = sum(getattr(part, name) for part in parts), sum(getattr(part, f"{name}_variance") for part in parts)
        for part in parts if whole else ():
            share, own = getattr(part, name) / whole, getattr(part, f"{name}_variance")
            spread = ((1 - share) ** 2 * own + share**2 * max(variance - own, 0)) / whole**2
            setattr(part, name, number * share)
            setattr(part, f"{name}_variance", number**2 * spread)


# ---- the table


def label(key: Key, detail: int) -> Label:
    class_name, name, descriptor, line, type_name, stack = key
    return stack_label(class_name, name, descriptor, line, type_name, stack, detail)


def live_bytes(row: ObjectRow) -> int:
    return round(row.live.bytes)


def allocated_bytes(row: ObjectRow) -> int:
    return round(row.allocated.bytes)


def error_cell(error: float, whole: int) -> str:
    return f"±{100 * error / whole:.1f}%" if whole and error else ""


ALLOCATED = (
    Column("objects", "count", lambda row: round(row.allocated.objects), error=lambda row: float(row.allocated.objects_error)),
    Column("bytes", "bytes", allocated_bytes, BYTES, title="allocated", error=lambda row: float(row.allocated.bytes_error)),
    detail("count_error", lambda row: round(row.allocated.objects_error)),
    detail("bytes_error", lambda row: round(row.allocated.bytes_error), BYTES),
    detail("sampled", lambda row: row.sampled),
)
LIVE = (
    Column("live", "live_bytes", live_bytes, BYTES, error=lambda row: float(row.live.bytes_error)),
    Column("live-objects", "live_count", lambda row: round(row.live.objects), title="objects", error=lambda row: float(row.live.objects_error)),
    detail("live_count_error", lambda row: round(row.live.objects_error)),
    detail("live_bytes_error", lambda row: round(row.live.bytes_error), BYTES),
    detail("sampled_live", lambda row: row.kept),
    share_of(live_bytes),
    Column("error", "", lambda row: round(row.live.bytes_error), BYTES, title="", adds=False,
           cell=lambda row, whole: error_cell(row.live.bytes_error, whole)),
)  # fmt: skip


def live_title(rows: list[Entry], sort: str, whole: int) -> str:
    number = round(sum(row.live.objects for _, row in rows))
    return f"Live objects: {several(len(rows), 'stack')}, {several(number, 'object')}, {quantity(whole)}"


def stacks_title(rows: list[Entry], sort: str, whole: int) -> str:
    return f"Allocations by stack: {several(len(rows), 'stack')}, {quantity(whole)}"


def notes(rows: list[Entry]) -> list[str]:
    if not any(row.allocated.bytes_variance or row.live.bytes_variance for _, row in rows):
        return []
    return ["estimated from samples, but for what probes counted; ± is the standard error"]


def section(kind: str, columns: tuple[Column, ...], shown: tuple[str, ...], more: dict[str, Any]) -> Section:
    return Section(kind=kind, what="stacks", columns=columns, shown=shown, last="type and stack", label=label, marks=lambda row: caller(row.stack),
                   notes=notes, **more)  # fmt: skip


def _share_and_error() -> Iterable[Column]:
    yield share_of(allocated_bytes)
    yield Column("error", "", lambda row: round(row.allocated.bytes_error), BYTES, title="", adds=False,
                 cell=lambda row, whole: error_cell(row.allocated.bytes_error, whole))  # fmt: skip


TABLE = Table(
    name="objects",
    row=ObjectRow,
    ran=lambda row: bool(row.sampled or row.kept),
    sections=(
        section("live", (*LIVE, *ALLOCATED), ("live", "share", "error", "live-objects", "bytes"), {
            "belongs": lambda row: row.known, "answer": (("live", "live"), ("live-objects", "objects")), "title": live_title,
        }),
        section("stacks", (*ALLOCATED, *_share_and_error()), ("bytes", "share", "error", "objects"), {
            "belongs": lambda row: not row.known, "answer": (("bytes", "allocated"), ("objects", "objects")), "title": stacks_title,
        }),
    ),
    key={"line": "integer", "type": "string", "stack": "string"},
    add=ObjectRow.add,
)  # fmt: skip
