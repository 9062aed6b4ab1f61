"""Fields that a measure adds to objects of others: a process, a snapshot, a file that is being read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, cast

T = TypeVar("T")


class Owner(Protocol):
    """The type of objects that can have such fields."""

    added: dict[AddedField[Any], Any]


class AddedField(Generic[T]):
    """One field. `first`: makes its first value."""

    def __init__(self, first: Callable[[], T]) -> None:
        self.first = first

    def get(self, owner: Owner) -> T:
        """The value of the field."""
        if self not in owner.added:
            owner.added[self] = self.first()
        return cast(T, owner.added[self])

    def set(self, owner: Owner, value: T) -> None:
        owner.added[self] = value


def none() -> None:
    """The first value of fields that a process may lack."""
