"""Datasets: what `classhook export` writes, as other programs read it, and what `classhook sql` answers."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.dataset
import pytest

from tests.cli.conftest import JAVA_SOURCES, Classhook
from tests.cli.tools import CLASSHOOK, call
from tests.conftest import PATIENCE, until

AWKWARD = "a [b]* 'c'"
BUCKET = 2 ** (1 / 16)  # how much larger each bound of a histogram is than the one before
#: By table, what JSON calls it, its columns that have the same names there, and those that have others.
REPORTED = {
    "keys": (
        "keys",
        ["calls", "exceptions", "completed", "total_ns", "self_ns", "max_ns", "p99_ns", "others", "rule"],
        {"keyed_by": "by", "key": "key"},
    ),
    "call_sites": (
        "call_sites",
        ["line", "called_class", "called_method", "called_descriptor", "calls", "completed", "total_ns", "p90_ns"],
        {},
    ),
    "recorded_values": ("values", ["count", "missing", "sum", "min", "max", "p50", "p99"], {"value_of": "of"}),
    "calls": (
        "calls",
        ["took_ns", "thread", "trace_id", "args", "result", "fields", "exception", "message", "stack"],
        {},
    ),
    "executions": ("executions", ["line", "field", "thread", "span_id", "stack"], {"shown": "values"}),
    "line_counts": ("lines", ["line", "executions"], {}),
    "accesses": ("accesses", ["line", "field_class", "field", "access", "accesses"], {}),
    "locks": (
        "locks",
        [
            "line",
            "monitor",
            "event",
            "stack",
            "count",
            "total_ns",
            "max_ns",
            "pending",
            "held_by",
            "held_at",
            "timed_out",
        ],
        {},
    ),
    "allocations": ("allocations", ["line", "bci", "type", "count", "bytes"], {}),
}
IS_JSON = {"args", "result", "fields", "message", "values"}


@pytest.fixture(scope="module")
def dataset(measured: list[Path], classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported data of all runs of p.Measured, in a folder whose name is hard for patterns."""
    folder = tmp_path_factory.mktemp("dataset")
    done = call([*CLASSHOOK, "export", *map(str, measured), "-o", AWKWARD, "--classes", str(classes)], folder)
    assert done.status == 0, done.err
    assert done.out.startswith(f"{AWKWARD}: {len(measured)} runs, ")
    return folder / AWKWARD


def table(dataset: Path, name: str) -> str:
    """The SQL expression by which somebody reads a table without classhook."""
    folder = str(dataset).replace("[", "[[]", 1).replace("*", "[*]").replace("'", "''")
    return f"read_parquet('{folder}/{name}/*/*/*.parquet', hive_partitioning = true)"


