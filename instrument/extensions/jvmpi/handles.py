"""Objects of JVMPI's, which are ids, and those of `classhook.agent`, which are handles: one is found by the other."""

from __future__ import annotations

from classhook.base.embedded import jvmpi as native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def jobjectID2jobject(obj_id: int) -> Any:
    """A handle that stays valid, as `o.keep()` makes it; None: the object is gone, or this thread runs no handler."""
    try:
        return native.handle_of(obj_id)
    except RuntimeError:
        return None


def jobject2jobjectID(handle: Any) -> int:
    """The id of the handle's object, which is given if it has none; 0: it is no handle, or is not valid here."""
    try:
        found: int = native.id_of(handle)
    except (RuntimeError, TypeError):
        return 0
    return found
