"""Places in the sources of the classes and members that a rule names."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.extensions.servers.editor.definition import definitions
from classhook.extensions.servers.editor.project import Project
from classhook.rules.document import Document, Position
from tests.conftest import JAVA_SOURCES


@pytest.fixture(scope="module")
def built(classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with its sources, a copy that is older, and another class of the same name."""
    folder = tmp_path_factory.mktemp("built")
    for root, text in (("copies", "// old\n"), ("app/src/main/java", ""), ("src/test/java", "package com.other;")):
        package = folder / root / ("com/acme" if "other" not in text else "com/other")
        package.mkdir(parents=True)
        for file in (JAVA_SOURCES / "editor").glob("*.java"):
            (package / file.name).write_text(text + file.read_text())
    found = Project([folder], [str(classes)])
    found.refresh()
    return found


@pytest.mark.parametrize(
    ("text", "word", "file", "line"),
    [
        ("time com.acme.Orders::place(com.acme.Customer, int)", "Orders", "Orders.java", "public class Orders {"),
        ("time com.acme.Orders::total", "total", "Orders.java", "    public int total() {"),
        ("time com.acme.Orders::again", "again", "Orders.java", "    void again(int times) {"),
        (
            "time com.acme.Orders$Order::<init>",
            "init",
            "Orders.java",
            "        Order(Customer customer, int quantity) {",
        ),
        ("alloc com.acme.Orders$Order", "Order", "Orders.java", "    static class Order {"),
        ("time com.acme.Party+::*", "Party", "Customer.java", "class Party {"),
        ("count writes com.acme.Orders.last", "last", "Orders.java", "    private Order last;"),
        ("count com.acme.Orders:29", "29", "Orders.java", "            sum += more;"),
    ],
)
def test_one_place(built: Project, text: str, word: str, file: str, line: str) -> None:
    (found,) = definitions(Document(text), Position(0, text.index(word)), built)
    assert found.path == built.folders[0] / "app/src/main/java/com/acme" / file
    assert found.path.read_text().splitlines()[found.line] == line


def test_all_that_a_pattern_matches(built: Project) -> None:
    found = definitions(Document("time com.acme.**::place"), Position(0, 20), built)
    lines = [one.path.read_text().splitlines()[one.line].strip() for one in found]
    assert lines == ["public Order place(Customer customer, int quantity) {", "public Order place(Customer customer) {"]


@pytest.mark.parametrize(
    ("text", "at"),
    [("time com.acme.Orders::total", 1), ("time java.util.List::size", 10), ("# com.acme.Orders", 5), ("", 0)],
)
def test_nothing(built: Project, text: str, at: int) -> None:
    assert definitions(Document(text), Position(0, at), built) == []
