"""Proposals at the end of a text, and the part of the text that they replace."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.extensions.servers.editor.completion import complete
from classhook.extensions.servers.editor.project import Project
from classhook.extensions.servers.editor.proposals import Proposals
from classhook.rules.document import Document, Position
from classhook.rules.parse import check_text


def at_end(text: str, project: Project) -> Proposals:
    document = Document(text)
    return complete(document, Position(len(document.lines) - 1, len(document.lines[-1])), project)


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("", {"time", "count writes", "cpu"}),
        ("count a.B::c\nti", {"time", "time calls"}),
        ("count wr", {"count writes"}),
        ("time ", {"com", "java", "static"}),
        ("time com.", {"com.acme"}),
        ("time com.acme.", {"com.acme.Orders", "com.acme.Orders$Order"}),
        ("time Ord", {"Orders"}),
        ("time public com.acme.Orders::", {"*", "place", "place(com.acme.Customer, int)", "total"}),
        ("time com.acme.*::", {"place", "<init>"}),
        ("time com.acme.Orders::total,\n     com.acme.Orders::", {"place"}),
        ("time com.acme.Orders::place(", {"com.acme.Customer", "..", "int"}),
        ("time com.acme.Orders::place(com.acme.Customer, ", {"int"}),
        ("time com.acme.Orders::place ", {"tree", "slowest", "by", "from", "except", "as"}),
        ("time com.acme.Orders::place sample ", {"1/100"}),
        ("time @", {"Deprecated", "java.lang.Deprecated"}),
        ("time com.acme.Orders::@Dep", {"Deprecated"}),
        ("alloc com.acme.Orders$", {"com.acme.Orders$Order"}),
        ("alloc byte[] in com.acme.Orders::", {"total"}),
        ("count calls java.util.ArrayList::", {"add", "add(int, java.lang.Object)"}),
        ("count writes com.acme.Orders.", {"com.acme.Orders.last", "com.acme.Orders.limit"}),
        ("count com.acme.Orders:", {"14", "14-17", "21"}),
        ("time com.acme.Orders::total below com.acme.Orders::pl", {"place"}),
        ("watch com.acme.Orders::place when ", {"this", "arg0", "arg1", "customer", "quantity", "result", "exception"}),
        ("watch com.acme.Orders::place when arg1 > 1 && ", {"this", "arg0", "show", "first"}),
        ("watch com.acme.Orders::place when arg0.", {"id", "parent", "names"}),
        ("watch com.acme.Orders::place when customer.parent.", {"names"}),
        ("watch com.acme.Orders::place when arg0.parent.na", {"names"}),
        ("watch com.acme.Orders::place when result.customer.parent.names.", {"length"}),
        ("watch com.acme.Orders::place when arg0.names[0].", {"length"}),
        ("watch com.acme.Orders::place show this.last.", {"customer", "quantity"}),
        ("watch com.acme.Orders::place when com.acme.Orders::", {"limit"}),
        ("watch com.acme.Orders::place when arg0 instanceof com.acme.", {"com.acme.Customer"}),
        ("watch com.acme.Orders::place show ", {"args", "stack 4"}),
        ("time com.acme.Orders::place by ", {"arg0", "thread", "stack 4"}),
        ("watch com.acme.Orders:29 when ", {"sum", "more", "order", "this"}),
        ("watch com.acme.Orders:29 show order.cust", {"customer"}),
        ("watch writes com.acme.Orders.last when value.", {"customer", "quantity"}),
        ("watch writes com.acme.Orders.last show ", {"old", "value", "object"}),
    ],
)
def test_what_is_proposed(project: Project, text: str, proposed: set[str]) -> None:
    found = {one.label for one in at_end(text, project).found}
    assert proposed <= found, found


@pytest.mark.parametrize(
    ("text", "not_proposed"),
    [
        ("time com.acme.Orders::total tree ", {"sample", "tree"}),  # clauses that it excludes
        (
            "time com.acme.Orders::total ",
            {"live", "region", "handler"},
        ),  # of other words, and of the agent's own
        ("watch com.acme.Orders:29 when ", {"result", "sums"}),
        ("time com.acme.Orders::total below com.acme.Orders::place ", {"every", "sample", "by", "top", "below"}),
        ("", {"event", "within", "watch line"}),
    ],
)
def test_what_is_not(project: Project, text: str, not_proposed: set[str]) -> None:
    assert not not_proposed & {one.label for one in at_end(text, project).found}


@pytest.mark.parametrize(
    "text", ["# time ", "time a.B::c # ", 'time a.B::c as "', 'watch a.B::c when arg0 == "x', "time a.B::c as "]
)
def test_nothing_is_proposed_where_nothing_fits(project: Project, text: str) -> None:
    assert at_end(text, project).found == []


def test_the_whole_name_is_replaced(project: Project) -> None:
    """Also of a class that was begun without its package."""
    found = at_end("time Ord", project)
    (orders,) = [one for one in found.found if one.label == "Orders"]
    assert (found.begin, orders.text, orders.matches) == (Position(0, 5), "com.acme.Orders", "Orders")


def test_types_and_names_of_arguments(project: Project) -> None:
    about = {one.label: one.detail for one in at_end("watch com.acme.Orders::place(*, *) when ", project).found}
    assert (about["arg0"], about["arg1"], about["result"]) == ("Customer customer", "int quantity", "Orders$Order")


def test_a_class_of_the_jdk(project: Project) -> None:
    if not project.jdk_names:
        pytest.skip("no JDK's image here")
    assert "java.util.concurrent" in {one.label for one in at_end("alloc java.util.conc", project).found}
    assert {"size"} <= {one.label for one in at_end("watch java.util.ArrayList::add when this.", project).found}


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("", {"let", "use"}),
        ("let min = 10ms\nwatch com.acme.Orders::place over ${m", {"min"}),
        ("let where = com.acme.Orders\ntime ${where}::", {"place", "total"}),
        ("let where = com.acme.Orders::place\nwatch ${where} when ", {"arg0", "customer"}),
        ("use ", {"jdbc", "other.rules"}),
        ("use jdbc, oth", {"other.rules"}),
    ],
)
def test_parameters_and_files(project: Project, tmp_path: Path, text: str, proposed: set[str]) -> None:
    (tmp_path / "other.rules").touch()
    document = Document(text, path=tmp_path / "my.rules")
    found = complete(document, Position(len(document.lines) - 1, len(document.lines[-1])), project)
    assert proposed <= {one.label for one in found.found}


#: Texts after which a proposal is put, whatever is proposed there.
BEGUN = [
    "watch com.acme.Orders::place when any(",
    "watch com.acme.Orders::place when arg0 == 1 && all(arg0",
    "watch com.acme.Orders::place when any(arg0, ",
    "watch com.acme.Orders::place when arg0 - ",
    "value com.acme.Orders::place of arg0 * (arg1 - ",
    "time com.acme.Orders::place ",
    "time com.acme.Orders::place by ",
    "time com.acme.Orders::place by thread, ",
    "time com.acme.Orders::place by sql(",
    "count com.acme.Orders::place by ",
    "count com.acme.Orders::place when ",
    "value com.acme.Orders::place ",
    "value com.acme.Orders::place of ",
    "value com.acme.Orders::place of arg1 by ",
    "context com.acme.Orders::place by ",
    "context com.acme.Orders::place by arg0 ",
    "watch com.acme.Orders::place show ",
    "watch com.acme.Orders::place show args, ",
    "watch com.acme.Orders::place when arg1 in {",
    "watch com.acme.Orders::place when !",
    "watch com.acme.Orders::place when arg1 == 1 || (arg0.",
    "watch com.acme.Orders::place mask ",
    "watch writes com.acme.Orders.last show ",
    "watch writes com.acme.Orders.last when ",
    "watch com.acme.Orders:29 show ",
    "alloc byte[] ",
    "count catches ",
    "count catches java.io.IOException ",
    "alloc byte[] when ",
    "time from com.acme.Orders::place to ",
    "time from com.acme.Orders::place to com.acme.Orders::total by ",
    "cover com.acme.** ",
    "locks ",
    "time com.acme.Orders::total(), ",
    "time com.acme.Orders::total except com.",
]
#: Texts that may be missing behind a proposal.
ENDS = [
    "",
    *(
        " com.acme.Orders::place",
        "::place",
        ".Orders::place",
        ".acme.Orders::place",
        " of arg0",
        " == 1",
        ".x",
        ")",
        ".x)",
    ),
    *(
        " com.acme.Orders",
        ".Orders",
        ".Orders.last",
        " com.acme.Orders.last",
        ".x == 1",
        " == 1)",
        "}",
        " > 1}",
        "::X)",
    ),
    *(
        " arg0",
        " args",
        " arg0 of arg0",
        " com.acme.Orders::place of arg0",
        " 1/2",
        " 10ms",
        " 3",
        " length > 1",
        ".Orders::place by arg0",
        "::place by arg0",
        " 3 of arg0",
        " 10ms of arg0",
        "x::y",
        "arg0, it == 1)",
        "x, it == 1))",
        "value, it == 1)",
        ", it == 1)",
        " == 1)",
    ),
    *(
        ' "x"',
        ' "x" of arg0',
        " com.acme.Orders::place by arg0",
        " a.jar of arg0",
        " byte[]",
        "[]",
        "Orders",
        ".List::add",
    ),
]


def accepted(text: str) -> bool:
    """True if the parser takes the text as the begin of a rule."""
    return any(not check_text(text + end, "here")[1] for end in ENDS)


@pytest.mark.parametrize("text", BEGUN)
def test_only_what_the_parser_accepts_is_proposed(project: Project, text: str) -> None:
    found = at_end(text, project)
    assert found.found
    lines = [text[: found.begin.column] + one.text for one in found.found[:60]]
    assert [line for line in lines if not accepted(line)] == []
