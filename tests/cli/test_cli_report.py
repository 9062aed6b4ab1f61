"""`classhook report`: the JSON schema, the text form with the same content, and where the output goes."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import RULES, Classhook
from tests.cli.tools import WORK_CALLS, calls
from tests.schema import check

Counts = Callable[..., dict[str, Any]]


@pytest.mark.core
def test_json_has_the_schema(counts: Counts, recorded: Path) -> None:
    report = counts(recorded)
    check(report)
    assert report["methods"]
    assert report["allocations"]
    (process,) = report["processes"]
    assert process["end"] == "exit"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", process["start"])
    assert process["command"].endswith(" p.Work")
    assert [rule["rule"] for rule in report["rules"]] == list(RULES)
    for row in report["methods"]:
        assert 0 <= row["min_ns"] <= row["p50_ns"] <= row["p90_ns"] <= row["p99_ns"] <= row["max_ns"]
        assert row["self_ns"] <= row["total_ns"]


def test_a_counted_method_has_calls_only(classhook: Classhook, classes: Path, counts: Counts) -> None:
    classhook("run", "-e", "count p.Work::*", "-o", "data", "--", "java", "-cp", classes, "p.Work")
    report = counts("data")
    check(report)
    for row in report["methods"]:
        assert row.keys() == {
            "class",
            "method",
            "descriptor",
            "rule",
            "name",
            "kind",
            "calls",
            "resumptions",
            "nested",
            "calls_is_bound",
            "readable",
        }
    assert calls(report) == WORK_CALLS


def test_numbers_of_the_program(counts: Counts, recorded: Path) -> None:
    report = counts(recorded)
    assert calls(report) == WORK_CALLS
    rows = {row["method"]: row for row in report["methods"]}
    assert {name: row["exceptions"] for name, row in rows.items() if row["exceptions"]} == {"fail": 3}
    assert all(row["completed"] == row["calls"] for row in rows.values() if row["calls"])
    sites = {
        (site["method"], site["line"], site["type"]): (site["count"], site["bytes"]) for site in report["allocations"]
    }
    assert sites[("bytes", 12, "byte[]")] == (5, 600)
    assert sites[("fail", 16, "java.lang.IllegalStateException")][0] == 3


def test_what_never_ran_is_left_out_unless_asked_for(classhook: Classhook, recorded: Path) -> None:
    short, long = (json.loads(classhook("report", "-f", "json", *more, recorded).out) for more in ([], ["--all"]))
    assert {row["method"] for row in short["methods"]} == {"main", "add", "bytes", "fail"}
    assert {row["method"] for row in long["methods"]} == {"main", "add", "bytes", "fail", "<init>"}
    assert "p.Work.<init>()" in classhook("report", "--all", recorded).out
    assert "p.Work.<init>()" not in classhook("report", recorded).out


def table(text: str, title: str) -> list[list[str]]:
    """The rows of one of the report's tables, split at two blanks or more."""
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith(title)) + 2
    end = next(number for number in range(start, len(lines)) if not lines[number].strip())
    return [re.split(r"\s\s+", line.strip()) for line in lines[start:end]]


