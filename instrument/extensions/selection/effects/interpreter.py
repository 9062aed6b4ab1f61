"""Follows the values of a method along its paths, and notes what it changes, keeps and gives away.

States are merged at jump targets and handlers, until nothing changes. Frames say which locals are still in use there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from classhook.classfile import opcodes as op_
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError, Unsupported
from classhook.classfile.flow import effect, falls_through, jump_targets
from classhook.classfile.locals import framed
from classhook.classfile.pool import ConstantPool
from classhook.classfile.reader import ClassFile, Method
from classhook.classfile.splice import Context
from classhook.classfile.symbols import Symbols
from classhook.extensions.selection.effects.library import ADVANCING, ITERATORS, Result, Use, Which, use_of
from classhook.extensions.selection.effects.values import (
    EMPTY,
    NULL,
    PLAIN,
    THIS,
    UNKNOWN,
    WORLD,
    ZERO,
    Place,
    State,
    Value,
    within,
)
from classhook.extensions.selection.facts import METHOD_HANDLE, Member
from classhook.rules.languages.name import parameters

STATIC, NATIVE = 0x8, 0x100
MOST_STEPS = 40  # for each byte of code
TWO = "JD"
ELEMENTS = {"I": "[I", "J": "[J", "F": "[F", "D": "[D", "L": "[", "B": "[B", "C": "[C", "S": "[S"}
STORED = "IJFDLBCS"  # what iastore, lastore, ... sastore store
NEW_ARRAYS = dict(zip(range(4, 12), "ZCFDBSIJ", strict=True))  # JVMS table 6.5.newarray-A
CONSTANTS = {op_.ACONST_NULL: NULL, op_.ICONST_0: ZERO}
LIBRARY_CONCAT = "makeConcat"
PRIMITIVE = frozenset("ZBCSIJFD")
OBJECT = "Ljava/lang/Object;"


@dataclass(slots=True)
class Effects:
    """What a method does with what it did not make itself, and where the objects go that it handles.

    sets: fields of objects
    changes: the places of arrays and libraries' objects, with their types as far as they are known
    same: pairs of places at which the same object may be
    gets: places that get what it did not make
    comes: places that may get what is not told apart, with its type
    goes: places of what may get to where it is not told apart, with its type there
    made: what it makes, by the instruction, with the type
    types: the types of objects that may be at places and are not told apart; whether they are exactly those
    returned: the types of what it returns, if it makes that; None: it may return something else
    anything: it cannot be followed
    """

    sets: set[Member] = field(default_factory=set)
    changes: set[tuple[Place, str]] = field(default_factory=set)
    same: set[tuple[Place, Place]] = field(default_factory=set)
    gets: set[Place] = field(default_factory=set)
    comes: set[tuple[Place, str]] = field(default_factory=set)
    goes: set[tuple[Place, str]] = field(default_factory=set)
    made: set[tuple[Place, str]] = field(default_factory=set)
    types: set[tuple[Place, str, bool]] = field(default_factory=set)
    returned: set[str] | None = field(default_factory=set)
    anything: bool = False

    @property
    def has_any(self) -> bool:
        return bool(self.sets or self.changes or self.anything)


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

    def is_fixed(self, descriptor: str) -> bool:
        """True if objects of this type never change."""
        raise NotImplementedError

    def returned(self, owner: str, member: str, op: int) -> str | None:
        """The type of what a method of the program makes and returns; None: it may return something else."""
        raise NotImplementedError

    def library_types(self, descriptor: str) -> list[str]:
        """The libraries' types by which a library may change an object of this type."""
        raise NotImplementedError


def effects_of(cf: ClassFile, method: Method, owns: Owns) -> Effects:
    """`owns`: tells the program's methods from those of libraries."""
    found = Effects()
    if not method.code_at:
        found.anything, found.returned = bool(method.access_flags & NATIVE), None
        return found
    try:
        code = Code.parse(cf.data, method.code_at, cf.pool)
        _Run(cf, method, code, owns, found).follow()
    except (ClassFormatError, Unsupported, IndexError, ValueError, KeyError):
        found.anything, found.returned = True, None
    return found


