"""The attributes in which the JVM reads constant pool indices when it loads a class (JVMS 4.7), and the positions of
the indices."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# The places of attributes.
CLASS: Final = 1
FIELD: Final = 2
STATIC: Final = 4
METHOD: Final = 8
CODE: Final = 16
COMPONENT: Final = 32
FRAMES: Final = 64  # of Code

# name: where it may be, the first major version in which the JVM reads it, the size of an entry of its table (0: no
# table), and the positions of indices in an entry, or in the attribute itself. For Record and others without positions,
# see `_Class.look`.
ATTRIBUTES: Final[dict[bytes, tuple[int, int, int, tuple[int, ...]]]] = {
    b"SourceFile": (CLASS, 45, 0, (0,)),
    b"InnerClasses": (CLASS, 45, 8, (0, 2, 4)),
    b"EnclosingMethod": (CLASS, 49, 0, (0, 2)),
    b"BootstrapMethods": (CLASS, 51, 0, ()),
    b"NestHost": (CLASS, 55, 0, (0,)),
    b"NestMembers": (CLASS, 55, 2, (0,)),
    b"Record": (CLASS, 60, 0, ()),
    b"PermittedSubclasses": (CLASS, 61, 2, (0,)),
    b"Signature": (CLASS | FIELD | METHOD | COMPONENT, 49, 0, (0,)),
    b"ConstantValue": (STATIC, 45, 0, (0,)),
    b"Exceptions": (METHOD, 45, 2, (0,)),
    b"LocalVariableTable": (CODE, 45, 10, (4, 6)),
    b"LocalVariableTypeTable": (CODE, 49, 10, (4, 6)),
    b"StackMapTable": (FRAMES, 50, 0, ()),
}
