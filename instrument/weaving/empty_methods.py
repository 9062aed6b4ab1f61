"""Methods that mean something to the JVM because they are empty, and would mean something else with a probe in them."""

from __future__ import annotations

from instrument.weaving import reasons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classfile.reader import Method

RETURN: Final = b"\xb1"  # the whole code of what HotSpot takes for an empty method

#: (class, method, descriptor), where "" stands for any; reason, detail.
MEANINGS: Final = (
    ("", "finalize", "()V", reasons.EMPTY_FINALIZER, "it is not called"),
    ("org.openjdk.jmh.infra.Blackhole", "", "", reasons.EMPTY_BLACKHOLE, "the JIT compiler may have been told that it is a blackhole"),
)


def meaning(class_name: str, method: Method, code: bytes) -> tuple[str, str] | None:
    """Why the method must stay as it is: reason and detail; None where it need not."""
    if code != RETURN:
        return None
    for owner, name, descriptor, reason, detail in MEANINGS:
        if owner in ("", class_name) and name in ("", method.name) and descriptor in ("", method.descriptor):
            return reason, detail
    return None
