"""Effects of a method, and an interface to what has to be known of the program for finding them."""

from __future__ import annotations

from dataclasses import dataclass, field

from classhook.extensions.selection.effects.values import Place
from classhook.extensions.selection.facts import Member


@dataclass(slots=True)
class Effects:
    """Effects of a method on objects that it did not make itself, and the places to which it moves objects.

    sets: fields of objects that it sets
    changes: places of arrays and libraries' objects that it changes, with their types as far as they are known
    same: pairs of places at which the same object may be
    gets: places that get objects that it did not make
    comes: places that may get objects that are not told apart, with the type of these
    goes: places whose objects may get to where they are not told apart, with their type there
    deep: places of libraries' objects that are changed with all that is in them
    handed: those of them that a library gets which may set fields by reflection, also of the program's objects in them
    made: places of objects that it makes, by the instruction, with the type; whether they are exactly of that type
    types: types of objects that may be at places and are not told apart; whether they are exactly of that type
    returned: types of the results that it makes; None: it may return something else
    leaks: it lets its own object get somewhere else
    reads: fields of its own object that it reads
    puts: fields that it sets, also of objects that it made
    passes: methods of the program that it may give something: it calls them, or lets others call them, with arguments
    or on objects that are not constant, or it computes whether it calls them
    constants: methods that it always calls with the same constants, in one place or more
    anything: it cannot be followed
    """

    sets: set[Member] = field(default_factory=set)
    changes: set[tuple[Place, str]] = field(default_factory=set)
    same: set[tuple[Place, Place]] = field(default_factory=set)
    gets: set[Place] = field(default_factory=set)
    comes: set[tuple[Place, str]] = field(default_factory=set)
    goes: set[tuple[Place, str]] = field(default_factory=set)
    deep: set[Place] = field(default_factory=set)
    handed: set[Place] = field(default_factory=set)
    made: set[tuple[Place, str, bool]] = field(default_factory=set)
    types: set[tuple[Place, str, bool]] = field(default_factory=set)
    returned: set[str] | None = field(default_factory=set)
    leaks: bool = False
    reads: set[Member] = field(default_factory=set)
    puts: set[Member] = field(default_factory=set)
    passes: set[Member] = field(default_factory=set)
    constants: set[Member] = field(default_factory=set)
    anything: bool = False

    @property
    def has_any(self) -> bool:
        return bool(self.sets or self.changes or self.anything)

    def gives(self, called: Member) -> bool:
        """True if it may pass something to a method that its code names."""
        return self.anything or called in self.passes or called not in self.constants


class Owns:
    """Tells which of the classes and methods that code names are the program's."""

    def library_owner(self, owner: str, member: str) -> str | None:
        """The library's class whose method a call means; None: it is the program's."""
        raise NotImplementedError

    def targets(self, owner: str, member: str, op: int) -> list[tuple[str, str]]:
        """The program's methods that a call may reach."""
        raise NotImplementedError

    def is_own(self, descriptor: str) -> bool:
        """True if it is the type of a class of the program."""
        raise NotImplementedError

    def is_called(self, descriptor: str) -> bool:
        """True if a library may pass something to methods of such an object."""
        raise NotImplementedError

    def returned(self, owner: str, member: str, op: int) -> str | None:
        """The type of what a method of the program makes and returns; None: it may return something else."""
        raise NotImplementedError

    def refers(self, made: str, changed: list[str]) -> None:
        """Notes that an object of the program's type is a reference to a library's method, which changes something of
        one of these types."""
        raise NotImplementedError

    def fields(self, descriptor: str) -> list[Member]:
        """The fields of objects of the program's type."""
        raise NotImplementedError

    def leaks(self, owner: str, member: str) -> bool:
        """True if a method of the program lets its own object get somewhere else."""
        raise NotImplementedError

    def library_types(self, descriptor: str) -> list[str]:
        """The libraries' types by which a library may change an object of this type."""
        raise NotImplementedError
