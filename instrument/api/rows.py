"""Rows as objects: of methods, allocation sites, or groups of them. Their columns are those of the report as JSON
(docs/reference/numbers.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from classhook.base.errors import UsageError
from classhook.model.rows import Key
from classhook.tables.table import Section

if TYPE_CHECKING:
    import pandas

SHOWN = 30  # rows of a text


class Row(Mapping[str, Any]):
    """The counts of a method, a site or a group. Columns are items, `row["self_ns"]`, and attributes, `row.self_ns`;
    `class_name` is "class".

    `label`: its name, as the report has it.
    """

    __slots__ = ("_counts", "_key", "_section", "_values", "label")

    def __init__(self, label: str, values: dict[str, Any], section: Section, key: Key, counts: Any) -> None:
        self.label = label
        self._values = values
        self._section = section
        self._key = key
        self._counts = counts

    def __getitem__(self, column: str) -> Any:
        return self._values[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values["class" if name == "class_name" else name]
        except KeyError:
            raise AttributeError(
                f"a row of kind '{self._section.kind}' has no {name}; it has {', '.join(self._values)}"
            ) from None

    def __repr__(self) -> str:
        counts = ", ".join(f"{column.key}={self._values[column.key]}" for column in shown(self._section) if column.key)
        return f"<{self.label}: {counts}>"

    @property
    def histogram(self) -> list[tuple[float, int]]:
        """The durations of a timed method's activations: (ns, number), by time; a time is off by 1/64 at most."""
        found = getattr(self._counts, "histogram", None)
        return sorted(found.counts.items()) if found is not None else []

    def percentile(self, fraction: float) -> int | None:
        """The time in ns that this part of the activations did not exceed; None where there are no times of single
        activations."""
        return self._counts.percentiles([fraction])[0] if self.histogram else None

    def to_dict(self) -> dict[str, Any]:
        return dict(self._values)


class Rows(Sequence[Row]):
    """Rows, those of a kind together, each kind sorted by its main column. An index may also be a pattern, which must
    match one row."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = list(rows)

    @overload
    def __getitem__(self, index: int | str) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | str | slice) -> Row | Rows:
        if isinstance(index, slice):
            return Rows(self._rows[index])
        if isinstance(index, int):
            return self._rows[index]
        found = self.filter(index)
        if len(found) != 1:
            names = "".join(f"\n  {row.label}" for row in found[:SHOWN])
            raise LookupError(f"{index}: {len(found) or 'no'} rows match, not one{names}")
        return found[0]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return text_of(self) if self._rows else "(no rows)"

    def filter(self, *patterns: str) -> Rows:
        """The rows that match one of the patterns: as in rules, or a part of a name. Raises UsageError, RuleError."""
        from classhook.reports.filters import matcher

        if any("group" in row for row in self._rows):
            raise UsageError("groups cannot be filtered: filter, then group")
        matches = matcher(patterns)
        return Rows(row for row in self._rows if matches(row._key) or matches(("", "", "", row.label)))

    def sorted(self, by: str) -> Rows:
        """Sorts the rows by a column, the largest first; its name is that of JSON (`self_ns`) or that of the report
        (`self`). Raises UsageError."""
        value = column(self._rows, by)
        return Rows(sorted(self._rows, key=lambda row: -(value(row) or 0)))

    def top(self, n: int, by: str = "") -> Rows:
        """The first n, by a column if it is given."""
        return (self.sorted(by) if by else self)[:n]

    def to_dict(self) -> list[dict[str, Any]]:
        return [row.to_dict() for row in self._rows]

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a line for each row. Raises ImportError where pandas is not installed."""
        import pandas

        return pandas.DataFrame(self.to_dict())


def column(rows: Sequence[Row], name: str) -> Callable[[Row], Any]:
    """A column's value, by either of its names. Raises UsageError if no row has it."""

    def value(row: Row) -> Any:
        if name in row:
            return row[name]
        known = row._section.chosen(name)
        return known.value(row._counts) if known else None

    if rows and not any(name in row or row._section.chosen(name) for row in rows):
        from classhook.reports.column_words import no_column

        names = dict.fromkeys(
            word for row in rows for word in (*(one.word for one in row._section.by_name.values()), *row)
        )
        raise UsageError(no_column(name, [*names]))
    return value


def shown(section: Section) -> list[Any]:
    """The columns that people see."""
    return [section.by_name[name] for name in section.shown]


def text_of(rows: Sequence[Row]) -> str:
    """Tables as in the report, one for each kind."""
    from classhook.base.readable import Readable
    from classhook.base.row_names import plain
    from classhook.reports.text_table import TextTable

    lines: list[str] = []
    for section in dict.fromkeys(row._section for row in rows):
        own = [row for row in rows if row._section is section]
        columns = shown(section)
        table = TextTable([one.head for one in columns], "group" if "group" in own[0] else section.last)
        whole = section.whole([(row._key, row._counts) for row in own])
        for row in own[:SHOWN]:
            table.add_row(
                [one.text(row._counts, whole) for one in columns],
                plain(row.label),
                section.behind(row._counts, Readable({}, {})),
            )
        lines += table.lines()
        if len(own) > SHOWN:
            lines.append(f"{len(own) - SHOWN:,} more")
    return "\n".join(lines)