class _Run:
    def __init__(self, cf: ClassFile, method: Method, code: Code, owns: Owns, found: Effects) -> None:
        self.pool: ConstantPool = cf.pool
        self.cf, self.method, self.code, self.owns, self.found = cf, method, code, owns, found
        self.is_init = method.name == "<init>"
        self.name = f"{cf.name}.{method.name}{method.descriptor}"
        context = Context.from_method(cf, method)
        self.frames = framed(code, context.initial_locals(), context.major)

    def follow(self) -> None:
        raw, scan = self.code.code, self.code.scan()
        if scan.has_jsr:
            raise Unsupported("jsr")
        targets = jump_targets(scan)
        entries = self.code.exception_table
        joins = {entry[2] for entry in entries}.union(*targets.values())
        met = {0: self.first()}
        work, steps = [0], MOST_STEPS * len(raw) + 1000
        joins.add(0)

        def arrive(pc: int, state: State) -> None:
            if pc in self.frames:
                live = _live(self.frames[pc][0])
                state.locals = {i: one for i, one in state.locals.items() if i in live}
            known = met.get(pc)
            if known is None:
                met[pc] = state
                work.append(pc)
            elif known.merge(state, pc, self.join):
                work.append(pc)

        while work:
            pc = work.pop()
            state = met[pc].copy()
            while True:
                steps -= 1
                if steps < 0:
                    raise Unsupported("too many paths")
                for start_pc, end_pc, handler_pc, _ in entries:
                    if start_pc <= pc < end_pc:
                        arrive(handler_pc, State([UNKNOWN], dict(state.locals), state.escaped))
                self.step(state, pc)
                for target in targets.get(pc, ()):
                    arrive(target, state.copy())
                if not falls_through(raw, pc):
                    break
                pc = scan.next_pc(pc)
                if pc in joins:
                    arrive(pc, state)
                    break

    def first(self) -> State:
        locals_, at = dict[int, Value](), 0
        if not self.method.access_flags & STATIC:
            locals_[0] = Value(f"L{self.cf.name};", THIS if self.is_init else 0)
            at = 1
        for i, one in enumerate(parameters(self.method.descriptor)):
            if one[0] in "[L":
                locals_[at] = Value(one, 0, parameter(self.name, i))
            at += 2 if one in TWO else 1
        return State([], locals_, frozenset())

    # ---- what happens with values

    def place(self, value: Value) -> Place:
        if value.at is not None:
            return value.at
        return (self.name, f"@{value.site}") if value.site > 0 else WORLD

    def flow(self, state: State, value: Value, to: Place) -> None:
        """A value gets to a place, too."""
        if value == NULL or self.owns.is_fixed(value.type):
            return
        if value.site > 0:
            state.escaped |= {value.site}
        else:
            self.found.gets.add(to)
        if (value.site == 0 and value.at is None and self.owns.is_own(value.type)) or value.site == THIS:
            self.found.types.add((to, value.type, False))
        else:
            self.link(to, self.place(value), value.type)

    def link(self, to: Place, of: Place, kind: str) -> None:
        """What is at a place, of this type, gets to another one."""
        if WORLD not in (to, of):
            self.found.same.add((to, of))
        elif to != of:
            known, place = (self.found.goes, of) if to == WORLD else (self.found.comes, to)
            known.add((place, kind or OBJECT))

    def join(self, name: str, own: Value, its: Value) -> tuple[Value, frozenset[int]]:
        """Makes one value of two that meet."""
        to, state = (self.name, f"#{name}"), State([], {}, frozenset())
        if own.at != to:
            self.flow(state, own, to)
        self.flow(state, its, to)
        return Value(own.type if own.type == its.type else "", 0, to), state.escaped

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

    # ---- instructions

    def step(self, state: State, pc: int) -> None:
        raw, stack = self.code.code, state.stack
        op = raw[pc]
        operand = raw[pc + 1] if pc + 1 < len(raw) else 0
        index = operand << 8 | raw[pc + 2] if pc + 2 < len(raw) else 0
        if op == op_.WIDE_PREFIX:
            op, operand = operand, raw[pc + 2] << 8 | raw[pc + 3]
        pops, pushes = effect(raw, pc, self.pool)
        if len(stack) < pops:
            raise IndexError
        below = len(stack) - pops
        if op == op_.ALOAD or op_.ALOAD_0 <= op <= op_.ALOAD_3:
            stack.append(state.locals.get(operand if op == op_.ALOAD else op - op_.ALOAD_0, UNKNOWN))
        elif 54 <= op <= 78:  # stores
            local = operand if op < 59 else (op - 59) & 3
            for gone in range(local, local + pops):
                state.locals.pop(gone, None)
            if op == op_.ASTORE or op >= op_.ASTORE_0:
                state.locals[local] = stack[-1]
            del stack[below:]
        elif 89 <= op <= 94:  # dup, dup_x1, dup_x2, dup2, dup2_x1, dup2_x2
            stack[below:below] = stack[-1:] if op < 92 else stack[-2:]
        elif op == op_.SWAP:
            stack[-1], stack[-2] = stack[-2], stack[-1]
        elif op in CONSTANTS:
            stack.append(CONSTANTS[op])
        elif op == op_.CHECKCAST:
            if stack[-1] != NULL:
                stack[-1] = stack[-1]._replace(type=_descriptor(self.pool.class_name(index)))
        elif op_.IASTORE <= op <= op_.SASTORE:
            array = stack[below]
            if op == op_.AASTORE:
                self.flow(state, stack[-1], within(self.place(array)))
            if not array.type.startswith("["):
                array = array._replace(type=ELEMENTS[STORED[op - op_.IASTORE]])
            self.change(state, array, array.type)
            del stack[below:]
        else:
            passed = stack[below:]
            del stack[below:]
            stack += self.other(state, pc, op, operand, index, passed) or [PLAIN] * pushes

    def other(
        self, state: State, pc: int, op: int, operand: int, index: int, passed: list[Value]
    ) -> list[Value] | None:
        """Instructions whose effect depends on what they name; returns what they push, if that is one reference."""
        pool = self.pool
        if op in (op_.NEW, op_.ANEWARRAY, op_.MULTIANEWARRAY, op_.NEWARRAY):
            if op == op_.NEWARRAY:
                made = f"[{NEW_ARRAYS.get(operand, 'I')}"
            else:
                made = _descriptor(pool.class_name(index))
            if op != op_.NEW and passed == [ZERO]:
                made = EMPTY
            return [self.new(state, pc, f"[{made}" if op == op_.ANEWARRAY and made != EMPTY else made)]
        if op == op_.AALOAD:
            element = passed[0].type[1:] if passed[0].type.startswith("[") else ""
            return [Value(element, 0, within(self.place(passed[0])))]
        if op in (op_.GETFIELD, op_.GETSTATIC):
            owner, name, kind = self.member(index)
            return [Value(kind, 0, (owner, name))] if kind[0] in "[L" else None
        if op in (op_.PUTFIELD, op_.PUTSTATIC):
            owner, name, kind = self.member(index)
            if kind[0] in "[L":
                self.flow(state, passed[-1], (owner, name))
            if op == op_.PUTFIELD and not (self.is_fresh(state, passed[0]) or passed[0].site == THIS):
                self.found.sets.add((owner, name))
            return []
        if op == op_.ARETURN:
            self.give_back(state, passed[0])
        elif op in (op_.INVOKEVIRTUAL, op_.INVOKESPECIAL, op_.INVOKESTATIC, op_.INVOKEINTERFACE):
            return self.call(state, pc, op, index, passed)
        elif op == op_.INVOKEDYNAMIC:
            name, kind = (_text(one) for one in pool.name_and_type(index))
            if not name.startswith(LIBRARY_CONCAT):
                self.refer(state, index, passed)
                for value in passed:
                    self.flow(state, value, WORLD)  # and the method's arguments come from there
                    self.flow(state, value, within((self.name, f"@{pc + 1}")))
            result = kind.rpartition(")")[2]
            return [self.new(state, pc, result)] if result[0] in "[L" else None
        elif op in (op_.LDC, op_.LDC_W) or op == op_.ATHROW:
            return None
        return None

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

    def new(self, state: State, pc: int, descriptor: str) -> Value:
        """An object that this instruction makes; what it made before is another one."""
        site = pc + 1
        if site in state.escaped:
            state.escaped -= {site}
        for i, one in enumerate(state.stack):
            if one.site == site:
                state.stack[i] = Value(one.type)
        for i, one in [*state.locals.items()]:
            if one.site == site:
                state.locals[i] = Value(one.type)
        self.found.made.add(((self.name, f"@{site}"), descriptor))
        return Value(descriptor, site)

    def call(self, state: State, pc: int, op: int, index: int, passed: list[Value]) -> list[Value] | None:
        owner, name, kind = self.member(index)
        declared = [] if op == op_.INVOKESTATIC else [_descriptor(owner)]
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
        return self.kept(state, pc, op, use, values, result)

    def own_call(
        self, state: State, pc: int, op: int, called: tuple[str, str, str], values: list[Value]
    ) -> list[Value] | None:
        """A call of a method of the program."""
        owner, name, kind = called
        passed = values if op == op_.INVOKESTATIC else values[1:]
        targets = [f"{one}.{member}" for one, member in self.owns.targets(owner, name + kind, op)]
        for i, value in enumerate(passed):
            for target in targets:
                self.flow(state, value, parameter(target, i))
        if op != op_.INVOKESTATIC and name != "<init>" and values[0].site > 0:
            state.escaped |= {values[0].site}
        result = kind.rpartition(")")[2]
        if result[0] not in "[L":
            return None
        made = self.owns.returned(owner, name + kind, op)
        if made is not None:
            return [self.new(state, pc, made)]
        to = (self.name, f"#{pc}")
        self.found.same.update((to, result_of(target)) for target in targets)
        return [Value(result, 0, to)]

    def kept(self, state: State, pc: int, op: int, use: Use, values: list[Value], result: str) -> list[Value] | None:
        """What a library's method does with its arguments' places; returns its result, if that is a reference."""
        references = [value for value in values if value.type not in PRIMITIVE and value != NULL]
        holder = WORLD
        if (
            not use.to_world
            and values
            and (use.keeps is not Which.ALL or op != op_.INVOKESTATIC)
            and not self.owns.is_own(values[0].type)
        ):
            holder = self.place(values[0])
        to: Place = (self.name, f"@{pc + 1}") if use.result is Result.NEW else holder
        for i in use.keeps.of(len(values)):
            if values[i] in references and (i or use.result is Result.NEW or op == op_.INVOKESTATIC):
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
        at = (self.name, f"#{pc}")
        for one in references:
            if not (self.owns.is_own(one.type) or self.owns.is_fixed(one.type)):
                self.link(at, within(self.place(one)), result)
        if not use.is_closed:
            for value in references:
                self.flow(state, value, at)
            self.link(at, WORLD, result)
        return [Value(result, 0, at)]

    def view(self, state: State, pc: int, of: Value, descriptor: str) -> Value:
        if of == NULL or descriptor[1:-1] not in ITERATORS or of.site:
            return Value(descriptor) if of == NULL else of._replace(type=descriptor)
        return self.new(state, pc, descriptor)._replace(at=self.place(of))

    def member(self, index: int) -> tuple[str, str, str]:
        pool, entry = self.pool, self.pool.entry(index)
        name, kind = pool.name_and_type(index)
        return pool.class_name(entry[1] << 8 | entry[2]), _text(name), _text(kind)


def inside(value: Value) -> str:
    """The type of what is in an array, a collection or the like."""
    return value.type[1:] if value.type.startswith("[") else OBJECT


def parameter(method: str, i: int) -> Place:
    return (method, f"#{i}")


def result_of(method: str) -> Place:
    return (method, "#r")


def _live(types: list[bytes]) -> set[int]:
    """The locals that a frame names."""
    found, at = set[int](), 0
    for one in types:
        if one[0]:
            found.add(at)
        at += 2 if one[0] in (3, 4) else 1
    return found


def _descriptor(name: str) -> str:
    return name if name.startswith("[") else f"L{name};"


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
