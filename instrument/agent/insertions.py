"""Insertions that `agent.insert` puts into methods: calls of static methods, counters, faults.

1. Each insertion is a transformer (transforms.py): the class is defined as it was, and exchanged for the one with the
   insertions before any of its code runs. Code that the JVM's verifier refuses is not used.
2. The descriptor of a call follows from what it is passed, so the code fits whatever the method is like. The method
   must be there: the class's own loader is asked for it (native/embedded/class_lookup.c).
3. A method that cannot have the insertion stays as it is, and the report says why.
"""

from __future__ import annotations

from classhook.agent.faults import Fault
from classhook.agent.handlers import Handler
from classhook.agent.inserted_places import PLACES, Asked
from classhook.agent.inserted_values import (
    STACK,
    Place,
    Unfit,
    pushed,
    wrong,
)
from classhook.agent.own_session import ask
from classhook.base.embedded import events as jvm
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError, CodeTooLarge, PoolFull, Unsupported
from classhook.classfile.insertions import Edit, Insertion
from classhook.classfile.opcodes import INVOKESTATIC_CODE, LDC_W_CODE
from classhook.classfile.reader import ClassFile
from classhook.classfile.splice import Context, splice
from classhook.classfile.write import rebuild
from classhook.measures.alloc import lines_of
from classhook.measures.watch.watched_method import WatchedMethod
from classhook.probes.method_weaver import ClassConstants, MethodWeaver
from classhook.rules.ruleset import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.agent.transforms import ClassToLoad
    from classhook.classfile.reader import Method
    from classhook.rules.ruleset import BoundRules

TRACKER: Final = "java.lang.ClasshookTracker"
HUGE_METHOD: Final = 8000  # as in weaving/plan.py
MOST_NOTES: Final = 20


class Counter:
    """Counts how often its calls were run, in all threads: about 1 ns each."""

    def __init__(self) -> None:
        self._slot: int | None = None

    @property
    def slot(self) -> int:
        """Raises RuntimeError before the JVM is up, or if there is no room."""
        if self._slot is None:
            self._slot = jvm.counter()
        if self._slot is None:
            raise RuntimeError("there is no room for one more counter")
        return self._slot

    @property
    def value(self) -> int:
        return 0 if self._slot is None else int(jvm.counted(self._slot))

    def __repr__(self) -> str:
        return f"<counter {self.value}>"


class Call:
    """The call that is inserted, as in `my.Tracker.enter(method, number)`, or a counter. Raises ValueError."""

    def __init__(self, kind: str, call: str | Counter) -> None:
        self.kind = kind
        self.counter = call if isinstance(call, Counter) else None
        target, _, rest = (f"{TRACKER}.count()" if isinstance(call, Counter) else call).partition("(")
        self.owner, _, self.method = target.strip().rpartition(".")
        self.names = tuple(name for name in rest.rstrip().removesuffix(")").replace(" ", "").split(",") if name)
        if not self.owner or not self.method or not rest.rstrip().endswith(")"):
            raise ValueError(
                f"call={call!r}: write a static method and its arguments, as in my.Tracker.enter(method, number)"
            )
        if problem := wrong(kind, self.names):
            raise ValueError(f"call={call!r}: {problem}")

    def __str__(self) -> str:
        return "a counter" if self.counter else f"{self.owner}.{self.method}"

    def code(self, weaver: MethodWeaver, place: Place) -> tuple[bytes, str]:
        """The code, and the descriptor of the method. Raises Unfit."""
        code, descriptor = pushed(weaver, place, self.names)
        if self.counter is not None:
            code, descriptor = LDC_W_CODE + weaver.pool.add_integer(self.counter.slot).to_bytes(2, "big"), "(I)V"
        index = weaver.pool.add_method_ref(
            self.owner.replace(".", "/").encode(), self.method.encode(), descriptor.encode()
        )
        return code + INVOKESTATIC_CODE + index.to_bytes(2, "big"), descriptor

    @property
    def stack(self) -> int:
        return 2 * len(self.names) + STACK


