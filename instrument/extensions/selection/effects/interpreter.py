"""Follows the values of a method along its paths, and notes what it changes, keeps and gives away.

States are merged at jump targets and handlers, until nothing changes. Frames say which locals are still in use there.
"""

from __future__ import annotations

from classhook.classfile import opcodes as op_
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError, Unsupported
from classhook.classfile.flow import effect, falls_through, jump_targets
from classhook.classfile.locals import framed
from classhook.classfile.reader import ClassFile, Method
from classhook.classfile.splice import Context
from classhook.extensions.selection.effects.calls import TWO, Calls
from classhook.extensions.selection.effects.found import Effects, Owns
from classhook.extensions.selection.effects.tracking import descriptor_of, text_of
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
    constant,
    parameter,
    within,
)
from classhook.rules.languages.name import parameters

STATIC, NATIVE = 0x8, 0x100
MOST_STEPS = 40  # for each byte of code
MOST_HANDLERS = 2000
DYNAMIC = 17  # JVMS table 4.4-A
SYSTEM = "java/lang/System"
ELEMENTS = {"I": "[I", "J": "[J", "F": "[F", "D": "[D", "L": "[", "B": "[B", "C": "[C", "S": "[S"}
STORED = "IJFDLBCS"  # what iastore, lastore, ... sastore store
NEW_ARRAYS = dict(zip(range(4, 12), "ZCFDBSIJ", strict=True))  # JVMS table 6.5.newarray-A
CONSTANTS = {op_.ACONST_NULL: NULL, op_.ICONST_0: ZERO}
LIBRARY_CONCAT = "makeConcat"


def effects_of(cf: ClassFile, method: Method, owns: Owns) -> Effects:
    """`owns`: tells the program's methods from those of libraries."""
    found = Effects()
    if not method.code_at:
        found.anything, found.returned = bool(method.access_flags & NATIVE), None
        return found
    try:
        code = Code.parse(cf.data, method.code_at, cf.pool)
        Interpreter(cf, method, code, owns, found).follow()
    except (ClassFormatError, Unsupported, IndexError, ValueError, KeyError, RecursionError):
        found.anything, found.returned = True, None
    return found


class Interpreter(Calls):
    def __init__(self, cf: ClassFile, method: Method, code: Code, owns: Owns, found: Effects) -> None:
        super().__init__(cf, method, owns, found)
        self.code = code
        context = Context.from_method(cf, method)
        self.frames = framed(code, context.initial_locals(), context.major)

    def follow(self) -> None:
        raw, scan = self.code.code, self.code.scan()
        if len(self.code.exception_table) > MOST_HANDLERS:
            raise Unsupported("too many handlers")
        if scan.has_jsr:
            raise Unsupported("jsr")
        targets = jump_targets(scan)
        entries = self.code.exception_table
        self.has_ways = bool(targets or entries) or self.method.name.startswith("lambda$")
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
                handlers = {one[2] for one in entries if one[0] <= pc < one[1]}
                ways = 1 + len(handlers) + len(targets.get(pc, ()))
                steps -= ways * (1 + (len(state.stack) + len(state.locals)) // 64)
                if steps < 0:
                    raise Unsupported("too many paths")
                before = state.copy() if handlers else state
                self.step(state, pc)
                for handler_pc in handlers:  # what the instruction gave away before it failed
                    arrive(handler_pc, State([UNKNOWN], before.locals.copy(), before.escaped | state.escaped))
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
                stack[-1] = stack[-1]._replace(type=descriptor_of(self.pool.class_name(index)))
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
            pushed = constant(pc) if op <= op_.LDC2_W else PLAIN
            stack += self.other(state, pc, op, operand, index, passed) or [pushed] * pushes

    def other(
        self, state: State, pc: int, op: int, operand: int, index: int, passed: list[Value]
    ) -> list[Value] | None:
        """Instructions whose effect depends on what they name; returns what they push, if that is one reference."""
        pool = self.pool
        if op in (op_.NEW, op_.ANEWARRAY, op_.MULTIANEWARRAY, op_.NEWARRAY):
            made = f"[{NEW_ARRAYS.get(operand, 'I')}" if op == op_.NEWARRAY else descriptor_of(pool.class_name(index))
            if op != op_.NEW and passed == [ZERO]:
                made = EMPTY
            if op == op_.MULTIANEWARRAY:
                place = Place(self.name, f"@{pc + 1}")
                for deep in range(1, self.code.code[pc + 3]):  # its dimensions
                    inner = Place(self.name, f"@{pc + 1}.{deep}")
                    self.found.made.add((inner, made[deep:], True))
                    self.found.same.add((within(place), inner))
                    place = inner
            made = f"[{made}" if op == op_.ANEWARRAY and made != EMPTY else made
            return [self.new(state, pc, made, exact=True)]
        if op == op_.AALOAD:
            element = passed[0].type[1:] if passed[0].type.startswith("[") else ""
            at = Place(self.name, f"#{pc}")
            self.link(at, within(self.place(passed[0])), element)
            return [Value(element, 0, at)]
        if op in (op_.GETFIELD, op_.GETSTATIC):
            owner, name, kind = self.member(index)
            if owner == SYSTEM:  # its streams are not followed
                return [PLAIN]
            if op == op_.GETFIELD and self.is_this(passed[0]):
                self.found.reads.add((owner, name))
            return [Value(kind, 0, Place(owner, name))] if kind[0] in "[L" else None
        if op in (op_.PUTFIELD, op_.PUTSTATIC):
            owner, name, kind = self.member(index)
            if kind[0] in "[L":
                self.flow(state, passed[-1], Place(owner, name))
            if op == op_.PUTFIELD:
                self.found.puts.add((owner, name))
            if op == op_.PUTFIELD and not (self.is_fresh(state, passed[0]) or passed[0].site == THIS):
                self.found.sets.add((owner, name))
            return []
        if op == op_.ARETURN:
            self.give_back(state, passed[0])
        elif op in (op_.INVOKEVIRTUAL, op_.INVOKESPECIAL, op_.INVOKESTATIC, op_.INVOKEINTERFACE):
            return self.call(state, pc, op, index, passed)
        elif op == op_.INVOKEDYNAMIC:
            name, kind = (text_of(one) for one in pool.name_and_type(index))
            if not name.startswith(LIBRARY_CONCAT):
                self.refer(state, index, passed, kind.rpartition(")")[2])
                for value in passed:
                    self.flow(state, value, WORLD)  # and the method's arguments come from there
                    self.flow(state, value, within(Place(self.name, f"@{pc + 1}")))
            result = kind.rpartition(")")[2]
            return [self.new(state, pc, result)] if result[0] in "[L" else None
        elif op in (op_.LDC, op_.LDC_W) and pool.tag(operand if op == op_.LDC else index) == DYNAMIC:
            return [UNKNOWN]
        return None


def _live(types: list[bytes]) -> set[int]:
    """The locals that a frame names."""
    found, at = set[int](), 0
    for one in types:
        if one[0]:
            found.add(at)
        at += 2 if one[0] in (3, 4) else 1
    return found
