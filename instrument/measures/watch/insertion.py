"""The probes of `watch`.

    entry      the condition, as far as code can decide it (condition_code.py); if it may hold:
               an array of `this` and the arguments, begun, released, store                else null, store
    exit       copy of the result, load, number, watched
               of a condition about the result, the array is null if code finds the condition false (kept_operand.py)
               in a handler of all that is thrown: the throwable, load, number, watchedThrown, athrow

A new local keeps the array until the activation ends; then the agent decides what is left of the condition, and writes
down what the rule shows (native/watch/). A constructor's `this` is put into the array when it is there: at its end. The
array keeps no object alive that the program may drop meanwhile, such as the head of a list that it makes while it walks
it: `released` leaves the class of an object, or a weak reference.
"""

from __future__ import annotations

from classhook.classfile.insertions import Label
from classhook.classfile.opcodes import AASTORE_CODE, ACONST_NULL_CODE, ALOAD_0_CODE, DUP2_CODE, DUP_CODE, GOTO, IFNULL
from classhook.measures.event import ARRAY, LOADS, MOST_STACK, overwrites_this
from classhook.measures.watch import agent_words, further_fields
from classhook.measures.watch.agent_words import masks_of, prefix, written
from classhook.measures.watch.condition_code import Assembly, ConditionCode
from classhook.measures.watch.condition_value import ConditionValue
from classhook.measures.watch.kept_operand import KeptOperand
from classhook.measures.watch.method_types import MethodTypes
from classhook.measures.watch.watched_method import WatchedMethod
from classhook.probes.carried import call_local, small
from classhook.probes.exits import insert_call_exits
from classhook.probes.method_weaver import local_op
from classhook.probes.records import WatchRecord
from classhook.rules.condition_parser import condition, shown
from classhook.rules.conditions import Condition, Path, Shown, comparisons, paths_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.classfile.code import Code
    from classhook.measures.watch.further_fields import FurtherFields
    from classhook.probes.measure import Planning, Probe
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.probes.records import Record
    from classhook.rules.syntax import Rule

USUAL: Final = "args, result"
WATCHED_CALL: Final = b"(Ljava/lang/Object;[Ljava/lang/Object;I)V"
BOXES: Final = ("Integer", "Long", "Boolean", "Double", "Character", "Float", "Short", "Byte")
VALUES: Final = ("Ljava/lang/String;", *[f"Ljava/lang/{name};" for name in BOXES])


def read_condition(text: str) -> Condition:
    """Raises Wrong."""
    return condition(text)


def read_shown(text: str) -> Shown:
    """Raises Wrong."""
    return shown(text)


def conditions_of(rule: Rule) -> list[list[Path]]:
    """The paths of each comparison."""
    text = rule.clause("when")
    return [one.paths for one in comparisons(condition(text))] if text else []


def shown_of(rule: Rule) -> Shown:
    return shown(rule.clause("show") or USUAL)


class Wanted:
    """The request of a rule in a method. `paths`: the values to show; `masked`: which of them are not; `left`: the
    condition, unless code decides it."""

    __slots__ = ("condition", "left", "masked", "method", "paths", "rule", "shown")

    def __init__(self, rule: Rule, method: WatchedMethod, exact: bool, asked: Condition | None, shown_: Shown) -> None:
        self.rule = rule
        self.method = method
        self.condition = asked
        self.left = None if exact else asked
        self.shown = shown_
        paths, at = list(self.shown.paths), self.shown.args
        if at >= 0:  # each of them once, in their order
            before, after = [[path for path in some if not _is_argument(path)] for some in (paths[:at], paths[at:])]
            paths = [*before, *[Path((f"arg{i}",)) for i in range(len(method.types))], *after]
        self.paths = [path for path in paths if not absent(path, method)]
        masks = masks_of(rule)
        self.masked = [method.hides(path, masks) for path in self.paths]

    @property
    def secret_exception(self) -> bool:
        return self.method.hides(Path(("exception", "message")), masks_of(self.rule))

    def needs(self, root: str) -> bool:
        """True if the agent is passed this root."""
        return any([path.root == root for path in (*self.paths, *paths_in(self.left))])

    @property
    def holds_objects(self) -> bool:
        """True if the array has objects at the call's begin that are not just values."""
        this = not (self.method.static or self.method.constructor) and self.needs("this")
        return this or any(
            [
                kind[0] in "L[" and kind not in VALUES and self.needs(f"arg{i}")
                for i, kind in enumerate(self.method.types)
            ]
        )

    @property
    def read_at_end(self) -> int:
        """Bits of the array's elements that are read then: 16, of which the last one is that of all further ones."""
        bits = 0
        for path in [path for path in self.paths if len(path.names) > 1] + paths_in(self.left):
            at = 0 if path.root == "this" else path.argument + 1
            bits |= 1 << min(at, 15) if at > 0 or path.root == "this" else 0
        return bits

    def name(self, path: Path) -> str:
        """The path's name in reports; after a `=`, one of all arguments."""
        one_of_all = self.shown.args >= 0 and _is_argument(path)
        return "=" * one_of_all + self.method.label(path).replace(",", "?")


