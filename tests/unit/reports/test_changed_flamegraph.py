"""A flame graph of two sets of data: what it holds, and what a browser draws of it."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from classhook.base.errors import Failure
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.comparison import Side
from classhook.reports.comparison.flamegraph import report
from tests.browser import Look

MAIN, SLOWER, QUICKER, GONE, ADDED = (("a.A", name, "()V") for name in ("main", "slower", "quicker", "gone", "added"))
MS = 1_000_000


def side(name: str, runs: int, **cpu: int) -> Side:
    """One whose `main` calls methods that take so many ms of each run."""
    found = Snapshot()
    found.processes.append(Process(1, "17", "", "java a.A", 10**18, MS, "exit", "f", 0, 0, 0, 0))
    main = found.calls.child(MAIN)
    main.cpu = 10 * MS * runs
    for method, ms in cpu.items():
        main.child(("a.A", method, "()V")).cpu = ms * MS * runs
    return Side([name], found, {"a.A": [found] * runs})


@pytest.fixture
def page() -> str:
    out = io.StringIO()
    report(
        (side("old", 2, slower=20, quicker=60, gone=10), side("new", 1, slower=40, quicker=30, added=20)),
        [],
        [],
        Options(),
        out,
    )
    return out.getvalue()


def data_of(page: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(re.search(r"^const data = (.*);$", page, re.MULTILINE)[1])  # type: ignore[index]
    return found


def test_each_path_has_the_times_of_a_run_of_both_sides(page: str) -> None:
    data = data_of(page)
    width = 2 + 2 * len(data["clocks"])
    rows = [data["calls"][at : at + width] for at in range(0, len(data["calls"]), width)]
    cpu = {data["names"][name]: (depth, before, after) for depth, name, after, _, before, _ in rows}
    assert cpu == {
        "a.A.main": (0, 100_000, 100_000),
        "a.A.slower": (1, 20_000, 40_000),
        "a.A.quicker": (1, 60_000, 30_000),
        "a.A.gone": (1, 10_000, 0),
        "a.A.added": (1, 0, 20_000),
    }
    assert (data["before"][0], data["whole"][0]) == (100_000, 100_000)
    assert data["title"] == "old -> new: a.A: java a.A"


def test_without_a_common_tree_it_says_what_records_one() -> None:
    other = side("new", 1, slower=1)
    other.whole.stacks, other.whole.calls = other.whole.calls, Snapshot().calls
    with pytest.raises(Failure, match="no call tree of one kind on both sides"):
        report((side("old", 1, slower=1), other), [], [], Options(), io.StringIO())


def test_a_browser_draws_both_sides(page: str, tmp_path: Path, look: Look) -> None:
    (tmp_path / "page.html").write_text(page)
    seen = look(
        tmp_path / "page.html",
        """
        const at = (x, row) => { const g = document.querySelector(".graph"), b = g.getBoundingClientRect();
          g.dispatchEvent(new MouseEvent("mousemove", {clientX: b.left + x * b.width, clientY: b.top + row * 18 + 9, bubbles: true}));
          const c = g.getContext("2d").getImageData(Math.round(x * g.width), Math.round((row * 18 + 2) * g.height / g.clientHeight), 1, 1).data;
          return [document.querySelector(".about").textContent, c[0] > c[2] ? "red" : "blue"]; };
        const after = [at(0.1, 2), at(0.4, 2), at(0.7, 2)];
        document.querySelector(".before").click();
        return {after, before: [at(0.05, 2), at(0.3, 2), at(0.8, 2)]};
        """,
    )
    texts = [text for text, _ in seen["after"]]
    assert [text.partition(":")[0] for text in texts] == ["a.A.added", "a.A.quicker", "a.A.slower"]
    assert [colour for _, colour in seen["after"]] == ["red", "blue", "red"]
    assert texts[1].endswith("; before 60.0 ms, after 30.0 ms, -30.0 ms")
    assert [text.partition(":")[0] for text, _ in seen["before"]] == ["a.A.gone", "a.A.quicker", "a.A.slower"]
