"""Explanations of a word below the pointer, and of its rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classhook.extensions.servers.editor.hover import hover
from classhook.extensions.servers.editor.project import Project
from classhook.measures.costs import BY_CLAUSE, BY_WORD, MORE, Cost
from classhook.rules.document import Document, Position
from classhook.rules.explain import written
from classhook.rules.words import WORDS

ROOT = Path(__file__).parents[4]


def said(text: str, word: str, project: Project) -> str:
    document = Document(text)
    at = text.index(word)
    line = text.count("\n", 0, at)
    found = hover(document, Position(line, at - text.rfind("\n", 0, at) - 1), project)
    return found.text if found is not None else ""


def test_a_rule(project: Project) -> None:
    assert (
        said("time com.acme.Orders::place", "time", project)
        == "**time**: calls, exceptions, total and self time, minimum, maximum and percentiles of each"
        " method\n\nMatches 1 class, 2 methods.\n\n- `com.acme.Orders.place(Customer, int)`\n-"
        f" `com.acme.Orders.place(Customer)`\n\nCost, as measured: {BY_WORD['time'].figure} a call"
        " (docs/explained/performance.md)."
    )


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("time com.acme.Orders::total tree", "com", f"{BY_CLAUSE['time', 'tree'].figure} a call"),
        ("# x\ncount com.acme.**::*", "**", "Matches 4 classes, 9 methods."),
        ("count com.acme.*$Shipping::*", "com", "Matches 0 classes, 0 methods."),
        ("count com.acme.Party+::*", "Party", "Matches 2 classes, 2 methods."),
        ("count java.util.ArrayList::add", "add", "`java.util.ArrayList.add(int, Object)`"),
        ("alloc byte[] in com.acme.Orders", "byte", "Looks for these types in 1 class, 6 methods."),
        ("time com.acme.Orders::place slowest 20", "slowest", "**slowest a number (`64`)**: keeps the slowest calls"),
        ("time com.acme.Orders::place slowest 20", "20", "Matches 1 class"),
        ("time public com.acme.Orders::place", "public", "methods with this modifier"),
        ("time a.B::c as 'x", "as", "the name in reports"),
        ("count com.acme.Orders:29", "count", "**count**: how often each line was executed"),
        ("cpu every 10ms", "cpu", "Applies to the whole process."),
    ],
)
def test_words_and_names(project: Project, text: str, word: str, expected: str) -> None:
    if "java.util" in text and not project.jdk_names:
        pytest.skip("no JDK's image here")
    assert expected in said(text, word, project)


def test_where_nothing_is_said(project: Project) -> None:
    assert hover(Document("# time\n\ntime a.B::"), Position(0, 3), project) is None
    assert hover(Document("time a.B::c  # more"), Position(0, 15), project) is None
    assert hover(Document(""), Position(0, 0), project) is None


def test_without_classes() -> None:
    assert "are not known" in said("time a.B::c", "a.B", Project())


# ---- what is said, and the pages


def test_parameters_and_definitions(project: Project) -> None:
    text = "let where = com.acme.Orders::place # x\ntime ${where},\n  ${where} over 10ms"
    assert said(text, "${where}", project) == "**${where}**: `com.acme.Orders::place`"
    assert said(text, "let", project).startswith("**let**: gives a parameter its value")
    assert said(text, "Orders", project) == ""
    assert "Matches 1 class, 2 methods" in said(text, "time", project)
    assert said(text, "over", project).startswith("**over")


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text))


def test_each_word_and_clause_has_a_sentence() -> None:
    assert [word.text for word in written() if not word.about] == []
    assert [clause.word for word in written() for clause in word.clauses if not clause.about] == []


@pytest.mark.parametrize(
    "word", ["context", "threads", "time", "profile", "count", "alloc", "cover", "cpu", "locks", "tests", "watch"]
)
def test_the_sentences_are_those_of_the_reference(word: str) -> None:
    page = plain((ROOT / "docs" / "reference" / "rules.md").read_text())
    assert f"- `{word}`: {WORDS[word].about}" in page


@pytest.mark.parametrize("cost", [*BY_WORD.values(), *BY_CLAUSE.values(), *MORE.values()], ids=lambda cost: cost.row)
def test_the_costs_are_those_of_the_pages(cost: object) -> None:
    """`python -m tools.bench page` writes both."""
    assert isinstance(cost, type(BY_WORD["time"]))
    lines = [line for line in (ROOT / cost.page).read_text().splitlines() if cost.row in line]
    assert lines
    assert cost.figure in lines[0]


def test_a_cost_below_the_noise_is_no_negative_time() -> None:
    """A difference is negative if the bare run was slower than the other one."""
    assert Cost("-0.12 ns", "an object", "", "").text == "none that can be measured for an object"
    assert Cost("0.12 ns", "an object", "", "").text == "0.12 ns an object"
