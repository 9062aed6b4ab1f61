"""Rule files with parameters, and files that use others."""

from __future__ import annotations

from pathlib import Path

import pytest

from classhook.rules.errors import RuleError
from classhook.rules.formatting import formatted
from classhook.rules.parse import load
from classhook.store.cache import parsed_rules

SLOW = """\
let app = com.acme  # where
let min = 10ms
let where = ${app}.Orders::{place,pay}, ${app}.Db::*(int,
    long)

watch ${where} over ${min}   as "slower than ${min}"
count com.acme.A$B::`${min}` when arg0 == "${app}" && arg1 in {1, 2}
"""


def texts(file: Path, **given: str) -> list[str]:
    return [rule.text for rule in load([file], given=given).rules if rule.kind != "when"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "slow.rules").write_text(SLOW)
    return tmp_path / "slow.rules"


def wrong(file: Path, text: str, **given: str) -> str:
    file.write_text(text)
    with pytest.raises(RuleError) as caught:
        load([file], given=given)
    return str(caught.value)


def test_parameters_have_values(file: Path) -> None:
    where = "com.acme.Orders::{place,pay}, com.acme.Db::*(int, long)"
    assert texts(file) == [
        f'watch {where} over 10ms as "slower than 10ms"',
        'count com.acme.A$B::`${min}` when arg0 == "com.acme" && arg1 in {1, 2}',
    ]
    assert texts(file, min="2s", app="x")[0].endswith('x.Db::*(int, long) over 2s as "slower than 2s"')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time ${app}::x\n", "file:1:6: the parameter `app` has no value\n"),
        ("let a = 1\ntime ${b}::x\n", "`-D b=...` with the command, or a line `let b = ...` before this one; the par"),
        ("let = 3\n", "file:1:5: the name is missing"),
        ("let a-b = 3\n", "`a-b` is not a name"),
        ("let a\n", "`a` needs a value"),
        ("let a = # no\n", "`a` needs a value"),
        ("let a = 1\nlet a = 2\ncount a.B::c\n", "file:2:5: `a` has a value already: `1`"),
        ("let ms = 10mss\nwatch a.B::c  over ${ms}\n", "file:2:20: unexpected `10mss`; `${ms}` is `10mss`\n"),
        ("let a = b.C\ntime ${a}::d extra\n", "file:2:14: unexpected `extra`"),
        ("use\n", "`use` takes in files of rules"),
        ("use a b\n", "`use` takes in files of rules"),
        ("use nowhere.rules\n", "file:1:5: no such file: "),
        ("# x\nuse jdbc, file\n", "file:2:11: a circle: file uses file"),
    ],
)
def test_mistakes_are_told_where_they_are_written(tmp_path: Path, text: str, message: str) -> None:
    assert message in wrong(tmp_path / "file", text)


def test_values_that_no_rule_asks_for_are_refused(file: Path) -> None:
    with pytest.raises(
        RuleError, match=r"-D mni: the rules have no parameter mni; the parameters are app \(`com.acme`\)"
    ):
        load([file], given={"mni": "3ms"})
    with pytest.raises(RuleError, match="they have none"):
        load([], ["count a.B::c"], given={"min": "3ms"})
    (rule,) = load([], ["watch a.B::c over ${min}"], given={"min": "3ms"}).rules
    assert rule.text == "watch a.B::c over 3ms"
    with pytest.raises(RuleError, match="`let` and `use` are for files of rules"):
        load([], ["let a = 3"])


def test_files_use_others_once(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "names.rules").write_text("let app = com.acme\nlet min = 1s\n")
    (tmp_path / "in" / "db.rules").write_text(
        "use ../names.rules\nlet top = 5\ncount ${app}.Db::* by arg0 top ${top}\n"
    )
    main = tmp_path / "main.rules"
    main.write_text(
        'let min = 2s\nlet top = 7\nuse "names.rules", in/db.rules\nuse in/db.rules\nwatch ${app}.X::y over ${min}\n'
    )
    assert texts(main) == ["count com.acme.Db::* by arg0 top 7", "watch com.acme.X::y over 2s"]
    assert texts(main, app="z")[0] == "count z.Db::* by arg0 top 7"
    for order in ([main, tmp_path / "in" / "db.rules"], [tmp_path / "in" / "db.rules", main]):
        assert len(load(order).rules) == 2
    (tmp_path / "in" / "db.rules").write_text("use ../main.rules\ncount x\n")
    with pytest.raises(RuleError, match=r"a circle: main.rules uses db.rules uses main.rules"):
        load([main])


def test_stock_rules_are_used_by_name(tmp_path: Path) -> None:
    (tmp_path / "mine.rules").write_text("use json\ncount a.B::c\n")
    rules = load([tmp_path / "mine.rules", "json"]).rules
    assert [rule.text for rule in rules[:-1]] == [rule.text for rule in load(["json"]).rules]
    assert rules[0].origin == "stock rules json"


def test_a_changed_file_that_is_used_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("use b\n")
    for name in ("c", "d"):
        (tmp_path / "b").write_text(f"count a.B::{name}${{x}}\n")
        for value in ("1", "2"):
            found = parsed_rules.load(tmp_path / "cache", [str(tmp_path / "a")], [], {"x": value})
            assert [rule.text for rule in found.rules] == [f"count a.B::{name}{value}"]
    assert len(list((tmp_path / "cache").iterdir())) == 4


def test_the_layout_keeps_parameters() -> None:
    assert formatted(SLOW) == SLOW
    spoilt = 'let   app=com.acme\n  use  jdbc ,  x.rules # y\n time   ${app} :: {a,b}  (int,${app}.T ) as   "x"\ncount ${no}  ::x\n'
    laid_out = (
        'let app = com.acme\nuse jdbc, x.rules  # y\ntime ${app}::{a,b}(int, ${app}.T)   as "x"\ncount ${no}  ::x\n'
    )
    assert formatted(spoilt) == laid_out