def asked(query: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = duckdb.sql(query).fetchall()
    return found


def test_methods_have_the_numbers_of_the_report(dataset: Path, measured: list[Path], classhook: Classhook) -> None:
    rows = json.loads(classhook("report", "-f", "json", "--all", *measured).out)["methods"]
    found = asked(f"""
        select class, method, descriptor, sum(calls), sum(total_ns) from {table(dataset, "methods")}
        where calls is not null group by all""")
    assert {row[:3]: row[3] for row in found} == {
        (row["class"], row["method"], row["descriptor"]): row["calls"] for row in rows
    }
    timed = {row["method"]: row["total_ns"] for row in rows if row["kind"] == "timed"}
    assert timed
    assert {row[1]: row[4] for row in found if row[4] is not None} == timed
    ran = {row[0] for row in asked(f"select method from {table(dataset, 'methods')} where ran and calls > 0")}
    assert ran == {row["method"] for row in rows if row["calls"]}


@pytest.fixture(scope="module")
def reports(measured: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """That of each run, by thread or context where it has them."""
    folder = tmp_path_factory.mktemp("reports")
    by = [["--by", "context"], ["--by", "thread"], []]
    return [
        json.loads(call([*CLASSHOOK, "report", "-f", "json", *words, str(data)], folder).out)
        for data, words in zip(measured, by, strict=True)
    ]


def test_tables_have_the_rows_of_the_report(dataset: Path, reports: list[dict[str, Any]]) -> None:
    for name, (key, same, others) in REPORTED.items():
        columns = {column: column for column in ("class", "method", "descriptor", *same)} | others
        rows = [row for report in reports for row in report[key]]
        expected = [[as_asked(theirs, row.get(theirs)) for theirs in columns.values()] for row in rows]
        found = [list(row) for row in asked(f"select {', '.join(columns)} from {table(dataset, name)}")]
        for row in found:
            row[:] = [
                json.loads(value) if theirs in IS_JSON and value else value
                for value, theirs in zip(row, columns.values(), strict=True)
            ]
        assert expected, name
        assert sorted(found, key=repr) == sorted(expected, key=repr), name


def as_asked(name: str, value: Any) -> Any:
    """A value of a report as a dataset has it: control characters are escaped, nothing is null."""
    if name == "others":
        return bool(value)  # chosen keys have no such row
    return (
        None
        if name in ("thread", "by") and value == ""
        else float(value)
        if name in ("sum", "min", "max", "p50", "p99")
        else value
    )


def test_parts_have_the_costs_of_the_report(dataset: Path, reports: list[dict[str, Any]]) -> None:
    costs = ("cpu_ns", "timed_self_ns", "method_calls", "allocated_bytes")
    for name, key, often in (("contexts", "context", "entered"), ("threads", "thread", "threads")):
        expected = {
            row[key]: tuple(row[cost] for cost in (often, *costs))
            for report in reports
            for row in report[name]
            if row[key] and often in row
        }
        found = asked(f"select {key}, {often}, {', '.join(costs)} from {table(dataset, name)}")
        assert (
            {row[0]: row[1:] for row in found if any(row[2:])}
            == {one: row for one, row in expected.items() if any(row[1:])}
            != {}
        )
    assert ("main", "main") in asked(f"select thread, pool from {table(dataset, 'threads')}")


def test_histograms_tell_the_percentiles_of_the_report(dataset: Path, reports: list[dict[str, Any]]) -> None:
    """Methods, keys, call sites and values have histograms, which fit their percentiles in the report."""
    kinds = set()
    for report in reports:
        of_run = f"run_id = (select run_id from {table(dataset, 'runs')} where pid = {report['processes'][0]['pid']})"
        for row in (row for key in ("methods", "keys", "call_sites") for row in report[key] if row.get("completed")):
            kinds.add(row["kind"])
            found = asked(f"""
                select upper_ns, sum(count) over (order by upper_ns) from {table(dataset, "histograms")}
                where {of_run} and kind = '{row["kind"]}' and method = '{row["method"]}' order by 1""")
            assert found[-1][1] == row["completed"]
            for part in (50, 90, 99):
                upper = next(upper for upper, calls in found if calls >= part / 100 * row["completed"])
                assert row[f"p{part}_ns"] <= upper <= row[f"p{part}_ns"] * BUCKET + 1
    assert kinds == {"timed", "timed_by_key", "timed_call", "chosen_by_key"}
    (values,) = (row for report in reports for row in report["values"])
    found = asked(
        f"select upper, sum(count) over (order by upper) from {table(dataset, 'value_histograms')} where value_of ="
        " 'arg0' order by 1"
    )
    assert found[-1][1] == values["count"]
    for part in (50, 90, 99):
        upper = next(upper for upper, number in found if number >= part / 100 * values["count"])
        assert values[f"p{part}"] <= upper <= values[f"p{part}"] * BUCKET


def test_moments_are_those_of_the_report(dataset: Path, reports: list[dict[str, Any]]) -> None:
    processes = [process for report in reports for process in report["processes"]]
    sums = {
        kind: (one["count"], one["total_ns"])
        for one in processes
        for kind, one in one["moments"].items()
        if kind in ("enter", "wait")
    }
    found = asked(
        f"select kind, count(*), sum(took_ns) from {table(dataset, 'moments')} where kind <> 'gc' group by all"
    )
    assert {kind: (count, ns) for kind, count, ns in found} == sums
    assert "enter" in sums
    runs = asked(f"select gc_count, gc_total_ns, gc_longest_ns, weaving_ns from {table(dataset, 'runs')}")
    gc = [one["moments"].get("gc", {"count": 0, "total_ns": 0, "longest_ns": 0}) for one in processes]
    expected = [
        (one["count"], one["total_ns"], one["longest_ns"], process["weaving_ns"])
        for one, process in zip(gc, processes, strict=True)
    ]
    assert sorted(runs) == sorted(expected)


def test_another_reader_finds_the_same(dataset: Path) -> None:
    for name in ("methods", "samples", "lines"):
        rows = pyarrow.dataset.dataset(dataset / name, partitioning="hive").to_table()
        assert [(rows.num_rows,)] == asked(f"select count(*) from {table(dataset, name)}")
        assert set(rows["service"].to_pylist()) == {"unknown"}
    (labels,) = {tuple(one) for one in pyarrow.dataset.dataset(dataset / "runs").to_table()["labels"].to_pylist()}
    assert "host" in dict(labels)


def test_bodies_are_those_of_the_class_files(dataset: Path) -> None:
    """With --classes for runs without coverage, from the originals for the others: the same class gives the same
    hashes."""
    found = asked(
        f"select method, count(distinct body_hash), count(*) from {table(dataset, 'methods')} where class ="
        " 'p.Measured' group by all"
    )
    assert found
    assert all(bodies == 1 for _, bodies, _ in found)
    assert any(runs > 1 for _, _, runs in found)


def test_stacks_lead_to_their_outermost_frame(dataset: Path, measured: list[Path], classhook: Classhook) -> None:
    stacks, samples = table(dataset, "stacks"), table(dataset, "samples")
    paths = asked(f"""
        with recursive path as (
            select run_id, parent_id, class || '.' || method as text, stack_id as leaf from {stacks} where tree = 'time'
            union all
            select s.run_id, s.parent_id, s.class || '.' || s.method || ';' || path.text, leaf
            from {stacks} s join path on s.run_id = path.run_id and s.stack_id = path.parent_id
        )
        select path.text, sum(value) from path join {samples} m on m.run_id = path.run_id and m.stack_id = path.leaf
        where parent_id is null and kind = 'wall_ns' group by all""")
    lines = classhook("report", "-f", "collapsed", "--measure", "time", "--raw", measured[0]).out.splitlines()
    assert lines
    collapsed = {text.replace("/", "."): int(number) for text, _, number in (line.rpartition(" ") for line in lines)}
    assert {text: round(value / 1000) for text, value in paths} == collapsed


def test_lines_are_those_of_the_coverage_report(dataset: Path, measured: list[Path], classhook: Classhook) -> None:
    xml = classhook("coverage", "-f", "jacoco-xml", measured[0]).out
    shown = re.findall(r'<line nr="(\d+)" mi="(\d+)" ci="(\d+)" mb="(\d+)" cb="(\d+)"', xml)
    lines = asked(
        "select line, instructions_missed, instructions_covered, branches_missed, branches_covered from"
        f" {table(dataset, 'lines')}"
    )
    of_source: dict[int, list[int]] = {}
    for line, *numbers in lines:
        of_source[line] = [a + b for a, b in zip(of_source.get(line, [0] * 4), numbers, strict=True)]
    assert sorted([line, *numbers] for line, numbers in of_source.items()) == [[*map(int, one)] for one in shown]


def test_a_run_that_is_exported_again_replaces_itself(
    dataset: Path, measured: list[Path], classhook: Classhook, tmp_path: Path
) -> None:
    shutil.copytree(dataset, tmp_path / "again")
    files = {path.relative_to(dataset) for path in dataset.rglob("*.parquet")}
    done = classhook("export", measured[0], measured[1], "-o", "again", "--quiet")
    assert (done.status, done.out) == (0, "")
    assert {
        path.relative_to(tmp_path / "again") for path in (tmp_path / "again").rglob("*.*") if path.is_file()
    } == files


def test_sql_answers_in_three_forms(dataset: Path, classhook: Classhook) -> None:
    query = """
        select class, count(*) as methods, labels['host'] is null as nowhere
        from methods join runs using (run_id) where calls > 0 group by all order by 2"""
    rows = json.loads(classhook("sql", dataset, query, "-f", "json").out)
    assert {row["class"] for row in rows} == {"p.Measured", "p.Measured$Order"}
    text, by_lines = (
        classhook("sql", dataset, stdin=query),
        classhook("sql", "-f", "csv", dataset, query).out.splitlines(),
    )
    assert text.out.splitlines()[0].split() == ["class", "methods", "nowhere"]
    assert by_lines == ["class,methods,nowhere", *(f"{row['class']},{row['methods']},false" for row in rows)]
    strange = "select 1 as a, 2 as a, 'nan'::double as x, '\\x00A'::blob as b"
    assert json.loads(classhook("sql", dataset, strange, "-f", "json").out) == [
        {"a": 1, "a_1": 2, "x": None, "b": "0041"}
    ]
    listed = classhook("sql", dataset).out
    assert "samples" in listed
    assert classhook("sql", dataset, "select count(*) as n from tests").out.split() == [
        "n",
        "0",
    ], "a table without rows is there, too"


def test_what_cannot_be_answered_is_said(dataset: Path, classhook: Classhook, tmp_path: Path) -> None:
    wrong = classhook("sql", dataset, "select clas from methods")
    assert (wrong.status, wrong.out) == (2, "")
    assert 'Referenced column "clas" not found' in wrong.err
    assert classhook("sql", dataset, " ").err == "classhook: the query is empty; without one, the views are listed\n"
    for nothing in (";", "-- how many?"):
        assert classhook("sql", dataset, nothing).err == "classhook: the query has no statement\n"
    (tmp_path / "empty").mkdir()
    assert (
        classhook("sql", "empty").err
        == "classhook: empty: no runs in it; `classhook export DATA -o empty` writes some\n"
    )
    assert classhook("sql", "nowhere").err == "classhook: cannot read nowhere: No such file or directory\n"
    large = classhook("sql", dataset, "--memory", "100", "select list(i) from range(100000000) x(i)")
    assert large.status == 1
    assert "--memory MB gives DuckDB more memory" in large.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_query(dataset: Path, number: signal.Signals, tmp_path: Path) -> None:
    query = "select count(*) from range(100000000000) a, range(1000) b where random() < 0"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        ["env", "--default-signal=INT", *CLASSHOOK, "sql", dataset, query],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as asked:
        try:
            until(lambda: any(tmp_path.iterdir()))  # the query runs
            asked.send_signal(number)
            _, err = asked.communicate(timeout=PATIENCE)
        finally:
            asked.kill()
    assert (asked.returncode, err) == (128 + number, "")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_exported_is_said(recorded: Path, classhook: Classhook, tmp_path: Path) -> None:
    assert classhook("export", "nowhere", "-o", "d").status == 2
    (tmp_path / "file").write_text("")
    done = classhook("export", recorded, "-o", "file")
    assert done.status == 2
    assert done.err.startswith("classhook: cannot write file")
    assert done.err.endswith(": Not a directory\n")
    data = Path(shutil.copytree(recorded, tmp_path / "data"))
    (data / "9-1.classhook").write_bytes(b"nothing")
    half = classhook("export", data, "-o", "half")
    assert half.status == 1
    assert "9-1.classhook: " in half.err
    assert half.out.startswith("half: 1 run, ")
    storage = classhook("export", recorded, "-o", "nothing://x")
    assert (storage.status, storage.err) == (2, "classhook: cannot reach nothing://x: Protocol not known: nothing\n")


def test_dead_code_by_data_and_by_dataset(
    measured: list[Path], recorded: Path, classes: Path, classhook: Classhook
) -> None:
    """The same, whether DuckDB adds the runs up or not; as JSON, CSV, SARIF and HTML."""
    tests, *production = [*measured, recorded]
    assert classhook("export", *production, "-o", "production", "--classes", classes, "--quiet").status == 0
    assert classhook("export", tests, "-o", "tests", "--classes", classes, "--quiet").status == 0
    show = ("--show", "dead,unused,untested,normal", "--classes", classes, "--filter", "p.**::*")
    by_data = classhook("dead", *production, "--tests", tests, *show, "-f", "json")
    everything = classhook("dead", *production, tests, "production", "tests", "--tests", "tests", *show, "-f", "json")
    assert everything.out == by_data.out, "each run counts once"
    by_dataset = classhook("dead", "production", "--tests", "tests", *show, "-f", "json")
    assert by_data.status == by_dataset.status == 0
    assert json.loads(by_data.out) == json.loads(by_dataset.out)
    methods = {(one["class"], one["method"]): one for one in json.loads(by_data.out)["methods"]}
    assert {methods["p.Measured", name]["group"] for name in ("pay", "place")} == {"normal"}
    assert {name for (owner, name), one in methods.items() if owner == "p.Work" and one["group"] == "dead"} == {
        "<init>"
    }
    rows = list(
        csv.DictReader(classhook("dead", "production", "--tests", "tests", *show, "-f", "csv").out.splitlines())
    )
    assert [row["group"] for row in rows] == [one["group"] for one in json.loads(by_data.out)["methods"]]
    sarif = json.loads(
        classhook("dead", "production", "--tests", "tests", *show, "-f", "sarif", "--sources", JAVA_SOURCES).out
    )
    results = sarif["runs"][0]["results"]
    assert len(results) == sum(row["group"] != "normal" for row in rows) > 0
    places = [result["locations"][0]["physicalLocation"] for result in results]
    assert all(
        Path(place["artifactLocation"]["uri"]).name == "Work.java" and place["region"]["startLine"] > 0
        for place in places
    )
    page = classhook("dead", "production", "--tests", "tests", *show, "-f", "html").out
    assert page.count("<tr><td") == len(rows)


def test_dead_methods_are_those_that_coverage_missed(measured: list[Path], classhook: Classhook) -> None:
    xml = classhook("coverage", "-f", "jacoco-xml", measured[0]).out
    missed = re.findall(
        r'<method name="([^"]+)" desc="([^"]+)"[^>]*>(?:<counter type="(?!METHOD)[^>]*/>)*<counter type="METHOD"'
        r' missed="(\d)"',
        xml,
    )
    covered = {
        (name.replace("&lt;", "<").replace("&gt;", ">"), descriptor): missed == "0"
        for name, descriptor, missed in missed
    }
    done = classhook("dead", measured[0], "--filter", "p.Measured::*", "--show", "dead,untested", "-f", "json")
    found = {(one["method"], one["descriptor"]): one["group"] == "untested" for one in json.loads(done.out)["methods"]}
    assert len(found) > 3
    assert found.items() <= covered.items()


def test_what_dead_cannot_say(recorded: Path, classhook: Classhook, tmp_path: Path) -> None:
    assert (
        classhook("dead", recorded, "--show", "zombies").err
        == "classhook: --show zombies: the groups are dead, unused, untested, normal\n"
    )
    assert classhook("dead", "--tests", recorded).status == 2
    assert "--filter nowhere: no method matches\n" in classhook("dead", recorded, "--filter", "nowhere").err
    assert (
        classhook("export", recorded, "-o", recorded).err
        == f"classhook: -o {recorded}: a data directory; a dataset needs a folder of its own\n"
    )
    assert classhook("export", recorded, "-o", "d", "--quiet").status == 0
    assert classhook("dead", "d", "--label", "version=9").err == "classhook: d: no run has the label version=9\n"
    for file in (tmp_path / "d" / "runs").rglob("*.parquet"):
        copied = tmp_path / "d" / "methods" / file.relative_to(tmp_path / "d" / "runs")
        copied.write_bytes(file.read_bytes())
    assert classhook("dead", "d").err == "classhook: d: files of another table are among those of methods\n"
    for file in (tmp_path / "d" / "runs").rglob("*.parquet"):
        other = next((tmp_path / "d").glob(f"[!mr]*/*/*/{file.name}"))
        file.write_bytes(other.read_bytes())
    assert classhook("dead", "d").err == "classhook: d: files of another table are among those of runs\n"
    done = classhook("dead", recorded)
    assert "tests: none among the data" in done.out
    assert "what runs once a day or a year may be missing" in done.err
