"""A value of `by` of a rule `context`: the path to what names the context, such as `arg0.method` or `this.tenant`."""

from __future__ import annotations

from classhook.measures.event import LOADS
from classhook.measures.watch.agent_words import written
from classhook.measures.watch.insertion import names
from classhook.measures.watch.watched_method import WatchedMethod
from classhook.probes.method_weaver import local_op
from classhook.rules.clause_values import is_of_end, wrong_text
from classhook.rules.condition_tokens import Wrong
from classhook.rules.conditions import Path
from classhook.rules.path_parser import path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.classfile.code import Code
    from classhook.probes.measure import Planning
    from classhook.probes.method_weaver import MethodWeaver
    from classhook.rules.words import Mistaken


class Root:
    """Pushes the object or the boxed number at which a path begins."""

    __slots__ = ("kind", "local")

    def __init__(self, kind: str, local: int) -> None:
        self.kind = kind
        self.local = local

    def bare(self, weaver: MethodWeaver) -> bytes:
        """Pushes it as it is."""
        opcode, short, _, _ = LOADS[self.kind[0]]
        return local_op(opcode, short, self.local)

    def code(self, weaver: MethodWeaver) -> bytes:
        opcode, short, _, box = LOADS[self.kind[0]]
        boxed = weaver.call(box, f"({self.kind})Ljava/lang/Object;".encode()) if box else b""
        return local_op(opcode, short, self.local) + boxed


class InLocal(Root):
    """Pushes the value of a local at a line: a whole number as it is, any other value as an object. `descriptor`: the
    value's type."""

    __slots__ = ("descriptor",)

    def __init__(self, descriptor: str, local: int) -> None:
        super().__init__(descriptor[0] if descriptor[0] in "BSIJ" else "L", local)
        self.descriptor = descriptor

    def bare(self, weaver: MethodWeaver) -> bytes:
        root = Root(self.descriptor, self.local)
        return root.code(weaver) if self.kind == "L" else root.bare(weaver)

    def code(self, weaver: MethodWeaver) -> bytes:
        return Root(self.descriptor, self.local).code(weaver)


EXPECTED = "`this`, `arg0`, a parameter's name, and fields behind a dot: `arg0.tenant`"


def read(text: str) -> Path:
    """Raises Wrong."""
    try:
        found = path(text.strip())
    except Wrong as wrong:
        raise Wrong(wrong.at, wrong.message, EXPECTED) from None
    if found.root == "thread" or found.static[0]:
        raise Wrong(
            0,
            f"`{found.root}` does not tell calls of a method apart here",
            EXPECTED,
        )
    if is_of_end(text):
        raise Wrong(
            0,
            f"the value is read at the entry, before there is `{found.root}`",
            EXPECTED,
        )
    return found


def wrong(value: str) -> Mistaken | None:
    return wrong_text(read, value)


def root_of(planning: Planning, code: Code, index: int, by: str) -> tuple[str, Root | None]:
    """The path of the rule with this index, as the agent reads it, and its root; None if the method does not have
    it."""
    rule = planning.rules.rules[index]
    method = WatchedMethod(planning.cf, planning.method, code)
    asked = read(by)
    misfit, wanted = method.misfit(asked), method.meant(asked)
    if not misfit and wanted.root == "this" and method.constructor:
        misfit = f"`{wanted}`: a constructor has no `this` when it begins"
    doubt = misfit or method.doubt(asked)
    if doubt and names(rule, method):
        planning.unfit.setdefault((index, doubt), planning.method)
    if misfit:
        return "", None
    if wanted.root == "this":
        return written(wanted), Root("L", 0)
    return written(wanted), Root(method.types[wanted.argument], method.locals[wanted.argument])
