"""`agent.insert`: calls that a script puts into the program's methods, as java_crw_demo did for the JDK's demos.

1. Each insertion is a transformer (transforms.py): the class is defined as it was, and exchanged for the one with calls
   before any of its code runs. Code that the JVM's verifier refuses is not used.
2. The descriptor of the call follows from what it is passed, so the code fits whatever the method is like. The method
   must be there: the class's own loader is asked for it (native/embedded/class_lookup.c).
3. A method that cannot have the call stays as it is, and the report says why.
"""

from __future__ import annotations

from classhook.agent.handlers import Handler
from classhook.agent.inserted_places import PLACES, Asked
from classhook.agent.inserted_values import (
    ALLOCATION,
    CALL,
    ENTRY,
    EXIT,
    LINE,
    STACK,
    THROWN,
    Place,
    Unfit,
    pushed,
    wrong,
)
from classhook.agent.patterns import class_glob, parsed
from classhook.agent.transforms import transformer
from classhook.base.embedded import events as jvm
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError, CodeTooLarge, PoolFull, Unsupported
from classhook.classfile.insertions import Edit
from classhook.classfile.opcodes import INVOKESTATIC_CODE, LDC_W_CODE
from classhook.classfile.reader import ClassFile
from classhook.classfile.splice import Context, splice
from classhook.classfile.write import rebuild
from classhook.probes.method_weaver import ClassConstants, MethodWeaver
from classhook.rules.ruleset import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from classhook.agent.loaded import Script
    from classhook.agent.transforms import ClassToLoad
    from classhook.classfile.reader import Method
    from classhook.rules.ruleset import BoundRules

TIMEOUT: Final = 30.0
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
    """Calls that are inserted. `places`: where they are, by number; `left_out`: methods that cannot have them, and
    why."""

    def __init__(
        self, insert: Insert, kind: str, call: Call, rules: RuleSet, called: RuleSet | None = None, line: int = 0
    ) -> None:
        self.call = call
        self.places: dict[int, Place] = {}
        self.left_out: list[tuple[str, str]] = []
        self._insert, self._kind = insert, kind
        self._asked = Asked(call.stack, rules, called, line)
        self._numbers: dict[tuple[str, str, str, int], int] = {}
        self.__name__ = f"insert {kind} {call}"

    def __repr__(self) -> str:
        return f"<{self.__name__}: {len(self.places)} places>"

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
        if not found:
            return b""
        woven = splice(code, Edit(weaver.insertions, weaver.handler, weaver.local), cf.pool, weaver.context)
        size = int.from_bytes(woven[10:14], "big")
        if size > HUGE_METHOD >= len(code.code):
            raise Unfit(f"{size} bytes of code, which HotSpot would not compile")
        return woven

    def _place(self, class_name: str, method: Method, pc: int, line: int, what: str) -> Place:
        key = (class_name, method.name, method.descriptor, pc)
        if key not in self._numbers:
            self._numbers[key] = self._insert.next_number()
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


class Insert:
    """`agent.insert`: a call, such as `my.Tracker.enter(method, number)`, or a Counter, at places of the program's
    methods.

    All raise RuleError for an invalid pattern, ValueError for an invalid call or an argument that does not exist.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._last = -1

    def next_number(self) -> int:
        self._last += 1
        return self._last

    def counter(self) -> Counter:
        """A new counter."""
        return Counter()

    def jar(self, path: str) -> None:
        """Classes of this jar are found by all class loaders: those of the calls. Raises ValueError."""
        if not jvm.boot_path(path):
            raise ValueError(f"the JVM does not accept the jar {path}")

    def entry(self, methods: str, call: str | Counter) -> Inserted:
        """Inserts the call at the entry; in constructors before they call another one."""
        return self._add(ENTRY, call, f"count {methods}")

    def exit(self, methods: str, call: str | Counter) -> Inserted:
        """Inserts the call before each return."""
        return self._add(EXIT, call, f"count {methods}")

    def thrown(self, methods: str, call: str | Counter) -> Inserted:
        """Inserts the call where an exception leaves the method."""
        return self._add(THROWN, call, f"count {methods}")

    def allocations(self, types: str, within: str, call: str | Counter) -> Inserted:
        """Inserts the call after each allocation of these types in these methods, before the constructor is called."""
        return self._add(ALLOCATION, call, f"alloc {types} in {within}")

    def calls(self, methods: str, within: str, call: str | Counter) -> Inserted:
        """Inserts the call before each call of these methods, by the class and name that the caller names, in these
        methods."""
        return self._add(CALL, call, f"count {within}", called=RuleSet(parsed(f"count {methods}")))

    def lines(self, methods: str, call: str | Counter, line: int = 0) -> Inserted:
        """Inserts the call before each line of these methods, or before this one."""
        return self._add(LINE, call, f"count {methods}", line=line)

    def _add(self, kind: str, call: str | Counter, rule: str, **more: Any) -> Inserted:
        rules = parsed(rule)
        target = rules[0].targets[0].class_pattern
        inserted = Inserted(self, kind, Call(kind, call), RuleSet(rules), **more)
        glob = "*" if target.subtypes or len(rules[0].targets) > 1 else class_glob(str(target))
        Handler("transform", inserted, True, glob, TIMEOUT, transformer(inserted), script=self._script)
        return inserted
