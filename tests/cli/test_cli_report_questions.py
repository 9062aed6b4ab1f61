"""`classhook report` answers questions: widths of terminals, patterns, groups, columns."""

from __future__ import annotations

import json
import re
import sys
from io import StringIO
from pathlib import Path

import pytest

from classhook.measures.methods.reader import MethodRow
from classhook.model.snapshot import Snapshot
from classhook.reports import Options, matched_rows
from tests.cli.conftest import Classhook
from tests.cli.test_cli_report import on_terminal, table
from tests.cli.tools import call
from tests.schema import check


def lines_of_tables(text: str) -> list[str]:
    """The lines of tables: those with the name of a method of p.Work or of one that was shortened."""
    return [line for line in text.splitlines() if re.search(r"\w\([^)]*\)", line)]


# ---- width


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 160])
def test_no_row_is_wider_than_the_terminal(data: Path, tmp_path: Path, columns: int) -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(["report", "data"], tmp_path, COLUMNS=str(columns)))
    rows = lines_of_tables(shown)
    assert len(rows) >= 6
    for row in rows:
        assert len(row.rstrip("\r")) <= columns
        assert re.search(r"\w(\(.*\)|\.\.\.)", row)
    assert ("not shown: p50, p90, p99, max; --wide shows" in shown) == (columns == 80)
    assert ("not shown: " in shown) == (columns < 160)


def test_pipes_and_files_have_all_columns_and_whole_names(classhook: Classhook, data: Path, tmp_path: Path) -> None:
    piped = classhook("report", "data", env={"COLUMNS": "80"}).out
    assert max(map(len, lines_of_tables(piped))) <= 80
    assert "p99" not in piped.partition("not shown: ")[0]
    wide = classhook("report", "--wide", "data").out
    assert "p50      p90      p99      max  method" in wide
    assert "not shown" not in wide
    assert classhook("report", "data", "-o", "file").status == 0
    assert (tmp_path / "file").read_text() == wide
    call(["bash", "-c", f"{sys.executable} -m classhook.cli report data > redirected"], tmp_path)
    assert (tmp_path / "redirected").read_text() == wide
    assert classhook("report", "data").out == classhook("report", "data", env={"COLUMNS": "500"}).out == wide


# ---- patterns


@pytest.mark.parametrize(
    ("pattern", "methods"),
    [
        ("p.Work::add", {"add"}),
        ("Work::add", {"add"}),
        ("p.*::*d", {"add"}),
        ("p.Work::add(int)", {"add"}),
        ("p.Work::add(long)", set()),
        ("p.**", {"add", "main", "bytes", "fail"}),
        ("**::* except p.Work::main", {"add", "bytes", "fail"}),
        ("work.A", set()),
        ("work.a", {"add"}),
        ("byte", {"bytes"}),
        ("fail", {"fail"}),
    ],
)
def test_a_filter_is_a_pattern_or_a_part_of_a_name(
    classhook: Classhook, recorded: Path, pattern: str, methods: set[str]
) -> None:
    report = json.loads(classhook("report", "-f", "json", "--filter", pattern, recorded).out)
    check(report)
    assert {row["method"] for row in report["methods"]} == methods


def test_a_filter_that_nothing_matches_says_so(classhook: Classhook, recorded: Path) -> None:
    done = classhook("report", "--filter", "zzz", recorded)
    assert (done.status, done.err) == (
        0,
        "classhook: --filter zzz: no row matches; `classhook report --all` also lists methods that never ran\n",
    )
    assert "no row matches" in classhook("report", "--filter", "p.Work::<init>", recorded).err
    assert classhook("report", "--all", "--filter", "p.Work::<init>", recorded).err == ""


def test_filters_add_up(classhook: Classhook, recorded: Path) -> None:
    rows = table(
        classhook("report", "--filter", "p.Work::add", "--filter", "Work.fail", recorded).out,
        "2 timed methods by self: ",
    )
    assert {row[-1].partition("(")[0] for row in rows} == {"p.Work.add", "p.Work.fail"}


def test_a_pattern_is_answered_in_a_line_a_method(classhook: Classhook, recorded: Path) -> None:
    done = classhook("report", recorded, "p.Work::add")
    assert done.status == 0
    assert re.fullmatch(r"10 calls  \S+ \S+ in all  \S+ \S+ each  \S+ \S+ at most  p.Work.add\(int\)\n", done.out)
    done = classhook("report", "p.Work::*", recorded)
    assert re.search(r"^ *0 calls .* p\.Work\.<init>\(\)$", done.out, re.MULTILINE), "what never ran was asked for, too"
    assert re.search(r"^5 objects  600 B  byte\[\]  p.Work.bytes\(int\):12$", done.out, re.MULTILINE)


