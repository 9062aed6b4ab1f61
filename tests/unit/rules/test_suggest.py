"""Suggestions for a rule that matched nothing."""

from __future__ import annotations

import pytest

from classhook.rules.parse import parse_text
from classhook.rules.suggest import nearest

CLASSES = ["com.acme.Orders", "com.acme.Outer$Inner", "com.acme.web.Login", "org.shop.Basket", "java.lang.String"]

METHODS = [
    ("com.acme.Orders", "place", "(Ljava/lang/String;)V"),
    ("com.acme.Orders", "place", "(IJ)V"),
    ("com.acme.Orders", "cancel", "()V"),
    ("org.shop.Basket", "plase", "()V"),
]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("time com.acme.Odrers::*", "com.acme.Orders"),
        ("time com.amce.Orders::*", "com.acme.Orders"),
        ("time org.acme.orders::*", "com.acme.Orders"),
        ("time com.acme.Outer.Inner::*", "com.acme.Outer$Inner"),
        ("time com.amce.**::*", "com.acme.**"),
        ("time com.acme.wed.*::*", "com.acme.web.*"),
        ("time net.nothing.Like::*", None),
        ("time **.Nothing::*", None),
        ("time com.acme.Orders::plaice", "com.acme.Orders::place"),
        ("time com.acme.Orders::place(String)", "com.acme.Orders::place(java.lang.String)"),
        ("time com.acme.Orders::place(int)", "com.acme.Orders::place(int, long)"),
        ("time com.acme.Orders::kancel", "com.acme.Orders::cancel"),
        ("time private com.acme.Orders::place", None),
        ("time com.acme.Orders::zzz", None),
        ("alloc * in com.amce.**", "com.acme.**"),
    ],
)
def test_nearest(rule: str, expected: str | None) -> None:
    (parsed,) = parse_text(rule, "-e")
    assert nearest(parsed, CLASSES, METHODS) == expected
