"""The number of `value` if it is calculated of several:

    entry     the number, number, value                  if code can read all of it there
    exit      the same, if code can read all of the result
    else      at the entry an array of the values' roots; null, array, number, number, valueOf
              with a result, the array is kept, and before each return: the result, array, number, number, valueOf

The array keeps no object alive (`released`, as in watch/insertion.py). A number that is not finite counts as missing,
so code may divide by 0.
"""

from __future__ import annotations

from classhook.classfile.opcodes import ACONST_NULL_CODE, DUP2_CODE, DUP_CODE
from classhook.measures.event import ARRAY, LOADS
from classhook.measures.watch.agent_words import operand, written_from
from classhook.measures.watch.calculation_code import MOST_SLOTS, CalculationCode
from classhook.measures.watch.condition_code import ConditionCode
from classhook.measures.watch.kept_operand import KeptOperand
from classhook.probes.carried import call_local, small
from classhook.probes.exits import insert_call_exits
from classhook.probes.method_weaver import local_op
from classhook.rules.conditions import Calculation, Path, paths_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.pool import ConstantPool
    from classhook.measures.watch.watched_method import WatchedMethod
    from classhook.probes.method_weaver import MethodWeaver

RESULT: Final = Path(("result",))
OBJECT: Final = "Ljava/lang/Object;"
ALL_READ: Final = 0xFFFF  # all objects of the array are read at the end
STACK: Final = 5  # slots of the operand stack, beside those of the number
VALUE_OF: Final = b"(Ljava/lang/Object;[Ljava/lang/Object;II)V"


class Calculated:
    """`wanted`: with the arguments by their numbers; `roots`: at which its paths begin, but for `this` and the
    result; `type`: `I`, `J` or `D` if code calculates it; else empty."""

    __slots__ = ("method", "paths", "roots", "type", "wanted")

    def __init__(self, method: WatchedMethod, wanted: Calculation, pool: ConstantPool) -> None:
        self.method = method
        self.wanted = wanted
        self.paths = paths_of(wanted)
        self.roots = list(dict.fromkeys([path.root for path in self.paths if path.root not in ("this", "result")]))
        numbers = self._at_end(pool, 0) if self.of_result else self._at_entry(pool)
        self.type = numbers.type_of(wanted) if numbers.slots(wanted) <= MOST_SLOTS else ""

    @property
    def of_result(self) -> bool:
        return any([path.root == "result" for path in self.paths])

    def written(self) -> str:
        """The number as the agent reads it."""
        roots = {"this": "t", "result": "r"} | {root: f"a{i}" for i, root in enumerate(self.roots)}
        return operand(self.wanted, lambda path: written_from(roots[path.root], path))

    def insert(self, weaver: MethodWeaver, first: bytes, to: bytes) -> None:
        """Inserts the probe; `first` and `to` push the slots of the probe, and where it counts."""
        result = self.method.result
        copied = DUP2_CODE if result in ("J", "D") else DUP_CODE
        if self.type and self.of_result:
            kept = KeptOperand("result", result, weaver.scratch())
            told = self._told(weaver, self._at_end(weaver.pool, kept.local), to)
            insert_call_exits(weaver, copied + kept.store() + told, MOST_SLOTS + STACK)
        elif self.type:
            weaver.at_call(self._told(weaver, self._at_entry(weaver.pool), to), MOST_SLOTS + STACK)
        elif not self.of_result:
            told = first + to + weaver.call("valueOf", VALUE_OF)
            weaver.at_call(ACONST_NULL_CODE + self._array(weaver, first) + told, STACK + STACK)
        else:
            made = self._array(weaver, first) + small(ALL_READ)
            made += weaver.call("released", b"([Ljava/lang/Object;I)[Ljava/lang/Object;")
            array = call_local(weaver, made, STACK + STACK, local_type=weaver.object_type(ARRAY))
            _, _, _, box = LOADS[result[0]]
            boxed = weaver.call(box, f"({result})Ljava/lang/Object;".encode()) if box else b""
            told = array.load + first + to + weaver.call("valueOf", VALUE_OF)
            insert_call_exits(weaver, copied + boxed + told, STACK)

    def _at_entry(self, pool: ConstantPool) -> CalculationCode:
        code = ConditionCode(self.method, pool)
        return CalculationCode(pool, code.readable, code.load, finite=False)

    def _at_end(self, pool: ConstantPool, local: int) -> CalculationCode:
        kept = KeptOperand("result", self.method.result, local)
        return CalculationCode(pool, kept.kind, kept.load, finite=False)

    def _told(self, weaver: MethodWeaver, numbers: CalculationCode, to: bytes) -> bytes:
        if self.type == "D":
            return numbers.code(self.wanted, "D") + to + weaver.call("valueReal", b"(DI)V")
        return numbers.code(self.wanted, "J") + to + weaver.call("value", b"(JI)V")

    def _array(self, weaver: MethodWeaver, first: bytes) -> bytes:
        """Pushes the array of the roots; null if there is no memory for it."""
        code = small(len(self.roots) + 2) + first + weaver.call("watching", b"(II)[Ljava/lang/Object;")
        kinds = [self.method.types[Path((root,)).argument] for root in self.roots]
        for i, kind in enumerate(["L" * any([path.root == "this" for path in self.paths]), *kinds]):
            if not kind:
                continue
            opcode, short, _, box = LOADS[kind[0]]
            value = kind if box else OBJECT
            local = self.method.locals[Path((self.roots[i - 1],)).argument] if i else 0
            keep = weaver.call(f"keep{kind if box else ''}", f"([{OBJECT}I{value})V".encode())
            code += DUP_CODE + small(i) + local_op(opcode, short, local) + keep
        return code
