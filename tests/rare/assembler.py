"""A small assembler for classes that no compiler writes (any more): text in, class files out.

One item per line; `#` begins a comment, `label:` may precede anything. The names in `KEYS` are those of JVMS 4.

    .class FLAGS NAME [extends NAME] [implements NAME,NAME] [version MAJOR[.MINOR]]
    .field FLAGS NAME DESCRIPTOR
    .bootstrap OWNER.NAME DESCRIPTOR [CONSTANT]...   the class's next bootstrap method
    .attribute NAME DATA...         of the class or, after .method, of the method
    .pool COUNT                     fills the constant pool up to this constant_pool_count
    .method FLAGS NAME DESCRIPTOR [stack N] [locals N]   # calls 3 exceptions 1
      .catch TYPE FROM TO HANDLER   an exception table entry; type * is any
      .frame LOCALS / STACK         a full frame here: I F D J T(op) N(ull) U(ninitializedThis) Lname; [descriptor
                                    new:LABEL
      .line N                       an entry of the LineNumberTable
      .code NAME DATA...            an attribute of the Code
      .repeat N INSTRUCTION         the instruction N times
      .fill N [LABEL]               nops up to N bytes of code after the label (or the start)
      INSTRUCTION                   aload 3; ifeq L; goto_w L; getstatic A.b I; invokestatic A.b ()V; interface A.b for
                                    an InterfaceMethodref; ldc 5 "text" long:5 double:2 class:A condy:0:name:I;
                                    invokedynamic 0 name ()V; tableswitch LOW DEFAULT L L; lookupswitch DEFAULT 1:L;
                                    wide iinc 300 1

DATA: hex digits; @L the label's offset, @L-M a difference, both two bytes; utf8:text and class:name a pool index.
"""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass, field

FLAGS = {
    "public": 1,
    "private": 2,
    "protected": 4,
    "static": 8,
    "final": 16,
    "super": 32,
    "synchronized": 32,
    "volatile": 64,
    "bridge": 64,
    "varargs": 128,
    "native": 256,
    "interface": 512,
    "abstract": 1024,
    "strict": 2048,
    "synthetic": 4096,
    "module": 0x8000,
}

OPS = (  # noqa: SIM905
    "nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 lconst_0 lconst_1 fconst_0"
    " fconst_1 fconst_2 dconst_0 dconst_1 bipush sipush ldc ldc_w ldc2_w iload lload fload dload aload iload_0 iload_1"
    " iload_2 iload_3 lload_0 lload_1 lload_2 lload_3 fload_0 fload_1 fload_2 fload_3 dload_0 dload_1 dload_2 dload_3"
    " aload_0 aload_1 aload_2 aload_3 iaload laload faload daload aaload baload caload saload istore lstore fstore"
    " dstore astore istore_0 istore_1 istore_2 istore_3 lstore_0 lstore_1 lstore_2 lstore_3 fstore_0 fstore_1 fstore_2"
    " fstore_3 dstore_0 dstore_1 dstore_2 dstore_3 astore_0 astore_1 astore_2 astore_3 iastore lastore fastore dastore"
    " aastore bastore castore sastore pop pop2 dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap iadd ladd fadd dadd isub"
    " lsub fsub dsub imul lmul fmul dmul idiv ldiv fdiv ddiv irem lrem frem drem ineg lneg fneg dneg ishl lshl ishr"
    " lshr iushr lushr iand land ior lor ixor lxor iinc i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s"
    " lcmp fcmpl fcmpg dcmpl dcmpg ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt"
    " if_icmple if_acmpeq if_acmpne goto jsr ret tableswitch lookupswitch ireturn lreturn freturn dreturn areturn"
    " return getstatic putstatic getfield putfield invokevirtual invokespecial invokestatic invokeinterface"
    " invokedynamic new newarray anewarray arraylength athrow checkcast instanceof monitorenter monitorexit wide"
    " multianewarray ifnull ifnonnull goto_w jsr_w"
).split()
OPCODES = {name: op for op, name in enumerate(OPS)}
ARRAYS = {"boolean": 4, "char": 5, "float": 6, "double": 7, "byte": 8, "short": 9, "int": 10, "long": 11}
SIMPLE_TYPES = {"T": 0, "I": 1, "F": 2, "D": 3, "J": 4, "N": 5, "U": 6}
WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
CALLS = re.compile(r"#\s*calls (\d+)(?: completed (\d+))?(?: exceptions (\d+))?")
JUMPS = {*OPS[153:169], "ifnull", "ifnonnull"}


