"""Compares classfile.dump of a class before and after weaving: only what was inserted may differ.

1. A method's text is parsed: instructions and, by their place (the number of the next instruction), lines, frames and
   labels.
2. From the woven method, each call of the tracker is removed with its operands, and so is the handler. A `goto_w` that
   serves as a trampoline is removed and replaced by its target.
3. Jumps to an instruction must skip an exit probe before it, and no other probe. No exception range contains an entry
   or exit probe. The ranges of the inserted handler contain everything but returns, except in constructors and where
   monitors are held.
4. Labels become places, adjacent ranges of one handler are joined, and then both texts must be the same.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

TRACKER = "invokestatic java/lang/ClasshookTracker."
#: By the tracker's method: how many instructions before and after the call were inserted with it.
AROUND = {
    "enter": (1, 1),
    "enterTree": (1, 1),
    "caught": (1, 0),
    "exit": (1, 0),
    "thrown": (1, 1),
    "count": (1, 0),
    "allocated": (1, 0),
    "arrays": (2, 0),
    "array1": (3, 0),
    "array2": (3, 0),
    "array4": (3, 0),
    "array8": (3, 0),
    "arrayRef": (3, 0),
    "mounted": (1, 0),
    "unmounting": (0, 0),
    "due": (1, 4),
    "exitPaced": (1, 0),
    "thrownPaced": (2, 1),
}
#: For those that contain a jump: its distance after the call, in instructions, and its target.
JOINS = {"due": (2, 4)}
CAUGHT = r"(wide )?iload.*;ldc(_w)? \d+;athrow"
OPERANDS = {
    "enterTree": r"ldc(_w)? \d+;(wide )?istore.*",
    "caught": r"(wide )?iload.*",
    "enter": r"ldc(_w)? \d+;(wide )?istore.*",
    "exit": r"(wide )?iload.*",
    "thrown": r"(wide )?iload.*;athrow",
    "count": r"ldc(_w)? \d+",
    "allocated": r"ldc(_w)? \d+",
    "arrays": r"dup;ldc(_w)? \d+",
    "mounted": r"aload_0",
    "unmounting": "",
    "due": r"ldc(_w)? \d+;dup;ifeq L\d+;invokestatic java/lang/ClasshookTracker.enterDue:\(I\)I;(wide )?istore.*",
    "thrownPaced": CAUGHT,
    "exitPaced": r"(wide )?iload.*",
}
ARRAY_OPERANDS = r"dup;arraylength;ldc(_w)? \d+"
#: Jumps to an instruction skip these before it, and no others.
ALWAYS_RUN = ("exit", "exitPaced", "mounted", "caught")
#: These may lie in exception ranges.
GUARDED = ("allocated", "array1", "array2", "array4", "array8", "arrayRef", "arrays", "caught")
RETURNS = ("return", "ireturn", "lreturn", "freturn", "dreturn", "areturn")
#: Attributes of Code with bytecode offsets that the dump shows as bytes.
BY_LENGTH = ("RuntimeVisibleTypeAnnotations", "RuntimeInvisibleTypeAnnotations", "CharacterRangeTable")
LABEL = re.compile(r"(?<=[ :@])L\d+\b")
NEW_LABEL = re.compile(r"(?<=new@)L\d+\b")
GOTO = re.compile(r"(goto|jsr)(_w)? ")
JUMPS = re.compile(r"(goto|jsr|if\w*)(_w)? L\d+$")


class Difference(Exception):
    """The classes differ; the text says how."""


@dataclass(slots=True)
class MethodText:
    """A method's dump. `instructions` in order; `places`: label -> number of the instruction that follows it."""

    head: str
    stack: int = -1
    locals: int = -1
    instructions: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    lines: list[tuple[int, str]] = field(default_factory=list)
    frames: list[tuple[int, list[str], str]] = field(default_factory=list)
    catches: list[tuple[str, str, str, str]] = field(default_factory=list)
    variables: list[tuple[str, str, str]] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)


def methods(dump: str) -> tuple[list[str], list[MethodText]]:
    """The class's own lines, and its methods."""
    own: list[str] = []
    found: list[MethodText] = []
    in_method = False
    for line in dump.split("\n"):
        if not line:
            in_method = False
        elif line.startswith("method "):
            found.append(MethodText(line))
            in_method = True
        elif in_method:
            _take(found[-1], line)
        else:
            own.append(line)
    return own, found


def _take(method: MethodText, line: str) -> None:
    at = len(method.instructions)
    if line.startswith("      "):
        method.instructions.append(line[6:])
    elif line.startswith("   L"):
        method.places[line[3:-1]] = at
    elif line.startswith("    line "):
        method.lines.append((at, line[9:]))
    elif line.startswith("    frame ["):
        locals_, stack = line[11:-1].split("] [", 1) if "] [" in line else ("", "")
        method.frames.append((at, locals_.split(), stack))
    elif line.startswith("    catch "):
        caught, start, end, handler = line[10:].rsplit(" ", 3)
        method.catches.append((caught, start, end, handler))
    elif line.startswith(("    var ", "    type ")):
        text, start, end = line[4:].rsplit(" ", 2)
        method.variables.append((text, start, end))
    elif line.startswith("  stack "):
        _, stack, _, locals_ = line.split()
        method.stack, method.locals = int(stack), int(locals_)
    else:
        method.rest.append(line)


