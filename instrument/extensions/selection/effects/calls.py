"""What calls do with their arguments."""

from __future__ import annotations

from classhook.classfile.opcodes import INVOKESTATIC
from classhook.classfile.symbols import Symbols
from classhook.extensions.selection.effects.library import ADVANCING, ITERATORS, Result, Use, Which, use_of
from classhook.extensions.selection.effects.tracking import Tracking, descriptor_of
from classhook.extensions.selection.effects.values import (
    NULL,
    OBJECT,
    WORLD,
    Place,
    State,
    Value,
    inside,
    parameter,
    result_of,
    within,
)
from classhook.extensions.selection.facts import METHOD_HANDLE
from classhook.rules.languages.name import parameters

TWO = "JD"  # types that take two slots
PRIMITIVE = frozenset("ZBCSIJFD")


class Calls(Tracking):
    def refer(self, state: State, index: int, passed: list[Value]) -> None:
        """A reference to a library's method, such as `list::add`, changes its object when it is called."""
        entry = self.pool.entry(index)
        for argument in Symbols(self.cf).bootstrap[entry[1] << 8 | entry[2]][1]:
            if self.pool.tag(argument) != METHOD_HANDLE or self.pool.entry(argument)[1] < 5:
                continue
            handle = self.pool.entry(argument)
            owner, name, kind = self.member(handle[2] << 8 | handle[3])
            library = self.owns.library_owner(owner, name + kind)
            if library is not None and use_of(library, name).changes is not Which.NONE:
                for value in passed:
                    self.change(state, value, value.type)

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
        moves = library in ITERATORS and name in ADVANCING and values[0].site > 0  # an iterator of its own
        for i in () if moves else use.changes.of(len(values)):
            if declared[i][0] in "[L":
                self.change(state, values[i], declared[i])
        if name == "clone" and use.result is Result.NEW:
            return [self.copy(state, pc, values[0])]
        return self.kept(state, pc, op, use, values, result)

    def copy(self, state: State, pc: int, of: Value) -> Value:
        """A new object of the same type, with the same in it."""
        made = self.new(state, pc, of.type or OBJECT)
        if self.owns.is_own(of.type):
            self.found.types.add((self.place(made), of.type, False))
        elif not self.owns.is_fixed(of.type):
            self.link(within(self.place(made)), within(self.place(of)), inside(of))
        return made

    def own_call(
        self, state: State, pc: int, op: int, called: tuple[str, str, str], values: list[Value]
    ) -> list[Value] | None:
        """A call of a method of the program."""
        owner, name, kind = called
        passed = values if op == INVOKESTATIC else values[1:]
        targets = [f"{one}.{member}" for one, member in self.owns.targets(owner, name + kind, op)]
        for i, value in enumerate(passed):
            for target in targets:
                self.flow(state, value, parameter(target, i))
        if op != INVOKESTATIC and name != "<init>" and values[0].site > 0:
            state.escaped |= {values[0].site}
        result = kind.rpartition(")")[2]
        if result[0] not in "[L":
            return None
        made = self.owns.returned(owner, name + kind, op)
        if made is not None:
            value = self.new(state, pc, made)
            self.found.same.update((self.place(value), result_of(target)) for target in targets)
            return [value]
        to = Place(self.name, f"#{pc}")
        self.found.same.update((to, result_of(target)) for target in targets)
        return [Value(result, 0, to)]

    def kept(self, state: State, pc: int, op: int, use: Use, values: list[Value], result: str) -> list[Value] | None:
        """What a library's method does with its arguments' places; returns its result, if that is a reference."""
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
        for value in references if use.mixes else ():
            if self.owns.is_called(value.type):
                self.link(within(to), WORLD, inside(values[0]))
                self.link(WORLD, within(to), inside(values[0]))
            elif not (self.owns.is_fixed(value.type) or self.owns.is_own(value.type)):
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
            if not (self.owns.is_own(one.type) or self.owns.is_fixed(one.type)):
                self.link(at, within(self.place(one)), result)
        if not use.is_closed:
            for value in references:
                self.flow(state, value, at)
            self.link(at, WORLD, result)
        return [Value(result, 0, at)]
