"""Rules that a script changes while the program runs, what they counted, and handlers that it adds then."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.events.conftest import Scripted, said
from tests.jvm.test_contexts import by_context

RULES = """
from classhook.rules.errors import RuleError
from classhook.base.errors import UsageError

try: agent.rules.list()
except RuntimeError: print("early True")

@agent.on.method_entry("Shop::main(..)", sync=True)
def begins(e):
    agent.rules.add("count Shop::place(..)")
    agent.rules.add("count Shop::greet(..)")
    for wrong in ("cuont Shop::place", "7"):
        try: agent.rules.add(wrong) if "Shop" in wrong else agent.rules.pause(wrong)
        except (RuleError, UsageError) as error: print("wrong", str(error).splitlines()[0])
    agent.rules.pause("count Shop::greet(..)")
    for one in agent.rules.list(): print("rule", one["paused"], one["rule"])

@agent.on.method_exit("Shop::depth(..)", sync=True)
def counted(e):
    counted.disable()
    print("calls", [(row.label.partition("(")[0], row.calls) for row in agent.snapshot().methods if row.calls])
    agent.rules.resume("count Shop::greet(..)")
    agent.rules.remove("count Shop::place(..)")
"""


def test_rules_are_changed_and_what_they_counted_is_read(scripted: Scripted) -> None:
    result = scripted(RULES, "Shop", "8")
    assert result.status == 0
    assert said(result, "early") == ["True"]
    assert said(result, "wrong") == [
        "-e:1:1: no rule begins with `cuont`; did you mean `count`?",
        "7: no such rule; `classhook ctl PID rules` lists them with their numbers",
    ]
    assert [line for line in said(result, "rule") if "event" not in line] == [
        "False count Shop::place(..)",
        "True count Shop::greet(..)",
    ]
    assert said(result, "calls") == ["[('Shop.place', 8)]"]
    counted = {row["method"]: row["calls"] for row in result.report["methods"]}
    assert counted == {"place": 8, "greet": 2}


def test_handlers_are_added_while_the_program_runs(scripted: Scripted) -> None:
    result = scripted(
        """
@agent.on.method_entry("Shop::main(..)", sync=True)
def begins(e):
    @agent.on.method_entry("Shop::greet(..)", sync=True, args=True)
    def greeted(e): print("greeted", e.args[0])
""",
        "Shop",
        "1",
    )
    assert said(result, "greeted")[1:] == ["thread", "lock"]


@pytest.mark.any_jvm
def test_a_task_stays_in_its_test_when_another_test_begins(scripted: Scripted) -> None:
    lines = ['A, B = agent.test("A"), agent.test("B")']
    for name in "AB":
        for what in ("begin", "end"):
            lines += [
                f'@agent.on.method_entry("Overlap::{what}{name}()", sync=True)',
                f"def {what}{name}(event): {name}.{what}()",
            ]
    result = scripted("\n".join(lines), "Overlap", rules=("tests", "count Overlap::{early,late}"))
    assert result.status == 0, result.stderr
    assert by_context(result.data or Path())["A"] == {"early": 2, "late": 20}
