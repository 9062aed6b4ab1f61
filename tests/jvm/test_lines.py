"""Rules about lines: `count` has the numbers of a program in which they are known, and JaCoCo's lines; `watch` has the
values of local variables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compiled, Jvm, Result, Run, classhook_command, execute

pytestmark = pytest.mark.every_jvm

SOURCE = Path(__file__).parent / "java" / "lines" / "Orders.java"
#: By what its comment says: a line's number.
LINE = {
    match[1]: number
    for number, text in enumerate(SOURCE.read_text().splitlines(), 1)
    if (match := re.search(r"// (.+)", text))
}
ROUNDS = 5
#: Executions of each of these lines: by method, if several have code there.
EXECUTED: dict[str, int | dict[str, int]] = {
    "tenant": 1,
    "nested": 10 * ROUNDS,
    "total": ROUNDS,
    "header": 11 * ROUNDS,
    "price": 10 * ROUNDS,
    "even": 10 * ROUNDS,
    "one-line loop": 5 * ROUNDS,  # entered, and begun anew four times
    "lambda": {"total": ROUNDS, "lambda$total$0": 2 * ROUNDS},
    "calls": ROUNDS,
    "done": ROUNDS,
    "monitor": ROUNDS,
    "throws": ROUNDS,
    "guarded": ROUNDS - 1,
    "returned": ROUNDS - 1,
    "deep": 3,
    "scoped": 3,
    "text": 2,
    "other": 2,
    "later": ROUNDS,
    "thrown": ROUNDS,
    "handled": 2 * 2,  # before `finally`, and behind it
    "normal": 3,
    "switch": ROUNDS,
    "zero": 2,
    "one falls": 1,
    "two": 2,
    "do": 3 * 3,
    "items": 11 * ROUNDS,
    "loop at the start": 11 * ROUNDS,
    "loop": 11 * ROUNDS,
    "in a loop": 10 * ROUNDS,
    "goes on": 11 * ROUNDS,
    "else": 5 * ROUNDS,
    "chooses": 11 * ROUNDS,
}


def ran(run: Run, jvm: Jvm, classes: Path, rules: list[str]) -> Result:
    result = run(rules, jvm.java, "-Xverify:all", "-Xcheck:jni", "-cp", classes, "Orders")
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    assert result.stdout == "three\n34\n"
    return result


def lines(result: Result) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for row in result.report["lines"]:
        found.setdefault(row["line"], {})[row["method"]] = row["executions"]
    return found


def executions(result: Result, name: str) -> list[dict[str, Any]]:
    return [row["values"] for row in result.report["executions"] if row["name"] == name]


def watch(name: str, rest: str = "") -> str:
    return f'watch Orders:{LINE[name]} {rest} as "{name}"'


def test_lines_are_counted_and_watched(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = [
        "count Orders:1-999",
        "count Orders::total",
        "cover Orders hits",
        watch(
            "even",
            "when price == 6 && item.price == 6 && total > price - 2 show total, item.price, this.count, stack 1",
        ),
        watch("done", 'when state == "PAID" && this.tenant == "ann" show items.size, twice'),
        watch("one-line loop", "when this.count * 2 - 1 < 5"),
        watch("kinds", "show args, copy, i, local3 first 2"),
        watch("deep", "show n"),
        watch("scoped", "show deep, n"),
        watch("other", 'when deep == "low0" || deep == "low1" show deep, n'),
        watch("lambda", "show x"),
        watch("tenant", "show this, tenant"),
        watch("returned", "when n / 2 >= 1.25 || n == 0 mask n show n, this.tenant"),
        watch("calls", "every 60s show total"),
        (
            f'watch Orders:{LINE["done"]} when items.size == 10 && items[1] instanceof Orders$Item && state ~ "P*D" &&'
            ' total % 2 == 0 && this.tenant ~ "a*" && items[9].price in {9, 11} show items[2].price as "elements"'
        ),
        'watch Orders:31-33 show total mask total as "range"',
    ]
    result = ran(run, jvm, compiled("lines"), rules)
    counted = lines(result)
    for name, expected in EXECUTED.items():
        found = counted[LINE[name]]
        assert found == expected if isinstance(expected, dict) else list(found.values()) == [expected], name
    assert result.method("Orders::total")["calls"] == ROUNDS

    assert executions(result, "even") == [{"total": 6, "item.price": 6, "this.count": 7 * r} for r in range(3)]
    assert [row["stack"][0].partition("(")[0] for row in result.report["executions"] if row["name"] == "even"] == [
        "Orders.main"
    ] * 3
    (done,) = executions(result, "done")
    assert done["items.size"] == 10
    assert done["twice"]["class"].startswith("Orders$$Lambda")
    elements = executions(result, "elements")
    assert elements == [{"items[2].price": 4}]
    loop = executions(result, "one-line loop")
    assert [row["i"] for row in loop] == [{"unset": True}, 1, 2]
    assert set(loop[0]) == {"items", "state", "total", "i"}
    kinds = {
        "flag": False, "b": 0, "c": "a", "s": 0, "i": 0, "j": 1 << 40, "f": 0.0, "d": 0.0, "text": "text0", "many": [], "nothing": None,
        "copy": ["text0"],
        "local3": 0,
    }  # fmt: skip
    kinds_later = kinds | {
        "flag": True,
        "b": -1,
        "c": "b",
        "s": 1,
        "i": 1,
        "j": 1 << 41,
        "f": 0.5,
        "d": 0.25,
        "text": "text1",
        "many": [0],
        "local3": 1,
    }
    assert executions(result, "kinds") == [kinds, kinds_later | {"copy": ["text1"]}]
    assert executions(result, "deep") == [{"n": n} for n in (2, 3, 4)]
    assert executions(result, "scoped") == [{"deep": 10 * n, "n": n} for n in (2, 3, 4)]
    assert executions(result, "other") == [{"deep": f"low{n}", "n": n} for n in (0, 1)]
    assert executions(result, "lambda") == [{"x": 1}, {"x": 2}] * ROUNDS
    assert executions(result, "tenant") == [{"this": {"class": "Orders"}, "tenant": " ann "}]
    masked = {"masked": True}
    assert executions(result, "returned") == [{"n": masked, "this.tenant": "ann"}] * 2
    assert len(executions(result, "calls")) == 1
    assert {str(row) for row in executions(result, "range")} == {str({"total": masked})}
    assert result.data
    text = execute([*classhook_command(), "report", "--wide", "--top", "0", result.data]).stdout
    assert f"Orders.total:{LINE['even']}  [even]  total=6  item.price=6  this.count=0  < Orders.main:" in text
    assert "i=(not set)" in text


def test_without_names_there_are_numbers(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    classes = compiled("lines", debug="-g:lines")
    rules = [
        watch("even", "when local7 == 6 && local3 > 3 show local3, local6.price, arg0.size"),
        watch("one-line loop", "first 2"),
    ]
    result = ran(run, jvm, classes, rules)
    totals = [sum(p for p in range(r, 6) if p % 2 == 0) for r in range(ROUNDS)]
    assert [row["local3"] for row in executions(result, "even")] == [total for total in totals if total > 3]
    assert executions(result, "even")[0] == {"local3": 6, "local6.price": 6, "arg0.size": 10}
    assert set(executions(result, "one-line loop")[0]) == {"arg0", "arg1", "local3", "local5"}


@pytest.mark.any_jvm
def test_what_is_not_there_is_answered_at_once(compiled: Compiled) -> None:
    def checked(rule: str, classes: Path) -> str:
        done = execute([*classhook_command(), "check", "-e", rule, classes])
        assert done.status == 1
        return done.stdout

    with_names, without = compiled("lines"), compiled("lines", debug=False)
    nothing, deep = LINE["nothing"], LINE["deep"]
    assert (
        f"line {nothing} of Orders and its nested classes has no code; the nearest lines with code: {nothing - 2} and"
        f" {nothing + 1}" in checked(f"count Orders:{nothing}", with_names)
    )
    assert "lines 900-999 of Orders have no code; the nearest line with code: " in checked(
        "watch Orders:900-999", with_names
    )
    assert "there are no line numbers (javac -g writes them)" in checked("count Orders:5", without)
    assert f"`total`: there is no local variable total at line {deep} of scopes(int); there are: n" in checked(
        f"watch Orders:{deep} show total", with_names
    )
    assert f"`deep`: deep gets its value in line {deep}, and has none before; there are: n" in checked(
        f"watch Orders:{deep} when deep > 3", with_names
    )
    assert "`this.count`: scopes(int) is static; at line" in checked(f"watch Orders:{deep} show this.count", with_names)
    assert "`n.x`: n is of type int, which has no fields" in checked(f"watch Orders:{deep} show n.x", with_names)
    assert "is of type int; compare it with a number" in checked(f'watch Orders:{deep} when n == "x"', with_names)
    assert "`this.x`: Orders has no field x; its fields: count, tenant" in checked(
        f"watch Orders:{LINE['total']} show this.x", with_names
    )
