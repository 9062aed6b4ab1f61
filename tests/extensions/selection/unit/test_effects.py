"""Methods that may change static state, and methods that do not (State.java)."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.extensions.selection.hierarchy import Hierarchy
from classhook.extensions.selection.program import read_program
from classhook.extensions.selection.static_state import StaticState
from tests import compiling
from tests.conftest import FindJvm

SOURCE = Path(__file__).with_name("State.java")
#: The methods by which each field changes, if not by those that begin with the field's name.
OTHERS = {
    "listByLambda": "lambda$listByLambda$",
    "listByObject": "put",
    "boxesByMethod": "with",
    "boxesByLambda": "lambda$boxesByLambda$",
    "localGet": "localGet",
}
PREFIXES = {
    "LIST": "list",
    "BOXES": "boxes",
    "LISTS": "lists",
    "NUMBERS": "numbers",
    "OBJECTS": "objects",
    "TEXT": "text",
    "COUNT": "count",
    "LOCAL": "local",
    "NAMES": "names",
    "SOFT": "soft",
    "kept": "kept",
}


@pytest.fixture(scope="module")
def changers(find_jvm: FindJvm, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The names of the methods that may change each static field."""
    folder = tmp_path_factory.mktemp("state")
    compiling.javac(find_jvm(17).tool("javac"), "-d", folder, SOURCE)
    classes = read_program([folder]).classes
    names = sorted((facts.name, member) for facts in classes.values() for member in facts.methods)
    state = StaticState(classes, Hierarchy(classes), names)
    return {name: {names[i][1].partition("(")[0] for i in numbers} for (_, name), numbers in state.changers.items()}


METHODS = [line.split("(")[0].split()[-1] for line in SOURCE.read_text().splitlines() if line.startswith("    static ")]
CHANGING = [
    (field, one)
    for field, prefix in PREFIXES.items()
    for one in METHODS
    if one.startswith(prefix) and one[len(prefix) : len(prefix) + 1].isupper()
]


@pytest.mark.parametrize(("field", "method"), CHANGING)
def test_each_way_to_change_a_field_is_seen(changers: dict[str, set[str]], field: str, method: str) -> None:
    wanted = OTHERS.get(method, method)
    assert any(one.startswith(wanted) for one in changers[field]), (field, sorted(changers[field]))


@pytest.mark.parametrize("method", ["look", "own", "lookAtFixed", "sizes", "copied"])
def test_what_only_looks_changes_nothing(changers: dict[str, set[str]], method: str) -> None:
    assert [field for field, by in changers.items() if method in by] == []


def test_what_nothing_changes(changers: dict[str, set[str]]) -> None:
    assert (changers["FIXED"], changers["ALL_FIXED"]) == (set(), set())
