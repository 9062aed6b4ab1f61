"""The rows of datasets, of rows that no JVM has made."""

from __future__ import annotations

import json
from bisect import bisect_left
from datetime import datetime
from itertools import accumulate
from math import ceil
from pathlib import Path
from random import Random

from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows.events import calls
from classhook.extensions.fleet.dataset.rows.histograms import SCALE, buckets, value_buckets
from classhook.extensions.fleet.dataset.run_rows import MAKERS
from classhook.measures.methods.reader import MethodRow
from classhook.measures.value.reader import VALUES, ValueRow
from classhook.measures.watch.reader import CALLS, CallRow
from classhook.measures.watch.reader_values import Text
from classhook.model.snapshot import Snapshot
from classhook.store.runs import Run


def timed(times: list[int], floor: int = 0) -> MethodRow:
    """A row of calls that took so long, measured with what a probe takes."""
    row = MethodRow(timed=True, calls=len(times), min_ns=min(times), max_ns=max(times), floor_ns=floor)
    for ns in times:
        row.histogram.counts[ns + floor] = row.histogram.counts.get(ns + floor, 0) + 1
    return row


def test_percentiles_of_several_machines_come_from_the_sum_of_their_histograms() -> None:
    random = Random(7)
    fast = [round(random.lognormvariate(12, 1)) for _ in range(900)]
    slow = [round(random.lognormvariate(16, 0.5)) for _ in range(100)]
    found = dict(buckets(timed(fast, floor=40)))
    for upper, count in buckets(timed(slow)).items():
        found[upper] = found.get(upper, 0) + count
    uppers, every = sorted(found), sorted(fast + slow)
    ranks = list(accumulate(found[upper] for upper in uppers))
    for part in (0.5, 0.9, 0.99, 1):
        exact = every[ceil(part * len(every)) - 1]
        upper = uppers[bisect_left(ranks, part * len(every))]
        assert exact <= upper <= exact * 2 ** (1 / (1 << SCALE))


def test_calls_that_took_no_time_have_a_bucket() -> None:
    assert buckets(timed([0, 0, 1, 2, 3, 1 << 50], floor=10)) == {0: 2, 1: 1, 2: 1, 3: 1, 1 << 50: 1}


def test_values_have_buckets_whole_or_not() -> None:
    whole, real = (ValueRow("", 4, least=0, largest=100), ValueRow("", 3, least=0.125, largest=1.5))
    whole.histogram.counts = {0.0: 1, 3.0: 2, 100.5: 1}
    real.histogram.counts = {0.125: 1, 0.3: 1, 1.5: 1}
    assert value_buckets(whole) == {0: 1, 3: 2, 103: 1}
    found = sorted(value_buckets(real))
    assert found[0] == 0.125
    assert all(
        value <= upper < value * 2 ** (1 / (1 << SCALE)) for value, upper in zip((0.125, 0.3, 1.5), found, strict=True)
    )


def test_a_call_has_its_trace() -> None:
    snapshot = Snapshot()
    ended = 1_795_577_615_282_085_296
    row = CallRow(
        "watch a.B::c",
        1,
        ended,
        2_000_000,
        "",
        values=(("=arg0", Text("x\ny", 3)), ("result", None)),
        trace_id="ab" * 16,
        span_id="cd" * 8,
    )
    snapshot.tables[CALLS.name]["a.B", "c", "()V", 1] = row
    (found,) = calls(snapshot, Run("", 0, [Path("x")]), Bodies())
    assert found["start"] == datetime(2026, 11, 25, 3, 33, 35, 280085)
    assert (found["trace_id"], found["span_id"], found["thread"]) == ("ab" * 16, "cd" * 8, None)
    assert json.loads(found["args"]) == {"arg0": "x\ny"}
    row.ended_unix_ns = 1 << 64  # of a damaged file
    assert [one["start"].year for one in calls(snapshot, Run("", 0, [Path("x")]), Bodies())] == [2262]


def test_numbers_are_told_apart_by_key() -> None:
    snapshot = Snapshot()
    rows = snapshot.tables[VALUES.name]
    rows["a.B", "c", "()V", "arg0", "this.name", "fast"] = ValueRow(
        "value a.B::c of arg0 by this.name", 2, 1, 7, 7.0, 3, 4
    )
    rows["a.B", "c", "()V", "arg0", "", ""] = ValueRow("value a.B::c of arg0", 1, sum=9, least=9, largest=9)
    found = MAKERS["recorded_values"](snapshot, Run("", 0, [Path("x")]), Bodies())
    rows["a.B", "d", "()V", "arg0", "", ""] = ValueRow("", 1, sum=None, least=float("inf"), largest=float("inf"))
    rows["a.B", "d", "()V", "arg1", "", ""] = ValueRow("", 1, least=-1, largest=1)
    for row in rows.values():
        row.histogram.counts = {9.0: 1}
    told = [
        tuple(row[name] for name in ("value_of", "keyed_by", "key", "count", "missing", "sum", "max"))
        for row in found
        if row["method"] == "c"
    ]
    assert told == [("arg0", "this.name", "fast", 2, 1, 7, 4), ("arg0", None, None, 1, 0, 9, 9)]
    of_values = MAKERS["value_histograms"](snapshot, Run("", 0, [Path("x")]), Bodies())
    assert [(row["method"], row["key"], row["upper"], row["count"]) for row in of_values] == [
        ("c", "fast", 4, 1),
        ("c", None, 9, 1),
    ]
