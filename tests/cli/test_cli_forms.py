"""Each kind of rows in each form of report, and in a browser: all of it from three JVMs that were measured in every way
(MEASURED)."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

from classhook.api.reading import find_data
from classhook.base.errors import Failure, UsageError
from classhook.measures.tables import tables
from classhook.model.call_tree import Call
from classhook.model.reading.files import read
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import TREES as TREE_FORMS
from classhook.reports.comparison import Side, compared
from classhook.reports.comparison import json as compared_as_json
from classhook.reports.comparison import text as compared_as_text
from classhook.reports.forms import TABLES_AND_TREES
from classhook.reports.groups import GROUPS
from classhook.reports.selection import Selection
from tests.browser import OVERLAPPING, Look
from tests.cli.conftest import JAVA_SOURCES
from tests.cli.test_cli_report_formats import nasty
from tests.cli.tools import call

KINDS = [section.kind for table in tables() for section in table.sections]
#: Forms that have a row for each row: how many there are. (Metrics have the names of their rows as labels.)
COUNTS: dict[str, Callable[[bytes], int]] = {
    "json": lambda text: sum(
        len(rows) for name, rows in json.loads(text).items() if name in {table.name for table in tables()}
    ),
    "jsonl": lambda text: text.count(b"\n"),
    "csv": lambda text: text.count(b"\n") - 1,
    "parquet": lambda text: int(read_table(io.BytesIO(text)).num_rows),
}
#: Trees of calls in a snapshot, by the kind of rows that have one.
TREES = {"timed": "exact_tree", "profiled": "calls", "sampled": "stacks"}
#: Forms of other things than rows of tables.
OTHER = ("tree", "collapsed", "flamegraph", "speedscope", "pprof", "otlp", "hprof", "hprof-ascii", "perfetto", "jfr")

#: Forms that read each process again.
BY_PROCESS = ("parquet", "otlp-metrics", "perfetto", "jfr")
#: Kinds of rows of which there are no metrics: single calls, and what profiles have.
NO_METRICS = ("call", "execution", "sampled")


def only(kind: str) -> Callable[[Snapshot], None]:
    """Leaves rows of this kind, and their tree."""

    def leave(snapshot: Snapshot) -> None:
        for table in tables():
            rows = snapshot.tables[table.name]
            snapshot.tables[table.name] = {key: row for key, row in rows.items() if table.section(row).kind == kind}
        for name in set(TREES.values()) - {TREES.get(kind)}:
            setattr(snapshot, name, Call(None))

    return leave


Pick = Callable[..., Snapshot]


@pytest.fixture(scope="module")
def pick(measured: list[Path]) -> Pick:
    """pick(kind, by): the snapshot with rows of this kind only, added up if that is asked for."""
    whole = read(find_data(measured)[0])

    def picked(kind: str, by: str = "") -> Snapshot:
        def chosen(snapshot: Snapshot) -> None:
            only(kind)(snapshot)
            Selection(None, by).apply(snapshot)

        snapshot = replace(whole, tables={name: dict(rows) for name, rows in whole.tables.items()})
        chosen(snapshot)
        snapshot.selection = chosen
        return snapshot

    return picked


def written(form: str, snapshot: Snapshot, options: Options) -> bytes:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n", write_through=True)
    TABLES_AND_TREES[form].load().report(snapshot, options, out)
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue()


def number_of_rows(snapshot: Snapshot) -> int:
    return sum(table.ran(row) for table in tables() for row in snapshot.tables[table.name].values())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_rows_is_recorded(pick: Pick, kind: str) -> None:
    assert number_of_rows(pick(kind)), f"extend MEASURED: the program has no rows of the kind `{kind}`"


@pytest.mark.parametrize("form", TABLES_AND_TREES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_rows_in_every_form(pick: Pick, kind: str, form: str) -> None:
    groups = () if form in OTHER else ("class",) if form in BY_PROCESS else GROUPS
    for by in ("", *groups):
        snapshot = pick(kind, by)
        for options in (Options(top=0), Options(all=True, top=0, width=80))[: 1 if form in BY_PROCESS else 2]:
            try:
                text = written(form, snapshot, options)
            except (Failure, UsageError) as none:  # there is no tree, and it says so
                said = str(none)
                assert form in OTHER, said
                assert kind not in TREES or form == "perfetto", said
                continue
            assert text or (form == "otlp-metrics" and kind in NO_METRICS)
            if form in COUNTS and not options.all:
                rows = number_of_rows(snapshot)
                assert COUNTS[form](text) == rows or (
                    form == "parquet" and COUNTS[form](text) >= rows
                )  # of each process by itself


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_rows_is_compared(pick: Pick, kind: str) -> None:
    sides = tuple(Side(["data"], snapshot, {"": [snapshot]}) for snapshot in (pick(kind), pick(kind)))
    sections = compared(*sides, "")
    events = {section.kind for table in tables() if table.events for section in table.sections}
    assert {one.section.kind for one in sections} == {kind} - events
    out = io.StringIO()
    compared_as_text.report(sides, sections, [], replace(Options(), all=True), out)
    compared_as_json.report(sides, sections, [], Options(), out)
    assert out.getvalue()


# ---- in a browser

#: A page's title, its tabs, each with its names of rows and those of them that are not to be seen, and how it looks.
SEEN = (
    """
  const told = [], isHidden = one => {
    const box = one.getBoundingClientRect();
    return box.left < 0 || box.right > innerWidth || box.width < 20 || !one.textContent.trim();
  };
  const tell = (tab, where) => {
    const names = [...where.querySelectorAll("td.name, .row > span:first-child")];
    told.push([tab, names.length, names.filter(isHidden).map(one => one.textContent)]);
  };
  for (const tab of document.querySelectorAll("nav button")) {
    tab.click();
    tell(tab.textContent, document.querySelector(`#of-${tab.parentElement.id} > section:not([hidden])`));
  }
  if (document.querySelector("#all")) {
    document.querySelector("#all").click();
    await lines();
    tell("", document);
  }
  const wrong = (() => { """
    + OVERLAPPING
    + """ })();
  return {title: document.title, wrong, wide: document.documentElement.scrollWidth, told,
          dark: getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(one => one < 64)};