def _is_argument(path: Path) -> bool:
    return path.argument >= 0 and len(path.names) == 1


def absent(path: Path, method: MethodTypes) -> bool:
    """True if it is not a mistake that this is not shown: a result or an object that the method lacks."""
    return len(path.names) == 1 and (
        (path.root == "result" and method.result == "V") or (path.root == "this" and method.static)
    )


def names(rule: Rule, method: WatchedMethod) -> bool:
    """True if a rule that does not fit the method is a mistake: it was not matched by a wildcard."""
    return any([target.method is not None and target.method.glob == method.name for target in rule.targets])


def wanted_by(
    planning: Planning, code: Code, rules: tuple[int, ...], asked_of: Callable[[Rule], Shown] = shown_of
) -> dict[int, tuple[Wanted]]:
    """The requests of each rule that fits the method; `asked_of`: what a rule wants to know of calls."""
    method = WatchedMethod(planning.cf, planning.method, code)
    found: dict[int, tuple[Wanted]] = {}
    for index in rules:
        rule = planning.rules.rules[index]
        text = rule.clause("when")
        asked, to_show = condition(text) if text else None, asked_of(rule)
        compared = comparisons(asked) if asked is not None else []
        paths = paths_in(asked) + [path for path in to_show.paths if not absent(path, method)]
        wrong = [why for why in [*map(method.misfit, paths), *map(method.mismatch, compared)] if why]
        doubts = [why for why in map(method.doubt, paths) if why]
        for why in dict.fromkeys(wrong + doubts) if names(rule, method) else ():
            planning.unfit.setdefault((index, why), planning.method)
        if not wrong:
            asked, to_show = method.meant_by(asked), method.meant_to_show(to_show)
            exact = asked is None or ConditionCode(method, planning.cf.pool).exact(asked)
            found[index] = (Wanted(rule, method, exact, asked, to_show),)
    return found


FALSE, END = 1, 2  # labels of the code that pushes the array


def insert(weaver: MethodWeaver, probe: Probe, slot: int) -> None:
    wanted = probe.detail
    assert isinstance(wanted, Wanted)
    number, array = weaver.number(slot), weaver.object_type(ARRAY)
    code, further = pushed_array(weaver, wanted, number, wanted.holds_objects)
    made, places = code.code()
    labels = [Label(at, [array] if label == END else []) for label, at in places.items()]
    load = call_local(weaver, made, MOST_STACK, labels, array).load
    _insert_ends(weaver, wanted, load, number, further)


