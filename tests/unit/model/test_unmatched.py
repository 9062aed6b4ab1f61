"""Sentences about rules that matched nothing."""

from __future__ import annotations

from classhook.model.snapshot import RuleRow, Snapshot
from classhook.model.unmatched import Unmatched, sentences, unmatched_of
from classhook.reports import Options
from classhook.reports.json import as_dict
from classhook.rules.parse import load, parse_text
from classhook.rules.syntax import Rule


def said(rules: list[Rule], matched: int, **row: int) -> list[str]:
    """Returns the sentences about rules of which only the first `matched` ones matched."""
    return list(sentences([Unmatched(rule.text, rule, RuleRow(**row)) for rule in rules[matched:]], rules[:matched]))


def test_of_stock_rules_about_what_a_program_does_not_have_there_is_one_sentence_at_most() -> None:
    stock = load(["json"]).rules
    assert said(stock, 1) == []
    (sentence,) = said(stock, 0)
    assert sentence.startswith(
        "the stock rules json matched nothing that was loaded: Jackson 2 read, Jackson 2 write, "
    )
    assert sentence.endswith(", Gson write")
    own = parse_text("count a.B::c", "-e")
    assert said([*stock, *own], len(stock)) == ["this rule matched nothing that was loaded: count a.B::c"]


def test_stock_rules_that_do_not_fit_the_version_of_a_library_are_said_one_by_one() -> None:
    stock = load(["json"]).rules
    texts = said(stock, 1, matched_classes=1)
    assert len(texts) == len(stock) - 1
    assert all(text.startswith("this rule matched no method of the classes it names: ") for text in texts)


def test_of_stock_rules_about_annotations_and_interfaces_other_classes_say_nothing() -> None:
    stock = [rule for rule in load(["servlet"]).rules if "::@" in rule.text or "+::" in rule.text]
    assert said(stock, 1, matched_classes=5) == []


def test_json_has_what_the_text_says_below_tables_but_no_rule_that_nobody_wrote() -> None:
    rules = parse_text("time a.B::c slowest 3", "-e")
    snapshot = Snapshot(
        rules={rule.text: RuleRow() for rule in rules},
        parsed_rules={rule.text: rule for rule in rules},
        written={rule.text: rules[0].text for rule in rules[1:]},
    )
    found = as_dict(snapshot, Options())
    assert [row["rule"] for row in found["rules"]] == ["time a.B::c slowest 3"]
    assert (
        found["notes"] == unmatched_of(snapshot) == ["this rule matched nothing that was loaded: time a.B::c slowest 3"]
    )