def test_who_asks_for_a_method_reads_its_name() -> None:
    name = "com.acme.warehouse.inventory.StockReservationService"
    snapshot = Snapshot()
    snapshot.tables["methods"][name, "reserve", "(I)V"] = MethodRow(
        calls=10, timed=True, completed=10, total_ns=10**6, max_ns=10**5
    )
    out = StringIO()
    assert matched_rows.report(snapshot, Options(width=80), out)
    assert out.getvalue().startswith("10 calls ")
    assert out.getvalue().endswith("  com.acme.warehouse.inventory.StockReservationService.reserve(int)\n")
    assert len(out.getvalue()) <= 81


def test_patterns_after_options(classhook: Classhook, recorded: Path) -> None:
    assert "p.Work.add(int)\n" in classhook("report", recorded, "--top", "3", "p.Work::add").out
    assert classhook("report", "--top", "3", recorded, "--nonsense", "p.Work::add").status == 2
    assert "-odd: no such file or directory" in classhook("report", "--", "-odd").err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (
            ("DATA", "lowerCase"),
            1,
            (
                "lowerCase: nothing that was counted matches, and there is no such file or directory; `classhook report"
                " --all`"
            ),
        ),
        (("DATA", "addd"), 1, "did you mean add? `classhook"),
        (("DATA", "Wrk::add"), 1, "Wrk::add: nothing that was counted matches; did you mean Work::add or"),
        (("nowhere", "DATA"), 2, "nowhere: no such file or directory. `classhook run -o DIR` writes data to DIR"),
        (("add",), 2, "add: no such file or directory. `classhook run -o DIR` writes data to DIR"),
        (
            ("DATA", "place-order!"),
            1,
            "place-order!: nothing that was counted matches, and there is no such file or directory; ",
        ),
        (("DATA", "ZZZ", "Wrk::add"), 1, "ZZZ Wrk::add: nothing that was counted matches, and"),
        (("DATA", "./data2"), 2, "./data2: no such file or directory. "),
        (("DATA", "two.classhook"), 2, "two.classhook: no such file or directory. "),
    ],
)
def test_a_word_that_is_neither_data_nor_a_name_in_it(
    classhook: Classhook, recorded: Path, words: tuple[str, ...], status: int, said: str
) -> None:
    done = classhook("report", *(recorded if word == "DATA" else word for word in words))
    assert (done.status, done.out) == (status, "")
    assert said in done.err


def test_of_several_names_one_that_is_not_there_is_told(classhook: Classhook, recorded: Path) -> None:
    both, one = classhook("report", recorded, "<init>", "ZZZ", "Wrk::add"), classhook("report", recorded, "Work.<init>")
    assert (one.status, one.err) == (0, "")
    assert "  p.Work.<init>()\n" in one.out
    assert (both.status, both.out) == (1, one.out)
    assert (
        "classhook: ZZZ Wrk::add: nothing that was counted matches, and there is no such file or directory; did you"
        " mean Work::add" in both.err
    )
    assert classhook("report", recorded, "`add`").out == classhook("report", recorded, "add").out, (
        "backquotes, as in rules"
    )


