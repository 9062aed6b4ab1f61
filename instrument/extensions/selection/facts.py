"""The facts of a class: hashes of its shape and of each method's body, and the references of each method."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from classhook.classfile.annotations import annotation_names
from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.opcodes import (
    ANEWARRAY,
    GETSTATIC,
    ICONST_0,
    INVOKEDYNAMIC,
    INVOKEINTERFACE,
    INVOKESPECIAL,
    INVOKESTATIC,
    INVOKEVIRTUAL,
    LDC,
    LDC2_W,
    LDC_W,
    NEW,
    NEWARRAY,
    PUTFIELD,
    PUTSTATIC,
)
from classhook.classfile.pool import decode_utf8
from classhook.classfile.reader import ClassFile, Method, attribute_table
from classhook.classfile.symbols import DYNAMICS, Symbols, digest
from classhook.extensions.selection import settings
from classhook.rules.languages.name import parameters

PRIVATE, STATIC, FINAL, INTERFACE, ABSTRACT, SYNTHETIC = 0x2, 0x8, 0x10, 0x200, 0x400, 0x1000
UTF8, CLASS, STRING, METHOD_HANDLE = 1, 7, 8, 15
MEMBERS = (9, 10, 11)
IN_DESCRIPTOR = re.compile("L([^;<>()]+)[;<]")
OBJECT = "Ljava/lang/Object;"
EMPTY_ARRAY = ((ICONST_0, NEWARRAY), (ICONST_0, ANEWARRAY))
CALLS = (INVOKEVIRTUAL, INVOKESPECIAL, INVOKESTATIC, INVOKEINTERFACE, INVOKEDYNAMIC)
PASSING = (PUTFIELD, PUTSTATIC, *CALLS)
VIRTUAL = (INVOKEVIRTUAL, INVOKEINTERFACE)
ANNOTATIONS = (b"RuntimeVisibleAnnotations",)
CLINIT = "<clinit>()V"
SIGNATURE = b"Signature"
#: Annotations that nothing finds classes by.
HARMLESS = frozenset(
    {"java.lang.FunctionalInterface", "java.lang.Deprecated", "java.lang.SafeVarargs", "kotlin.Metadata"}
)

Member = tuple[str, str]  # the class that an instruction names, in internal form; name and descriptor, together


@dataclass(slots=True)
class MethodFacts:
    """A method. `signature`, `body`: hashes; `calls`: methods that it calls, and whether the receiver's class decides
    which; `reads`, `writes`: static fields; `classes`: all classes that it names; `made`: those it makes objects of;
    `annotations`: binary names; `captured`: the types of its lambdas, each with a type of what they refer to;
    `sets`: it sets fields of objects."""

    flags: int
    signature: str
    body: str = ""
    annotations: frozenset[str] = frozenset()
    calls: set[tuple[str, str, bool]] = field(default_factory=set)
    reads: set[Member] = field(default_factory=set)
    writes: set[Member] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    captured: set[tuple[str, str]] = field(default_factory=set)
    sets: bool = False

    @property
    def is_hidden(self) -> bool:
        """True if only code of its own class can call it by name, and nothing looks for it by annotations."""
        return bool(self.flags & (PRIVATE | SYNTHETIC)) and not self.annotations


@dataclass(slots=True)
class ClassFacts:
    """A class, by internal names. `shape`: a hash of all but its methods; `fields`: flags and descriptor by name;
    `strings`: its string constants; `classes`: those that it names anywhere; `annotations`: binary names of those that
    exist at run time; `generics`: the generic types of fields (JVMS 4.7.9.1); `captured`: the
    types of lambdas, each with a type of what they refer to; `data`: the class file."""

    name: str
    super_name: str
    interfaces: list[str]
    flags: int
    shape: str
    annotations: frozenset[str]
    methods: dict[str, MethodFacts]  # by name and descriptor, together
    fields: dict[str, tuple[int, str]]
    strings: set[str]
    classes: set[str]
    generics: dict[str, str]
    captured: set[tuple[str, str]]
    data: bytes

    @property
    def is_annotated(self) -> bool:
        """True if code may look for it by its annotations."""
        return not self.annotations <= HARMLESS

    @property
    def supertypes(self) -> list[str]:
        return [one for one in (self.super_name, *self.interfaces) if one]


def read(data: bytes) -> ClassFacts:
    """Raises ClassFormatError."""
    try:
        return _read(ClassFile.parse(data), data)
    except (IndexError, KeyError):
        raise ClassFormatError("truncated or malformed attribute", 0) from None


def _read(cf: ClassFile, data: bytes) -> ClassFacts:
    symbols = Symbols(cf)
    pool = cf.pool
    fields, said = (
        {},
        [
            f"{cf.major} {cf.access_flags} {cf.name} {cf.super_name} {cf.interface_names}"
            f" {symbols.attributes(cf.attributes())}"
        ],
    )
    generics: dict[str, str] = {}
    for flags, name, descriptor, table in _fields(cf):
        fields[name] = (flags, descriptor)
        generics.update(
            (name, pool.utf8(cf.data[at + 6] << 8 | cf.data[at + 7])) for what, at, _ in table if what == SIGNATURE
        )
        said.append(f"{flags} {name} {descriptor} {symbols.attributes(table)}")
    methods = {method.name + method.descriptor: _method(symbols, method) for method in cf.methods}
    strings = {
        pool.utf8(int.from_bytes(pool.entry(i)[1:3], "big")) for i in range(1, pool.count) if pool.tag(i) == STRING
    }
    classes = {_element(pool.class_name(i)) for i in range(1, pool.count) if pool.tag(i) == CLASS}
    for text in [pool.utf8(i) for i in range(1, pool.count) if pool.tag(i) == UTF8]:
        if text[:1] in ("(", "[", "L", "<") and ";" in text:
            classes.update(IN_DESCRIPTOR.findall(text))
    classes -= {"", cf.name}
    annotations = frozenset(_visible(cf))
    return ClassFacts(
        cf.name,
        cf.super_name,
        cf.interface_names,
        cf.access_flags,
        digest("\n".join(said)),
        annotations,
        methods,
        fields,
        strings,
        classes,
        generics,
        {one for method in methods.values() for one in method.captured},
        data,
    )


def _visible(cf: ClassFile) -> list[str]:
    return [
        one
        for name, at, end in cf.attributes()
        if name in ANNOTATIONS
        for one in annotation_names(cf.pool, cf.data, at + 6, end)
    ]


def _fields(cf: ClassFile) -> list[tuple[int, str, str, list[tuple[bytes, int, int]]]]:
    """Flags, name, descriptor and attributes of each field."""
    data, found, at = cf.data, [], cf.pool.end_at + 8 + 2 * len(cf.interfaces)
    count, at = data[at] << 8 | data[at + 1], at + 2
    for _ in range(count):
        start, at = at, at + 8
        for _ in range(data[start + 6] << 8 | data[start + 7]):
            at += 6 + int.from_bytes(data[at + 2 : at + 6], "big")
        flags, name, descriptor = (data[start + 2 * i] << 8 | data[start + 2 * i + 1] for i in range(3))
        found.append(
            (flags, cf.pool.utf8(name), cf.pool.utf8(descriptor), attribute_table(cf.pool, data, start + 6, at))
        )
    return found


def _element(name: str) -> str:
    """The class of an array's elements; empty if they are numbers."""
    if not name.startswith("["):
        return name
    name = name.lstrip("[")
    return name[1:-1] if name.startswith("L") else ""


