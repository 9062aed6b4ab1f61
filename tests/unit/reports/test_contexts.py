"""Reports by context: which contexts have tables in the text, and what each context cost."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from classhook.cli import main
from tests.unit.store.made_files import counting_file

CONTEXTS, METHODS = 40, 200


@pytest.fixture
def made(tmp_path: Path) -> dict[str, dict[int, int]]:
    """Writes data; the calls by context and number of method."""
    chosen = random.Random(1)
    found = {
        f"job [{i}]": {slot: chosen.randrange(1, 1 << 40) for slot in sorted(chosen.sample(range(METHODS), 7))}
        for i in range(CONTEXTS)
    }
    counting_file(tmp_path / "x.classhook", METHODS, ((name, [*one], [*one.values()]) for name, one in found.items()))
    return found


def report(capsys: pytest.CaptureFixture[str], data: Path, *options: str) -> str:
    assert main(["report", "--by", "context", *options, str(data)]) == 0
    return capsys.readouterr().out


def shown(text: str) -> list[str]:
    """The contexts that have tables."""
    return re.findall("^==== in (.*)$", text, re.MULTILINE)


def test_tables_of_the_contexts_that_are_listed(
    made: dict[str, dict[int, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = report(capsys, tmp_path, "--top", "10")
    listed = re.findall(r"^ +1 +[\d,]+ +(job \[\d+\])$", text, re.MULTILINE)
    assert len(listed) == 10
    assert shown(text) == listed
    assert "tables of 30 more contexts: --top N or --top 0 shows them" in text
    by_calls = sorted(made, key=lambda name: -sum(made[name].values()))
    assert sorted(shown(report(capsys, tmp_path, "--top", "10", "--sort", "calls"))) == sorted(by_calls[:10])


def test_a_thousand_contexts_are_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, warned in ((999, False), (1000, True)):
        data = tmp_path / str(number)
        data.mkdir()
        counting_file(data / "x.classhook", 1, [(f"job [{i}]", [0], [1]) for i in range(number)])
        assert main(["report", str(data)]) == 0
        assert ("1,000 contexts of job: each takes memory" in capsys.readouterr().out) == warned


def test_all_tables(made: dict[str, dict[int, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options in (("--top", "0"), ("--all",), ("--top", str(CONTEXTS))):
        text = report(capsys, tmp_path, *options)
        assert sorted(shown(text)) == sorted(made)
        assert "more context" not in text


def test_filtered(made: dict[str, dict[int, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list of contexts has no method: so the first ones that ran it are shown."""
    counts: dict[int, int] = {}
    for one in made.values():
        for number in one:
            counts[number] = counts.get(number, 0) + 1
    number = max(counts, key=lambda one: counts[one])
    text = report(capsys, tmp_path, "--filter", f"a.C0::m{number}", "--top", "1")
    assert len(shown(text)) == 1
    assert number in made[shown(text)[0]]
    assert f"tables of {counts[number] - 1} more context" in text


@pytest.mark.parametrize("options", [(), ("--filter", "m"), ("--group", "class")])
def test_what_contexts_cost(
    made: dict[str, dict[int, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    """The costs are the same whether the report reads the contexts once or twice."""
    contexts = json.loads(report(capsys, tmp_path, "-f", "json", *options))["contexts"]
    assert {one["context"]: sum(row["calls"] for row in one["methods"]) for one in contexts if one["context"]} == {
        name: sum(one.values()) for name, one in made.items()
    }
    if not options:
        assert {one["context"]: (one["entered"], one["method_calls"]) for one in contexts if one["context"]} == {
            name: (1, sum(one.values())) for name, one in made.items()
        }


def test_several_processes_write_what_one_writes(
    made: dict[str, dict[int, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = report(capsys, tmp_path, "-f", "json")
    assert len(json.loads(alone)["contexts"]) == CONTEXTS + 1
    monkeypatch.setattr("classhook.reports.json.BATCH", 3)
    monkeypatch.setattr("classhook.reports.json.ALONE", 2)
    monkeypatch.setattr("classhook.base.processes.processors", lambda: 4)
    assert report(capsys, tmp_path, "-f", "json") == alone


def test_a_small_report_imports_what_it_needs(made: dict[str, dict[int, int]], tmp_path: Path) -> None:
    """Modules take longer than reading so little."""
    script = (
        "import sys\nfrom classhook.cli import main\nmain(['report', *sys.argv[1:]])\nprint(*sys.modules,"
        " file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    unwanted = {
        "rich.console",
        "multiprocessing",
        "lark",
        "zipfile",
        "classhook.coverage.analysis",
        "classhook.commands.diff",
    }
    assert not unwanted & set(done.stderr.split())
