"""What all modules that assemble the tracker class use."""

from typing import Any

#: Instructions and labels, as jawa takes them.
Code = list[Any]

NAME = "java/lang/ClasshookTracker"
UNSAFE = "jdk/internal/misc/Unsafe"

#: The superclass of the tracker, whose objects forget what nobody uses any more.
WEAK = "java/lang/ref/WeakReference"

#: log2 of the number of slots in a part of SEEN, and of FIELDS.
SEEN_SHIFT = 14