def _method(symbols: Symbols, method: Method) -> MethodFacts:
    cf, pool = symbols.cf, symbols.pool
    attributes = method.attributes()
    signature = digest(f"{method.access_flags} {symbols.attributes(attributes)}")
    found = MethodFacts(method.access_flags, signature, annotations=frozenset(method.annotations()))
    if not method.code_at:
        return found
    code = Code.parse(symbols.data, method.code_at, pool)
    found.body = digest(symbols.code(code))
    for op, _, index in symbols.instructions(code):
        if index:
            _refer(symbols, found, op, index)
        found.sets |= op == PUTFIELD
        if op == INVOKEDYNAMIC:
            taken, _, made = _text(pool.name_and_type(index)[1]).rpartition(")")
            found.captured.update((made, one) for one in parameters(f"{taken})"))
    found.classes |= {pool.class_name(caught) for _, _, _, caught in code.exception_table if caught}
    found.classes.discard(cf.name)
    return found


def _refer(symbols: Symbols, found: MethodFacts, op: int, index: int) -> None:
    """Adds what an instruction refers to."""
    pool, tag = symbols.pool, symbols.pool.tag(index)
    if tag in MEMBERS:
        member = _member(symbols, index)
        found.classes.add(member[0])
        if op == GETSTATIC:
            found.reads.add(member)
        elif op == PUTSTATIC:
            found.writes.add(member)
        elif tag != MEMBERS[0]:
            found.calls.add((*member, op in VIRTUAL))
            _settings(found, *member)
    elif tag == CLASS:
        if name := _element(pool.class_name(index)):
            found.classes.add(name)
            if op == NEW:
                found.made.add(name)
    elif tag in DYNAMICS or (op in (LDC, LDC_W, LDC2_W, INVOKEDYNAMIC) and tag == METHOD_HANDLE):
        _handles(symbols, found, index, 0)


def _settings(found: MethodFacts, owner: str, member: str) -> None:
    """Adds that it reads or sets system properties."""
    called = owner, member.partition("(")[0]
    if called in settings.READS:
        found.reads.add(settings.PROPERTIES)
    if called in settings.SETS:
        found.writes.add(settings.PROPERTIES)


def _handles(symbols: Symbols, found: MethodFacts, index: int, deep: int) -> None:
    """Adds what a method handle, or the arguments of a dynamic constant, refer to."""
    pool, tag = symbols.pool, symbols.pool.tag(index)
    entry = pool.entry(index)
    if tag == METHOD_HANDLE:
        target = entry[2] << 8 | entry[3]
        owner, member = _member(symbols, target)
        found.classes.add(owner)
        if entry[1] <= 4:
            (found.reads if entry[1] == 2 else found.writes if entry[1] == 4 else set()).add((owner, member))
        else:
            found.calls.add((owner, member, entry[1] in (5, 9)))
            _settings(found, owner, member)
            if entry[1] == 8:
                found.made.add(owner)
    elif tag == CLASS:
        if name := _element(pool.class_name(index)):
            found.classes.add(name)
    elif tag in DYNAMICS and deep < 20:
        handle, arguments = symbols.bootstrap[entry[1] << 8 | entry[2]]
        for one in (handle, *arguments):
            _handles(symbols, found, one, deep + 1)


def _member(symbols: Symbols, index: int) -> Member:
    pool = symbols.pool
    entry = pool.entry(index)
    name, descriptor = pool.name_and_type(index)
    owner = _element(pool.class_name(entry[1] << 8 | entry[2])) or "java/lang/Object"
    return owner, _text(name) + ("" if pool.tag(index) == MEMBERS[0] else _text(descriptor))


def _text(raw: bytes) -> str:
    return decode_utf8(raw, 0)
