"""Rules with the names of a Kotlin program (languages/Market.kt), its suspend functions and its libraries; the program
counts the same itself."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FindJvm, Jvm, Result, Run
from tests.jvm.test_contexts import by_context
from tests.jvm.test_languages import LANGUAGES, class_path

pytestmark = pytest.mark.every_jvm

SOURCE = Path(__file__).parent / "languages" / "Market.kt"
LINE = next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if line.endswith("// added"))
REFUSED = [id for id in range(60) if id % 10 == 9]
RULES = [
    "count shop.Cart::add by item",
    "count shop.Cart::add when pieces > shop.MarketKt::limit",
    "count shop.Cart::add when this.lines.size > 1 && item == 'gift'",
    "count shop.Cart::add$default",
    "count shop.Cart::charge when price > 50",
    "count shop::labelled by times",
    'count shop::labelled when $this$labelled == "ab" && times == 2',
    "count shop.Registry::find by result.state",
    'count shop.Registry::find when result.item == "item-1"',
    "count kotlin.text.StringsKt*::toIntOrNull(java.lang.String) when result == null",
    "count shop::reserve by outcome",
    "count shop::reserve by exception",
    "count shop::reserve when result > 80",
    'time shop::reserve when item == "item-1"',
    "time shop::reserve over 300ms",
    "value shop::reserve of result when item != null",
    "value shop::reserve of id by item",
    "count shop::stored by result.state",
    "time shop::stored when result != null && rush",
    'context shop::reserve when id < 10 as "low"',
    "count kotlinx.coroutines.DelayKt::delay by timeMillis",
    "value kotlinx.coroutines.channels.BufferedChannel::send of element",
    "time from shop::sent to shop::received by id",
    "time from shop::reserve to shop::stored by id, order.id",
    "count catches shop.Refused, java.lang.Error in shop.**",
    "count shop.Cart::add below shop::carts",
    "watch shop::reserve when exception != null show id, item, exception.message",
    "watch shop.Cart::charge when price > 78 mask price",
    f"watch shop.Cart:{LINE} when pieces == 7 show item, pieces, this.total",
    "watch writes shop.Cart.total when value > 100 && old <= 100 show old, value",
    "count shop::count by name",
    "value shop::count of more by name",
]


class Market:
    """`told`: the program's own counters."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.told = {name: int(number) for name, number in re.findall(r"^(.+): (\d+)$", result.stdout, re.MULTILINE)}

    def by(self, prefix: str) -> dict[str, int]:
        return {name.removeprefix(prefix): n for name, n in self.told.items() if name.startswith(prefix)}

    def keys(self, method: str, by: str = "") -> dict[str, int]:
        rows = [row for row in self.result.report["keys"] if (row["method"], row["by"]) == (method, by)]
        return {row["key"]: row["calls"] for row in rows}

    def values(self, method: str, of: str) -> dict[str, tuple[int, int]]:
        rows = [row for row in self.result.report["values"] if (row["method"], row["of"]) == (method, of)]
        return {row["key"]: (row["count"], row["sum"]) for row in rows}

    def shown(self, section: str, method: str) -> list[dict[str, Any]]:
        return [row for row in self.result.report[section] if row["method"] == method]


@pytest.fixture(scope="module")
def market(jvm: Jvm, find_jvm: FindJvm, run: Run, pytestconfig: pytest.Config) -> Market:
    path = class_path("market", find_jvm(17), pytestconfig.cache.mkdir("languages"))
    result = run(RULES, jvm.java, "-Xverify:all", "-cp", path, *LANGUAGES["market"].main)
    assert result.status == 0, result.stderr
    return Market(result)


def test_default_arguments_and_names(market: Market) -> None:
    adds, told = market.by("add by "), market.told
    assert market.keys("add", "item") == adds
    assert market.keys("add") == {
        "when pieces > shop.MarketKt::limit": told["add above the limit"],
        "when this.lines.size > 1 && item == 'gift'": told["add to a cart with two"],
        "below shop::carts": sum(adds.values()),
    }
    assert market.result.method("Cart::add$default")["calls"] == sum(adds.values())


def test_value_classes_and_extensions(market: Market) -> None:
    assert list(market.keys("charge-TkVOhxk").values()) == [market.told["charged"]]
    assert [row["args"] for row in market.shown("calls", "charge-TkVOhxk")] == [{"price": {"masked": True}}]
    assert market.keys("labelled", "times") == market.by("labelled ")
    assert list(market.keys("labelled").values()) == [market.told["labelled 2"]]


def test_results(market: Market) -> None:
    assert market.keys("find", "result.state") == market.by("find by ")
    assert market.keys("find") == {'when result.item == "item-1"': market.told["find item-1"]}
    assert market.keys("toIntOrNull") == {"when result == null": market.told["no number"]}


def test_suspend_functions_are_chosen_by_their_first_arguments_and_last_end(market: Market) -> None:
    told = market.told
    assert market.keys("reserve", "outcome") == {"returned": told["reserved"], "shop.Refused": told["refused"]}
    assert market.keys("reserve", "exception") == {"null": told["reserved"], "shop.Refused": told["refused"]}
    assert market.keys("reserve") == {
        "when result > 80": told["reserved above 80"],
        'when item == "item-1"': told["reserve item-1"],
        "over 300ms": 1,
        "to shop::stored by id": 60,
    }
    assert market.keys("stored", "result.state") == market.by("stored by ")
    assert market.keys("stored") == {
        "when result != null && rush": told["stored in a rush"],
        "from shop::reserve by id": 60,
    }
    assert market.values("reserve", "result") == dict.fromkeys(
        ("", "when item != null"), (told["reserved"], told["reserved in all"])
    )
    ids = {f"item-{n}": range(n, 60, 4) for n in range(4)}
    assert market.values("reserve", "id") == {item: (len(of), sum(of)) for item, of in ids.items()}
    watched = [row["fields"] for row in market.shown("calls", "reserve")]
    assert [(row["id"], row["item"], row["exception.message"]) for row in watched] == [
        (id, f"item-{id % 4}", f"refused {id}") for id in REFUSED
    ]
    assert sum(row["count"] for row in market.result.report["exceptions"]) == told["refused"]


def test_a_context_of_the_first_calls(market: Market) -> None:
    assert market.result.data is not None
    assert [row["entered"] for row in market.result.report["contexts"]] == [10]
    assert by_context(market.result.data)["low"]["delay"] == 2, "those of 0 and 5"


def test_the_libraries_of_coroutines(market: Market) -> None:
    assert market.keys("delay", "timeMillis") == {"1": 60, "2": 12, "400": 1}
    assert market.values("send", "element") == {"": (50, sum(range(50)))}
    assert market.keys("received") == {"from shop::sent by id": market.told["received"]}


def test_lines_and_properties(market: Market) -> None:
    at_line = [row["values"] for row in market.result.report["executions"] if "item" in row["values"]]
    assert [(row["item"], row["pieces"], row["this.total"]) for row in at_line] == [
        (f"item-{n}", 7, 7 * n) for n in range(3)
    ]
    written = [row["values"] for row in market.result.report["executions"] if "old" in row["values"]]
    assert len(written) == market.told["total above 100"]
    assert [(row["old"], row["value"]) for row in written] == [(70, 105), (78, 117)]


def test_its_own_counters(market: Market) -> None:
    summed = market.values("count", "more")
    assert {name: total for name, (_, total) in summed.items()} == market.told
    assert market.keys("count", "name") == Counter({name: n for name, (n, _) in summed.items()})
