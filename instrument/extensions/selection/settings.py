"""System properties, as if they were one static field of the program: methods that set one may change what those see
that read one."""

from __future__ import annotations

PROPERTIES = ("java/lang/System", "properties")  # as a field
TYPE = "Ljava/lang/String;"
READS = frozenset(
    {
        *(("java/lang/System", name) for name in ("getProperty", "getProperties")),
        ("java/lang/Boolean", "getBoolean"),
        ("java/lang/Integer", "getInteger"),
        ("java/lang/Long", "getLong"),
    }
)
SETS = frozenset(
    ("java/lang/System", name) for name in ("setProperty", "setProperties", "clearProperty", "getProperties")
)
