"""Verdicts about a rule, given the classes that are known."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import classhook.measures.every  # noqa: F401  # registers the rules' words
from classhook.checking.class_facts import ClassFacts, MethodFacts
from classhook.checking.verdicts import judge
from classhook.rules.parse import parse_text
from classhook.rules.syntax import METHOD_FLAGS

OBJECT = "java.lang.Object"
INTERFACE = 0x0200


def class_facts(name: str, /, *methods: MethodFacts, above: str = OBJECT, flags: int = 0, **fields: str) -> ClassFacts:
    return ClassFacts(
        name, flags, above, fields={field: (kind, 0) for field, kind in fields.items()}, methods=list(methods)
    )


ORDER = class_facts(
    "my_shop.Order",
    MethodFacts("place", "(ILjava/lang/String;)V", 0, frozenset({"java.lang.Deprecated"})),
    MethodFacts("isOpen", "(Z)Z", 0),
    MethodFacts("ship", "(Lmy_shop/Base;Lmy_shop/Api;[I)V", 0),
    MethodFacts("low", "()V", METHOD_FLAGS["native"]),
    MethodFacts(
        "pay",
        "(Ljava/math/BigDecimal;Ljava/util/List;[JLmy_shop/Base;Ljava/lang/Object;Ljava/lang/Comparable;)Ljava/lang/Long;",
        0,
    ),
    MethodFacts("over", "(I)V", 0),
    MethodFacts("over", "(II)V", 0),
    state="Ljava/lang/String;",
    base="Lmy_shop/Base;",
)
CONFIG = ClassFacts(
    "my_shop.Config", 0, OBJECT, fields={"limit": ("I", 8), "names": ("[Ljava/lang/String;", 8), "own": ("I", 0)}
)
KNOWN = [
    CONFIG,
    class_facts(OBJECT, above=""),
    class_facts("java.lang.String", flags=METHOD_FLAGS["final"], value="[B"),
    ORDER,
    class_facts("my_shop.Order$Line", MethodFacts("total", "()I", 0)),
    class_facts("my_shop.Base", count="I", name="Ljava/lang/String;"),
    class_facts("my_shop.More", above="my_shop.Base", extra="I"),
    class_facts(
        "my_shop.Api", MethodFacts("go", "()V", METHOD_FLAGS["abstract"]), flags=INTERFACE | METHOD_FLAGS["abstract"]
    ),
]


#: Names of parameters by method: the class file has none for `ship`; those of methods that are missing are not known.
NAMES = {"place": ("count", "item"), "ship": (), "pay": ("amount", "", "", "", "", "")}


@dataclass(frozen=True)
class Known:
    seen = "were not loaded"
    sources_known = False
    most_looked_at = 50

    def names(self) -> set[str]:
        return {facts.name for facts in KNOWN}

    def named(self, name: str) -> list[ClassFacts]:
        return [facts for facts in KNOWN if facts.name == name]

    def parameter_names(self, facts: ClassFacts, method: MethodFacts) -> tuple[str, ...] | None:
        return NAMES.get(method.name)

    def subtype_has(self, name: str, field: str) -> bool:
        return any(facts.super_name == name and field in facts.fields for facts in KNOWN)


def said(rule: str) -> tuple[str, str]:
    verdict = judge(parse_text(rule, "-e")[0], Known())
    return "never" if verdict.never else "waits" if verdict.waits else "ok", "; ".join(verdict.lines)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("watch my_shop.Order::place when arg3 > 1", "its arguments are arg0 to arg1"),
        ("watch my_shop.Order::place when cuont > 1", "has no parameter cuont; its parameters: count, item"),
        ("count my_shop.Order::place by items.length", "has no parameter items; its parameters: count, item"),
        ('watch my_shop.Order::place when count == "x"', "is of type int; compare it with a number"),
        ("watch my_shop.Order::place when item.size > 1", "java.lang.String has no field size"),
        ("watch my_shop.Order::ship when to.count > 1", "its class file has no names of parameters"),
        ("value my_shop.Order::pay of amount", "is of type BigDecimal, not a number"),
        ('watch my_shop.Order::place when arg0 == "x"', "is of type int; compare it with a number"),
        ('watch my_shop.Order::isOpen when arg0 == "x"', "is of type boolean; compare it with `true` or `false`"),
        ("watch my_shop.Order::isOpen when result > 3", "compare it with `true` or `false`"),
        ("watch my_shop.Order::place when this.stat == null", "its fields: base, state; did you mean `this.state`?"),
        ("watch my_shop.Order::place when this.base.nam == null", "did you mean `this.base.name`?"),
        ('watch my_shop.Order::place when this.base.count == "x"', "`this.base.count` is of type int"),
        (
            "watch my_shop.Order::place when this.base.count.digits > 1",
            "this.base.count is of type int, which has no fields",
        ),
        ("watch my_shop.Order::place when arg1.size > 1", "java.lang.String has no field size"),
        ("watch my_shop.Order::ship when arg2.size > 1", "is of type int[], which has no fields but length"),
        ("watch my_shop.Order::ship when arg2[1] == null", "`arg2[1]` is of type int; compare it with a number"),
        ('watch my_shop.Order::ship when arg2["x"] == 1', "is an array, whose elements have numbers"),
        (
            "watch my_shop.Order::ship when arg0[1] == 1",
            "only elements of arrays and of the JDK's own collections can be read",
        ),
        ("watch my_shop.Order::place when arg0[1] == 1", "is of type int, which has no elements"),
        ("watch my_shop.Order::place when arg1[1] == 1", "is of type String, which has no elements"),
        ('watch my_shop.Order::place when arg0 ~ "x*"', "`~` compares strings"),
        ("watch my_shop.Order::place when arg0 instanceof java.lang.Integer", "`instanceof` needs an object"),
        ("watch my_shop.Order::place when arg1 % 2 == 0", "`%` needs a whole number"),
        ("watch my_shop.Order::place when arg0 == my_shop.Config::limt", "did you mean `my_shop.Config::limit`?"),
        ("watch my_shop.Order::place when arg0 == com.acme.Config::limit", "did you mean my_shop.Config::limit?"),
        ("watch my_shop.Order::place when my_shop.Config::names[0] == 3", "compare it with a string"),
        ("count my_shop.Order::place by arg5", "no argument arg5"),
        (
            "value my_shop.Order::pay of arg0",
            "`arg0` of pay(BigDecimal, List, long[], Base, Object, Comparable) is of type BigDecimal, not a number",
        ),
        ("value my_shop.Order::pay of arg1", "is of type List, not a number"),
        ("value my_shop.Order::pay of arg2", "is of type long[], not a number"),
        ("value my_shop.Order::pay of this.base", "is of type Base, not a number"),
        ("count my_shop.Order::low", "is native"),
        ("count my_shop.Api::go", "'my_shop.Api+::go' matches the methods that implement it"),
        ("count my_shop.Order::plaec", "did you mean my_shop.Order::place?"),
        ("count my_shop.Order::place(int)", "did you mean my_shop.Order::place(int, java.lang.String)?"),
        ("count my_shop.Order::@Depricated place", "did you mean @Deprecated?"),
        ("count static my_shop.Order::place", "place(int, String) is not static"),
        ("count my_shop.Order::place: int", "`: int`: my_shop.Order.place(int, String) returns void"),
        ("watch my_shop.Order::is* when arg0 > 1", "compare it with `true` or `false`"),
        ("count calls my_shop.Order::plaec", "did you mean `my_shop.Order::place`?"),
        ("count calls my_shop.Api::goo in **", "my_shop.Api has no such method; did you mean `my_shop.Api::go`?"),
        ("count calls my_shop.Order::zzz", "the methods of my_shop.Order: "),
        ("count writes my_shop.Order.sate", "its fields: base, state; did you mean `my_shop.Order.state`?"),
    ],
)
def test_a_rule_that_can_never_match(rule: str, why: str) -> None:
    verdict, lines = said(rule)
    assert (verdict, why in lines) == ("never", True), lines


@pytest.mark.parametrize(
    ("rule", "nearest"),
    [
        ("count com.acme.Order::place", "my_shop.Order"),
        ("count my_shop.Order.Line::total", "my_shop.Order$Line"),
        ("count my-shop.Order::place", "my_shop.Order"),
        ("count my_shop.order::place", "my_shop.Order"),
        ("count com.acme.Thing::go", ""),
    ],
)
def test_a_class_that_is_not_known_may_be_loaded_later(rule: str, nearest: str) -> None:
    assert said(rule) == ("waits", f"did you mean {nearest}?" if nearest else "")


@pytest.mark.parametrize(
    "rule",
    [
        "count my_shop.Order::place, com.acme.Later::place2",
        "watch my_shop.Order::place when this.base.extra == 1",  # a subclass has it
        "watch my_shop.Order::place when this.base.name.length > 3",
        "watch my_shop.Order::ship when arg1.anything == 1",  # an interface: the object decides
        "watch my_shop.Order::place when exception.message == null show this.base.count",
        'watch my_shop.Order::place when arg0 % 2 == 1 && arg1 ~ "a*" && thread ~ "worker-*" && arg0 in {1, 2}',
        (
            "watch my_shop.Order::ship when arg2[0] == 1 && arg1[0].name == null && arg1.size > 3 && arg1 instanceof"
            " my_shop.More"
        ),
        (
            "watch my_shop.Order::place when my_shop.Config::names.length == my_shop.Config::limit &&"
            " com.acme.Nowhere::x == 1"
        ),
        "count my_shop.Order::place by arg1, thread, stack 2",
        "value my_shop.Order::pay of result",
        "value my_shop.Order::pay of arg1.size",
        "value my_shop.Order::pay of arg2[0]",
        "value my_shop.Order::pay of arg4",  # may be the erasure of a type variable, as may be Comparable
        "value my_shop.Order::pay of arg5",
        "count my_shop.Api+::go",
        "count **::*",
        "cpu every 10ms",
    ],
)
def test_a_rule_that_may_match(rule: str) -> None:
    assert said(rule) == ("ok", "")


def test_a_class_that_a_rule_does_not_name_may_be_loaded_later() -> None:
    """Rules with wildcards, and with further targets, wait for it."""
    assert said("count @Depricated my_shop.**::*")[0] == "waits"
    assert said("count my_shop.Order::plaec, com.acme.Later::x")[0] == "waits"


def test_a_type_that_is_not_known_may_be_loaded_later() -> None:
    verdict, lines = said("watch my_shop.Order::ship when arg1 instanceof com.acme.More")
    assert (verdict, lines) == (
        "ok",
        "`instanceof com.acme.More`: no class com.acme.More is known; did you mean my_shop.More?",
    )


def test_one_of_several_methods_is_enough() -> None:
    verdict, lines = said("watch my_shop.Order::over when arg1 > 3")
    assert (verdict, "over(int) has no argument arg1" in lines) == ("ok", True)
    verdict, lines = said("watch my_shop.Order::place show this.stat")
    assert (verdict, "did you mean `this.state`?" in lines) == ("ok", True)
