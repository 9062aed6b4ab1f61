"""Code that compiler plugins of Kotlin generate: kotlinx.serialization and Compose."""

from __future__ import annotations

from classhook.classfile.opcodes import DUP, IFEQ, IFNE, IFNULL, INVOKEINTERFACE, INVOKEVIRTUAL, POP
from classhook.coverage.class_info import INVISIBLE, parameters
from classhook.coverage.code_marks import FRAME, LINE
from classhook.coverage.filters.base import ACC_SYNTHETIC, begins
from classhook.coverage.pattern import Pattern, fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.coverage.filter_effects import Effects
    from classhook.coverage.method_body import Body

SERIALIZER: Final = b"()Lkotlinx/serialization/KSerializer;"
CONSTRUCTOR_MARKER: Final = b"Lkotlinx/serialization/internal/SerializationConstructorMarker;"
OF_INSTANCE: Final = Pattern("getstatic *.INSTANCE ; checkcast kotlinx/serialization/KSerializer ; areturn")
OF_CACHE: Final = Pattern(
    "aload this ; invokespecial THIS.get$cachedSerializer()Lkotlinx/serialization/KSerializer; ; areturn"
)
MADE_NAMES: Final = (b"get$cachedSerializer", b"_init_$_anonymous_*", b"_childSerializers$_anonymous_*")
NEVER: Final = -2
COMPOSABLE: Final = b"Landroidx/compose/runtime/Composable;"
COMPOSER: Final = b"androidx/compose/runtime/Composer"


def serializable(body: Body, effects: Effects) -> None:
    method = body.method
    memory = body.cls.memory
    if method.name == b"<init>" and method.descriptor == b"()V" and body.cls.name.endswith(b"$Companion"):
        memory["line"] = body.line_marks[body.first_line_mark()][0] if body.line_marks else -1
    elif method.name == b"serializer" and method.descriptor == SERIALIZER:
        if _returns_instance(body, memory.get("line", NEVER)) or begins(body, OF_CACHE):
            effects.ignore_all()
    elif method.access & ACC_SYNTHETIC:
        types = parameters(method.descriptor)
        made = method.descriptor == SERIALIZER and any([fits(name, method.name) for name in MADE_NAMES])
        if made or method.name.startswith(b"write$Self$") or (len(types) > 1 and types[-1] == CONSTRUCTOR_MARKER):
            effects.ignore_all()


def _returns_instance(body: Body, line: int) -> bool:
    if not begins(body, OF_INSTANCE) or not body.marks[0] & LINE or body.marks[0] & FRAME:
        return False
    return line == -1 or line == body.lines[0]


def compose(body: Body, effects: Effects) -> None:
    if not body.method.has_note(INVISIBLE, COMPOSABLE):
        return
    for i in range(body.count - 1):
        if INVOKEVIRTUAL <= body.ops[i] <= INVOKEINTERFACE and not body.marks[i + 1]:
            owner, name, descriptor = body.member(i)
            found = CALLS.get((owner, name + descriptor))
            if found is not None:
                found(body, effects, i)


def _should_execute(body: Body, effects: Effects, i: int) -> None:
    if body.ops[i + 1] == IFEQ:
        effects.ignore(0, i + 2)


def _skipping(body: Body, effects: Effects, i: int) -> None:
    if body.ops[i + 1] == IFNE:
        effects.ignore(0, i + 2)
        effects.ignore(body.targets[i + 1], body.count)


def _restart(body: Body, effects: Effects, i: int) -> None:
    if body.ops[i + 1] == DUP and body.ops[i + 2] == IFNULL and not body.marks[i + 2]:
        target = body.targets[i + 2]
        if body.ops[target] == POP:
            effects.ignore(i + 2, target + 1)


def _tracing(body: Body, effects: Effects, i: int) -> None:
    if body.ops[i + 1] == IFEQ:
        effects.ignore(i + 1, body.targets[i + 1])


# owner, name and descriptor of a call -> what is generated behind it
CALLS: Final[dict[tuple[bytes, bytes], Callable[[Body, Effects, int], None]]] = {
    (COMPOSER, b"shouldExecute(ZI)Z"): _should_execute,
    (COMPOSER, b"getSkipping()Z"): _skipping,
    (COMPOSER, b"endRestartGroup()Landroidx/compose/runtime/ScopeUpdateScope;"): _restart,
    (b"androidx/compose/runtime/ComposerKt", b"isTraceInProgress()Z"): _tracing,
}
