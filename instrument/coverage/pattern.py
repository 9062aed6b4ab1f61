"""Patterns of instructions, written as text: what compilers make of a construct of the source.

A pattern is a list of steps, separated by ` ; `. A step is the names of opcodes in their general form, separated by
`|`, or a group (GROUPS); then, depending on them:

- `aload x`: a local variable; the same name must be the same slot each time.
- `invokevirtual owner.name(descriptor)`, `getstatic owner.name`, `new type`: constants. `*` stands for any text in an
  owner, a name or a type; `{O}` is an owner that must be the same each time, `THIS` the class itself; a descriptor may
  be left out.
- `ldc "text`: a String that begins with the text.
- `ifnull -> x`: a jump; the same name must be the same label each time. `x:` alone says that this label is here.
- `~` in front: nothing but instructions lies between this one and the one before.

`Match.at` compares; what it binds is in `slots`, `labels` and `owners`, and is taken by the patterns that follow.
"""

from __future__ import annotations

from classhook.classfile.opcodes import ICONST_M1, IRETURN, LDC, LOOKUPSWITCH, NAMES, RETURN, TABLESWITCH
from classhook.coverage.method_body import GENERAL, Body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

GROUPS: Final = {
    "any": range(256),
    "xreturn": range(IRETURN, RETURN),
    "switch": range(TABLESWITCH, LOOKUPSWITCH + 1),
    "number": range(ICONST_M1, LDC + 1),  # constants
}
_NUMBERS: Final = {name: GENERAL[op] for op, name in enumerate(NAMES)}
NOWHERE: Final = -1


class Step:
    """One step: the opcodes that fit, and what their operands must be."""

    __slots__ = ("descriptor", "direct", "here", "label", "name", "ops", "owner", "slot", "text")

    def __init__(self) -> None:
        self.ops: bytes = b""
        self.direct: bool = False
        self.slot: str = ""
        self.owner: bytes = b""
        self.name: bytes = b""
        self.descriptor: bytes = b""
        self.text: bytes = b""
        self.label: str = ""
        self.here: str = ""


class Pattern:
    """Steps, compiled from text; `first`: the opcodes that the first one takes."""

    __slots__ = ("first", "steps")

    def __init__(self, text: str) -> None:
        self.steps: list[Step] = [_step(part.strip()) for part in " ".join(text.split()).split(" ;")]
        self.first: bytes = self.steps[0].ops


def _step(text: str) -> Step:
    step = Step()
    if text.endswith(":") and " " not in text:
        step.here = text[:-1]
        return step
    step.direct = text.startswith("~")
    names, _, operand = text.lstrip("~").partition(" ")
    ops: set[int] = set()
    for name in names.split("|"):
        ops.update(GROUPS[name] if name in GROUPS else [_NUMBERS[name]])
    step.ops = bytes(sorted(ops))
    if operand.startswith("-> "):
        step.label = operand[3:]
    elif operand.startswith('"'):
        step.text = operand[1:].encode()
    elif names.endswith(("load", "store", "iinc", "ret")) and operand:
        step.slot = operand
    elif operand:
        owner, _, member = operand.partition(".")
        step.owner = owner.encode()
        name, bracket, rest = member.partition("(")
        step.name = name.encode()
        step.descriptor = (bracket + rest).encode()
    return step


class Match:
    """A comparison of patterns with a method: what names stand for so far."""

    __slots__ = ("body", "labels", "owners", "slots")

    def __init__(self, body: Body) -> None:
        self.body: Body = body
        self.slots: dict[str, int] = {}
        self.labels: dict[str, int] = {}
        self.owners: dict[bytes, bytes] = {}

    def copy(self) -> Match:
        """The same bindings, apart."""
        new = Match(self.body)
        new.slots = self.slots.copy()
        new.labels = self.labels.copy()
        new.owners = self.owners.copy()
        return new

    def at(self, i: int, pattern: Pattern) -> int:
        """Compares the pattern with the instructions from i on: the index after it, or NOWHERE (then bindings are
        undefined)."""
        body = self.body
        count = body.count
        for step in pattern.steps:
            if step.here:
                if self.labels.setdefault(step.here, i) != i:
                    return NOWHERE
                continue
            if i >= count or body.ops[i] not in step.ops or (step.direct and body.marks[i]):
                return NOWHERE
            if step.slot:
                slot = body.slot(i)
                if self.slots.setdefault(step.slot, slot) != slot:
                    return NOWHERE
            elif step.label:
                target = body.targets[i]
                if self.labels.setdefault(step.label, target) != target:
                    return NOWHERE
            elif (step.owner and not self._names(i, step)) or (
                step.text and not body.cls.text(body.index(i)).startswith(step.text)
            ):
                return NOWHERE
            i += 1
        return i

    def _names(self, i: int, step: Step) -> bool:
        """True if instruction i names what the step wants."""
        body = self.body
        index = body.index(i)
        if body.cls.pool.tag(index) == 7:
            return fits(step.owner, body.cls.pool.class_name_bytes(index))
        owner, name, descriptor = body.cls.member(index)
        if not fits(step.name, name) or (step.descriptor and not fits(step.descriptor, descriptor)):
            return False
        if step.owner == b"THIS":
            return owner == body.cls.name
        if step.owner[0] == 0x7B:  # {
            return self.owners.setdefault(step.owner, owner) == owner
        return fits(step.owner, owner)


def fits(pattern: bytes, text: bytes) -> bool:
    """True if the text is the pattern, in which each `*` stands for any text."""
    if b"*" not in pattern:
        return pattern == text
    parts = pattern.split(b"*")
    if len(text) < len(pattern) - len(parts) + 1 or not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return False
    at = len(parts[0])
    for part in parts[1:-1]:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return at <= len(text) - len(parts[-1])


def find_each(body: Body, pattern: Pattern) -> list[tuple[int, int, Match]]:
    """The places where the pattern fits: (first instruction, the one after it, what names stand for), in order."""
    found: list[tuple[int, int, Match]] = []
    for op in pattern.first:
        for i in body.each(op):
            match = Match(body)
            end = match.at(i, pattern)
            if end != NOWHERE:
                found.append((i, end, match))
    found.sort(key=lambda place: place[0])
    return found