def compare(before: str, after: str) -> Counter[str]:
    """Compares the dumps; returns how often the woven class calls each of the tracker's methods. Raises Difference."""
    own_before, old = methods(before)
    own_after, new = methods(after)
    if own_before != own_after:
        raise Difference(f"the class itself: {_first(own_before, own_after)}")
    if len(old) != len(new):
        raise Difference(f"{len(old)} methods, then {len(new)}")
    calls: Counter[str] = Counter()
    for one, other in zip(old, new, strict=True):
        timed = _take_out(one, other)
        text, woven = _normal(one, False), _normal(other, timed)
        if text != woven:
            raise Difference(f"{one.head}: {_first(text, woven)}")
        extra = other.locals - one.locals
        if extra != timed or not one.stack <= other.stack <= one.stack + 3:
            raise Difference(
                f"{one.head}: stack {one.stack} locals {one.locals}, then stack {other.stack} locals {other.locals}"
            )
        calls += other.calls
    return calls


def _first(before: list[str], after: list[str]) -> str:
    for one, other in zip(before, after, strict=False):
        if one != other:
            return f"{one!r}, then {other!r}"
    return f"{len(before)} lines, then {len(after)}: {(before[len(after) :] + after[len(before) :])[0]!r}"


def _take_out(old: MethodText, new: MethodText) -> bool:
    """Removes what was inserted, and references to it; returns whether the method is timed."""
    instructions = new.instructions
    gone: set[int] = set()
    landing: dict[
        int, int
    ] = {}  # first instruction of an inserted group -> where jumps to it land: after the group, or on it
    inner: set[int] = set()
    unguarded: set[int] = set()
    handlers: list[int] = []  # two in a constructor that sets strict fields: the second one before super()
    handlers_end = len(instructions)
    own_jumps: dict[int, int] = {}  # inserted jumps: place -> target
    for at, text in enumerate(instructions):
        if not text.startswith(TRACKER) or at in gone:
            continue
        name = text[len(TRACKER) :].partition(":")[0]
        before, behind = AROUND[name]
        around = instructions[at - before : at] + instructions[at + 1 : at + 1 + behind]
        if not re.fullmatch(OPERANDS.get(name, ARRAY_OPERANDS), ";".join(around)):
            raise Difference(f"{old.head}: {text} with {around}")
        places = range(at - before, at + behind + 1)
        if not gone.isdisjoint(places):
            raise Difference(f"{old.head}: {text} within another insertion")
        gone.update(places)
        inner.update(places[1:])
        if name not in GUARDED:
            unguarded.update(places)
        landing[at - before] = at - before if name in ALWAYS_RUN else places[-1] + 1
        new.calls[name] += 1
        if name in JOINS:
            jump, join = (at + offset for offset in JOINS[name])
            own_jumps[jump] = join
            if new.places[instructions[jump].split()[1]] != join:
                raise Difference(f"{old.head}: {instructions[jump]} goes somewhere else")
        if "thrown" in name.lower():
            if handlers and handlers_end != at - before:
                raise Difference(f"{old.head}: the handler is not at the end")
            handlers.append(at - before)
            handlers_end = at + behind + 1
    if handlers_end != len(instructions):
        raise Difference(f"{old.head}: the handler is not at the end")
    new.frames = [frame for frame in new.frames if frame[0] not in own_jumps.values()]
    trampolines = _trampolines(old.instructions, [(at, text) for at, text in enumerate(instructions) if at not in gone])
    targets = {at: instructions[at].split()[1] for at in trampolines}
    gone |= trampolines
    _check_landings(old.head, new, landing, inner, trampolines, set(handlers), own_jumps)
    covered: dict[bool, set[int]] = {False: set(), True: set()}
    for entry in new.catches:
        covered[new.places[entry[3]] in handlers].update(range(new.places[entry[1]], new.places[entry[2]]))
    if inside := unguarded & (covered[True] | covered[False]):
        raise Difference(f"{old.head}: an exception range has {instructions[min(inside)]} in it")
    if handlers and " <init>(" not in old.head and "monitorenter" not in instructions:
        seen = covered[True] | gone
        left = [text for at, text in enumerate(instructions) if at not in seen]
        if not set(left) <= set(RETURNS):
            raise Difference(f"{old.head}: our handler does not cover {left}")
    if handlers:  # their frames, and their entries in the exception table
        new.frames = [frame for frame in new.frames if frame[0] not in handlers]
        own = {label for label, place in new.places.items() if place in handlers}
        kept = [entry for entry in new.catches if entry[0] != "any" or entry[3] not in own]
        if kept != new.catches[: len(kept)] or len(kept) == len(new.catches):
            raise Difference(f"{old.head}: our handler's entries are not the last ones")
        new.catches = kept
    new.frames = [frame for frame in new.frames if frame[0] not in trampolines]
    # the new place of each old place
    number = 0
    now = []
    for at in range(len(instructions) + 1):
        now.append(number)
        number += at not in gone
    new.instructions = [text for at, text in enumerate(instructions) if at not in gone]
    old_places = dict(new.places)
    for label, place in old_places.items():
        while place in targets:  # a jump to a trampoline goes to its target
            place = old_places[targets[place]]
        new.places[label] = now[place]
    new.lines = [(now[at], text) for at, text in new.lines]
    new.frames = [(now[at], locals_, stack) for at, locals_, stack in new.frames]
    return any(entry in new.calls for entry in ("enter", "enterTree", "due", "push"))


