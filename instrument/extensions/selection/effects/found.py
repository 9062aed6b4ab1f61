"""What is found of a method, and what has to be known of the program for that."""

from __future__ import annotations

from dataclasses import dataclass, field

from classhook.extensions.selection.effects.values import Place
from classhook.extensions.selection.facts import Member


@dataclass(slots=True)
class Effects:
    """What a method does with what it did not make itself, and where the objects go that it handles.

    sets: fields of objects
    changes: the places of arrays and libraries' objects, with their types as far as they are known
    same: pairs of places at which the same object may be
    gets: places that get what it did not make
    comes: places that may get what is not told apart, with its type
    goes: places of what may get to where it is not told apart, with its type there
    deep: places of libraries' objects that are changed with all that is in them
    made: what it makes, by the instruction, with the type; whether it is exactly of that
    types: the types of objects that may be at places and are not told apart; whether they are exactly those
    returned: the types of what it returns, if it makes that; None: it may return something else
    leaks: it lets its own object get somewhere else
    reads: fields of its own object that it reads
    puts: fields that it sets, also of objects that it made
    passes: methods of the program that it may give something: it calls them, or lets others call them, with arguments
    or on objects that are not constant, or it computes whether it calls them
    constants: those that it always calls with the same constants, in one place or more
    anything: it cannot be followed
    """

    sets: set[Member] = field(default_factory=set)
    changes: set[tuple[Place, str]] = field(default_factory=set)
    same: set[tuple[Place, Place]] = field(default_factory=set)
    gets: set[Place] = field(default_factory=set)
    comes: set[tuple[Place, str]] = field(default_factory=set)
    goes: set[tuple[Place, str]] = field(default_factory=set)
    deep: set[Place] = field(default_factory=set)
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
    """Which of the classes and methods that code names are the program's."""

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
