"""Which Pythons can run inside a JVM."""

from __future__ import annotations

import sys

import pytest

from native.building import prerequisites


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 13, 9), (3, 14, 2), (3, 15, 0)])
def test_a_python_that_will_do(monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...]) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    assert prerequisites.python() == sys.version.split()[0]


@pytest.mark.parametrize(
    ("version", "what"), [((3, 10, 9), "3.11 is the oldest"), ((3, 14, 0), "3.14.2 and later"), ((3, 14, 1), "3.14.2 and later")]
)
def test_a_python_that_will_not(monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...], what: str) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(prerequisites.Missing, match=what):
        prerequisites.python()