def _check_landings(
    head: str,
    new: MethodText,
    landing: dict[int, int],
    inner: set[int],
    trampolines: set[int],
    handler: set[int],
    own_jumps: dict[int, int],
) -> None:
    """Checks that jumps, handlers, lines and frames are where jumps land, and that no range begins or ends within an
    insertion."""

    def lands(at: int) -> bool:
        # no jump lands after an exit probe without running it
        first = next((start for start, to in landing.items() if start == to and at == start + 2), -1)
        return at in trampolines | handler or (at not in inner and landing.get(at, at) == at and first < 0)

    jumped = {
        label
        for at, text in enumerate(new.instructions)
        if (JUMPS.match(text) or "switch " in text) and at not in own_jumps
        for label in LABEL.findall(text)
    }
    jumped |= {entry[3] for entry in new.catches}
    for label in jumped:
        if not lands(new.places[label]):
            raise Difference(f"{head}: a jump or handler at {label} within or beside what was inserted")
    for at, text in [*new.lines, *((at, "frame") for at, _, _ in new.frames)]:
        if at and not lands(at):
            raise Difference(f"{head}: {text} within or beside what was inserted")
    for label in {label for entry in new.catches for label in entry[1:3]} | {
        label for entry in new.variables for label in entry[1:]
    }:
        if new.places[label] in inner:
            raise Difference(f"{head}: a range ends within what was inserted, at {label}")


def _trampolines(old: list[str], kept: list[tuple[int, str]]) -> set[int]:
    """Finds, among the woven instructions that are kept (with their numbers), the inserted `goto_w`.

    They are inserted before the original instruction: in a run of gotos, the first ones are the inserted ones.
    """
    found: set[int] = set()
    extra = len(kept) - len(old)
    i = j = 0
    while extra > 0 and j < len(kept):
        run = 0
        while j + run < len(kept) and kept[j + run][1].startswith("goto"):
            run += 1
        theirs = 0
        while i + theirs < len(old) and old[i + theirs].startswith("goto"):
            theirs += 1
        for k in range(run - theirs):
            found.add(kept[j + k][0])
            extra -= 1
        i += theirs + (run == 0)
        j += max(run, theirs) + (run == 0)
    return found


def _normal(method: MethodText, timed: bool) -> list[str]:
    """The method's text with places instead of labels."""
    places = method.places

    def place(match: re.Match[str]) -> str:
        return f"@{places[match[0]]}"

    found = [method.head]
    for text in method.instructions:
        if JUMPS.match(text):
            text = GOTO.sub(r"\1 ", LABEL.sub(place, text))
        elif text.startswith(("tableswitch", "lookupswitch")):
            text = LABEL.sub(place, text)
        found.append(text)
    found += [f"line {line} {at}" for at, line in method.lines]
    for at, locals_, stack in method.frames:
        if timed:
            if locals_[-1:] != ["int"]:
                raise Difference(f"{method.head}: a frame without the new local: {locals_}")
            locals_ = locals_[:-1]
        while locals_ and locals_[-1] == "top":
            locals_ = locals_[:-1]
        found.append(f"frame {at} " + NEW_LABEL.sub(place, f"{' '.join(locals_)} | {stack}"))
    joined: list[tuple[str, int, int, int]] = []
    for caught, start_label, end_label, handler_label in method.catches:
        start, end, handler = places[start_label], places[end_label], places[handler_label]
        if start == end:
            continue
        if joined and joined[-1][0] == caught and joined[-1][2:] == (start, handler):
            start = joined.pop()[1]
        joined.append((caught, start, end, handler))
    found += [f"catch {entry}" for entry in joined]
    found += [f"{text} {places[start]} {places[end]}" for text, start, end in method.variables]
    return found + [_by_length(line) for line in method.rest]


def _by_length(line: str) -> str:
    words = line.split()
    if line.startswith("    ") and len(words) == 2 and words[0] in BY_LENGTH:
        return f"{words[0]} of {len(words[1])} digits"
    return line
