"""Follows values in a method: an object that it makes itself is nobody's state until it gives it away."""

from __future__ import annotations

from classhook.classfile.reader import ClassFile, Method
from classhook.extensions.selection.effects.found import Effects, Owns
from classhook.extensions.selection.effects.library import ITERATORS
from classhook.extensions.selection.effects.values import NULL, OBJECT, THIS, WORLD, Place, State, Value, result_of
from classhook.extensions.selection.facts import PRIVATE
from classhook.extensions.selection.fixed_types import is_fixed


def is_deserialised(method: Method) -> bool:
    """True if deserialisation calls the method, for an object that it makes."""
    return method.name + method.descriptor == "readObject(Ljava/io/ObjectInputStream;)V" and bool(
        method.access_flags & PRIVATE
    )


class Tracking:
    def __init__(self, cf: ClassFile, method: Method, owns: Owns, found: Effects) -> None:
        self.cf, self.method, self.owns, self.found = cf, method, owns, found
        self.pool = cf.pool
        self.is_init = method.name == "<init>" or is_deserialised(method)
        self.own_type = f"L{cf.name};"
        self.has_ways = False  # whether it comes to an instruction may depend on what it computes
        self.name = f"{cf.name}.{method.name}{method.descriptor}"

    def place(self, value: Value) -> Place:
        if value.at is not None:
            return value.at
        return Place(self.name, f"@{value.site}") if value.site > 0 else WORLD

    def flow(self, state: State, value: Value, to: Place) -> None:
        """A value gets to a place, too."""
        if value == NULL or is_fixed(value.type):
            return
        if value.site > 0:
            state.escaped |= {value.site}
        else:
            self.found.gets.add(to)
        if self.is_this(value) and to != result_of(self.name):
            self.found.leaks = True
        if (value.site == 0 and value.at is None and self.owns.is_own(value.type)) or value.site == THIS:
            self.found.types.add((to, value.type, False))
        else:
            self.link(to, self.place(value), value.type)

    def link(self, to: Place, of: Place, kind: str) -> None:
        """Objects of a type get from the place `of` to the place `to`."""
        if WORLD not in (to, of):
            self.found.same.add((to, of))
        elif to != of:
            known, place = (self.found.goes, of) if to == WORLD else (self.found.comes, to)
            known.add((place, kind or OBJECT))

    def join(self, name: str, own: Value, its: Value) -> tuple[Value, frozenset[int]]:
        """Makes one value of two that meet."""
        to, state = Place(self.name, f"#{name}"), State([], {}, frozenset())
        if own.at != to:
            self.flow(state, own, to)
        self.flow(state, its, to)
        return Value(own.type if own.type == its.type else "", 0, to), state.escaped

    def is_this(self, value: Value) -> bool:
        """True if a value may be the method's own object."""
        return value.at is None and value.type == self.own_type and value.site <= 0

    def is_fresh(self, state: State, value: Value) -> bool:
        return value.site > 0 and value.site not in state.escaped and value.at is None

    def change(self, state: State, value: Value, declared: str) -> None:
        """An array or a library's object is changed. `declared`: its type where it is passed."""
        if self.is_fresh(state, value) or value == NULL:
            return
        known = value.type or declared
        types = [known] if known[:1] == "[" else self.owns.library_types(known)
        self.found.changes.update((self.place(value), one) for one in types)

    def give_back(self, state: State, value: Value) -> None:
        if self.found.returned is not None and self.is_fresh(state, value):
            self.found.returned.add(value.type)
        elif value != NULL:
            self.found.returned = None
        self.flow(state, value, result_of(self.name))

    def new(self, state: State, pc: int, descriptor: str, exact: bool = False) -> Value:
        """An object that this instruction makes; what it made before is another one."""
        self.found.made.add((Place(self.name, f"@{pc + 1}"), descriptor, exact))
        return self.fresh(state, pc, descriptor)

    def fresh(self, state: State, pc: int, descriptor: str) -> Value:
        """The same, for an object of which it is known otherwise what it is."""
        site = pc + 1
        place = Place(self.name, f"@{site}")
        if site in state.escaped:
            state.escaped -= {site}
        for i, one in enumerate(state.stack):
            if one.site == site:
                state.stack[i] = Value(one.type, 0, one.at or place)
        for i, one in [*state.locals.items()]:
            if one.site == site:
                state.locals[i] = Value(one.type, 0, one.at or place)
        return Value(descriptor, site)

    def view(self, state: State, pc: int, of: Value, descriptor: str) -> Value:
        if of == NULL or descriptor[1:-1] not in ITERATORS or of.site:
            return Value(descriptor) if of == NULL else of._replace(type=descriptor)
        return self.new(state, pc, descriptor)._replace(at=self.place(of))

    def member(self, index: int) -> tuple[str, str, str]:
        pool, entry = self.pool, self.pool.entry(index)
        name, kind = pool.name_and_type(index)
        return pool.class_name(entry[1] << 8 | entry[2]), text_of(name), text_of(kind)


def descriptor_of(name: str) -> str:
    return name if name.startswith("[") else f"L{name};"


def text_of(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