def test_all_that_is_known_of_a_name(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    rules = (
        "time p.Work::* tree\nalloc * in p.Work\ncover p.Work\ncount p.Work::add by arg0\nwatch p.Work::bytes show args"
        " first 1\n"
    )
    (tmp_path / "all.rules").write_text(rules)
    assert (
        classhook(
            "run", "--quiet", "-r", tmp_path / "all.rules", "-o", "known", "--", "java", "-cp", classes, "p.Work"
        ).status
        == 0
    )
    texts = {word: classhook("report", "known", word).out for word in ("add", "Work.add", "p.Work::add", "p.Work#add")}
    assert len(set(texts.values())) == 1
    said = texts["add"]
    assert re.search(r"^ *10 calls .* in all .*  p\.Work\.add\(int\)$", said, re.MULTILINE), said
    assert re.search(r"calls?  p\.Work\.add\(int\) \[\d+\]$", said, re.MULTILINE), said
    assert "of its probes were hit  p.Work.add(int)\n" in said
    assert re.search(
        r"^p\.Work\.add\(int\) is called by \(wall time\):\n +\S+ .s  10 calls  p\.Work\.main\(String\[\]\)$",
        said,
        re.MULTILINE,
    ), said
    assert "\nCoverage of the methods that match: instruction 100.0 %" in said
    assert "bytes" not in said
    assert "main" not in said.partition("is called by")[0]
    of_class = classhook("report", "known", "Work").out
    assert "p.Work.bytes(int)\n" in of_class
    assert re.search(r"^[\d:.]+ +\S+ .s  Work\.bytes\(\d+\)$", of_class, re.MULTILINE), of_class
    assert re.search(
        r"^\d methods match; callers and callees are shown, too, for 3 or fewer$", of_class, re.MULTILINE
    ), of_class
    found = json.loads(classhook("report", "known", "add", "-f", "json").out)
    assert {row["method"] for row in found["methods"]} == {"add"}


def test_a_terminal_of_no_width_has_names_cut(classhook: Classhook, recorded: Path) -> None:
    for columns in ("1", "5", "24"):
        rows = lines_of_tables(classhook("report", "--columns", "calls", recorded, env={"COLUMNS": columns}).out)
        assert rows
        assert max(map(len, rows)) <= 24


def test_a_pattern_without_an_answer(classhook: Classhook, data: Path) -> None:
    done = classhook("report", "q.Work::*", "data")
    assert (done.status, done.out) == (1, "")
    assert "q.Work::*: nothing that was counted matches" in done.err
    done = classhook("report", "a..b::c", "data")
    assert (done.status, done.out) == (2, "")
    assert "    a..b::c\n     ^\n" in done.err


# ---- columns and groups


def test_columns_are_those_that_are_asked_for(classhook: Classhook, recorded: Path) -> None:
    text = classhook("report", "--columns", "calls,mean,min,objects", recorded).out
    assert classhook("report", "--columns", "Method,CALLS,type and site,mean,calls,min,objects", recorded).out == text
    assert re.search(r"^calls +mean +min  method$", text, re.MULTILINE)
    assert re.search(r"^ +mean  objects  type and site$", text, re.MULTILINE)
    rows = table(
        classhook("report", "--columns", "min,calls", "--sort", "min", recorded).out, "4 timed methods by min: "
    )
    assert rows[0][1:] == ["1", "p.Work.main(String[])"]


def test_headings_choose_columns_as_names_do(classhook: Classhook, recorded: Path) -> None:
    text = classhook("report", "--columns", "thrown", "--sort", "thrown", recorded).out
    assert re.search(r"^thrown  method\n +3  p\.Work\.fail\(\)$", text, re.MULTILINE)
    assert "4 timed methods by thrown: " in text
    assert classhook("report", "--columns", "exceptions", "--sort", "EXCEPTIONS", recorded).out == text
    assert classhook("report", "--fail-if", "thrown of p.Work::* > 2", recorded).status == 1
    done = classhook("report", "--columns", "thorwn", recorded)
    assert (done.status, done.out) == (2, "")
    assert "there is no column 'thorwn'; did you mean 'thrown'? The columns are entered, completed, total," in done.err


def test_timed_methods_without_a_tree(classhook: Classhook, recorded: Path) -> None:
    done = classhook("report", "-f", "tree", recorded)
    said = (
        "no call tree was recorded: methods were timed without one; a rule such as 'time com.acme.**::* tree'"
        " records it"
    )
    assert (done.status, done.err) == (1, f"classhook: {said}\n")


def test_every_column_is_an_order(classhook: Classhook, recorded: Path) -> None:
    from classhook.reports.column_words import words

    for name in words():
        assert classhook("report", "--sort", name, recorded).status == 0, name


@pytest.mark.parametrize(
    ("by", "group"),
    [
        ("class", "p.Work"),
        ("package", "p"),
        ("source", "p/Work.java"),
        ("rule", "time p.Work::*"),
        ("name", "time p.Work::*"),
    ],
)
def test_rows_add_up_by_group(classhook: Classhook, recorded: Path, by: str, group: str) -> None:
    report = json.loads(classhook("report", "-f", "json", "--group", by, recorded).out)
    check(report)
    assert report["grouped_by"] == by
    (row,) = report["methods"]
    assert (row["group"], row["calls"], row["exceptions"]) == (group, 19, 3)
    assert sum(site["count"] for site in report["allocations"]) == 8
    text = classhook("report", "--wide", "--group", by, recorded).out
    assert re.search(rf"19 +3  .*{re.escape(group)}$", text, re.MULTILINE)


def test_what_a_rule_is_called_adds_up(classhook: Classhook, classes: Path) -> None:
    rules = ["-e", 'time p.Work::add as "orders"', "-e", 'time p.Work::bytes as "orders"', "-e", "count p.Work::main"]
    classhook("run", *rules, "-o", "data", "--", "java", "-cp", classes, "p.Work")
    assert re.search(r" 15 .* orders$", classhook("report", "--group", "name", "data").out, re.MULTILINE)


def test_an_argument_means_the_same_whatever_files_exist(classhook: Classhook, data: Path) -> None:
    before = classhook("report", "data", "p.Work::*")
    data.with_name("p.Work::*").mkdir()
    assert classhook("report", "data", "p.Work::*") == before
    assert "p.Work::*: no data files" in classhook("report", "./p.Work::*").err
    done = classhook("report", "data", "q::*")
    data.with_name("q::*").mkdir()
    assert "for the file of this name write ./q::*" in classhook("report", "data", "q::*").err
    assert "./q::*" not in done.err
    done = classhook("coverage", "p.Work::*")
    assert (done.status, "p.Work::*: a pattern, where only data is expected" in done.err) == (2, True)