@pytest.mark.core
def test_text_says_what_json_says(classhook: Classhook, counts: Counts, recorded: Path) -> None:
    report, text = counts(recorded), classhook("report", recorded).out
    (process,) = report["processes"]
    assert f"pid {process['pid']}, JVM {process['jvm']}, " in text
    assert f"classes: {report['classes']['seen']:,} seen, 1 matched by rules, 1 woven in " in text
    timed = table(text, "4 timed methods by self: ")
    in_order = sorted((row for row in report["methods"] if row["calls"]), key=lambda row: -row["self_ns"])
    assert [row[-1].partition("(")[0] for row in timed] == [f"{row['class']}.{row['method']}" for row in in_order]
    sites = [row for row in report["allocations"] if row["count"]]
    assert len(table(text, f"{len(sites)} allocation sites: ")) == len(sites)
    assert "600 B" in text
    assert "agentpath" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_sort_and_top(classhook: Classhook, recorded: Path) -> None:
    text = classhook("report", "--sort", "calls", "--top", "2", recorded).out
    rows = [row[-1].partition("(")[0] for row in table(text, "4 timed methods by calls: ")]
    assert rows == ["p.Work.add", "p.Work.bytes", "2 more methods; --top N or --top 0 shows them"]
    for sort, first in [("exceptions", "fail"), ("calls", "add"), ("total", "main"), ("max", "main")]:
        assert table(classhook("report", "--sort", sort, recorded).out, "4 timed methods by ")[0][-1].startswith(
            f"p.Work.{first}("
        )
    assert len(table(classhook("report", "--top", "0", recorded).out, "4 timed methods by ")) == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--top", "-1"], "argument --top: '-1' is not a number of rows (0 or more)"),
        (["--top", "many"], "argument --top: 'many' is not a number of rows (0 or more)"),
        (["--sort", "name"], "there is no column 'name'; the columns are entered, completed, total,"),
        (
            ["--columns", "self,sefl"],
            "there is no column 'sefl'; did you mean 'self'? The columns are entered, completed, total,",
        ),
        (["--columns", " ,"], "no column is named; the columns are entered, completed, total,"),
        (["--group", "method"], "argument --group: invalid choice: 'method'"),
        (["--filter", "a..b::c"], "a segment of the name is missing next to this dot\n    a..b::c\n     ^"),
        (["--filter", "public a.B::c"], "data files know names and parameters, not subtypes, annotations or modifiers"),
        (["--filter", " "], "an empty pattern"),
        (["-f", "yaml"], "argument -f/--format: 'yaml' is not a format; there are collapsed, csv, flamegraph, "),
        (["--colour"], "unrecognized arguments: --colour"),
        (["-o"], "expected one argument"),
    ],
)
def test_arguments_that_cannot_be(classhook: Classhook, recorded: Path, arguments: list[str], words: str) -> None:
    done = classhook("report", recorded, *arguments)
    assert (done.status, done.out) == (2, "")
    assert words in done.err


def test_rules_may_have_a_name(classhook: Classhook, counts: Counts, classes: Path) -> None:
    rules = ["-e", 'time p.Work::add as "add it up"', "-e", 'count p.Work::bytes as "make bytes"']
    classhook("run", *rules, "-o", "data", "--", "java", "-cp", classes, "p.Work")
    text, report = classhook("report", "data").out, counts("data")
    assert "p.Work.add(int)  [add it up]" in text
    assert "p.Work.bytes(int)  [make bytes]" in text
    check(report)
    assert {row["method"]: row["name"] for row in report["methods"]} == {"add": "add it up", "bytes": "make bytes"}
    assert [rule["name"] for rule in report["rules"]] == ["add it up", "make bytes"]


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("time p.Werk::add", "p.Work"),
        ("time q.Work::add", "p.Work"),
        ("time p.Work::ad", "p.Work::add"),
        ("time p.Work::add(long)", "p.Work::add(int)"),
    ],
)
def test_a_rule_that_matches_nothing_is_said_with_the_nearest_name(
    classhook: Classhook, counts: Counts, classes: Path, rule: str, hint: str
) -> None:
    abstract = "time java.util.List::size"
    done = classhook(
        "run",
        "-e",
        rule,
        "-e",
        "count p.Work::main",
        "-e",
        abstract,
        "-o",
        "data",
        "--",
        "java",
        "-cp",
        classes,
        "p.Work",
    )
    assert done.status == 0
    report, text = counts("data"), classhook("report", "data").out
    for said in (done.err, text):
        assert (
            f"this rule matched only methods without code: {abstract}; java.util.List.size() is abstract: it has no"
            " code; 'java.util.List+::size' matches the methods that implement it" in said
        )
    check(report)
    found = {row["rule"]: row for row in report["rules"]}
    assert found[rule]["nearest"] == hint
    assert found[rule]["matched_methods"] == 0
    assert found["count p.Work::main"]["matched_methods"] == 1
    for said in (done.err, text):
        assert re.search(rf"this rule matched .*: {re.escape(rule)}; did you mean {re.escape(hint)}\?", said)


