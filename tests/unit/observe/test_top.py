"""The numbers, keys and lines of `classhook top`, without a terminal or a JVM."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from classhook.live.observe import watching
from classhook.live.observe.top.cells import number
from classhook.live.observe.top.details import bins, edge, step_of
from classhook.live.observe.top.drawing import draw
from classhook.live.observe.top.keys import parsed
from classhook.live.observe.top.numbers import Watch
from classhook.live.observe.top.state import State
from classhook.measures.alloc.reader import SiteRow
from classhook.measures.context.reader import ContextRow
from classhook.measures.methods.reader import MethodRow
from classhook.measures.watch.reader import CallRow
from classhook.model.call_tree import Call, Sampled
from classhook.model.snapshot import Process, Snapshot
from classhook.reports.callers_and_callees import around
from classhook.reports.contexts import add_costs
from tests.unit.store.made_files import counting_file

PLACE, CHECK = ("com.acme.Orders", "place", "(I)V"), ("com.acme.Orders", "check", "()V")
QUERY = ("com.acme.db.Db", "query", "(Ljava/lang/String;)V")


def timed(calls: int, self_ns: int, total_ns: int) -> MethodRow:
    row = MethodRow(calls=calls, completed=calls, timed=True, self_ns=self_ns, total_ns=total_ns, rule="time **::*")
    row.histogram.counts = {100.0: calls}
    return row


def snapshot(methods: dict[tuple[str, str, str], MethodRow], sites: int = 0, end: str = "running") -> Snapshot:
    found = Snapshot([Process(4711, "17", "OpenJDK", "java com.acme.Main", 0, 10**9, end, "f", 0, 0, 0, 0)])
    found.tables["methods"] = dict(methods)
    if sites:
        found.tables["allocations"] = {(*PLACE, 7, 12, "byte[]"): SiteRow("alloc", sites, sites * 24)}
    return found


def watched(*looks: Snapshot, seconds: float = 2.0) -> State:
    state = State()
    for i, look in enumerate(looks):
        state.watch.look(seconds * i, look)
    return state


FIRST = {PLACE: timed(10, 1000, 5000), CHECK: timed(100, 4000, 4000)}
SECOND = {PLACE: timed(30, 9000, 20000), CHECK: timed(100, 4000, 4000), QUERY: timed(2, 50, 50)}


def screen(state: State, width: int = 80, height: int = 24) -> list[str]:
    lines = draw(state, width, height, [], 1.0)
    assert len(lines) == height
    assert all(line.cell_len <= width for line in lines), [line.plain for line in lines if line.cell_len > width]
    return [line.plain.rstrip() for line in lines]


def test_rates_are_differences_by_time_and_sums_all_that_there_is() -> None:
    state = watched(snapshot(FIRST), snapshot(SECOND))
    place, *others = state.lines()
    assert place.key == PLACE
    assert place.rates is not None
    assert (place.rates["calls"], place.rates["self"], place.rates["total"]) == (10, 4000, 7500)
    assert (place.sums["calls"], place.sums["self"], place.course) == (30, 9000, [4000])
    assert [line.key for line in others] == [QUERY, CHECK]  # new ones began at zero


def in_contexts(entered: int, calls: int) -> Snapshot:
    """A snapshot with a context and its costs, as `top` reads it."""
    found = snapshot(FIRST)
    found.tables["contexts"] = {("endpoint [/open]", "", ""): ContextRow(entered)}
    parts = {
        "endpoint [/open]": snapshot({PLACE: timed(calls, 10 * calls, 10 * calls)}),
        "": snapshot({CHECK: timed(1, 5, 5)}),
    }
    found.read_part = lambda within, trees=False, sums=False: parts[within.context or ""]
    add_costs(found, found)
    return found


def test_contexts_come_with_their_times() -> None:
    state = watched(in_contexts(10, 100), in_contexts(14, 300))
    assert state.watch.now is not None
    row = state.watch.now.snapshot.tables["contexts"]["endpoint [/open]", "", ""]
    row.times = timed(13, 0, 13_000_000)
    row.times.histogram.counts = {1e6: 12, 9e6: 1}
    row.times.max_ns = 9_000_000
    state.watch.look(4.0, state.watch.now.snapshot)
    shown = screen(state, width=160)
    assert "p50" in shown[2]
    assert "1.00 ms" in shown[3]
    assert shown[3].count("9.00 ms") == 2, "p99 and max"


def test_contexts_come_with_what_they_cost() -> None:
    state = watched(in_contexts(10, 100), in_contexts(14, 300))
    shown = screen(state)
    assert "contexts 2" in shown[1]
    assert {name for name in state.columns() if name != "~"} == {
        "entered/s",
        "calls/s",
        "self/s",
        "entered",
        "calls",
        "self",
    }
    first, outside = state.lines()
    assert first.rates is not None
    assert {name: first.rates[name] for name in ("entered", "calls", "self")} == {
        "entered": 2,
        "calls": 100,
        "self": 1000,
    }
    assert outside.sums["calls"] == 1
    assert "outside of contexts" in "".join(shown)


def test_before_the_second_look_there_are_no_rates() -> None:
    state = watched(snapshot(FIRST))
    assert [line.rates for line in state.lines()] == [None, None]
    assert "       -         -         -" in "\n".join(screen(state))


def test_a_reset_on_the_screen_sets_sums_back_and_leaves_rates() -> None:
    state = watched(snapshot(FIRST))
    state.press("r")
    state.watch.look(2.0, snapshot(SECOND))
    place = state.lines()[0]
    assert (place.sums["calls"], place.sums["self"]) == (20, 8000)
    assert place.rates is not None
    assert place.rates["calls"] == 10
    state.watch.look(4.0, snapshot(SECOND))
    assert state.lines()[0].sums["calls"] == 20


def test_counters_that_went_back_were_reset() -> None:
    state = watched(snapshot(SECOND), snapshot({PLACE: timed(4, 600, 700)}))
    (place,) = state.lines()
    assert place.rates is not None
    assert (place.rates["calls"], place.rates["self"], place.sums["calls"]) == (2, 300, 4)


def test_groups_are_sums_without_totals() -> None:
    state = watched(snapshot(FIRST), snapshot(SECOND))
    state.press("g")
    orders, db = state.lines()
    assert (orders.key, orders.sums, db.key) == (
        ("com.acme.Orders",),
        {"calls": 130, "self": 13000, "exceptions": 0},
        ("com.acme.db.Db",),
    )
    assert orders.rates is not None
    assert orders.rates["self"] == 4000
    assert "total" not in "".join(state.columns())
    state.press("enter")
    assert not state.opened


def test_sorting_filtering_and_choosing() -> None:
    state = watched(snapshot(FIRST), snapshot(SECOND, sites=3))
    assert state.order == "self/s"
    state.press("end")
    assert state.selected == CHECK
    for _ in state.columns():
        if state.order != "calls":
            state.press("s")
    assert [line.key for line in state.lines()] == [CHECK, PLACE, QUERY]
    assert state.place(state.lines()) == 0  # it stays chosen where it goes
    assert [state.sort_by(word) and state.order for word in ("thrown", "Thrown/s", "exceptions", "throw")] == [
        "exceptions",
        "exceptions/s",
        "exceptions",
        False,
    ]
    for key in ["/", *"Db::query", "enter"]:
        state.press(key)
    assert [line.key for line in state.lines()] == [QUERY]
    for key in ["/", *"a..b::*", "enter"]:
        state.press(key)
    assert "filter" in state.says
    assert state.pattern == "Db::query"
    state.press("escape")
    assert len(state.lines()) == 3
    state.press("tab")
    assert state.section is not None
    assert state.section.kind == "allocation"
    state.press("q")
    assert state.quit


def test_callers_and_callees_by_the_tree() -> None:
    found = snapshot(FIRST)
    place = found.exact_tree.child(PLACE)
    place.calls, place.wall = 10, 1000
    check = place.child(CHECK)
    check.calls, check.wall = 90, 3000
    alone = found.exact_tree.child(CHECK)
    alone.calls, alone.wall = 10, 1000
    again = check.child(CHECK)  # it calls itself
    again.calls, again.wall = 5, 500
    near = around(found, CHECK)
    assert near is not None
    assert near.clock == "wall"
    assert near.callers == [(PLACE, 3500, 90), (None, 1000, 10), (CHECK, 500, 5)]
    assert near.callees == [(CHECK, 500, 5)]
    deeper = again.child(CHECK)
    deeper.calls, deeper.wall = 2, 100
    near = around(found, CHECK)
    assert near is not None
    assert near.callees == [(CHECK, 600, 7)], "the time of a nested call counts once"
    assert around(found, QUERY) is None
    assert around(Snapshot(), CHECK) is None


def test_sampled_stacks_are_a_tree_too() -> None:
    found = Snapshot()
    call: Call = found.stacks.child(PLACE).child(QUERY)
    call.cpu = 7
    near = around(found, QUERY)
    assert near is not None
    assert (near.clock, near.callers) == ("cpu", [(PLACE, 7, 0)])


@pytest.mark.parametrize(
    ("ns", "start", "end"),
    [(0, 0, 1), (1, 1, 2), (4.9, 2, 5), (5, 5, 10), (99.5, 50, 100), (100, 100, 200), (2e9, 2e9, 5e9)],
)
def test_steps(ns: float, start: float, end: float) -> None:
    assert (edge(step_of(ns)), edge(step_of(ns) + 1)) == (start, end)


def test_histograms_in_steps_with_gaps_and_since_a_reset() -> None:
    assert bins({15.0: 3, 18.0: 1, 120.0: 5}) == [(10, 20, 4), (20, 50, 0), (50, 100, 0), (100, 200, 5)]
    assert bins({15.0: 3, 120.0: 5}, {120.0: 5}) == [(10, 20, 3)]
    assert bins({}) == []


@pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 60), (40, 8), (20, 3)])
def test_each_screen_fits(width: int, height: int) -> None:
    rows = {("com.acme.subsystem." * 3 + "Orders", f"m{i}\x1b", "(I)V"): timed(i, i, i) for i in range(300)}
    state = watched(snapshot(FIRST), snapshot({**SECOND, **rows}, sites=3))
    for keys in ["", "?", "x", "enter", "escape", "g", "gggggg", "/abc", "enter", "\t"]:
        for key in [keys] if keys in ("enter", "escape") else keys:
            state.press("tab" if key == "\t" else key)
        assert not any("\x1b" in line for line in screen(state, width, height))


def test_an_opened_row_tells_its_callers_callees_and_histogram() -> None:
    found = snapshot(SECOND)
    found.exact_tree.child(PLACE).child(CHECK).calls = 3
    state = watched(snapshot(FIRST), found)
    state.press("enter")
    for width in (80, 200):
        text = "\n".join(screen(state, width, 24))
        assert "com.acme.Orders.place(int)" in text
        assert "(threads begin here)" in text
        assert "com.acme.Orders.check()" in text
        assert "100 ns -   200 ns" in text
    state.press("escape")
    assert "self/s" in screen(state)[2]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.25, "0.2"), (12.6, "13"), (1234567, "1,234,567"), (98765432, "98.8M"), (5e9, "5.0G")],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_keys() -> None:
    assert list(parsed("q\x1b[A\x1b[5~\x1bOBx\x1b[1;5C\r\x7f\x1b")) == [
        "q",
        "up",
        "pageup",
        "down",
        "x",
        "enter",
        "backspace",
        "escape",
    ]
    assert list(parsed("\x1b[")) == []


def test_watched_calls_are_shown_the_newest_first() -> None:
    look = snapshot(SECOND)
    state = watched(snapshot(FIRST), look)
    state.press("w")
    assert "no watched calls yet" in screen(state)[2]
    for n in range(40):
        key = (*(PLACE if n % 2 else CHECK), n)
        look.tables["calls"][key] = CallRow(
            "watch **::*", 1, n * 10**9, 10**6, f"worker-{n}", values=(("=amount", n),) if n % 2 else ()
        )
    head, *lines = screen(state)[2:-1]
    assert head == "40 watched calls, the newest first"
    assert [line.split()[3] for line in lines] == [f"worker-{n}" for n in range(39, 39 - len(lines), -1)]
    assert "Orders.place(39)" in lines[0]
    state.pattern = "check"
    assert screen(state)[2] == "20 watched calls, the newest first"
    state.press("escape")
    assert not state.calls
    assert "calls/s" in "".join(screen(state))


def test_without_data_it_says_so() -> None:
    assert any("nothing was counted yet" in line for line in screen(State()))
    assert Watch().kinds() == {}


def test_the_tree_is_read_when_a_row_is_opened() -> None:
    state = watched(snapshot(FIRST), snapshot(SECOND))
    assert not state.wants_tree
    state.press("enter")
    assert state.wants_tree
    assert "the call tree is read with the next update" in "\n".join(screen(state))
    found = snapshot(SECOND)
    found.exact_tree.child(QUERY).child(PLACE).calls = 3
    state.wants_tree = False
    state.watch.look(6.0, found)
    assert "com.acme.db.Db.query(String)" in "\n".join(screen(state))


def test_profiled_methods_have_cpu_and_wall_time() -> None:
    def profiled(calls: int, cpu: int, wall: int) -> MethodRow:
        return MethodRow(calls=calls, profiled=True, sampled=Sampled(cpu, 2 * cpu, wall, 3 * wall))

    state = watched(
        snapshot({PLACE: profiled(1, 10**6, 5 * 10**6)}), snapshot({PLACE: profiled(9, 3 * 10**6, 9 * 10**6)})
    )
    assert state.columns()[:6] == ["calls/s", "self/s", "total/s", "~", "self", "wall-self/s"]
    (place,) = state.lines()
    assert [place.value(name) for name in state.columns() if name.endswith("/s")] == [
        4,
        10**6,
        2 * 10**6,
        2 * 10**6,
        6 * 10**6,
    ]
    text = "\n".join(screen(state, 200, 24))
    assert "wall self/s" in text
    assert "profiled 1" in text


def test_what_becomes_of_a_jvm_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = iter(["running", "detached", "exit", ""])
    monkeypatch.setattr(
        watching, "read", lambda *_, **__: snapshot(FIRST, end=end) if (end := next(ends)) else Snapshot()
    )
    watched = watching.Watched([tmp_path], 1.0)
    assert [(watched.read(), watched.alive, len(watched.ended))[1:] for _ in range(4)] == [
        (True, 0),
        (False, 1),
        (False, 1),
        (False, 1),
    ]
    assert watched.ended[0].startswith("4711 goes on; classhook was detached from it (")


def test_looks_leave_nothing_behind(tmp_path: Path) -> None:
    """`top` runs for hours, and without the collections that Python makes by itself."""
    counting_file(tmp_path / "x.classhook", 10, [("job [1]", [1, 2], [3, 4])])
    watched = watching.Watched([tmp_path], 1.0)

    def looks() -> int:
        return sum(isinstance(one, Snapshot) and bool(one.processes) for one in gc.get_objects())

    before = looks()  # those of other tests
    gc.disable()
    try:
        for _ in range(3):
            watched.read(tree=False, costs=True)
        watched.read()
        assert looks() - before <= 2  # this one, and that of its context
    finally:
        gc.enable()
