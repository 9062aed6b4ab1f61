"""Names and stacks in a data file (native/locks/stack_traces.c, native/sampling/java_stacks.c).

A stack is a path in a tree, whose frames are described with their lines.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import NamedTuple

from classhook.base.names import PRIMITIVES, printable, shortened
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.pool import decode_utf8
from classhook.native._layout import ffi, lib
from classhook.store.region import Region

TREE_BYTES = ffi.sizeof("struct ch_tree")
NODE_BYTES = ffi.sizeof("struct ch_node")
MOST_FRAMES = 256  # of a stack
NATIVE = -3  # a line, of a native method; as in HPROF's form
LONGEST_STACK = 8000  # characters; names in damaged files may be long
ARROW = " <- "
OF_THE_JDK = ("java.", "jdk.", "sun.", "javax.")
LAMBDA = re.compile(r"(?<=\$\$Lambda)[$/].*")  # what differs in each run


class Frame(NamedTuple):
    """`cls` is empty for frames that are not known; `source` may be; `line`: 0 if unknown, or NATIVE; `allocates`: its
    instruction makes objects, or it is not known whether it does."""

    cls: str
    method: str
    descriptor: str
    source: str = ""
    line: int = 0
    allocates: bool = True

    def text(self) -> str:
        """`com.acme.Orders.place(Orders.java:17)`, as in Java's stack traces."""
        if not self.cls:
            return printable(self.method)
        at = f"{self.source or 'Unknown Source'}:{self.line}" if self.line > 0 else self.source or "Unknown Source"
        return printable(f"{self.cls}.{self.method}({at})")


UNKNOWN = Frame("", "[unknown]", "")


class Names:
    """The names that the numbers of a file stand for."""

    def __init__(self) -> None:
        self.frames: dict[int, Frame] = {}
        self.sampled: dict[int, Frame] = {}  # of the rules `cpu` and `profile`
        self.names: dict[int, str] = {}
        self.thread_slots: set[int] = set()  # of threads' names, where these tell them apart

    @cached_property
    def methods(self) -> dict[int, tuple[str, str, str]]:
        """Class, method and descriptor of the sampled frames, when all records are read."""
        return {number: (frame.cls, frame.method, frame.descriptor) for number, frame in self.sampled.items()}

    def add(self, kind: int, number: int, line: int, text: bytes) -> None:
        """A description. Raises ValueError if it is damaged."""
        parts = [_name(part) for part in text.split(b"\0")]
        if kind == lib.CH_META_TRACE_NAME:
            self.names[number] = parts[0]
        elif kind == lib.CH_META_METHOD:
            signature, method, descriptor, source = parts
            # a hidden class is named without its address, which differs in each run
            cls = signature[1:-1].partition(".")[0].replace("/", ".")
            self.sampled[number] = Frame(cls, method, descriptor, source, line_of(line))
        else:
            cls, method, descriptor, source, *more = parts
            self.frames[number] = Frame(type_name(cls), method, descriptor, source, line_of(line), more != ["-"])


def _name(raw: bytes) -> str:
    """A name as the JVM has it, in modified UTF-8."""
    try:
        return shortened(decode_utf8(raw, 0))
    except ClassFormatError:
        return shortened(raw.decode("utf-8", "replace"))


def line_of(recorded: int) -> int:
    """The line of a record."""
    return NATIVE if recorded == lib.CH_NATIVE else recorded


def type_name(signature: str) -> str:
    """`java.util.Map`, `byte[]`; a text that is no signature as it is."""
    element = signature.lstrip("[")
    brackets = "[]" * (len(signature) - len(element))
    if element.startswith("L") and element.endswith(";"):
        return LAMBDA.sub("", element[1:-1].partition(".")[0]).replace("/", ".") + brackets
    return PRIMITIVES[element] + brackets if brackets and element in PRIMITIVES else signature


class Stacks:
    """The stacks of a file, by the numbers of their innermost frames' nodes."""

    def __init__(self, tree: Region, frames: dict[int, Frame]) -> None:
        self._tree = tree
        self._frames = frames
        self._known: dict[int, tuple[Frame, ...]] = {}
        self._texts: dict[int, str] = {}
        self._contexts: dict[int, int] = {}
        self._threads: dict[int, int] = {0: 0}

    def frames_of(self, node: int) -> tuple[Frame, ...]:
        """The innermost frame first; never empty."""
        if node not in self._known:
            found: list[Frame] = []
            at = node
            while at and len(found) < MOST_FRAMES:
                data = self._tree.read(TREE_BYTES + at * NODE_BYTES, NODE_BYTES)
                one = None if data is None else ffi.from_buffer("struct ch_node *", data)
                if one is None or one.parent >= at:
                    break
                if one.slot & lib.CH_CONTEXT_BIT:
                    self._contexts[node] = one.slot & ~lib.CH_CONTEXT_BIT
                elif not one.slot & lib.CH_THREAD:
                    found.append(self._frames.get(one.slot, UNKNOWN))
                at = one.parent
            self._known[node] = tuple(found) or (UNKNOWN,)
        return self._known[node]

    def context(self, node: int) -> int:
        """The slot of the context in which the stack was taken; 0: outside of all."""
        self.frames_of(node)
        return self._contexts.get(node, 0)

    def thread(self, node: int) -> int:
        """The number of the thread whose stack it is, as Java numbers it, or the slot of its name; 0 where threads are
        not told apart."""
        path = []
        while node not in self._threads:
            path.append(node)
            data = self._tree.read(TREE_BYTES + node * NODE_BYTES, NODE_BYTES)
            one = None if data is None else ffi.from_buffer("struct ch_node *", data)
            if one is None or one.parent >= node:
                self._threads[node] = 0
            elif one.slot & lib.CH_THREAD:
                self._threads[node] = one.slot & ~lib.CH_THREAD
            else:
                node = one.parent
        for at in path:
            self._threads[at] = self._threads[node]
        return self._threads[node]

    def key(self, node: int) -> tuple[int, int]:
        """The slot of the context, and the number of the thread."""
        return self.context(node), self.thread(node)

    def text(self, node: int) -> str:
        if node not in self._texts:
            self._texts[node] = text_of(self.frames_of(node))
        return self._texts[node]


def text_of(stack: tuple[Frame, ...]) -> str:
    """The frames of the stack, with arrows between them."""
    return ARROW.join(map(_frame_text, stack))[:LONGEST_STACK]


_frame_text = lru_cache(maxsize=1 << 16)(Frame.text)