def u2(number: int) -> bytes:
    return number.to_bytes(2, "big")


def u4(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "big")


class Pool:
    """A constant pool under construction."""

    def __init__(self) -> None:
        self.entries: dict[bytes, int] = {}
        self.count = 1

    def add(self, entry: bytes) -> int:
        index = self.entries.get(entry)
        if index is None:
            index = self.entries[entry] = self.count
            self.count += 2 if entry[0] in (5, 6) else 1
        return index

    def utf8(self, text: str) -> int:
        raw = text.encode("utf-8", "surrogatepass")
        return self.add(b"\1" + u2(len(raw)) + raw)

    def class_(self, name: str) -> int:
        return self.add(b"\7" + u2(self.utf8(name)))

    def pair(self, name: str, descriptor: str) -> int:
        return self.add(b"\x0c" + u2(self.utf8(name)) + u2(self.utf8(descriptor)))

    def member(self, tag: int, owner: str, descriptor: str) -> int:
        class_name, _, name = owner.rpartition(".")
        return self.add(bytes((tag,)) + u2(self.class_(class_name)) + u2(self.pair(name, descriptor)))

    def constant(self, word: str) -> int:
        """A loadable constant from its text."""
        kind, _, rest = word.partition(":")
        if word.startswith('"'):
            return self.add(b"\x08" + u2(self.utf8(json.loads(word))))
        if kind == "long":
            return self.add(b"\5" + int(rest).to_bytes(8, "big", signed=True))
        if kind == "double":
            return self.add(b"\6" + struct.pack(">d", float(rest)))
        if kind == "float":
            return self.add(b"\4" + struct.pack(">f", float(rest)))
        if kind == "class":
            return self.class_(rest)
        if kind == "type":
            return self.add(b"\x10" + u2(self.utf8(rest)))
        if kind == "handle":  # handle:6:A.b()V, a static method
            reference, _, member = rest.partition(":")
            owner, _, tail = member.partition("(")
            return self.add(bytes((15, int(reference))) + u2(self.member(10, owner, "(" + tail)))
        if kind == "condy":
            index, name, descriptor = rest.split(":")
            return self.add(b"\x11" + u2(int(index)) + u2(self.pair(name, descriptor)))
        return self.add(b"\3" + u4(int(word)))

    def fill(self, count: int) -> None:
        number = 0x40000000
        while self.count < count:
            self.add(b"\3" + u4(number))
            number += 1

    def bytes(self) -> bytes:
        return u2(self.count) + b"".join(self.entries)


@dataclass
class Part:
    """A piece of code: bytes, or something that depends on label positions."""

    op: str
    raw: bytes = b""
    targets: list[str] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)


@dataclass
class Method:
    flags: int
    name: str
    descriptor: str
    stack: int
    locals: int
    parts: list[Part] = field(default_factory=list)
    catches: list[tuple[str, str, str, str]] = field(default_factory=list)
    frames: list[tuple[int, list[str], list[str]]] = field(default_factory=list)  # index of the part that follows
    lines: list[tuple[int, int]] = field(default_factory=list)
    code_attributes: list[tuple[str, list[str]]] = field(default_factory=list)
    attributes: list[tuple[str, list[str]]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)  # index of the part that follows


@dataclass(frozen=True)
class Calls:
    """A comment's expectations for a method."""

    calls: int
    completed: int
    exceptions: int


