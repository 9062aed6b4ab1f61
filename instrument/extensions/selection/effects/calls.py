"""Effects of calls on their arguments."""

from __future__ import annotations

from classhook.classfile.opcodes import INVOKESTATIC
from classhook.classfile.symbols import Symbols
from classhook.extensions.selection.effects.library import ADVANCING, ITERATORS, Result, Use, Which, use_of
from classhook.extensions.selection.effects.tracking import Tracking, descriptor_of
from classhook.extensions.selection.effects.values import (
    KEPT,
    NULL,
    THIS,
    WORLD,
    Place,
    State,
    Value,
    inside,
    is_constant,
    parameter,
    result_of,
    within,
)
from classhook.extensions.selection.facts import METHOD_HANDLE
from classhook.extensions.selection.fixed_types import is_fixed
from classhook.rules.languages.name import parameters

TWO = "JD"  # types that take two slots
PRIMITIVE = frozenset("ZBCSIJFD")


class Calls(Tracking):
    def refer(self, state: State, index: int, passed: list[Value], made: str) -> None:
        """A reference to a library's method, such as `list::add`, changes its object when it is called."""
        entry = self.pool.entry(index)
        for argument in Symbols(self.cf).bootstrap[entry[1] << 8 | entry[2]][1]:
            if self.pool.tag(argument) != METHOD_HANDLE or self.pool.entry(argument)[1] < 5:
                continue
            handle = self.pool.entry(argument)
            owner, name, kind = self.member(handle[2] << 8 | handle[3])
            self.found.passes.add((owner, name + kind))
            library = self.owns.library_owner(owner, name + kind)
            changes = use_of(library, name).changes if library is not None else Which.NONE
            if library is not None and changes is not Which.NONE and name != "<init>":
                for value in passed:
                    self.change(state, value, value.type)
                    if self.owns.is_own(made):
                        self.owns.refers(made, self.owns.library_types(value.type))
                declared = [] if self.pool.entry(argument)[1] == 6 else [descriptor_of(library)]
                declared += parameters(kind)
                for i in changes.of(len(declared)) if not passed else ():  # of what a library passes it
                    if declared[i][0] in "[L" and not is_fixed(declared[i]):
                        self.found.changes.add((WORLD, declared[i]))

    def call(self, state: State, pc: int, op: int, index: int, passed: list[Value]) -> list[Value] | None:
        owner, name, kind = self.member(index)
        declared = [] if op == INVOKESTATIC else [descriptor_of(owner)]
        values, at = passed[: len(declared)], len(declared)
        for one in parameters(kind):
            values.append(passed[at])
            declared.append(one)
            at += 2 if one in TWO else 1
        result = kind.rpartition(")")[2]
        library = self.owns.library_owner(owner, name + kind)
        if library is None:
            return self.own_call(state, pc, op, (owner, name, kind), values)
        use = use_of(library, name)
        iterator = values[0].site if values and library in ITERATORS and name in ADVANCING else 0
        moves = iterator > 0 and iterator not in state.escaped  # an iterator of its own
        for i in () if moves else use.changes.of(len(values)):
            if declared[i][0] in "[L":
                self.change(state, values[i], declared[i])
                if use.is_deep:
                    self.change_deep(values[i], library, i > 0 or op == INVOKESTATIC)
        if use.calls and values:
            self.found.deep.add(self.place(values[0]))  # of a reference such as `list::add`
        if name == "clone" and use.result is Result.NEW and self.owns.is_own(values[0].type):
            made = self.fresh(state, pc, values[0].type)
            self.found.types.add((self.place(made), made.type, False))
            return [made]
        if name == "clone" and values[0].type.startswith("["):
            result = values[0].type
        return self.kept(state, pc, op, use, values, result)

    def change_deep(self, value: Value, library: str, is_passed: bool) -> None:
        """A library may change all that is in an object."""
        self.found.deep.add(self.place(value))
        is_handed = is_passed and not library.startswith("java/")
        if is_handed:
            self.found.handed.add(self.place(value))
        if self.owns.is_own(value.type):
            self.found.deep.add(within(KEPT))
            if is_handed:
                self.found.sets.update(self.owns.fields(value.type))  # by reflection

    def own_call(
        self, state: State, pc: int, op: int, called: tuple[str, str, str], values: list[Value]
    ) -> list[Value] | None:
        """A call of a method of the program."""
        owner, name, kind = called
        passed = values if op == INVOKESTATIC else values[1:]
        fixed = all(map(is_constant, passed)) and (op == INVOKESTATIC or self.is_this(values[0]) or values[0].site > 0)
        known = self.found.constants if fixed and not self.has_ways else self.found.passes
        known.add((owner, name + kind))
        targets = [f"{one}.{member}" for one, member in self.owns.targets(owner, name + kind, op)]
        for i, value in enumerate(passed):
            for target in targets:
                self.flow(state, value, parameter(target, i))
        if op != INVOKESTATIC and values[0].site > 0:
            if name != "<init>" or self.owns.leaks(owner, name + kind):
                state.escaped |= {values[0].site}
        elif self.is_init and name == "<init>" and values[0].site == THIS and self.owns.leaks(owner, name + kind):
            self.found.leaks = True  # by another constructor
        result = kind.rpartition(")")[2]
        if result[0] not in "[L":
            return None
        made = self.owns.returned(owner, name + kind, op)
        if made is not None:
            value = self.fresh(state, pc, made)
            self.found.same.update((self.place(value), result_of(target)) for target in targets)
            return [value]
        to = Place(self.name, f"#{pc}")
        self.found.same.update((to, result_of(target)) for target in targets)
        return [Value(result, 0, to)]

    def kept(self, state: State, pc: int, op: int, use: Use, values: list[Value], result: str) -> list[Value] | None:
        """Notes where a library's method keeps its arguments; returns its result, if that is a reference."""
        references = [value for value in values if value.type not in PRIMITIVE and value != NULL]
        holder = WORLD
        if (
            not use.to_world
            and values
            and (use.keeps is not Which.ALL or op != INVOKESTATIC)
            and not self.owns.is_own(values[0].type)
        ):
            holder = self.place(values[0])
        to = Place(self.name, f"@{pc + 1}") if use.result is Result.NEW else holder
        for i in use.keeps.of(len(values)):
            if values[i] in references and (i or use.result is Result.NEW or op == INVOKESTATIC):
                self.flow(state, values[i], within(to))
                if i and op != INVOKESTATIC and self.owns.is_own(values[0].type):
                    self.flow(state, values[i], within(KEPT))
        for value in references if use.mixes else ():
            if self.owns.is_called(value.type):
                self.link(within(to), WORLD, inside(values[0]))
                self.link(WORLD, within(to), inside(values[0]))
            elif self.place(value) != to and not (is_fixed(value.type) or self.owns.is_own(value.type)):
                self.link(within(to), within(self.place(value)), inside(value))
        for i in use.changes.of(len(values)):
            if i and values[i] in references and not self.owns.is_own(values[i].type):
                self.link(within(self.place(values[i])), within(to), inside(values[0]))
        if result[0] not in "[L":
            return None
        if use.result is Result.VIEW and values:
            return [self.view(state, pc, values[0], result)]
        if use.result is Result.NEW:
            return [self.new(state, pc, result)]
        at = Place(self.name, f"#{pc}")
        for one in references:
            if self.owns.is_own(one.type):  # what its superclass, a library's, has
                self.link(at, WORLD, result)
            elif not is_fixed(one.type):
                self.link(at, within(self.place(one)), result)
        if not references or op == INVOKESTATIC:
            self.found.made.add((at, result, False))
        if not use.is_closed:
            for value in references:
                self.flow(state, value, at)
            self.link(at, WORLD, result)
        return [Value(result, 0, at)]
