"""`check` answers at once what a rule that can never match, or never be true, may have meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import compiling
from tests.cli.conftest import Classhook

SOURCE = """
package my_shop;
class Base { int count; String name; }
public class Order {
    boolean closed; String state; Base base;
    static class Line { int total() { return 1; } }
    @Deprecated String place(int n, String who) { return who + n; }
    boolean isOpen(boolean x) { return !x; }
}
"""

RULES = {
    "watch my_shop.Order::place when arg3 > 1": "its arguments are arg0 to arg1",
    'watch my_shop.Order::isOpen when arg0 == "x"': "compare it with `true` or `false`",
    "watch my_shop.Order::place when this.stat == null": "its fields: base, closed, state; did you mean `this.state`?",
    "watch my_shop.Order::place when this.base.nam == null": "did you mean `this.base.name`?",
    'watch my_shop.Order::place when this.base.count == "x"': (
        "`this.base.count` is of type int; compare it with a number"
    ),
    "watch my_shop.Order::place when arg1.size > 1": "java.lang.String has no field size",
    "count my_shop.Order::@Depricated place": "nearest: @Deprecated",
    "count my_shop.Order.Line::total": "nearest: my_shop.Order$Line",
    "count my-shop.Order::place": "nearest: my_shop.Order",
    "count static my_shop.Order::place": "my_shop.Order.place(int, String) is not static",
    "count my_shop.Order::place from **/other.jar": "the classes come from ",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "Order.java").write_text(SOURCE)
    compiling.javac("javac", "--release", "17", "-d", folder / "classes", folder / "Order.java")
    return folder / "classes"


def test_each_rule_is_answered(classhook: Classhook, shop: Path) -> None:
    """All in one call: the answer stands below its rule, or among what is skipped."""
    done = classhook("check", "--quiet", *(word for rule in RULES for word in ("-e", rule)), shop)
    assert done.status == 1
    assert [why for why in RULES.values() if why not in done.out] == []
    right = "watch my_shop.Order::place when this.base.count > 1 && arg1.length > 3"
    assert classhook("check", "--quiet", "-e", right, shop).out == f"{right}\n  1 class, 1 method\n"
    assert (
        classhook("check", "--quiet", "-e", "watch my_shop.Order::place when this.base.nam == null", shop).status == 1
    )


def test_a_rule_that_is_there_already(classhook: Classhook, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text('count p.A::b\n\ntime p.A::b\ncount  p.A::b # again\ncount p.A::b as "other"\n')
    done = classhook("check", "-r", "rules")
    assert done.status == 2
    assert "rules:4:1: this rule exists already; the first is rules:1: `count p.A::b`" in done.err
    assert done.err.count("exists already") == 1
    done = classhook("check", "-e", "time p.A::b slowest 3", "-e", "time p.A::b slowest 3")
    assert (done.status, done.err.count("exists already")) == (2, 1)