# ---- where it goes


def test_to_a_file(classhook: Classhook, recorded: Path, tmp_path: Path) -> None:
    for form in ("text", "json"):
        done = classhook("report", "-f", form, recorded, "-o", f"new/folder/{form}")
        assert (done.status, done.out, done.err) == (0, "", "")
        assert (tmp_path / "new" / "folder" / form).read_text() == classhook(
            "report", "--wide", "-f", form, recorded
        ).out
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == ["json", "text"]


@pytest.mark.parametrize("name", ["folder", "folder/file/x", "/proc/none/x"])
def test_to_a_file_that_cannot_be_written(classhook: Classhook, recorded: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").touch()
    done = classhook("report", recorded, "-o", name)
    assert done.status == 2
    assert f"classhook: cannot write {name}: " in done.err


def test_data_is_not_replaced(classhook: Classhook, recorded: Path, tmp_path: Path) -> None:
    measured = next(recorded.glob("*.classhook"))
    own = tmp_path / "own.classhook"
    own.write_bytes(measured.read_bytes())
    for words in (["report", own, "-f", "json"], ["diff", own, measured, "-f", "html"]):
        done = classhook(*words, "-o", own)
        assert (done.status, done.err) == (
            2,
            f"classhook: {own} holds data of a run, which the output would replace; name another file\n",
        )
    assert own.read_bytes() == measured.read_bytes()


def test_devices_are_written_to_and_stay(classhook: Classhook, recorded: Path) -> None:
    assert classhook("report", recorded, "-o", "/dev/null").status == 0
    assert Path("/dev/null").is_char_device()
    assert "p.Work.add" in classhook("report", recorded, "-o", "/dev/stdout").out
    full = classhook("report", recorded, "-o", "/dev/full")
    assert full.status == 2
    assert "cannot write /dev/full: No space left on device" in full.err


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "words", ["report -f json data", "report --help", "self agent", "check -v -e 'count **::*' data/../classes"]
)
def test_a_reader_that_has_enough(data: Path, classes: Path, tmp_path: Path, words: str) -> None:
    (tmp_path / "classes").symlink_to(classes)
    done = shell(f"{sys.executable} -m classhook.cli {words} | true", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    done = shell(f"{sys.executable} -m classhook.cli {words} | head -1", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


def test_a_full_stdout(data: Path, tmp_path: Path) -> None:
    for words in ("report data", "self agent", "check -e 'count **::*'"):
        done = shell(f"{sys.executable} -m classhook.cli {words} > /dev/full", tmp_path)
        assert done.returncode == 1
        assert done.stderr == "classhook: output: No space left on device\n"


def on_terminal(arguments: list[str], folder: Path, **env: str) -> str:
    """Runs a command in a terminal, and returns what it writes there."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update({"TERM": "xterm-256color", **env})
        os.execv(sys.executable, [sys.executable, "-m", "classhook.cli", *arguments])
    said = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux reports the end of a pseudoterminal this way
            break
        if not piece:
            break
        said += piece
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return said.decode()


def test_colour_on_a_terminal_only(classhook: Classhook, data: Path, tmp_path: Path) -> None:
    plain = classhook("report", "data", env={"COLUMNS": "200"}).out
    assert "\x1b" not in plain
    coloured = on_terminal(["report", "data"], tmp_path, COLUMNS="200")
    assert "\x1b[" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured).replace("\r\n", "\n")
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()
    assert "\x1b[" not in on_terminal(["report", "-f", "json", "data"], tmp_path)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", on_terminal(["report", "data"], tmp_path, NO_COLOR="1"))


def test_progress_on_a_terminal_only(classhook: Classhook, classes: Path, tmp_path: Path) -> None:
    arguments = ["weave", "-e", "count **::*", str(classes), "-o", "out"]
    assert "weaving" not in classhook(*arguments).err
    assert "weaving" in on_terminal(arguments, tmp_path)
    assert "weaving" not in on_terminal([*arguments[:1], "--quiet", *arguments[1:]], tmp_path)
