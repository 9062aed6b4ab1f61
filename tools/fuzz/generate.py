"""Random classes that the verifier accepts and that terminate, as sources for tests/rare's assembler.

Every method has the same locals (ints 0-3, a long, a lock), so that the frame is known anywhere; all loops use up a
common fuel.
"""

from __future__ import annotations

from random import Random

LOCALS = "I I I I J Ljava/lang/Object;"
CONDITIONS = ("ifeq", "ifne", "iflt", "ifge", "ifgt", "ifle")
COMPARISONS = ("if_icmpeq", "if_icmpne", "if_icmplt", "if_icmpge", "if_icmpgt", "if_icmple")
ARITHMETIC = ("iadd", "isub", "imul", "iand", "ixor", "ishl", "idiv")
VERSIONS = ("48", "49", "50", "52", "61")


class Writer:
    """Writes one class."""

    def __init__(self, rnd: Random, name: str) -> None:
        self.rnd = rnd
        self.name = name
        self.version = rnd.choice(VERSIONS)
        self.lines: list[str] = []
        self.labels = 0
        self.held = 0  # how often the lock is held at this point
        self.method = 0
        self.framed = int(self.version) >= 52
        self.subroutines: list[str] = []
        self.size = 0

    def emit(self, *lines: str) -> None:
        self.lines += lines

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def place(self, label: str, stack: str = "") -> None:
        """The label, with its frame."""
        if ".frame" in self.lines[-1]:
            self.emit(" nop")  # there cannot be two frames at one place
        self.emit(f"{label}:" + (f" .frame {LOCALS} / {stack}" if self.framed else ""))

    def number(self) -> str:
        return f" iload_{self.rnd.randrange(4)}"

    def block(self, depth: int) -> bool:
        """Emits some statements; returns whether control can leave them."""
        return all(self.statement(depth) for _ in range(self.rnd.randrange(1, 4)))

    def statement(self, depth: int) -> bool:
        rnd = self.rnd
        kinds = [self.arithmetic, self.allocation, self.call, self.far, self.leave, self.ternary]
        if depth > 0:
            kinds += [self.branch, self.loop, self.switch, self.guarded, self.locked] * 3
        kind = rnd.choice(kinds)
        return kind(depth - 1)

    def arithmetic(self, depth: int) -> bool:
        self.emit(
            self.number(), self.number(), f" {self.rnd.choice(ARITHMETIC)}", f" istore_{self.rnd.randrange(1, 4)}"
        )
        return True

    def allocation(self, depth: int) -> bool:
        self.emit(
            *self.rnd.choice(
                (
                    (" new java/lang/Object", " pop"),
                    (" iconst_3", " newarray long", " pop"),
                    (" iconst_2", " anewarray [I", " pop"),
                    (" iconst_2", " iconst_1", " multianewarray [[[J 2", " pop"),
                    (" iload_1", " newarray byte", " arraylength", " istore_2"),
                    (
                        " iload_2",
                        " new java/lang/Object",
                        " dup",
                        " invokespecial java/lang/Object.<init> ()V",
                        " pop",
                        " istore_3",
                    ),
                )
            )
        )
        return True

    def call(self, depth: int) -> bool:
        if self.method < 3:
            self.emit(
                self.number(), f" invokestatic {self.name}.m{self.rnd.randrange(self.method + 1, 4)} (I)I", " istore_1"
            )
        elif int(self.version) < 50:
            sub = self.label()
            self.emit(f" {self.rnd.choice(('jsr', 'jsr_w'))} {sub}")
            self.subroutines.append(sub)
        return True

    def far(self, depth: int) -> bool:
        if self.rnd.randrange(40) == 0 and self.size < 2:
            self.size += 1
            self.emit(f" .repeat {self.rnd.choice((10, 15000, 25000))} nop")
        elif self.rnd.randrange(3) == 0:
            target = self.label()
            self.emit(f" {self.rnd.choice(('goto', 'goto_w'))} {target}")
            self.place(target)
        else:
            self.emit(" iinc 2 7", " wide iinc 1 -300")
        return True

    def leave(self, depth: int) -> bool:
        if self.rnd.randrange(4):
            return True
        if self.rnd.randrange(3) == 0:
            made = "java/lang/IllegalStateException"
            self.emit(f" new {made}", " dup", f" invokespecial {made}.<init> ()V", " athrow")
            return False
        self.emit(*[" aload 6", " monitorexit"] * self.held, self.number(), " ireturn")
        return False

    def ternary(self, depth: int) -> bool:
        other, end = self.label(), self.label()
        self.emit(self.number(), self.number(), f" {self.rnd.choice(CONDITIONS)} {other}", " iconst_1", f" goto {end}")
        self.place(other, "I")
        self.emit(" iconst_2")
        self.place(end, "I I")
        self.emit(" iadd", " istore_1")
        return True

    def branch(self, depth: int) -> bool:
        other, end = self.label(), self.label()
        self.emit(self.number())
        if self.rnd.randrange(2):
            self.emit(self.number(), f" {self.rnd.choice(COMPARISONS)} {other}")
        else:
            self.emit(f" {self.rnd.choice(CONDITIONS)} {other}")
        alive = self.block(depth)
        if alive:
            self.emit(f" goto {end}")
        self.place(other)
        if self.block(depth):
            alive = True
        elif not alive:
            return False
        self.place(end)
        return True

    def loop(self, depth: int) -> bool:
        start = self.label()
        self.place(start)
        if not self.block(depth):
            return False
        fuel = f"{self.name}.fuel I"
        self.emit(f" getstatic {fuel}", " iconst_1", " isub", " dup", f" putstatic {fuel}", f" ifgt {start}")
        return True

    def switch(self, depth: int) -> bool:
        cases = [self.label() for _ in range(self.rnd.randrange(1, 4))]
        end = self.label()
        self.emit(self.number())
        if self.rnd.randrange(2):
            self.emit(f" tableswitch {self.rnd.randrange(-2, 3)} {end} {' '.join(cases)}")
        else:
            self.emit(
                f" lookupswitch {end}"
                f" {' '.join(f'{self.rnd.randrange(3) + 5 * i}:{case}' for i, case in enumerate(cases))}"
            )
        for case in cases:
            self.place(case)
            if self.block(depth):
                self.emit(f" goto {end}")
        self.place(end)
        return True

    def guarded(self, depth: int) -> bool:
        start, to, end = self.label(), self.label(), self.label()
        caught = self.rnd.choice(
            ("*", "java/lang/ArithmeticException", "java/lang/RuntimeException", "java/lang/Throwable")
        )
        held = self.held
        self.emit(f"{start}: nop")
        if self.block(depth):
            self.emit(f" goto {end}")
        self.held = held
        self.place(to, f"L{caught};" if caught != "*" else "Ljava/lang/Throwable;")
        self.emit(f" .catch {caught} {start} {to} {to}")
        if self.rnd.randrange(4) == 0:
            self.emit(" athrow")
        else:
            self.emit(" pop")
            if self.block(depth):
                self.emit(f" goto {end}")
        self.place(end)
        return True

    def locked(self, depth: int) -> bool:
        start, to, handler, end = self.label(), self.label(), self.label(), self.label()
        self.emit(" aload 6", " monitorenter", f"{start}: nop")
        self.held += 1
        alive = self.block(depth)
        self.held -= 1
        early = self.rnd.randrange(3)
        if early == 0:
            self.emit(f"{to}:")
        if alive:
            self.emit(" aload 6", " monitorexit", f" goto {end}")
        if early:
            self.emit(f"{to}:")
        self.place(handler, "Ljava/lang/Throwable;")
        self.emit(" aload 6", " monitorexit", f"{handler}e: athrow")
        self.emit(f" .catch * {start} {to} {handler}")
        if early == 2:
            self.emit(f" .catch * {handler} {handler}e {handler}")
        self.place(end)
        return True

    def constructor(self) -> None:
        this, super_init = self.name, "invokespecial java/lang/Object.<init> ()V"
        self.emit(".method public <init> (I)V stack 6 locals 3")

        def frame(types: str, stack: str = "") -> str:
            return f" .frame {types} / {stack}" if self.framed else ""

        kind = self.rnd.randrange(4)
        if kind == 0:
            self.emit(" aload_0", " iload_1", " ifle a", " nop", f"a:{frame('U I', 'U')}", f" {super_init}")
        elif kind == 1:
            self.emit(
                " iload_1",
                " ifle a",
                " aload_0",
                f" {super_init}",
                " goto b",
                f"a:{frame('U I')}",
                " aload_0",
                f" {super_init}",
            )
            self.emit(f"b:{frame(f'L{this}; I')}")
        elif kind == 2:
            self.emit(
                f"a:{frame('U I')}",
                " iinc 1 -1",
                " iload_1",
                " ifgt a",
                " aload_0",
                " astore_2",
                " aload_2",
                f" {super_init}",
            )
        else:
            self.emit(" aload_0", f" {super_init}", "c: iconst_5", " iload_1", " idiv", " pop", "d: goto e")
            self.emit(
                f"h:{frame(f'L{this}; I', 'Ljava/lang/ArithmeticException;')}", " pop", f"e:{frame(f'L{this}; I')}"
            )
            self.emit(" .catch java/lang/ArithmeticException c d h")
        self.emit(" return")

    def write(self) -> str:
        """The source."""
        self.emit(f".class public super {self.name} version {self.version}", ".field static fuel I")
        self.emit(".method public static run (I)I stack 6 locals 4", " bipush 40", f" putstatic {self.name}.fuel I")
        self.emit(f" new {self.name}", " dup", " iload_0", f" invokespecial {self.name}.<init> (I)V", " pop")
        self.emit(" iload_0", f" invokestatic {self.name}.m0 (I)I", " ireturn")
        for self.method in range(4):
            synchronized = " synchronized" if self.rnd.randrange(5) == 0 else ""
            self.emit(f".method static{synchronized} m{self.method} (I)I stack 8 locals 9")
            self.emit(
                " iconst_1", " istore_1", " iload_0", " istore_2", " iconst_4", " istore_3", " lconst_0", " lstore 4"
            )
            self.emit(' ldc "lock"', " astore 6")
            self.held, self.subroutines = 0, []
            if self.block(self.rnd.randrange(1, 5)):
                self.emit(self.number(), " ireturn")
            for sub in self.subroutines:
                self.emit(f"{sub}: astore 8", " iinc 3 1", " ret 8")
        self.constructor()
        return "\n".join(self.lines)


def generate(rnd: Random, name: str) -> str:
    """The source of a class with `static int run(int)`."""
    return Writer(rnd, name).write()
