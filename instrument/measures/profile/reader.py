"""Reads the counts of `profile`, and the stacks that are sampled for it, of which it keeps the profiled methods."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator

from classhook.measures.cpu.reader import add_sampled
from classhook.measures.methods.reader import METHODS, MethodRow
from classhook.measures.profile import EXCEPTIONS, PROFILE
from classhook.model.added_fields import AddedField, none
from classhook.model.call_tree import CUT, TRACKER, MethodKey, Sampling, add_times
from classhook.model.class_reader import ClassReader
from classhook.model.file_reading import FileReading
from classhook.model.reader import Reader
from classhook.model.snapshot import Snapshot
from classhook.native._slots import CH_PROFILE_CALLS, CH_PROFILE_THROWN
from classhook.probes.records import ProbeRecord
from classhook.rules.syntax import Rule

#: A part of a process: how its profiled methods were sampled.
SAMPLING: AddedField[Sampling | None] = AddedField(none)


SAMPLED_BY = ("cpu", PROFILE.word.text)


class ProfileReader(Reader):
    kinds = PROFILE.kinds
    rows = (METHODS,)

    def __init__(self, reading: FileReading) -> None:
        super().__init__(reading)
        self.profiled = False  # whether some method is
        self.methods: dict[int, MethodKey] = {}  # the kept ones, by their numbers

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        row = reader.row(METHODS, probe)
        row.profiled = self.profiled = True
        row.count(reader.total(probe.slot + CH_PROFILE_CALLS))
        if probe.kind == EXCEPTIONS:
            row.exceptions += reader.total(probe.slot + CH_PROFILE_THROWN)
        else:
            row.exceptions_unknown = True
        reader.note_frame(probe, CH_PROFILE_CALLS)

    def in_context(self, whole: Reader) -> None:
        assert isinstance(whole, ProfileReader)
        self.profiled, self.methods = whole.profiled, whole.methods

    def finish(self) -> int:
        """Adds the stacks, as paths of the methods that are profiled or timed."""
        one = self.reading
        if not self.profiled:
            return 0
        if one.part is None:
            kept = {*one.frames.values(), CUT}
            self.methods = dict(kept_methods(one.names.methods, kept, one.snapshot.alike))
        sampling = add_sampled(one, one.snapshot.calls, self.methods)
        if sampling:
            sampling.rules_changed = changed_while_sampled(one.rule_sets)
        SAMPLING.set(one.process, sampling)
        return sampling.samples if sampling else 0

    @classmethod
    def conclude(cls, snapshot: Snapshot) -> None:
        if snapshot.whole:
            add_rows(snapshot, snapshot.whole.tables[METHODS.name])
        add_times(snapshot.calls, snapshot.tables[METHODS.name])


def kept_methods(
    methods: dict[int, MethodKey], kept: Container[MethodKey], alike: Collection[str]
) -> Iterator[tuple[int, MethodKey]]:
    """The methods to keep, with their rows' keys: many classes that differ only in their names share rows, which have
    the begin of these names and an asterisk."""
    for number, key in methods.items():
        if key in kept or key[0] == TRACKER:
            yield number, key
            continue
        cls, method, descriptor = key
        for name in alike:
            if cls.startswith(name[:-1]):
                common = (name, method, descriptor.replace(f"L{slashed(cls)};", f"L{slashed(name)};"))
                if common in kept:
                    yield number, common
                    break


def slashed(name: str) -> str:
    return name.replace(".", "/")


def changed_while_sampled(sets: Iterable[tuple[Rule, ...]]) -> bool:
    """True if stacks were sampled under other rules `profile`, too: the samples do not tell by which rules."""
    profiled = [
        {rule.text for rule in rules if rule.kind == PROFILE.word.text}
        for rules in sets
        if any(rule.kind in SAMPLED_BY for rule in rules)
    ]
    return any(profiled) and any(one != profiled[0] for one in profiled)


def add_rows(part: Snapshot, of_whole: dict[MethodKey, MethodRow]) -> None:
    """Adds rows for methods that were sampled in this part but called outside of it, such as the caller of a
    context's method."""
    rows = part.tables[METHODS.name]
    for call, entered in part.calls.walk():
        method = call.method
        if entered and method is not None and method not in rows and (row := of_whole.get(method)) is not None:
            rows[method] = MethodRow(
                rule=row.rule, profiled=row.profiled, timed=row.timed, exceptions_unknown=row.exceptions_unknown
            )


READER = ProfileReader
