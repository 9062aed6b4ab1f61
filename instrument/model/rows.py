"""The rows of one kind: the part of a table that data files fill in. How it is shown is in instrument/tables/."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Key = tuple[
    Any, ...
]  # class, method, descriptor, and further fields of the table's key; of a group its name, and the section's kind


def nothing(row: Any) -> None:
    """`finish` of rows that need none."""


def no_part(key: Key) -> tuple[str, Key] | None:
    """`whole` of rows that are no parts of others."""
    return None


def one(row: Any) -> int:
    """`counted` of rows without a number for it."""
    return 1


@dataclass(frozen=True)
class RowKind:
    """Rows by key.

    name: of the table, its key in JSON
    row: makes an empty row; a row's `rule` is the text of the first matching rule
    ran: whether a row counted anything; the others are only shown with --all
    key: the names of a key's parts after the first ones, with their types in files, as of a unit
    first: the names of a key's first parts; a row that is not about a method has its name as the first part, and the
    others are empty add: adds the second row to the first one, for groups; what the sum is not known of says so finish:
    called with each row after all files are read events: each row happened once: there are no metrics of them, and
    nothing to compare counted: how much a row counted: calls, objects, probes that were hit whole: given a row's key,
    the table and key of the row that it is a part of; None: it is no part
    """

    name: str
    row: Callable[[], Any]
    ran: Callable[[Any], bool]
    key: dict[str, str] = field(default_factory=dict)
    first: tuple[str, ...] = ("class", "method", "descriptor")
    add: Callable[[Any, Any], None] | None = None
    finish: Callable[[Any], None] = nothing
    events: bool = False
    counted: Callable[[Any], int] = one
    whole: Callable[[Key], tuple[str, Key] | None] = no_part

    @property
    def names(self) -> tuple[str, ...]:
        """The names of a key's parts."""
        return (*self.first, *self.key)
