"""The HTML report in a browser without a window: what somebody sees who opens it, with 5,000 rows, too."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from classhook.measures.methods.reader import MethodRow
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.forms import TABLES_AND_TREES
from tests.browser import Look

ROWS = 5000
#: JavaScript functions for a page's first table: `seen` returns its first row, and how many rows are in the document.
SEEN = """
  const cells = row => [...row.cells].map(cell => cell.textContent);
  const lines = (pane = "of-tables") => [...document.querySelectorAll(`#${pane} section:not([hidden]) tbody tr:not(.space)`)];
  const seen = () => ({first: cells(lines()[0] ?? {cells: []}), drawn: lines().length, count: document.querySelector(".count").textContent});
  const click = async (what, i = 0) => { document.querySelectorAll(what)[i].click(); await pause(50); };
  const box = document.querySelector(".filter");
  const type = async text => { box.value = text; box.dispatchEvent(new Event("input")); await pause(50); };
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5,000 timed methods, with a tree."""
    numbers = random.Random(1)
    snapshot = Snapshot(processes=[Process(1, "17", "x", "java p.Main <b>", 0, 10**9, "exit", "f", 0, 0, 0, 0)])
    for i in range(ROWS):
        own = numbers.randrange(10**9)
        key = (f"com.acme.package{i % 50}.Class{i % 500}", f"method{i}", "(Ljava/lang/String;I)V")
        snapshot.tables["methods"][key] = MethodRow(
            calls=i + 1, timed=True, completed=i + 1, total_ns=own, self_ns=own, max_ns=own, rule="r"
        )
        at = snapshot.exact_tree.child((f"com.acme.package{i % 50}.Class{i % 500}", "outer", "()V"))
        at.calls = 1
        at = at.child(key)
        at.calls, at.wall = i + 1, own
    path = tmp_path_factory.mktemp("page") / "page.html"
    with open(path, "w") as out:
        TABLES_AND_TREES["html"].load().report(snapshot, Options(), out)
    return path


def test_it_needs_nothing_else(page: Path) -> None:
    text = page.read_text()
    assert not re.search(r"""(src|href)\s*=|@import|url\(|fetch\(|XMLHttp|https?://""", text)
    data = json.loads(re.search(r"^const data = (.*);$", text, re.MULTILINE)[1])  # type: ignore[index]
    assert len(data["tables"][0]["rows"]) == ROWS


def test_it_sorts_and_filters_many_rows(look: Look, page: Path) -> None:
    found: dict[str, Any] = look(
        page,
        SEEN
        + """
      const result = {start: seen(), title: document.title};
      const began = performance.now();
      await click("th button", 3);
      result.byCalls = seen();
      await click("th button", 3);
      result.fewest = seen();
      await type("method4999(");
      result.found = seen();
      await type("package7\\\\..*method\\\\d7\\\\b");
      result.expression = seen();
      await type("");
      const scroll = document.querySelector(".scroll");
      scroll.scrollTop = scroll.scrollHeight;
      for (let i = 0; i < 100 && cells(lines().at(-1))[3] !== "5,000"; i++) await pause(50);
      result.last = cells(lines().at(-1));
      result.took = performance.now() - began;
      return result;
    """,
        width=1000,
    )
    assert found["title"] == "p.Main: java p.Main <b>"
    assert found["start"]["drawn"] < 150, "only what is to be seen is in the document"
    assert found["start"]["count"].startswith("5,000 of 5,000 rows, ")
    assert found["byCalls"]["first"][3] == "5,000"
    assert found["fewest"]["first"][3] == "1"
    assert found["found"]["count"].startswith("1 of 5,000 rows")
    assert found["found"]["first"][-1] == "com.acme.package49.Class499.method4999(String, int)"
    assert found["expression"]["drawn"] >= 1
    assert found["last"][3] == "5,000"


def test_a_narrow_page_shows_the_methods_name_first(look: Look, page: Path) -> None:
    """And all rows, which are taller."""
    found: dict[str, Any] = look(
        page,
        SEEN
        + """
      const shown = () => { const name = lines().at(-1).querySelector("td.name > span");
        return [name.textContent, name.scrollHeight <= name.clientHeight + 1, name.getBoundingClientRect().right < innerWidth]; };
      await type("method4999(");
      const one = [shown(), cells(document.querySelector("thead tr"))];
      await click("th button", 0);
      await type("");
      const scroll = document.querySelector(".scroll");
      scroll.scrollTop = scroll.scrollHeight;
      for (let i = 0; i < 100 && shown()[0] !== "Class9.method9(String, int)"; i++) await pause(20);
      scroll.scrollLeft = scroll.scrollWidth;
      return [...one, lines().length, shown()];
    """,
        width=480,
    )
    assert found[0] == ["Class499.method4999(String, int)", True, True]
    assert found[1][:3] == ["method", "self", "share"]
    assert found[2] < 150
    assert found[3] == ["Class9.method9(String, int)", True, True]


def test_it_has_the_tree_and_the_flame_graph_beside_the_table(look: Look, page: Path) -> None:
    """And below 1,200 pixels instead of it."""
    actions = """
      const tabs = [...document.querySelectorAll("nav button")].map(tab => tab.textContent);
      const canvas = document.querySelector("canvas.graph"), about = document.querySelector(".about");
      const wide = [lines().length > 10, canvas.clientWidth > 400, about.textContent];
      lines()[0].click();
      const marked = about.textContent;
      await click("nav button", 2);
      const before = lines("of-graphs").length;
      [...document.querySelectorAll("#of-graphs section:not([hidden]) button.open")].find(button => button.textContent === "▸").click();
      return {tabs, wide, marked, before, after: lines("of-graphs").length, first: cells(lines("of-graphs")[0]), both: !document.querySelector("#of-tables").hidden};
    """
    found: dict[str, Any] = look(page, SEEN + actions)
    assert found["tabs"] == ["5,000 timed methods", "Flame graph", "Tree"]
    assert found["wide"][:2] == [True, True]
    assert found["wide"][2].startswith("all: ")
    assert found["marked"].startswith("1 method found, ")
    assert found["after"] > found["before"]
    assert found["first"][0].endswith("outer")
    assert found["both"]
    assert not look(page, SEEN + actions, width=1000)["both"]


def test_keys_and_links_say_what_is_shown(look: Look, page: Path) -> None:
    """A link that was copied shows the same again."""
    seen = (
        "[seen().first, box.value, document.querySelector('.search').value, document.querySelector('.back').disabled]"
    )
    link, there = look(
        page,
        SEEN
        + f"""
      const key = async key => {{ document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {{key, bubbles: true, cancelable: true}})); await pause(50); }};
      await key("s"); await key("s"); await key("S"); await key("r");  // fewer columns than three back: by share
      await key("/");
      const typing = document.activeElement === box;
      await type("package7[.].*method12");
      await key("Escape"); await key("j"); await key("Enter");
      const canvas = document.querySelector("canvas.graph"), at = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new MouseEvent("click", {{bubbles: true, clientX: at.left + 2, clientY: at.top + 20}}));
      await key("?");
      if (!typing || !document.querySelector("dialog").open) throw Error("keys");
      return [location.hash, {seen}];
    """,
    )
    assert there[0][0].startswith("Class")
    assert there[2].startswith("^com")
    assert not there[3]
    assert look(page, SEEN + f"return {seen};", at=link) == there
    assert look(page, SEEN + f"return {seen};") != there
