"""Names of classes that all modules of the tracker use, and their types."""

from typing import Any

#: Instructions and labels, as jawa takes them.
Code = list[Any]

NAME = "java/lang/ClasshookTracker"
UNSAFE = "jdk/internal/misc/Unsafe"
THREAD = "java/lang/Thread"
HOLDER = "java/lang/Thread$FieldHolder"  # fields that only platform threads have
OBJECT, OBJECTS = "Ljava/lang/Object;", "[Ljava/lang/Object;"

#: The superclass of the tracker, whose objects forget what nobody uses any more.
WEAK = "java/lang/ref/WeakReference"

#: Methods that make an object of a number: method -> (descriptor of the number, class).
BOXES = {
    "boxBoolean": ("Z", "Boolean"), "boxByte": ("B", "Byte"), "boxChar": ("C", "Character"), "boxShort": ("S", "Short"),
    "boxInt": ("I", "Integer"), "boxLong": ("J", "Long"), "boxFloat": ("F", "Float"), "boxDouble": ("D", "Double"),
}  # fmt: skip
