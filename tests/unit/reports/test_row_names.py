"""Names of rows fit into their room, and no two rows have the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.base.row_names import LEAST, RowName, cut, dotted, fitted, method, plain, wide
from classhook.measures.alloc.reader import SiteRow
from classhook.measures.methods.reader import MethodRow
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.section_view import row_names, views
from classhook.reports.text_table import TextTable

EQUALS = method("com.sun.tools.javac.code.Type", "equals", "(Lcom/sun/tools/javac/code/Type;)Z")


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (99, "com.sun.tools.javac.code.Type.equals(Type)"),
        (42, "com.sun.tools.javac.code.Type.equals(Type)"),
        (41, "c.sun.tools.javac.code.Type.equals(Type)"),
        (36, "c.s.t.javac.code.Type.equals(Type)"),
        (28, "c.s.t.j.c.Type.equals(Type)"),
        (20, "Type.equals(Type)"),
        (16, "Type.equals(..)"),
        (14, "Type....als(..)"[:5] + "...ls(..)"),
    ],
)
def test_packages_first(width: int, text: str) -> None:
    assert EQUALS.fitted(width) == text


KEYED = method("com.acme.Repository", "find", "(Ljava/lang/String;)I")


@pytest.mark.parametrize(
    ("labels", "width", "texts"),
    [
        (
            [method(f"com.acme.{package}.impl.Orders", "place", "(I)V") for package in ("sales", "stock")],
            22,
            ["sales.Orders.place(..)", "stock.Orders.place(..)"],
        ),
        (
            [method("com.acme.Orders", "place", f"(Ljava/util/NavigableMap;{type_})V") for type_ in ("I", "J")],
            24,
            ["Orders.place(..int..)", "Orders.place(..long..)"],
        ),
        (
            [method("com.acme.Orders", f"placeTheOrder{letter}ThatWasMadeLongAgo", "()V") for letter in "AB"],
            24,
            ["Orders.pl...LongAgo() #1", "Orders.pl...LongAgo() #2"],
        ),
        (
            [dotted(f"com.acme.{package}.Orders") for package in ("sales", "stock")],
            12,
            ["sales.Orders", "stock.Orders"],
        ),
        (
            [KEYED._replace(key=f" [select a, b from {table} where id = ?]") for table in ("orders", "stock")],
            50,
            ["find [select a, b from orders where id = ?]", "find [select a, b from stock where id = ?]"],
        ),
        (
            [KEYED._replace(key=f" [{key}]") for key in ("orders", "select id, name from orders where customer = ?")],
            40,
            ["c.acme.Repository.find(String) [orders]", "find [select id, nam...ere customer = ?]"],
        ),
        ([plain("a" * 20 + letter + "b" * 20) for letter in "xy"], 15, ["aaaa...bbbbb #1", "aaaa...bbbbb #2"]),
    ],
)
def test_names_that_differ_do_so_when_they_are_shortened(labels: list[RowName], width: int, texts: list[str]) -> None:
    assert fitted(labels, [width] * len(labels)) == texts


@given(
    names=st.lists(
        st.tuples(
            st.sampled_from(["a.b", "a.c", "a", "b.a.b"]),
            st.text("xy", min_size=8, max_size=30),
            st.sampled_from(["()V", "(I)V", "(II)V", "(J)V"]),
        ),
        unique=True,
        max_size=8,
    ),
    width=st.integers(2 * LEAST, 60),
)
def test_no_two_names_are_the_same(names: list[tuple[str, str, str]], width: int) -> None:
    texts = fitted(
        [method(f"{package}.C", name, descriptor) for package, name, descriptor in names], [width] * len(names)
    )
    assert len(set(texts)) == len(texts)
    assert all(wide(text) <= width for text in texts)


@given(name=st.text(max_size=40), method_name=st.text(max_size=30), width=st.integers(LEAST, 80))
def test_no_name_is_wider_than_its_room(name: str, method_name: str, width: int) -> None:
    label = method(name, method_name, "(Ljava/util/List;I)V")
    assert wide(label.fitted(width)) <= width
    assert label.fitted(width).isprintable()
    assert wide(cut(name, width)) <= width


@given(
    numbers=st.lists(st.tuples(*[st.text("0123456789", max_size=9)] * 6), min_size=1, max_size=4),
    width=st.integers(30, 120),
    after=st.text("xyz", max_size=50),
)
def test_numbers_take_half_at_most(numbers: list[tuple[str, ...]], width: int, after: str) -> None:
    table = TextTable([f"c{i}" for i in range(6)], "method", frozenset({4}), width)
    for row in numbers:
        table.add_row(row, EQUALS, after)
    head, *lines = table.lines()
    assert "c0" in head
    assert "c4" in head, "what rows are sorted by is there"
    assert all(len(line) <= max(width, 2 * (9 + 2) + 2 * LEAST) for line in lines)
    assert head.index("method") <= max(width // 2, 2 * (9 + 2))
    assert {name for name in (f"c{i}" for i in range(6)) if name not in head} == set(table.left_out)


def named(snapshot: Snapshot) -> list[str]:
    return [
        label.text()
        for view in views(snapshot, Options(all=True))
        for label in row_names(snapshot, view.section, dict(view.rows)).values()
    ]


def test_methods_with_the_same_parameters_differ_in_what_is_shown() -> None:
    snapshot = Snapshot()
    for name, descriptor in [
        ("get", "()Ljava/lang/Object;"),
        ("get", "()Ljava/lang/String;"),
        ("put", "(La/X;)V"),
        ("put", "(Lb/X;)V"),
        ("put", "(I)V"),
        ("same", "()La/X;"),
        ("same", "()Lb/X;"),
    ]:
        snapshot.tables["methods"]["p.Box", name, descriptor] = MethodRow(calls=1)
    assert sorted(named(snapshot)) == [
        "p.Box.get(): Object",
        "p.Box.get(): String",
        "p.Box.put(a.X)",
        "p.Box.put(b.X)",
        "p.Box.put(int)",
        "p.Box.same(): a.X",
        "p.Box.same(): b.X",
    ]


def test_sites_on_one_line_differ_in_what_is_shown() -> None:
    snapshot = Snapshot()
    for bci in (3, 9):
        snapshot.tables["allocations"]["p.A", "m", "()V", 7, bci, "int[]"] = SiteRow(count=1)
    assert named(snapshot) == ["int[]  p.A.m():7 bci 3", "int[]  p.A.m():7 bci 9"]


def test_packages_of_groups_are_shortened() -> None:
    snapshot = Snapshot(grouped_by="class")
    snapshot.tables["methods"]["com.acme.sales.Orders", "counted"] = MethodRow(calls=1)
    (view,) = views(snapshot, Options(all=True))
    (label,) = row_names(snapshot, view.section, dict(view.rows)).values()
    assert label.fitted(16) == "c.a.sales.Orders"
