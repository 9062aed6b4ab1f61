"""Counts of each test of a run: calls, exceptions, executed bytecodes, probes and lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from classhook.extensions.selection.hierarchy import MethodName
from classhook.measures.cover.reader import PROBED
from classhook.measures.methods.reader import METHODS
from classhook.model.snapshot import Snapshot


@dataclass(slots=True)
class Done:
    """The counts of a context, by method. `exceptions`: calls that ended by an exception, which only rules that time
    calls know (`is_timed`); `probes`: those of `cover` that were hit; `lines`: by source file, a bit for each line."""

    calls: dict[MethodName, int] = field(default_factory=dict)
    exceptions: dict[MethodName, int] = field(default_factory=dict)
    bytecodes: dict[MethodName, int] = field(default_factory=dict)
    probes: dict[MethodName, bytes] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    is_timed: bool = False

    @property
    def ran(self) -> set[MethodName]:
        """The methods that ran."""
        return self.calls.keys() | self.probes.keys()


def each_done(snapshot: Snapshot) -> dict[str, Done]:
    """Returns the counts of each context of a run, by its name; "" is the name for those outside of all contexts."""
    assert snapshot.each_context is not None
    return {name: _done(found) for name, found in snapshot.each_context()}


def _done(snapshot: Snapshot) -> Done:
    done = Done()
    for key, row in snapshot.tables[METHODS.name].items():
        name = (key[0].replace(".", "/"), key[1] + key[2])
        if row.calls or row.resumptions:
            done.calls[name] = row.calls + row.resumptions
        if row.exceptions:
            done.exceptions[name] = row.exceptions
        done.is_timed |= row.timed and not row.exceptions_unknown
    for key, row in snapshot.tables[PROBED.name].items():
        name = (key[0].replace(".", "/"), key[1] + key[2])
        if row.hit:
            done.probes[name] = b"".join(hits for _, hits in sorted(row.found.items()))
        if row.bytecodes:
            done.bytecodes[name] = row.bytecodes
    return done


def add_lines(done: dict[str, Done], files: Sequence[Path], snapshot: Snapshot) -> None:
    """Adds the lines that each context ran, if a rule `cover` recorded them."""
    from classhook.base.errors import Failure
    from classhook.reports.coverage import Wishes
    from classhook.reports.coverage.recorded import Request, recorded_coverage

    if not snapshot.tables[PROBED.name]:
        return
    try:
        found = recorded_coverage(Request("json", Wishes(by="test")), [*files], snapshot, []).by_test
    except Failure:  # its class files are missing, for example: what is counted is known all the same
        return
    for test in found.tests if found is not None else ():
        if test.name in done:
            done[test.name].lines = {source: covers.lines for source, covers in test.files.items() if covers.lines}
