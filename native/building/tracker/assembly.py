"""A class file under construction, with shorthands for instructions that name its own members."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from jawa.assemble import assemble
from jawa.attribute import Attribute
from jawa.attributes.code import CodeException
from jawa.cf import ClassFile

from classhook.native.building.tracker.names import NAME, UNSAFE, WEAK, Code


@dataclass
class Assembly:
    """`natives`: name -> descriptor; `public`, `package` and `not_inlined`: names of methods, see `Part`."""

    natives: Mapping[str, str]
    public: Collection[str]
    package: Collection[str]
    not_inlined: Collection[str]
    cf: ClassFile = field(init=False)

    def __post_init__(self) -> None:
        self.cf = ClassFile.create(NAME, WEAK)
        self.cf.version = (49, 0)
        self.cf.access_flags.acc_public = True
        self.cf.access_flags.acc_final = True

    def bytes(self) -> bytes:
        """The class file."""
        out = BytesIO()
        self.cf.save(out)
        return out.getvalue()

    # ---- instructions

    def ref(self, name: str, descriptor: str, owner: str = NAME) -> Any:
        return self.cf.constants.create_method_ref(owner, name, descriptor)

    def type(self, name: str) -> Any:
        """The constant of a class."""
        return self.cf.constants.create_class(name)

    def get(self, name: str, descriptor: str) -> tuple[Any, ...]:
        return "getstatic", self.cf.constants.create_field_ref(NAME, name, descriptor)

    def put(self, name: str, descriptor: str) -> tuple[Any, ...]:
        return "putstatic", self.cf.constants.create_field_ref(NAME, name, descriptor)

    def field(self, name: str, descriptor: str, op: str = "getfield") -> tuple[Any, ...]:
        """Reads or writes a field of an element."""
        return op, self.cf.constants.create_field_ref(NAME, name, descriptor)

    def call(self, name: str, descriptor: str, owner: str = NAME) -> tuple[Any, ...]:
        """Calls a method of the tracker, or one of an object of another class."""
        return "invokestatic" if owner == NAME else "invokevirtual", self.ref(name, descriptor, owner)

    def native(self, name: str) -> tuple[Any, ...]:
        """Calls a native."""
        return self.call(name, self.natives[name])

    def offset(self, field: str, owner: str, name: str) -> Code:
        """Stores the offset of a JDK field in a static field of the tracker."""
        return [
            self.get("U", f"L{UNSAFE};"),
            ("ldc_w", self.type(owner)),
            ("ldc_w", self.cf.constants.create_string(name)),
            self.call("objectFieldOffset", "(Ljava/lang/Class;Ljava/lang/String;)J", UNSAFE),
            self.put(field, "J"),
        ]

    # ---- members

    def method(
        self,
        name: str,
        descriptor: str,
        code: Code | None = None,
        stack: int = 0,
        local: int = 0,
        caught: int = 0,
        static: bool = True,
        uncaught: int = 0,
        error: str = "",
    ) -> None:
        """Adds a method, native without code. `caught`: so many bytes at its end handle what the others throw, but for
        the first `uncaught` bytes; `error`: only such errors."""
        # code=False would make a broken method
        m = self.cf.methods.create(name, descriptor, code=True if code else None)
        m.access_flags.acc_static = static
        m.access_flags.acc_public = name in self.public or not static
        m.access_flags.acc_private = static and name not in self.public and name not in self.package
        if code:
            m.code.max_stack, m.code.max_locals = stack, local
            m.code.assemble(assemble([short(one) for one in code]))
            if caught:
                handler_pc = len(m.code._code) - caught
                m.code.exception_table.append(
                    CodeException(uncaught, handler_pc, handler_pc, self.type(error).index if error else 0)
                )
        else:
            m.access_flags.acc_native = True
        annotations = ["Hidden", "DontInline"] if name in self.not_inlined else ["Hidden"]
        m.attributes.create(*self.annotations(*annotations))

    def size_of(self, code: Code) -> int:
        """The bytes of code without labels."""
        method = ClassFile.create("Scratch").methods.create("scratch", "()V", code=True)
        method.code.assemble(assemble([short(one) for one in code]))
        return len(method.code._code)

    def declare(
        self,
        name: str,
        descriptor: str,
        static: bool = True,
        final: bool = True,
        stable: bool = False,
        volatile: bool = False,
    ) -> None:
        """Adds a private field."""
        f = self.cf.fields.create(name, descriptor)
        f.access_flags.acc_static, f.access_flags.acc_final, f.access_flags.acc_volatile = static, final, volatile
        f.access_flags.acc_private = True
        f.access_flags.acc_public = False  # jawa's default
        if stable:
            f.attributes.create(*self.annotations("Stable"))

    def annotations(self, *names: str) -> tuple[Any, ...]:
        """The arguments that make an attribute with these annotations of the JVM's own."""
        types = [self.cf.constants.create_utf8(f"Ljdk/internal/vm/annotation/{one};") for one in names]
        info = len(types).to_bytes(2, "big") + b"".join(t.index.to_bytes(2, "big") + b"\0\0" for t in types)
        return Annotations, self.cf.constants.create_utf8("RuntimeVisibleAnnotations").index, info


def short(one: Any) -> Any:
    """A load or store of a local in its shortest form: the JIT's limits are in bytes of bytecode."""
    if isinstance(one, tuple) and len(one) == 2 and one[0][1:] in ("load", "store") and one[1] < 4:
        return (f"{one[0]}_{one[1]}",)
    return one


class Annotations(Attribute):
    """RuntimeVisibleAnnotations without values; jawa has no class for it."""

    def __init__(self, table: Any, name_index: int, info: bytes) -> None:
        super().__init__(table, name_index)
        self.info = info

    def pack(self) -> bytes:
        return self.info
