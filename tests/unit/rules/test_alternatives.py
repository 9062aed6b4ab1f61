"""Alternatives in braces, and results' types, in the targets of rules."""

from __future__ import annotations

import pytest

import classhook.measures.every  # noqa: F401  # registers the rules' words
from classhook.rules.compiled import dumps, loads
from classhook.rules.errors import RuleError
from classhook.rules.parse import parse_text
from classhook.rules.ruleset import RuleSet

METHODS = {
    "com.acme.Orders": [
        ("get", "()I"),
        ("set", "(I)V"),
        ("name", "()Ljava/lang/String;"),
        ("all", "()[Ljava/lang/String;"),
        ("is", "()Z"),
    ],
    "com.acme.Stock": [("get", "(J)J"), ("find", "(Ljava/lang/String;)Lcom/acme/Item;")],
    "com.acme.Other": [("get", "()I")],
}


def matched(rule: str) -> set[str]:
    """Returns the methods that a rule matches; a compiled rule has to match the same ones."""
    rules = RuleSet(parse_text(rule, "-e"))
    found: list[set[str]] = []
    for one in (rules, loads(dumps(rules))):
        found.append(set())
        for name, methods in METHODS.items():
            bound = one.bind(name, False, frozenset, frozenset)
            for method, descriptor in methods if bound is not None else ():
                if bound is not None and bound.match_method(0, method, descriptor, frozenset):
                    found[-1].add(f"{name.rpartition('.')[2]}.{method}")
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("count com.acme.{Orders,Stock}::get", "Orders.get Stock.get"),
        ("count com.acme.{Orders, Stock}::{get, find}", "Orders.get Stock.get Stock.find"),
        ("count com.acme.{Ord*,Oth*}::{g,s}et", "Orders.get Orders.set Other.get"),
        ("count com.acme.{My,}Orders::get{,Or}", "Orders.get"),
        ("count {com,org}.acme.Orders::get({int,long})", ""),
        ("count com.acme.*::get({int,long})", "Stock.get"),
        ("count com.acme.*::* except com.acme.{Orders,Other}", "Stock.get Stock.find"),
        ("count com.acme.Orders::*: int", "Orders.get"),
        ("count com.acme.Orders::*(..): void", "Orders.set"),
        ("count com.acme.*::*(): {int, boolean}", "Orders.get Orders.is Other.get"),
        ("count com.acme.*::*: java.lang.String[]", "Orders.all"),
        ("count com.acme.*::*: com.acme.*", "Stock.find"),
        ("count com.acme.Orders::*: **", "Orders.get Orders.set Orders.name Orders.all Orders.is"),
        ("count com.acme.Orders::*: *[]", "Orders.all"),
        ('watch com.acme.{Orders,Stock}::get: {int,long} when result > 3 as "x"', "Orders.get Stock.get"),
    ],
)
def test_targets(rule: str, expected: str) -> None:
    assert matched(rule) == set(expected.split())


def test_alternatives_of_types_and_annotations() -> None:
    (rule,) = parse_text("alloc java.util.{HashMap,ArrayList}, {int,long}[] in {a,b}.**::*", "-e")
    assert [str(one) for one in rule.types] == ["java.util.HashMap", "java.util.ArrayList", "int[]", "long[]"]
    assert [str(target.class_pattern) for target in rule.targets] == ["a.**", "b.**"]
    (rule,) = parse_text("count @{A,B} c.D::@{GET,POST} *", "-e")
    assert [(target.class_annotations, target.method.annotations) for target in rule.targets if target.method] == [
        ((owner,), (method,)) for method in ("GET", "POST") for owner in ("A", "B")
    ]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("count com.acme.{Orders,}::get", "a segment of the name is missing"),
        ("count com.acme.Orders::{,get}", "no name is left"),
        ("count com.acme.{,}Orders::get", "the braces are empty"),
        ("count com.acme.{Or ders}::get", "a blank is in an alternative"),
        ("count com.acme.{Orders::get", "unexpected `{`"),
        ("count com.acme.{a/b,c}::get", "dots, not slashes"),
        ("count c.{" + ",".join(f"A{i}" for i in range(300)) + "}::get", "stand for 300 names"),
        (
            "count c.{" + ",".join(f"A{i}" for i in range(20)) + "}::{" + ",".join(f"m{i}" for i in range(20)) + "}",
            "stand for 400 targets",
        ),
        ("count int com.acme.Orders::get", "the type of the result is behind the method"),
        ("count com.acme.Orders::get:", "ends too early"),
    ],
)
def test_mistakes(rule: str, why: str) -> None:
    with pytest.raises(RuleError, match=why):
        parse_text(rule, "-e")
