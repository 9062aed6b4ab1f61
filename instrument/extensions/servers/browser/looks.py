"""The numbers of the page: tables with rates and their course, watched calls, and trees of calls, as the last look has
them.

Looks are those of `top` in a terminal (instrument/live/observe/top/numbers.py), tables and trees those of the page of
`report` (instrument/reports/html.py). The browser asks for the next look, and gets it as soon as it is there.
"""

from __future__ import annotations

import gc
import threading
import time
from dataclasses import replace
from typing import Any

from classhook.base.names import printable
from classhook.extensions.servers.browser.chosen_row import chosen_row
from classhook.live.observe.top.cells import GRAPH, titled
from classhook.live.observe.top.headings import KINDS, processes_line
from classhook.live.observe.top.numbers import COURSE, Line, Watch
from classhook.live.observe.top.state import State
from classhook.live.observe.watching import SHARE, Watched
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import TREES
from classhook.reports.filters import by_either_name, matcher
from classhook.reports.flamegraph import drawn
from classhook.reports.groups import GROUPS
from classhook.reports.html import table_of, tree_title, zone
from classhook.reports.section_view import View, views
from classhook.reports.titles import program

MOST = 1000  # rows of a table
PATIENCE = 5.0  # seconds that an answer waits for the next look
ASKED_LATELY = 10.0  # seconds
LEVELS = "0123456789abcdefghijklmnopqrstuvwxyz"  # of a course, from nothing to the highest
EXACT = "time"  # the tree that takes long to read

Json = dict[str, Any]


class Looks:
    """`pause`: seconds until the next look."""

    def __init__(self, watched: Watched, raw: bool) -> None:
        self._watched = watched
        self._watch = Watch(raw=raw)
        self._changed = threading.Condition()
        self._trees: dict[str, tuple[float, float, Json]] = {}  # when they were made, how long that took
        self._tree_asked = -ASKED_LATELY
        gc.disable()  # there are many rows and no cycles; Watched collects them

    @property
    def pause(self) -> float:
        return self._watched.pause

    def look(self) -> None:
        """Takes a look; the last one stays if there is nothing to see any more."""
        snapshot = self._watched.read(tree=time.monotonic() - self._tree_asked < ASKED_LATELY, costs=True)
        with self._changed:
            if snapshot.processes:
                self._watch.look(time.monotonic(), snapshot)
            self._changed.notify_all()

    def reset(self) -> Json:
        """Makes sums begin at zero, on all pages of this command."""
        with self._changed:
            self._watch.reset()
        return {}

    def answer(self, asked: Json) -> Json:
        """Returns what the page shows after look number `after`: the table `table`, the tree `tree`. Raises UsageError
        if the filter is not a valid one."""
        after = int(asked.get("after", "-1"))
        with self._changed:
            self._changed.wait_for(lambda: self._watch.looks > after, PATIENCE)
            look = self._watch.now
            snapshot = look.snapshot if look is not None else Snapshot()
            state = self._state(asked)
            events = {view.section.kind: view for view in views(snapshot, Options()) if view.table.events}
            kinds = {kind: number for kind, number in self._watch.kinds().items() if kind not in events}
            shown = asked.get("table", "")
            view = events.get(shown) or (None if kinds else next(iter(events.values()), None))
            processes = snapshot.processes
            return {
                "look": self._watch.looks,
                "every": self._watched.every,
                "title": printable(", ".join(dict.fromkeys(map(program, processes)))),
                "about": processes_line(processes),
                "running": any(process.end == "running" for process in processes),
                "ended": [printable(text) for text in self._watched.ended],
                "notes": [printable(note) for note in [*snapshot.notes, *(n for one in processes for n in one.notes)]],
                "zone": zone(),
                "kinds": [
                    *([kind, f"{KINDS.get(kind, kind)} {number:,}"] for kind, number in kinds.items()),
                    *([kind, f"watched {one.section.what} {len(one.rows):,}"] for kind, one in events.items()),
                ],
                "table": newest(snapshot, view, state.pattern) if view is not None else table(state),
                "row": chosen_row(state, asked["row"]) if asked.get("row") and view is None else None,
                "trees": [[word, tree_title(one)] for word, one in TREES.items() if has_tree(snapshot, word)],
                "tree": self._tree(snapshot, asked.get("tree", "")),
            }

    def _state(self, asked: Json) -> State:
        state = State(self._watch, kind=asked.get("table", ""))
        state.filter(asked.get("filter", "").strip())
        state.group = asked["group"] if asked.get("group") in GROUPS else ""
        state.sort_by(asked.get("sort", ""))
        return state

    def _tree(self, snapshot: Snapshot, word: str) -> Json | None:
        """A tree of calls; one that takes long to draw is drawn less often."""
        if word == EXACT:
            self._tree_asked = time.monotonic()
        if word not in TREES or not TREES[word].root(snapshot).children:
            return self._trees[word][2] if word in self._trees else None
        began = time.monotonic()
        at, took, made = self._trees.get(word, (0.0, 0.0, {}))
        if not made or began - at > took / SHARE:
            made = {"word": word, **drawn(snapshot, TREES[word], TREES[word].clocks[0])}
            self._trees[word] = began, time.monotonic() - began, made
        return made


