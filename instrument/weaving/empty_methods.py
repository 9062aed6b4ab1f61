"""Methods that the JVM treats specially because they are empty; a probe would change that."""

from __future__ import annotations

from classhook.classfile.opcodes import RETURN_CODE
from classhook.probes import reasons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.reader import Method

EMPTY: Final = RETURN_CODE  # the whole code of a method that HotSpot considers empty

#: (class, method, descriptor, reason, detail), where "" matches any name.
MEANINGS: Final = (
    ("", "finalize", "()V", reasons.EMPTY_FINALIZER, "it is not called"),
    (
        "org.openjdk.jmh.infra.Blackhole",
        "",
        "",
        reasons.EMPTY_BLACKHOLE,
        "the JIT compiler may treat it as a blackhole",
    ),
)


def meaning(class_name: str, method: Method, code: bytes) -> tuple[str, str] | None:
    """The reason why the method must stay empty, and the detail; None if it need not."""
    if code != EMPTY:
        return None
    for owner, name, descriptor, reason, detail in MEANINGS:
        if owner in ("", class_name) and name in ("", method.name) and descriptor in ("", method.descriptor):
            return reason, detail
    return None