def pushed_array(
    weaver: MethodWeaver, wanted: Wanted, number: bytes, released: bool
) -> tuple[Assembly, FurtherFields | None]:
    """Code that pushes the array, or null if the condition does not hold; `number` pushes the probe's slot;
    `released`: it is kept. The array is there at the label END."""
    method, code = wanted.method, Assembly()
    code.labels = END
    further = further_fields.from_condition(wanted.left, method.class_name, weaver.pool, number, weaver.call)
    conditions = ConditionCode(method, weaver.pool, further)
    if wanted.condition is not None:
        conditions.unless(code, wanted.condition, FALSE)
    code.add(small(len(method.types) + 2) + number + weaver.call("watching", b"(II)[Ljava/lang/Object;") + DUP_CODE)
    code.jump(IFNULL, END)
    if not (method.static or method.constructor) and wanted.needs("this"):
        code.add(DUP_CODE + small(0) + ALOAD_0_CODE + AASTORE_CODE)
    for i, kind in enumerate(method.types):
        if wanted.needs(f"arg{i}"):
            opcode, short, _, box = LOADS[kind[0]]
            boxed = weaver.call(box, f"({kind})Ljava/lang/Object;".encode()) if box else b""
            code.add(DUP_CODE + small(i + 1) + local_op(opcode, short, method.locals[i]) + boxed + AASTORE_CODE)
    code.add(number + weaver.call("begun", b"([Ljava/lang/Object;I)[Ljava/lang/Object;"))
    if released:
        code.add(small(wanted.read_at_end) + weaver.call("released", b"([Ljava/lang/Object;I)[Ljava/lang/Object;"))
    if wanted.condition is not None and conditions.decides(wanted.condition):
        code.jump(GOTO, END)
        code.here(FALSE)
        code.add(ACONST_NULL_CODE)
    code.here(END)
    return code, further


def _insert_ends(
    weaver: MethodWeaver, wanted: Wanted, load: bytes, number: bytes, further: FurtherFields | None
) -> None:
    method, letter = wanted.method, wanted.method.result[0]
    made = b""
    kept, watched, needed = _condition_at_end(weaver, wanted, load, further)
    if method.constructor and wanted.needs("this") and not overwrites_this(weaver.code):
        made = load + ALOAD_0_CODE + weaver.call("constructed", b"([Ljava/lang/Object;Ljava/lang/Object;)V")
    if letter == "V" or not wanted.needs("result"):
        told = ACONST_NULL_CODE + load + number + weaver.call("watched", WATCHED_CALL)
    elif letter in "L[":
        told = kept + DUP_CODE + watched + number + weaver.call("watched", WATCHED_CALL)
    else:
        told = kept + (DUP2_CODE if LOADS[letter][2] == 2 else DUP_CODE) + watched + number
        told += weaver.call(f"watched{letter}", f"({letter}[Ljava/lang/Object;I)V".encode())
    insert_call_exits(weaver, made + told, MOST_STACK + needed)
    ranges = weaver.handled()
    if ranges:
        weaver.handle(DUP_CODE + load + number + weaver.call("watchedThrown", WATCHED_CALL), ranges, MOST_STACK)


def _condition_at_end(
    weaver: MethodWeaver, wanted: Wanted, load: bytes, further: FurtherFields | None
) -> tuple[bytes, bytes, int]:
    """The code that keeps the result for the condition, the code that pushes the array, or null if code finds the
    condition false, and the stack that this needs."""
    about_result = [path for path in paths_in(wanted.left) if path.root == "result"] if wanted.left is not None else []
    if wanted.left is None or not about_result or wanted.method.result == "V":
        return b"", load, 0
    operands = KeptOperand("result", wanted.method.result, weaver.scratch())
    conditions = ConditionValue(operands, wanted.method.class_name, weaver.pool, further)
    kept = (DUP2_CODE if LOADS[wanted.method.result[0]][2] == 2 else DUP_CODE) + operands.store()
    only_if = weaver.call("onlyIf", b"(I[Ljava/lang/Object;)[Ljava/lang/Object;")
    return kept, conditions.code(wanted.left) + load + only_if, conditions.stack(wanted.left)


def record(probe: Probe, slot: int, method: str, descriptor: str) -> Record:
    """The record for the agent and for reports."""
    wanted = probe.detail
    assert isinstance(wanted, Wanted)
    shown = [
        (written(path), hidden, wanted.name(path)) for path, hidden in zip(wanted.paths, wanted.masked, strict=True)
    ]
    return record_of(probe, slot, method, descriptor, wanted, shown)


def record_of(
    probe: Probe, slot: int, method: str, descriptor: str, wanted: Wanted, shown: list[tuple[str, bool, str]]
) -> Record:
    """The same, given what agent_words.fields is to be told of what is shown."""
    fields = agent_words.fields(wanted.rule, wanted.shown.frames, shown, prefix(wanted.left), wanted.secret_exception)
    return WatchRecord(probe.kind, slot, probe.rule, method, descriptor, *fields)
