"""Names of classes that the modules of the tracker use."""

from typing import Any

#: Instructions and labels, as jawa takes them.
Code = list[Any]

PACKAGE = "java/lang"
NAME = f"{PACKAGE}/ClasshookTracker"
UNSAFE = "jdk/internal/misc/Unsafe"
THREAD = f"{PACKAGE}/Thread"
OBJECT = f"{PACKAGE}/Object"