def has_tree(snapshot: Snapshot, word: str) -> bool:
    """True if there is such a tree; the exact one may not have been read."""
    rules = snapshot.parsed_rules.values() if word == EXACT else ()
    return bool(TREES[word].root(snapshot).children) or any(rule.kind == word and rule.clause("tree") for rule in rules)


def table(state: State) -> Json | None:
    """The rows of a kind, as instrument/reports/table.js has them."""
    section = state.section
    if section is None:
        return None
    lines, columns = state.lines(), state.columns()
    shown = lines[:MOST]
    main = f"{section.main.name}/s"
    return {
        "kind": section.kind,
        "last": state.group or section.last,
        "events": False,
        "notes": [],
        "count": counted(len(shown), len(lines)),
        "columns": [
            {"name": "course", "head": "", "unit": "course", "adds": False, "ascending": False, "letters": 12}
            if name == GRAPH
            else {
                "name": name,
                "head": titled(section, name),
                "unit": section.by_name[name.removesuffix("/s")].unit.name,
                "adds": False,
                "ascending": False,
                "letters": 9,
            }
            for name in columns
        ],
        "main": main,
        "order": main,
        "uncertain": [i for i, line in enumerate(shown) if line.uncertain],
        "rows": [
            [line.name.text(), *(course(line.course) if name == GRAPH else value(line, name) for name in columns)]
            for line in shown
        ],
    }


def value(line: Line, name: str) -> float | None:
    """A column's value; a rate before the second look is none."""
    if name.endswith("/s") and line.rates is None:
        return None
    found = line.value(name)
    return round(found, 1) if found < 10 else round(found)


def course(rates: list[float]) -> str:
    """The levels of the last looks, compared with the highest."""
    most = max(rates, default=0)
    levels = "".join(LEVELS[round(max(rate, 0) / most * (len(LEVELS) - 1)) if most > 0 else 0] for rate in rates)
    return levels[-COURSE:].rjust(COURSE, LEVELS[0])


def newest(snapshot: Snapshot, view: View, pattern: str) -> Json:
    """Single events, the newest first."""
    matches = by_either_name(matcher([pattern]), snapshot.readable) if pattern else lambda _: True
    rows = sorted((row for row in view.rows if matches(row[0])), key=lambda entry: -int(entry[0][-1]))
    made = table_of(snapshot, replace(view, rows=rows[:MOST]))
    return {**made, "kept": True, "count": counted(min(len(rows), MOST), len(rows))}


def counted(shown: int, every: int) -> str:
    return f"{every:,} rows" if shown == every else f"{shown:,} of {every:,} rows: filter or sort to see others"
