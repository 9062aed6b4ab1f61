"""`count catches` (java/Catches.java)."""

from __future__ import annotations

import pytest

from tests.conftest import Compiled, Jvm, Run

pytestmark = pytest.mark.every_jvm

MISSING, IO, STATE, INDEX = (
    "java.io.FileNotFoundException",
    "java.io.IOException",
    "java.lang.IllegalStateException",
    "java.lang.IndexOutOfBoundsException",
)


@pytest.mark.parametrize(
    ("types", "caught"),
    [
        (
            "*",
            {
                ("file", MISSING): 20,
                ("file", IO): 20,
                ("several", STATE): 40,
                ("loops", "java.lang.RuntimeException"): 5,
            },
        ),
        ("java.io.IOException+", {("file", MISSING): 20, ("file", IO): 20}),
        ("java.io.IOException, java.lang.Index*", {("file", IO): 20, ("several", INDEX): 40}),
        ("java.lang.Error", {}),
    ],
)
def test_handlers_count_by_their_types(
    types: str, caught: dict[tuple[str, str], int], jvm: Jvm, compiled: Compiled, run: Run
) -> None:
    result = run([f"count catches {types} in Catches"], jvm.java, "-Xverify:all", "-cp", compiled("Catches"), "Catches")
    assert (result.status, result.stdout.split()) == (0, ["241"])
    assert {(row["method"], row["type"]): row["caught"] for row in result.report["catches"]} == caught
