"""Coverage as objects: source files, and their sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from classhook.base.names import several
from classhook.model.snapshot import Snapshot

if TYPE_CHECKING:
    import pandas

KINDS = ("instruction", "branch", "line", "complexity", "method", "class")


class Counter(NamedTuple):
    """The numbers of missed and of covered ones."""

    missed: int
    covered: int

    @property
    def share(self) -> float:
        """The covered share, from 0 to 1; 1 if there is nothing."""
        return self.covered / (self.missed + self.covered) if self.missed + self.covered else 1.0

    def __add__(self, other: object) -> Counter:
        return (
            Counter(self.missed + other.missed, self.covered + other.covered)
            if isinstance(other, Counter)
            else NotImplemented
        )


class Counted:
    """Anything with counters."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def counters(self) -> dict[str, Counter]: ...

    @property
    def line(self) -> Counter:
        return self.counters["line"]

    @property
    def branch(self) -> Counter:
        return self.counters["branch"]


@dataclass(frozen=True, slots=True)
class SourceFile(Counted):
    """A source file's coverage. `counters`: by "instruction", "branch", "line", "complexity", "method", "class";
    `missed_lines`: their numbers; `missed_branches`: {"line": number, "text": what did not happen}."""

    source: str
    counters: dict[str, Counter]
    missed_lines: list[int]
    missed_branches: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The same as in the report as JSON."""
        counters = {
            f"{kind}_{side}": getattr(counter, side)
            for kind, counter in self.counters.items()
            for side in Counter._fields
        }
        return {
            "source": self.source,
            **counters,
            "missed_lines": self.missed_lines,
            "missed_branches": self.missed_branches,
        }


class Coverage(Counted, Sequence[SourceFile]):
    """The source files, and the sums of their counters."""

    def __init__(self, files: Iterable[SourceFile], notes: Sequence[str] = ()) -> None:
        self._files = list(files)
        self.notes = list(notes)

    @overload
    def __getitem__(self, index: int | str) -> SourceFile: ...
    @overload
    def __getitem__(self, index: slice) -> Coverage: ...
    def __getitem__(self, index: int | str | slice) -> SourceFile | Coverage:
        if isinstance(index, slice):
            return Coverage(self._files[index])
        if isinstance(index, int):
            return self._files[index]
        for file in self._files:
            if file.source == index:
                return file
        raise LookupError(
            f"{index}: no such source file; they are named as"
            f" {self._files[0].source if self._files else 'com/acme/Orders.java'}"
        )

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return (
            f"<{several(len(self), 'source file')}: lines {100 * self.line.share:.1f} %, branches"
            f" {100 * self.branch.share:.1f} %>"
        )

    @property
    def counters(self) -> dict[str, Counter]:
        sums = dict.fromkeys(KINDS, Counter(0, 0))
        for file in self._files:
            sums = {kind: sums[kind] + file.counters[kind] for kind in KINDS}
        return sums

    def to_dict(self) -> list[dict[str, Any]]:
        return [file.to_dict() for file in self._files]

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a line for each source file. Raises ImportError where pandas is not installed."""
        import pandas

        return pandas.DataFrame(self.to_dict())


@dataclass(frozen=True, slots=True)
class TestCoverage:
    """The coverage of a test, or of another context. `status`, `duration_ns`: None if that is not known; `lines` and
    `only_lines`: by source file, their numbers, all and those that nothing else covered; `adds`: false if others cover
    all of it, as found greedily."""

    __test__ = False  # pytest does not take it for one of its own

    test: str
    status: str | None
    duration_ns: int | None
    lines: dict[str, list[int]]
    only_lines: dict[str, list[int]]
    branches: int
    only_branches: int
    adds: bool


def coverage_of(
    files: list[Path], snapshot: Snapshot, classes: Iterable[str | Path], context: str | None = None
) -> Coverage:
    """The coverage in data files; `context`: of one test or other context. Raises Failure if none was recorded."""
    from classhook.reports.coverage import Wishes
    from classhook.reports.coverage.json import source_files
    from classhook.reports.coverage.recorded import Request, recorded_coverage

    request = Request("json", Wishes(all=True), classes=[("", Path(one)) for one in classes], context=context)
    whole = recorded_coverage(request, files, snapshot, [])
    return Coverage(map(_file, source_files(whole)), whole.notes)


def coverage_by_test(files: list[Path], snapshot: Snapshot, by: str) -> list[TestCoverage]:
    """The coverage of each test; `by`: "test", or "context" for any contexts. Raises Failure if none were told
    apart."""
    from classhook.reports.coverage import Wishes
    from classhook.reports.coverage.context_coverage import numbers
    from classhook.reports.coverage.recorded import Request, recorded_coverage

    found = recorded_coverage(Request("json", Wishes(by=by)), files, snapshot, []).by_test
    assert found is not None
    return [
        TestCoverage(
            one.name,
            one.status or None,
            one.duration_ns,
            {source: numbers(covers.lines) for source, covers in one.files.items() if covers.lines},
            {source: numbers(covers.lines) for source, covers in one.only.items() if covers.lines},
            one.branches,
            one.only_branches,
            one.adds,
        )
        for one in found.tests
    ]


def _file(row: dict[str, Any]) -> SourceFile:
    counters = {kind: Counter(row[f"{kind}_missed"], row[f"{kind}_covered"]) for kind in KINDS}
    return SourceFile(row["source"], counters, row["missed_lines"], row["missed_branches"])