"""
)


@pytest.fixture(scope="module")
def pages(measured: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """All kinds of pages, as commands write them."""
    folder = tmp_path_factory.mktemp("pages")
    wanted = {
        "tables": ["html", "--measure", "time"],
        "groups": ["html", "--measure", "time", "--group", "class"],
        **{f"flame graph of {word}": ["flamegraph", "--measure", word] for word in TREE_FORMS},
        "coverage": ["html", "--sources", str(JAVA_SOURCES)],
    }
    made = {}
    for number, (name, options) in enumerate(wanted.items()):
        made[name] = folder / f"{number}.html"
        line = [
            "coverage" if name == "coverage" else "report",
            "-f",
            *options,
            "-o",
            str(made[name]),
            *map(str, measured),
        ]
        assert call([sys.executable, "-m", "classhook.cli", *line], folder).status == 0, name
    return made


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [480, 1400])
def test_every_page_in_a_browser(look: Look, pages: dict[str, Path], width: int, dark: bool) -> None:
    """Without an error; at 480 pixels each row's name is there. Titles say of what the data is."""
    for name, page in pages.items():
        seen = look(page, SEEN, width=width, height=900, dark=dark)
        begin = "Coverage: p.Measured" if "coverage" in name else r"p\.Measured in measured\d+: java -cp "
        assert re.match(begin, seen["title"]), (name, seen["title"])
        assert (seen["wide"], seen["dark"], seen["wrong"]) == (width, dark, []), name
        rows = {tab: number for tab, number, _ in seen["told"]}
        if name == "tables":
            assert len(rows) == len(KINDS) + 2 * len(TREES)
        if not name.startswith("flame"):
            assert all(number for tab, number in rows.items() if not tab.startswith("Flame graph")), name
        hidden = {tab: names for tab, _, names in seen["told"] if names}
        assert width > 480 or not hidden, name


@pytest.mark.parametrize("form", ["html", "flamegraph"])
@pytest.mark.parametrize("snapshot", [nasty(), Snapshot()], ids=["any names", "nothing"])
def test_pages_of_names_that_are_no_names_and_of_nothing(
    look: Look, snapshot: Snapshot, form: str, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    try:
        path.write_bytes(written(form, snapshot, Options(all=True)))
    except Failure:
        assert form == "flamegraph"
        assert not snapshot.processes
        return
    seen = look(path, SEEN, width=480)
    assert seen["wide"] == 480
    assert all(number for tab, number, _ in seen["told"] if not tab.startswith("Flame graph"))