class Inserted:
    """Calls that are inserted, or a fault. `places`: where they are, by number, which `next_number` gives; `left_out`:
    methods that cannot have them, and why."""

    def __init__(
        self,
        next_number: Callable[[], int],
        kind: str,
        call: Call | Fault,
        rules: RuleSet,
        called: RuleSet | None = None,
        line: int = 0,
    ) -> None:
        self.call = call
        self.places: dict[int, Place] = {}
        self.left_out: list[tuple[str, str]] = []
        self._next_number, self._kind = next_number, kind
        self._asked = Asked(call.stack, rules, called, line)
        self._numbers: dict[tuple[str, str, str, int], int] = {}
        self.handler: Handler | None = None
        self.__name__ = f"insert {kind} {call}"

    def __repr__(self) -> str:
        return f"<{self.__name__}: {len(self.places)} places>"

    def remove(self) -> None:
        """Takes them out of the methods, soon. Raises RuntimeError while the script is run, before the JVM is up."""
        if self.handler is not None:
            self.handler.disable()
            ask("transforms")

    def __call__(self, cls: ClassToLoad) -> bytes | None:
        """The transformer."""
        if cls.name == self.call.owner:
            return None
        cf = cls.reader()
        bound = self._asked.rules.bind(cls.name, False, lambda: supertypes(cf), lambda: frozenset(cf.annotations()))
        known: dict[str, str | None] = {}
        replaced = {}
        for method in cf.methods if bound is not None else ():
            if not method.code_at or bound is None or not matches(bound, method):
                continue
            try:
                code = self._woven(cf, cls, method, known)
            except (Unfit, CodeTooLarge, Unsupported, ClassFormatError) as error:
                self._leave_out(f"{cls.name}::{method.name}{method.descriptor}", str(error))
            except PoolFull:
                self._leave_out(cls.name, "its constant pool is full")
                return None
            else:
                if code:
                    replaced[method.code_at] = code
        return rebuild(cf, replaced) if replaced else None

    def _woven(self, cf: ClassFile, cls: ClassToLoad, method: Method, known: dict[str, str | None]) -> bytes:
        """The method's Code; empty if there is nothing to insert. Raises Unfit and what splice raises."""
        code = Code(cf.data, method.code_at, cf.pool)
        weaver = MethodWeaver(ClassConstants(cf.pool, 0), code, Context.from_method(cf, method))
        if isinstance(self.call, Fault):
            (line,) = lines_of(code, [0])
            made, labels = self.call.code(cls, WatchedMethod(cf, method, code), weaver)
            weaver.insertions.append(Insertion(0, made, stack=self.call.stack, labels=labels))
            place = self._place(cls.name, method, 0, line, "")
            self.places[place.number] = place
            return self._spliced(code, weaver)
        found = 0
        for pc, line, what, add in PLACES[self._kind](self._asked, weaver, cf.pool):
            place = self._place(cls.name, method, pc, line, what)
            inserted, descriptor = self.call.code(weaver, place)
            if descriptor not in known:
                known[descriptor] = cls.why_not(self.call.owner, self.call.method, descriptor)
            if problem := known[descriptor]:
                raise Unfit(f"{self.call.owner} {problem}: public static void {self.call.method}{descriptor}")
            add(inserted)
            self.places[place.number] = place
            found += 1
        return self._spliced(code, weaver) if found else b""

    def _spliced(self, code: Code, weaver: MethodWeaver) -> bytes:
        """Raises Unfit and what splice raises."""
        woven = splice(code, Edit(weaver.insertions, weaver.handler, weaver.local), weaver.pool, weaver.context)
        size = int.from_bytes(woven[10:14], "big")
        if size > HUGE_METHOD >= len(code.code):
            raise Unfit(f"{size} bytes of code, which HotSpot would not compile")
        return woven

    def _place(self, class_name: str, method: Method, pc: int, line: int, what: str) -> Place:
        key = (class_name, method.name, method.descriptor, pc)
        if key not in self._numbers:
            self._numbers[key] = self._next_number()
        return Place(self._numbers[key], self._kind, class_name, method.name, method.descriptor, line, what)

    def _leave_out(self, where: str, why: str) -> None:
        if (where, why) in self.left_out:
            return
        self.left_out.append((where, why))
        if len(self.left_out) <= MOST_NOTES:
            jvm.note(f"{where} has no call of {self.call} ({self._kind}): {why}")
        if len(self.left_out) == MOST_NOTES:
            jvm.note(f"further methods without a call of {self.call} ({self._kind}) are not listed")


def supertypes(cf: ClassFile) -> frozenset[str]:
    """The supertypes that the class file names."""
    return frozenset([name.replace("/", ".") for name in (cf.super_name, *cf.interface_names) if name])


def matches(bound: BoundRules, method: Method) -> bool:
    return (
        bound.match_method(method.access_flags, method.name, method.descriptor, lambda: frozenset(method.annotations()))
        is not None
    )
