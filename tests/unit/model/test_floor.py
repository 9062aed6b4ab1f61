"""The cost of timing that a run itself shows."""

from __future__ import annotations

import pytest

from classhook.measures.methods.reader import MethodRow
from classhook.measures.time.reader_cost_floor import floor_of, take_off
from classhook.model.call_tree import Call
from classhook.model.estimates import Spread
from classhook.model.time_histogram import Histogram
from classhook.native._layout import ffi, lib


def row(ns: int, calls: int = 1000, **more: int) -> MethodRow:
    """A method whose calls all took that long."""
    histogram = Histogram()
    octave = 0 if ns < lib.CH_OCTAVE_STEPS else ns.bit_length() - 5
    steps = [0] * lib.CH_OCTAVE_STEPS
    steps[ns & 31 if not octave else (ns >> (octave - 1)) & 31] = calls
    histogram.add_octave(octave, ffi.buffer(ffi.new("uint64_t[]", steps))[:], 1)
    return MethodRow(
        calls=calls,
        timed=True,
        completed=calls,
        timings=calls,
        self_ns=ns * calls,
        total_ns=ns * calls,
        min_ns=ns,
        max_ns=ns,
        histogram=histogram,
        outermost=calls,
        **more,
    )


@pytest.mark.parametrize(
    ("medians", "floor"),
    [
        ([13] * 20 + [200] * 100, 12),
        ([0, 3, 5] + [13] * 20 + [200] * 100, 12),
        ([13] * 20 + [200] * 10, 0),
        ([200] * 100, 0),
        ([], 0),
        ([*range(13, 213, 2)], 0),
    ],
    ids=["many there", "some below", "few methods", "too high", "none", "no floor"],
)
def test_the_floor_is_where_many_methods_are(medians: list[int], floor: int) -> None:
    assert floor_of([row(ns) for ns in medians]) == floor


def test_it_is_taken_off_all_times() -> None:
    caller = row(200, below=3000)
    caller.total_ns = 1000 * 400
    rows = [*(row(13) for _ in range(50)), caller]
    tree = Call(None)
    path = tree.child(("a.B", "caller", "()V"))
    path.calls, path.wall = 1000, 200_000
    running = path.child(("a.B", "callee", "()V"))
    running.calls = 1
    take_off(rows, [tree])
    assert (path.wall, running.wall) == (1000 * (200 - 12), 0)
    assert (caller.self_ns, caller.total_ns) == (1000 * (200 - 12), 1000 * (400 - 12 - 3 * 12))
    assert (rows[0].self_ns, rows[0].min_ns, rows[0].percentiles([0.5, 0.99])) == (1000, 1, [1, 1])
    assert rows[0].probes_ns == 12_000


def test_a_spread_shifted_is_that_of_shifted_times() -> None:
    def spread(times: list[float]) -> Spread:
        weights = [2.0, 3.0, 5.0]
        return Spread(
            3,
            sum(weights),
            sum(w * w for w in weights),
            *(sum(w**k * x**n for w, x in zip(weights, times, strict=True)) for k, n in ((1, 1), (2, 1), (2, 2))),
        )

    shifted = spread([20, 31, 47])
    shifted.shift(10)
    assert shifted == spread([10, 21, 37])


def test_what_is_mostly_the_cost_of_the_calls_below_is_marked() -> None:
    """A timed call costs 50 ns here: a thousand of them are more than the 30 us that remain."""
    outer, other, tiny = row(30_000, below=1_000_000), row(90_000, below=1_000_000), row(13)
    tiny.timings = 1_000_000
    tiny.probes_ns = 50_000_000
    take_off([outer, other, tiny], [Call(None)])
    assert [one.total_mostly_probes for one in (outer, other, tiny)] == [True, False, False]


def test_a_context_has_the_floor_of_all() -> None:
    """So that what two contexts took is what the method took, although too few methods ran in each to see the floor."""
    whole = [row(13, 2000) for _ in range(50)]
    parts = [row(13), row(13)]
    floor = take_off(whole, [])
    assert floor == 12
    assert take_off(parts, [], floor) == floor
    assert sum(part.self_ns for part in parts) == whole[0].self_ns == 2000
