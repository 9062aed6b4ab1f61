"""The libraries run with older releases of glibc than the one that they were built with."""

from __future__ import annotations

import pytest

from classhook.native.building import build
from tools.wheels import glibc

LIBRARIES = [name for name in build.BUILT if name.endswith(".so")]


@pytest.mark.parametrize("library", LIBRARIES)
def test_nothing_newer_than_2_17_is_needed(library: str) -> None:
    assert glibc.newer(build.HERE / library) == []


def test_a_newer_function_is_named() -> None:
    assert glibc.newer(build.HERE / "libclasshook.so", than=(2, 16)) == ["clock_gettime@GLIBC_2.17"]
