"""The computations of the benchmarks: figures, call sites and compilation logs; the page can be made whatever was
measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from classhook.rules.parse import load
from classhook.weaving.weave import weave
from tests.conftest import Compiled
from tools.bench import figures, page, previous
from tools.bench.compilations import Decision, decisions
from tools.bench.figures import BenchError, Figure, Results
from tools.bench.inlining import PROBE, calls, key

LOG = """\
<task compile_id='1' method='a.B run ()V' level='3' stamp='1'>
<klass id='7' name='a.B' flags='1'/>
<type id='3' name='void'/>
<type id='4' name='int'/>
<method id='8' holder='7' name='&lt;init&gt;' return='3' arguments='4 7' bytes='9'/>
<parse method='8' stamp='1'>
<bc code='184' bci='2'/>
<inline_fail reason='callee is too large'/>
<parse_done stamp='1'/>
</parse>
</task>
<task compile_id='2' method='a.B run ()V' stamp='2'>
<klass id='1' name='a.B' flags='1'/>
<type id='2' name='void'/>
<method id='3' holder='1' name='run' return='2' bytes='9'/>
<method id='4' holder='1' name='step' return='2' bytes='9'/>
<parse method='3' stamp='2'>
<bc code='184' bci='5'/>
<call method='4' count='1'/>
<inline_success reason='inline (hot)'/>
<parse method='4' stamp='2'>
<bc code='184' bci='0'/>
<inline_fail reason='size &gt; DesiredMethodLimit'/>
<parse_done stamp='2'/>
</parse>
<inline_fail reason='too big'/>
</parse>
</task>
"""


def test_figures_are_taken_turn_by_turn() -> None:
    ours, bare = Figure((3.0, 11.0, 5.0)), Figure((2.0, 10.0, 1.0))
    assert ours.minus(bare).text("{:+.1f} ms") == "+1.0 ms (+1.0…+4.0)"
    assert ours.over(bare).text("x{:.2f}") == "x1.50 (1.10…5.00)"
    assert Figure((1.0,)).text("{:.0%}") == "100%"
    assert Figure(()).text("{:.0f}") == "not measured"


def test_values_of_releases_stand_side_by_side() -> None:
    rows = [["17", "count", "1 ns", "2"], ["17", "time", "3 ns", ""], ["25", "count", "4 ns", ""]]
    assert figures.side_by_side(["what"], ["cost", "peer"], rows).splitlines() == [
        "| what | cost, JDK 17 | cost, JDK 25 | peer, JDK 17 |",
        "|---|---|---|---|",
        "| count | 1 ns | 4 ns | 2 |",
        "| time | 3 ns |  |  |",
    ]


def test_what_fails_is_absent_and_the_rest_goes_on() -> None:
    def fail() -> dict[str, float]:
        raise BenchError("no such peer")

    results = Results("x")
    results.by_turns({"good": lambda: {"ns": 1.0}, "bad": fail}, 3, "test")
    assert (results.values, results.absent) == ({"good/ns": [1.0, 1.0, 1.0]}, {"bad": "no such peer"})


def test_log(tmp_path: Path) -> None:
    log = tmp_path / "log.xml"
    log.write_text(LOG)
    run, step = key("a/B", "run", "()V"), key("a/B", "step", "()V")
    assert list(decisions(log)) == [
        Decision("C1", key("a/B", "<init>", "(ILa/B;)V"), 2, "callee is too large"),
        Decision("C2", run, 5, ""),
        Decision("C2", step, 0, "size > DesiredMethodLimit"),
        Decision("C2", run, 5, "too big"),
    ]


def test_calls_keep_their_numbers_when_woven(compiled: Compiled) -> None:
    data = (compiled("Loaders") / "Loaders.class").read_bytes()
    woven = weave(data, load([], ["count **::*"]), False).data
    assert woven is not None
    before, after = calls(data), calls(woven)
    assert before
    assert {method: list(pcs.values()) for method, pcs in before.items()} == {
        method: [number for number in pcs.values() if number != PROBE] for method, pcs in after.items()
    }
    assert all(list(pcs.values()).count(PROBE) == 1 for pcs in after.values())


@pytest.fixture
def nothing_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for results, and no page yet."""
    monkeypatch.setattr(figures, "KEPT", tmp_path / "results")
    monkeypatch.setattr(page, "PATH", tmp_path / "page.md")
    page.PATH.touch()
    return figures.KEPT


def test_page_without_figures(nothing_measured: Path) -> None:
    written = page.page()
    assert page.NOTHING not in written
    assert re.findall("^##.*", written, re.MULTILINE) == [
        "## How it was measured",
        "## Goals",
        "### What stands in the way of missed goals",
    ]
    page.PATH.write_text(written)
    assert page.page() == written
    assert "Of 0 measured [goals](#goals), 0 are met." in written


@pytest.mark.parametrize("part", page.SHOWN)
def test_page_with_one_value(nothing_measured: Path, part: str) -> None:
    Results(part, "2026-01-01", absent={"jfr": "none here"}, values={"17/bare/wall/ns": [1.0]}).keep()
    assert json.loads((nothing_measured / f"{part}.json").read_text())["part"] == part
    assert "Not measured, because none here: jfr." in page.page()


def test_prose_of_a_section_may_change() -> None:
    said = "| a | 1 |\n\n5 runs; machine load at the start 1.5."
    page_before = f"## Calls\n\nOf calls.\n\n{said}\n\nSome words.\n"
    template = "## Calls\n\nOf calls.\n\n{calls}\n\nOther words.\n\n## More\n"
    assert previous.fields(template, f"{page_before}\n## More\n") == {"calls": said}


def test_what_is_not_measured_again_stays_on_the_page(nothing_measured: Path) -> None:
    cells = "| `classhook --help` | 0.04 s | 0.04 s | 14 MB |"
    page.PATH.write_text(page.page().replace("## Goals", f"## Tools\n\n{cells}\n\n## Goals"))
    Results("floor", "2026-01-01", values={"17/bare/ns": [1.0], "17/time/ns": [31.0]}).keep()
    written = page.page()
    assert cells in written
    assert "| 17 | `time` | 30.0 ns |" in written
    missed = [line for line in written.splitlines() if line.startswith("| a timed call, not inlined, the fastest")]
    assert missed[0].endswith("| JDK 17: 30.0 ns; JDK 25: not measured | 20 ns |")
    page.PATH.write_text(written)
    (nothing_measured / "floor.json").unlink()
    assert page.page() == written, "another machine has no results"