class Assembler:
    """One class."""

    def __init__(self, line: list[str]) -> None:
        self.pool = Pool()
        self.major, self.minor = 49, 0
        words = list(line)
        found: dict[str, str] = {}
        for key in ("version", "implements", "extends"):
            if key in words:
                at = words.index(key)
                found[key] = words[at + 1]
                del words[at : at + 2]
        if "version" in found:
            major, _, minor = found["version"].partition(".")
            self.major, self.minor = int(major), int(minor or 0)
        self.name = words.pop()
        self.flags = sum(FLAGS[word] for word in words)
        self.super_name = found.get("extends", "java/lang/Object")
        self.interfaces = found["implements"].split(",") if "implements" in found else []
        self.fields: list[bytes] = []
        self.methods: list[Method] = []
        self.attributes: list[tuple[str, list[str]]] = []
        self.bootstraps: list[bytes] = []
        self.fill = 0
        self.calls: dict[tuple[str, str], Calls] = {}

    def line(self, words: list[str], comment: str) -> None:
        """Processes one line."""
        head, rest = words[0], words[1:]
        if head == ".field":
            self.fields.append(
                u2(sum(FLAGS[w] for w in rest[:-2]))
                + u2(self.pool.utf8(rest[-2]))
                + u2(self.pool.utf8(rest[-1]))
                + u2(0)
            )
        elif head == ".bootstrap":
            handle = self.pool.constant("handle:6:" + rest[0] + rest[1])
            self.bootstraps.append(
                u2(handle) + u2(len(rest) - 2) + b"".join(u2(self.pool.constant(word)) for word in rest[2:])
            )
        elif head == ".pool":
            self.fill = int(rest[0])
        elif head == ".attribute":
            (self.methods[-1].attributes if self.methods else self.attributes).append((rest[0], rest[1:]))
        elif head == ".method":
            self.method(rest, comment)
        else:
            self.code_line(self.methods[-1], words)

    def method(self, words: list[str], comment: str) -> None:
        numbers = {"stack": 4, "locals": 4}
        for key in numbers:
            if key in words:
                at = words.index(key)
                numbers[key] = int(words[at + 1])
                del words[at : at + 2]
        flags = sum(FLAGS[word] for word in words[:-2])
        method = Method(flags, words[-2], words[-1], numbers["stack"], numbers["locals"])
        self.methods.append(method)
        if found := CALLS.search(comment):
            calls, exceptions = int(found[1]), int(found[3] or 0)
            completed = int(found[2]) if found[2] else calls
            self.calls[method.name, method.descriptor] = Calls(calls, completed, exceptions)

    def code_line(self, method: Method, words: list[str]) -> None:
        head, rest = words[0], words[1:]
        if head.endswith(":") and not head.startswith('"'):
            method.labels[head[:-1]] = len(method.parts)
            if rest:
                self.code_line(method, rest)
        elif head == ".catch":
            method.catches.append((rest[0], rest[1], rest[2], rest[3]))
        elif head == ".frame":
            slash = rest.index("/")
            method.frames.append((len(method.parts), rest[:slash], rest[slash + 1 :]))
        elif head == ".line":
            method.lines.append((len(method.parts), int(rest[0])))
        elif head == ".code":
            method.code_attributes.append((rest[0], rest[1:]))
        elif head == ".repeat":
            method.parts += [self.instruction(rest[1:])] * int(rest[0])
        elif head == ".fill":
            method.parts.append(Part("fill", keys=[int(rest[0])], targets=rest[1:]))
        else:
            method.parts.append(self.instruction(words))

    def instruction(self, words: list[str]) -> Part:
        name, rest = words[0], words[1:]
        wide = name == "wide"
        if wide:
            name, rest = rest[0], rest[1:]
        op = bytes((OPCODES[name],))
        pool = self.pool
        if wide:
            more = b"".join(int(word).to_bytes(2, "big", signed=i > 0) for i, word in enumerate(rest))
            return Part("plain", b"\xc4" + op + more)
        if name in JUMPS:
            return Part("jump", op, rest)
        if name in ("goto_w", "jsr_w"):
            return Part("jump_w", op, rest)
        if name == "tableswitch":
            return Part("tableswitch", op, rest[1:], [int(rest[0])])
        if name == "lookupswitch":
            pairs = sorted((int(word.partition(":")[0]), word.partition(":")[2]) for word in rest[1:])
            return Part("lookupswitch", op, [rest[0], *(target for _, target in pairs)], [key for key, _ in pairs])
        if name == "ldc":
            index = pool.constant(rest[0])
            return Part("plain", b"\x12" + bytes((index,)) if index < 256 else b"\x13" + u2(index))
        if name in ("ldc_w", "ldc2_w"):
            return Part("plain", op + u2(pool.constant(rest[0])))
        if name == "invokedynamic":
            index = pool.add(b"\x12" + u2(int(rest[0])) + u2(pool.pair(rest[1], rest[2])))
            return Part("plain", op + u2(index) + u2(0))
        if 178 <= op[0] <= 185:
            tag = 9 if op[0] < 182 else 11 if name == "invokeinterface" or rest[0] == "interface" else 10
            owner, descriptor = rest[-2:]
            tail = bytes((1 + slots(descriptor), 0)) if name == "invokeinterface" else b""
            return Part("plain", op + u2(pool.member(tag, owner, descriptor)) + tail)
        if name in ("new", "anewarray", "checkcast", "instanceof"):
            return Part("plain", op + u2(pool.class_(rest[0])))
        if name == "multianewarray":
            return Part("plain", op + u2(pool.class_(rest[0])) + bytes((int(rest[1]),)))
        if name == "newarray":
            return Part("plain", op + bytes((ARRAYS[rest[0]],)))
        if name == "sipush":
            return Part("plain", op + int(rest[0]).to_bytes(2, "big", signed=True))
        return Part("plain", op + b"".join((int(word) & 0xFF).to_bytes(1, "big") for word in rest))

    # ---- assembling

    def data(self, words: list[str], labels: dict[str, int]) -> bytes:
        out = b""
        for word in words:
            if word.startswith("@"):
                to, _, start = word[1:].partition("-")
                out += u2(labels[to] - (labels[start] if start else 0))
            elif word.startswith("utf8:"):
                out += u2(self.pool.utf8(word[5:]))
            elif word.startswith("class:"):
                out += u2(self.pool.class_(word[6:]))
            else:
                out += bytes.fromhex(word)
        return out

    def attribute(self, name: str, body: bytes) -> bytes:
        return u2(self.pool.utf8(name)) + u4(len(body)) + body

    def verification_type(self, text: str, pcs: dict[str, int]) -> bytes:
        if text in SIMPLE_TYPES:
            return bytes((SIMPLE_TYPES[text],))
        if text.startswith("new:"):
            return b"\x08" + u2(pcs[text[4:]])
        return b"\x07" + u2(self.pool.class_(text if text.startswith("[") else text[1:-1]))

    def code(self, method: Method) -> bytes:
        """The Code attribute's body. Two passes suffice: lengths depend only on the order."""
        at = 0
        starts = []
        pending = sorted(method.labels.items(), key=lambda item: item[1])
        pcs: dict[str, int] = {}
        for index, part in enumerate(method.parts):
            while pending and pending[0][1] <= index:
                pcs[pending.pop(0)[0]] = at
            starts.append(at)
            at += length_of(part, at, pcs)
        starts.append(at)
        for label, _ in pending:
            pcs[label] = at
        code = bytearray()
        for index, part in enumerate(method.parts):
            at = starts[index]
            offsets = [pcs[target] - at for target in part.targets] if part.op != "fill" else []
            code += part.raw
            if part.op == "jump":
                code += offsets[0].to_bytes(2, "big", signed=True)
            elif part.op == "jump_w":
                code += u4(offsets[0])
            elif part.op == "fill":
                code += bytes(starts[index + 1] - at)
            elif part.op == "tableswitch":
                low = part.keys[0]
                code += (
                    bytes(~at & 3)
                    + u4(offsets[0])
                    + u4(low)
                    + u4(low + len(offsets) - 2)
                    + b"".join(map(u4, offsets[1:]))
                )
            elif part.op == "lookupswitch":
                pairs = b"".join(u4(key) + u4(offset) for key, offset in zip(part.keys, offsets[1:], strict=True))
                code += bytes(~at & 3) + u4(offsets[0]) + u4(len(part.keys)) + pairs
        table = b"".join(
            u2(pcs[start]) + u2(pcs[end]) + u2(pcs[handler]) + u2(self.pool.class_(name) if name != "*" else 0)
            for name, start, end, handler in method.catches
        )
        attributes = []
        if method.lines:
            lines = b"".join(u2(starts[index]) + u2(number) for index, number in method.lines)
            attributes.append(self.attribute("LineNumberTable", u2(len(method.lines)) + lines))
        attributes += [self.attribute(name, self.data(words, pcs)) for name, words in method.code_attributes]
        if method.frames:
            body = u2(len(method.frames))
            previous = -1
            for index, locals_, stack in method.frames:
                body += b"\xff" + u2(starts[index] - previous - 1)
                for types in (locals_, stack):
                    body += u2(len(types)) + b"".join(self.verification_type(text, pcs) for text in types)
                previous = starts[index]
            attributes.append(self.attribute("StackMapTable", body))
        head = u2(method.stack) + u2(method.locals) + u4(len(code)) + bytes(code)
        return head + u2(len(method.catches)) + table + u2(len(attributes)) + b"".join(attributes)

    def bytes(self) -> bytes:
        """The class file."""
        methods = []
        for method in self.methods:
            attributes = [self.attribute("Code", self.code(method))] if method.parts else []
            attributes += [self.attribute(name, self.data(words, {})) for name, words in method.attributes]
            head = u2(method.flags) + u2(self.pool.utf8(method.name)) + u2(self.pool.utf8(method.descriptor))
            methods.append(head + u2(len(attributes)) + b"".join(attributes))
        attributes = [self.attribute(name, self.data(words, {})) for name, words in self.attributes]
        if self.bootstraps:
            attributes.append(self.attribute("BootstrapMethods", u2(len(self.bootstraps)) + b"".join(self.bootstraps)))
        this_class = self.pool.class_(self.name)
        super_class = self.pool.class_(self.super_name) if self.super_name != "none" else 0
        interfaces = [self.pool.class_(name) for name in self.interfaces]
        self.pool.fill(self.fill)
        pieces = [
            b"\xca\xfe\xba\xbe",
            u2(self.minor),
            u2(self.major),
            self.pool.bytes(),
            u2(self.flags),
            u2(this_class),
            u2(super_class),
            u2(len(interfaces)),
            *map(u2, interfaces),
            u2(len(self.fields)),
            *self.fields,
            u2(len(methods)),
            *methods,
            u2(len(attributes)),
            *attributes,
        ]
        return b"".join(pieces)


