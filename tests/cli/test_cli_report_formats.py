"""Tables for other tools: csv, OpenMetrics, parquet; names of any kind do no harm in any of them."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from classhook.base.errors import Failure, UsageError
from classhook.measures.alloc.reader import SiteRow
from classhook.measures.methods.reader import MethodRow
from classhook.model.snapshot import Process, RuleRow, Snapshot
from classhook.native._layout import ffi
from classhook.reports import Options
from classhook.reports.forms import TABLES_AND_TREES
from tests.cli.conftest import Classhook
from tests.cli.tools import WORK_CALLS, call

Counts = Callable[..., dict[str, Any]]


def as_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_says_what_json_says(classhook: Classhook, recorded: Path) -> None:
    report = json.loads(classhook("report", "-f", "json", recorded).out)
    rows = as_csv(classhook("report", "-f", "csv", recorded).out)
    for name, kind in (("methods", "timed"), ("allocations", "allocation")):
        ours = {
            (row["class"], row["method"], row["descriptor"], row["bci"] or None): row
            for row in rows
            if row["kind"] == kind
        }
        assert len(ours) == len(report[name])
        for row in report[name]:
            found = ours[row["class"], row["method"], row["descriptor"], str(row["bci"]) if "bci" in row else None]
            for key, value in row.items():
                assert found[key] == (
                    "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
                ), key
    grouped = as_csv(classhook("report", "-f", "csv", "--group", "class", "--filter", "p.Work", recorded).out)
    assert {(row["kind"], row["group"]) for row in grouped} == {("timed", "p.Work"), ("allocation", "p.Work")}


def test_openmetrics_is_read_by_prometheus(classhook: Classhook, recorded: Path) -> None:
    families = {
        family.name: family
        for family in text_string_to_metric_families(classhook("report", "-f", "openmetrics", recorded).out)
    }
    calls = {sample.labels["method"]: sample.value for sample in families["classhook_timed_calls"].samples}
    assert {f"p.Work::{name}": count for name, count in calls.items()} == WORK_CALLS
    report = json.loads(classhook("report", "-f", "json", recorded).out)
    own = {sample.labels["method"]: sample.value for sample in families["classhook_timed_self_seconds"].samples}
    assert own == pytest.approx({row["method"]: row["self_ns"] / 1e9 for row in report["methods"]})
    assert (families["classhook_timed_self_seconds"].type, families["classhook_timed_self_seconds"].unit) == (
        "counter",
        "seconds",
    )
    assert families["classhook_timed_p99_seconds"].type == "gauge"
    assert sum(sample.value for sample in families["classhook_allocation_bytes"].samples) == sum(
        row["bytes"] for row in report["allocations"]
    )
    assert families["classhook_process"].samples[0].labels["end"] == "exit"


def test_openmetrics_of_rows_of_all_kinds_tell_them_apart(classhook: Classhook, measured: list[Path]) -> None:
    for data in measured:
        series: Counter[tuple[str, frozenset[tuple[str, str]]]] = Counter()
        for family in text_string_to_metric_families(classhook("report", "-f", "openmetrics", "--all", data).out):
            series.update((sample.name, frozenset(sample.labels.items())) for sample in family.samples)
        assert series.total() == len(series) > 1, [one for one, count in series.items() if count > 1][:3]


def test_processes_of_containers_are_series_of_their_own() -> None:
    """All of them have the same number."""
    out = io.StringIO()
    one, other = (
        Process(1, "17", "x", "java p.A", start, 1, "exit", "f", 0, 0, 0, 0) for start in (10**18, 10**18 + 10**9)
    )
    TABLES_AND_TREES["openmetrics"].load().report(Snapshot(processes=[one, other, other]), Options(), out)
    lines = [line for line in out.getvalue().splitlines() if "_info{" in line]
    assert len(lines) == len(set(lines)) == 2


def test_parquet_has_the_rows_of_each_process(classhook: Classhook, data: Path, tmp_path: Path) -> None:
    """A thousand data files in one table, of processes with numbers that Linux gives to none."""
    (file,) = data.glob("*.classhook")
    whole = bytearray(file.read_bytes())
    for number in range(1, 1000):
        at = ffi.offsetof("struct ch_header", "pid")
        whole[at : at + 4] = (number + (1 << 22)).to_bytes(4, sys.byteorder)
        with open(data / f"{number}.classhook", "wb") as copy:
            copy.write(whole)
    assert classhook("report", "-f", "parquet", "data", "-o", "all.parquet").status == 0
    query = (
        f"select method, count(distinct file), count(distinct pid), sum(calls) from '{tmp_path}/all.parquet' where kind"
        " = 'timed' group by 1"
    )
    found = {method: tuple(numbers) for method, *numbers in duckdb.sql(query).fetchall()}
    assert found == {name.partition("::")[2]: (1000, 1000, 1000 * calls) for name, calls in WORK_CALLS.items()}
    # files of other rules have the same columns
    assert (
        classhook(
            "report", "-f", "parquet", "data/1.classhook", "--filter", "p.Work::bytes", "-o", "one.parquet"
        ).status
        == 0
    )
    assert duckdb.sql(
        f"select count(*) from read_parquet(['{tmp_path}/all.parquet', '{tmp_path}/one.parquet'])"
    ).fetchall() == [(6 * 1000 + 2,)]


def test_without_pyarrow_a_message_says_what_to_install(recorded: Path, tmp_path: Path) -> None:
    script = "import sys; sys.modules['pyarrow'] = None\nfrom classhook.cli import main\nsys.exit(main())"
    done = call([sys.executable, "-c", script, "report", "-f", "parquet", "-o", "x", str(recorded)], tmp_path)
    assert (done.status, done.out) == (2, "")
    assert "-f parquet needs pyarrow, which is not installed: pip install 'classhook[parquet]'" in done.err
    assert not (tmp_path / "x").exists()


def test_parquet_is_nothing_for_a_terminal_and_imported_for_nothing_else(recorded: Path, tmp_path: Path) -> None:
    script = (
        "import sys\nfrom classhook.cli import main\nstatus = main()\nprint(*sys.modules,"
        " file=sys.stderr)\nsys.exit(status)"
    )
    for words in (["--help"], [str(recorded)], ["-f", "csv", str(recorded)], ["-f", "html", str(recorded)]):
        done = call([sys.executable, "-c", script, "report", *words], tmp_path)
        assert done.status == 0
        assert not {"pyarrow", "duckdb", "pandas", "numpy", "lark", "jsonschema"} & set(done.err.split())


# ---- names

NASTY = "p.\x1b[31mRed\x07\n\r\t\x7f\x9b\u202eevil,\"'<script>alert(1)</script>;\\"


def nasty() -> Snapshot:
    """A program whose names, rules and command have characters that do something to a terminal."""
    snapshot = Snapshot(
        processes=[Process(1, NASTY, NASTY, NASTY, 0, 1, "exit", NASTY, 0, 0, 0, 0, notes=[NASTY])], notes=[NASTY]
    )
    snapshot.rules[NASTY] = RuleRow(nearest=NASTY)
    snapshot.rule_names[NASTY] = NASTY
    snapshot.class_sources[NASTY] = NASTY
    snapshot.skipped[NASTY, NASTY, NASTY, NASTY, NASTY] = 1
    key = (NASTY, NASTY, f"(L{NASTY};)L{NASTY};")
    snapshot.tables["methods"] |= {
        key: MethodRow(calls=1, completed=1, timed=True, total_ns=5, self_ns=5, rule=NASTY),
        (NASTY, NASTY, "()V"): MethodRow(calls=1, rule=NASTY),
    }
    snapshot.tables["allocations"][*key, 1, 2, NASTY] = SiteRow(NASTY, 1, 1)
    for root in (snapshot.calls, snapshot.exact_tree, snapshot.stacks):
        child = root.child(key)
        child.calls, child.cpu, child.wall = 1, 5_000_000, 5_000_000
    return snapshot


@pytest.mark.parametrize("form", [name for name, one in TABLES_AND_TREES.items() if not one.binary])
@pytest.mark.parametrize("by", ["", "class", "name", "source"])
def test_control_characters_are_escaped_in_every_form(form: str, by: str) -> None:
    from classhook.reports.selection import Selection

    snapshot = nasty()
    Selection(None, by).apply(snapshot)
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n", write_through=True)
    if by and form == "hprof-ascii":
        with pytest.raises(UsageError, match="methods and sites, not groups"):
            TABLES_AND_TREES[form].load().report(snapshot, Options(), out)
        return
    try:
        TABLES_AND_TREES[form].load().report(snapshot, Options(all=True, width=80 if by else 0), out)
    except Failure:
        pytest.fail("there is a tree")
    text = out.buffer.getvalue().decode()
    bad = {c for c in text if not c.isprintable() and c not in ("\n\t" if form == "hprof-ascii" else "\n")}
    assert bad == set()
    if form in ("html", "flamegraph"):
        assert "<script>alert" not in text
    if form == "csv":
        assert all("\n" not in str(value) for row in as_csv(text) for value in row.values())
    if form == "openmetrics":
        assert list(text_string_to_metric_families(text))


def test_a_comparison_escapes_them_too() -> None:
    from classhook.reports.comparison import Side, compared
    from classhook.reports.comparison.json import report as json_report
    from classhook.reports.comparison.text import report

    sides = (Side([NASTY], nasty(), {"": [nasty()]}), Side([NASTY], nasty(), {"": [nasty()]}))
    for write in (report, json_report):
        out = io.StringIO()
        write(sides, compared(*sides, ""), [], Options(), out)
        assert {c for c in out.getvalue() if not c.isprintable() and c != "\n"} == set()


def test_html_and_csv_are_of_tables_or_of_coverage(
    classhook: Classhook, classes: Path, recorded: Path, tmp_path: Path
) -> None:
    both = ["-e", "cover p.Work", "-e", "time p.Work::add"]
    classhook("run", "--quiet", *both, "-o", "both", "--", "java", "-cp", classes, "p.Work")
    assert classhook("coverage", "-f", "csv", "both").out.startswith("GROUP,PACKAGE,CLASS,")
    assert as_csv(classhook("report", "-f", "csv", "both").out)[0]["method"] == "add"
    assert as_csv(classhook("report", "-f", "csv", recorded).out)[0]["kind"] == "timed"
    assert "flameGraph" in classhook("report", "-f", "html", recorded).out
    shutil.rmtree(tmp_path / "both")
