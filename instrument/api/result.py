"""The counts as an object, from the same functions as `classhook report`."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from classhook.api.coverage import Coverage, TestCoverage, coverage_by_test, coverage_of
from classhook.api.rows import Row, Rows
from classhook.api.trees import Node, tree_of
from classhook.base.errors import UsageError
from classhook.base.names import numbered, several
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.forms import TABLES_AND_TREES

if TYPE_CHECKING:
    import pandas


class Result:
    """Rows, call trees and coverage. Iteration goes over all rows; nothing changes a result.

    `status`, `stdout` and `stderr`: those of the command, after `run`; else None.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        files: Sequence[Path] = (),
        status: int | None = None,
        stdout: str | None = None,
        stderr: str | None = None,
        keep: object = None,
    ) -> None:
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self._snapshot = snapshot
        self._files = list(files)
        self._keep = keep  # a temporary directory, which is removed with the last result that reads it

    def __repr__(self) -> str:
        sizes = ", ".join(numbered(len(self.table(name)), name) for name, rows in self._snapshot.tables.items() if rows)
        return f"<{several(len(self.processes), 'JVM')}: {sizes or 'nothing was counted'}>"

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def processes(self) -> list[Process]:
        """The JVMs."""
        return list(self._snapshot.processes)

    @property
    def notes(self) -> list[str]:
        """Notes on missing data; empty if nothing is missing."""
        return [*self._snapshot.notes, *(note for process in self._snapshot.processes for note in process.notes)]

    @cached_property
    def rows(self) -> Rows:
        """All of them, of all kinds."""
        return Rows(row for name in self._snapshot.tables for row in self.table(name))

    @property
    def methods(self) -> Rows:
        """Methods that were timed, profiled or counted."""
        return self.table("methods")

    @property
    def allocations(self) -> Rows:
        """Allocation sites."""
        return self.table("allocations")

    @property
    def call_sites(self) -> Rows:
        """Call sites, with a rule `count calls` or `time calls`."""
        return self.table("call_sites")

    @property
    def values(self) -> Rows:
        """Numbers that a rule `value` recorded."""
        return self.table("values")

    @property
    def lines(self) -> Rows:
        """Lines, with a rule `count` about lines."""
        return self.table("lines")

    @property
    def executions(self) -> Rows:
        """Executions of lines and writes of fields that rules `watch` recorded."""
        return self.table("executions")

    @property
    def accesses(self) -> Rows:
        """Places that access fields, with a rule `count writes` or `count reads`."""
        return self.table("accesses")

    @property
    def cpu(self) -> Rows:
        """Methods that the rule `cpu` saw."""
        return self.table("cpu")

    @property
    def objects(self) -> Rows:
        """Sampled objects by type and stack: what is live, and who allocated it; with a rule `alloc ... live` or
        `alloc ... stack N`."""
        return self.table("objects")

    @property
    def locks(self) -> Rows:
        """Places where threads were blocked at monitors or waited, with a rule `locks`."""
        return self.table("locks")

    def table(self, name: str, every: bool = False) -> Rows:
        """The rows of a table, by its name in JSON; `every`: also what never ran."""
        from classhook.reports.row_fields import Fields
        from classhook.reports.section_view import row_names, views

        found: list[Row] = []
        for view in views(self._snapshot, Options(all=every)):
            if view.table.name == name:
                named = row_names(self._snapshot, view.section, [key for key, _ in view.rows])
                values = Fields(self._snapshot, view.table, view.section).rows(view.rows)
                found += [Row(named[key].text(), next(values), view.section, key, row) for key, row in view.rows]
        return Rows(found)

    def filter(self, *patterns: str) -> Result:
        """Keeps only the rows that match one of the patterns: as in rules, or a part of a name. Call trees stay whole.
        Raises UsageError, RuleError."""
        from classhook.reports.filters import matcher, narrow

        if self._snapshot.grouped_by:
            raise UsageError("groups cannot be filtered: filter, then group")
        copy = self._copy()
        narrow(copy, matcher(patterns))
        return self._with(copy)

    def group(self, by: str) -> Result:
        """Rows added up by "class", "package", "rule", "name" (of the rule) or "source". Raises UsageError."""
        from classhook.reports.groups import GROUPS, group, tree_is_whole

        if by not in GROUPS or self._snapshot.grouped_by:
            raise UsageError(f"'{by}': rows are grouped by one of {', '.join(GROUPS)}, once")
        copy = self._copy()
        group(copy, by, tree_is_whole(copy))
        return self._with(copy)

    def tree(self, measure: str = "") -> Node:
        """The call tree, from the empty path on; `measure`: "profile", "time" or "cpu", if there are several. Raises
        Failure where there is none."""
        from classhook.reports.call_trees import TREES, tree

        if measure and measure not in TREES:
            raise UsageError(f"'{measure}': there are trees of {', '.join(TREES)}")
        return tree_of(tree(self._snapshot, Options(measure=measure)), self._snapshot.readable)

    def coverage(self, classes: Iterable[str | Path] = (), test: str | None = None) -> Coverage:
        """The coverage; `classes`: jars and directories of classes that count even if they were never loaded; `test`:
        of this test or other context alone, "" for what ran outside of all. Raises Failure, UsageError."""
        if test and test not in self._snapshot.entered:
            raise UsageError(f"no test or context {test!r} ran")
        return coverage_of(self._files, self._snapshot, classes, test)

    def coverage_by_test(self, by: str = "test") -> list[TestCoverage]:
        """The coverage of each test, in a run with rules that tell tests apart; `by`: "context" for any contexts.
        Raises Failure, UsageError."""
        if by not in ("test", "context"):
            raise UsageError(f"'{by}': coverage is divided by test or context")
        return coverage_by_test(self._files, self._snapshot, by)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON (schema "classhook/1"), as Python's objects."""
        from classhook.reports.json import as_dict

        return as_dict(self._snapshot, Options())

    def to_pandas(self) -> pandas.DataFrame:
        """A table of all rows. Raises ImportError where pandas is not installed."""
        return self.rows.to_pandas()

    def report(self, form: str = "text", **options: Any) -> str:
        """The output of `classhook report -f FORM`; options as there: top, sort, columns, clock, measure, cut. Raises
        UsageError, Failure."""
        if form not in TABLES_AND_TREES or TABLES_AND_TREES[form].binary:
            names = ", ".join(name for name, one in TABLES_AND_TREES.items() if not one.binary)
            raise UsageError(f"'{form}' is not a form of text; there are {names}")
        return self._written(form, options).decode("utf-8")

    def save(self, path: str | Path, form: str = "html", **options: Any) -> None:
        """Writes a report to a file; forms as of `classhook report -f` that do not show coverage. Raises UsageError,
        Failure, OSError."""
        from classhook.base.files import output

        if form not in TABLES_AND_TREES:
            raise UsageError(f"'{form}' is not a form; there are {', '.join(TABLES_AND_TREES)}")
        data = self._written(form, options)
        with output(Path(path)) as file:
            file.write(data)

    def _written(self, form: str, options: dict[str, Any]) -> bytes:
        from classhook.reports.section_view import check

        try:
            chosen = Options(**options)
        except TypeError as error:
            raise UsageError(str(error)) from None
        check(chosen)
        out = io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", newline="\n", write_through=True)
        TABLES_AND_TREES[form].load().report(replace(self._snapshot, raw=chosen.raw, names=None), chosen, out)
        return out.buffer.getvalue()

    def _copy(self) -> Snapshot:
        return replace(self._snapshot, tables={name: dict(rows) for name, rows in self._snapshot.tables.items()})

    def _with(self, snapshot: Snapshot) -> Result:
        return Result(snapshot, self._files, self.status, self.stdout, self.stderr, self._keep)