def slots(descriptor: str) -> int:
    """The slots of a method descriptor's parameters."""
    types = re.findall(r"\[*(?:L[^;]*;|[BCDFIJSZ])", descriptor[: descriptor.index(")")])
    return sum(2 if text in "JD" else 1 for text in types)


def length_of(part: Part, at: int, pcs: dict[str, int]) -> int:
    if part.op == "jump":
        return 3
    if part.op == "jump_w":
        return 5
    if part.op == "tableswitch":
        return 1 + (~at & 3) + 8 + 4 * len(part.targets)
    if part.op == "lookupswitch":
        return 1 + (~at & 3) + 8 + 8 * len(part.keys)
    if part.op == "fill":
        return max(0, (pcs[part.targets[0]] if part.targets else 0) + part.keys[0] - at)
    return len(part.raw)


@dataclass(frozen=True)
class Assembled:
    """A class file, and its comments' expectations by (name, descriptor)."""

    name: str
    data: bytes
    calls: dict[tuple[str, str], Calls]


def assemble(source: str) -> list[Assembled]:
    """The classes of a source. The first mistake raises an exception that names the line."""
    classes: list[Assembler] = []
    for number, line in enumerate(source.splitlines(), 1):
        text, mark, comment = line.partition("#") if '"' not in line else (line, "", "")
        words = WORD.findall(text)
        if not words:
            continue
        try:
            if words[0] == ".class":
                classes.append(Assembler(words[1:]))
            else:
                classes[-1].line(words, mark + comment)
        except (KeyError, ValueError, IndexError) as error:
            raise ValueError(f"line {number}: {line.strip()}: {error!r}") from error
    return [Assembled(one.name, one.bytes(), one.calls) for one in classes]
