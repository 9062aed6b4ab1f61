"""Findings about a file of rules, and their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.extensions.servers.editor.diagnostics import ERROR, INFORMATION, WARNING, Finding, Judging, syntax
from classhook.extensions.servers.editor.project import Project
from classhook.rules import compiled, stock_rules
from classhook.rules.document import Document, Parsing, Position, Span
from classhook.rules.parse import parse_text
from classhook.rules.ruleset import RuleSet


def marked(text: str, finding: Finding) -> str:
    """Returns the part of a text that the editor underlines for a finding."""
    lines = text.split("\n")
    begin, end = finding.span.begin, finding.span.end
    if begin.line == end.line:
        return lines[begin.line][begin.column : end.column]
    return "\n".join(
        [lines[begin.line][begin.column :], *lines[begin.line + 1 : end.line], lines[end.line][: end.column]]
    )


def judged(text: str, project: Project) -> list[Finding]:
    judging, document = Judging(), Document(text)
    judging.judge(document, project, 0, 60)
    return judging.findings(document)


def test_each_statement_has_its_mistake() -> None:
    text = "time com.acme.Orders.place(..)\n# fine\ncount a.B::c\ncount com.acme.*\ntime a.B::c,\n  # more\n  d/E::f\n"
    found = syntax(Document(text))
    assert [(one.severity, one.span.begin, marked(text, one)) for one in found] == [
        (ERROR, Position(0, 20), ".place"),
        (ERROR, Position(3, 15), "*"),
        (ERROR, Position(6, 3), "/E"),
    ]
    assert found[0].message == "class and method are separated by `::`\nexpected: `com.acme.Orders::place`"


def test_a_rule_that_is_there_twice() -> None:
    (found,) = syntax(Document("count a.B::c\n\ncount  a.B::c\n", "my.rules"))
    assert found.message.startswith("this rule exists already; the first is my.rules:1")
    assert found.span.begin == Position(2, 0)


def test_what_was_parsed_moves_with_its_line() -> None:
    parsing = Parsing()
    text = "count a.B::c\ncount a.B::c\n"
    syntax(Document(text, parsing=parsing))
    (found,) = syntax(Document("# new\n\n" + text, parsing=parsing))
    assert (found.span.begin.line, "rules:3" in found.message) == (3, True)


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "# only a comment", "\ufeffcount a.B::c", compiled.dumps(RuleSet(parse_text("count a.B::c", "x")))],
)
def test_files_without_mistakes(text: str) -> None:
    assert syntax(Document(text)) == []


@pytest.mark.parametrize("name", stock_rules.names())
def test_stock_rules_have_none(name: str) -> None:
    assert syntax(Document(stock_rules.text(name))) == []


@pytest.mark.parametrize(
    ("text", "severity", "where", "message"),
    [
        ("time com.acme.Order::*", WARNING, "com.acme.Order", "did you mean com.acme.Orders$Order?"),
        (
            "time com.acme.Orders::plaec",
            WARNING,
            "com.acme.Orders",
            "matches no method; did you mean com.acme.Orders::place?",
        ),
        ("watch com.acme.Orders::total when arg7 > 3", WARNING, "arg7", "has no argument arg7"),
        ("watch com.acme.Orders::total when this.lasst == null", WARNING, "this.lasst", "did you mean `this.last`?"),
        ("time com.acme.Orders$Shipping::ship", WARNING, "time com.acme.Orders$Shipping::ship", "abstract"),
        ("count writes com.acme.Orders.first", WARNING, "com.acme.Orders.first", "has no field first"),
        ("time org.other.**::*", INFORMATION, "org.other.**", "matches none of the project's classes that are known"),
    ],
)
def test_what_the_classes_say(project: Project, text: str, severity: str, where: str, message: str) -> None:
    (found,) = judged(text, project)
    assert (found.severity, marked(text, found)) == (severity, where)
    assert message in found.message


def test_a_type_without_its_package(project: Project) -> None:
    if not project.jdk_names:
        pytest.skip("no JDK's image here")
    (found,) = judged("alloc String in com.acme.**", project)
    assert "did you mean java.lang.String?" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "time com.acme.**::*",
        "time com.acme.Orders::place",
        "time java.util.**::add",
        "alloc byte[] in com.acme.**",
        "cpu",
    ],
)
def test_rules_that_match(project: Project, text: str) -> None:
    assert judged(text, project) == []


def test_what_was_judged_stays_where_the_rule_is(project: Project) -> None:
    judging = Judging()
    judging.judge(Document("time com.acme.Order::*"), project, 0, 60)
    (found,) = judging.findings(Document("\ncount a.B::c\n time com.acme.Order::* # new"))
    assert found.span == Span(Position(2, 6), Position(2, 20))


def test_other_classes_are_judged_anew(project: Project) -> None:
    judging, document = Judging(), Document("time com.acme.Order::*")
    assert judging.judge(document, Project(), 1, 60)
    assert judging.findings(document) == []
    assert judging.judge(document, project, 2, 60)
    assert len(judging.findings(document)) == 1
    assert not judging.judge(Document("time com.acme.Other::*"), project, 2, -1)  # there was no time for all


def test_definitions_and_parameters(project: Project, tmp_path: Path) -> None:
    """A parameter without a value may have one from the command. Findings are where they are written."""
    text = (
        "let app = com.acme.Ordrs\nuse nowhere\ntime ${app}::place over ${min}\ntime ${app}::place\ntime ${app}::a b\n"
    )
    document = Document(text, path=tmp_path / "my.rules")
    found = syntax(document)
    assert [(one.span.begin, one.severity, one.message.split("\n")[0].partition(":")[0]) for one in found] == [
        (Position(1, 4), ERROR, "no such file"),
        (Position(2, 24), INFORMATION, "the parameter `min` has no value"),
        (Position(4, 15), ERROR, "unexpected `b`"),
    ]
    judging = Judging()
    judging.judge(document, project, 0, 60)
    (nearest,) = judging.findings(document)
    assert "did you mean com.acme.Orders" in nearest.message
    assert nearest.span == Span(Position(3, 5), Position(3, 11))
