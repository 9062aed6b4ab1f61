"""The library of native/extensions/heap, and numpy's arrays as its arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from classhook.base.errors import Failure
from classhook.native import library

try:
    from classhook.native._heap import ffi

    lib = ffi.dlopen(str(library.HEAP))
except (ImportError, OSError):
    raise Failure(f"{library.HEAP} is missing: it was not built; reinstall classhook") from None

NOBODY, TOP = 0xFFFFFFFF, 0xFFFFFFFE  # no object; the dominator of what nothing but the roots dominates
__all__ = ["NOBODY", "TOP", "data", "ffi", "lib", "u8", "u16", "u32", "u64"]


def pointer(kind: str, array: np.ndarray[Any, Any]) -> Any:
    """An array as `kind *`; the pointer keeps it alive."""
    return ffi.from_buffer(f"{kind}[]", array)


def u8(array: np.ndarray[Any, Any]) -> Any:
    return pointer("uint8_t", array)


def u16(array: np.ndarray[Any, Any]) -> Any:
    return pointer("uint16_t", array)


def u32(array: np.ndarray[Any, Any]) -> Any:
    return pointer("uint32_t", array)


def u64(array: np.ndarray[Any, Any]) -> Any:
    return pointer("uint64_t", array)


def data(view: memoryview) -> Any:
    """A dump's bytes."""
    return ffi.from_buffer("uint8_t[]", view)
