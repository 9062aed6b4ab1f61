"""OpenTelemetry's metrics of made rows, read by the messages that the project's own package has."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE, MetricsData

from classhook.measures.methods.reader import MethodRow
from classhook.measures.watch.reader import CallRow
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.otlp_metrics import MOST_EXEMPLARS, ROWS, Highest, messages


def process() -> Process:
    return Process(7, "17", "x", "java p.A", 10**18, 5 * 10**9, "running", "f", 0, 0, 0, 0)


def row(calls: int, self_ns: int) -> MethodRow:
    made = MethodRow(
        calls=calls, completed=calls, timed=True, total_ns=self_ns, self_ns=self_ns, min_ns=50, max_ns=self_ns, rule="r"
    )
    made.histogram.counts[self_ns / calls] = calls
    return made


def read(snapshot: Snapshot, highest: Highest | None = None) -> list[Any]:
    return [MetricsData.FromString(one) for one in messages(snapshot, process(), Options(), {}, highest)]


def metric(data: Any, name: str) -> Any:
    (found,) = [one for one in data.resource_metrics[0].scope_metrics[0].metrics if one.name == name]
    return found


def test_many_rows_are_several_messages() -> None:
    """The messages are about the same resource, and have each row once."""
    snapshot = Snapshot()
    for i in range(2 * ROWS + 10):
        snapshot.tables["methods"]["p.A", f"m{i}", "()V"] = row(1 + i, 1000)
    found = read(snapshot)
    assert len(found) == 3
    assert len({one.resource_metrics[0].resource.SerializeToString() for one in found}) == 1
    points = [point for one in found for point in metric(one, "classhook.calls").sum.data_points]
    assert sorted(point.as_int for point in points) == list(range(1, 2 * ROWS + 11))
    assert len({point.attributes[0].value.string_value for point in points}) == len(points)


def test_sums_only_grow() -> None:
    """The cost of timing, which is subtracted, may change while the program runs; a sum does not fall then."""
    snapshot, highest = Snapshot(), Highest()
    rows = snapshot.tables["methods"]
    for self_ns, expected in ((5000, 5e-6), (4000, 5e-6), (6000, 6e-6)):
        rows["p.A", "m", "()V"] = row(10, self_ns)
        (one,) = read(snapshot, highest)
        sums = metric(one, "classhook.self_time").sum
        assert sums.is_monotonic
        assert sums.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE
        (point,) = sums.data_points
        assert abs(point.as_double - expected) < 1e-12
        assert (point.start_time_unix_nano, point.time_unix_nano) == (10**18, 10**18 + 5 * 10**9)


def test_a_histogram_stands_for_percentiles() -> None:
    snapshot = Snapshot()
    snapshot.tables["methods"]["p.A", "m", "()V"] = row(10, 10_000)
    snapshot.tables["methods"]["p.A", "counted", "()V"] = MethodRow(calls=3, rule="r")
    (one,) = read(snapshot)
    names = {each.name for each in one.resource_metrics[0].scope_metrics[0].metrics}
    assert "classhook.duration" in names
    assert not any("p50" in name or "mean" in name or "max" in name for name in names)
    histogram = metric(one, "classhook.duration").exponential_histogram
    (point,) = histogram.data_points
    base = 2 ** (2.0**-point.scale)
    (bucket,) = [i for i, count in enumerate(point.positive.bucket_counts) if count]
    at = point.positive.offset + bucket
    assert base**at < 1e-6 <= base ** (at + 1) * (1 + 1e-9)
    assert (point.count, point.positive.bucket_counts[bucket]) == (10, 10)
    assert (point.min, point.max) == pytest.approx((50e-9, 10e-6))
    assert {p.as_int for p in metric(one, "classhook.calls").sum.data_points} == {10, 3}


def test_recorded_calls_are_exemplars_of_their_traces() -> None:
    """The last ones of a method, in the histogram that they are counted in; those that were in no span lead nowhere."""
    snapshot = Snapshot()
    snapshot.tables["methods"]["p.A", "m", "()V"] = row(40, 10_000)
    snapshot.tables["methods"]["p.A", "other", "()V"] = row(10, 10_000)
    for n in range(30):
        ids = ("" if n % 2 else f"{n + 1:032x}", "" if n % 2 else f"{n + 1:016x}")
        snapshot.tables["calls"]["p.A", "m", "()V", n] = CallRow(
            "w", 1, 10**18 + n, 250 + n, trace_id=ids[0], span_id=ids[1]
        )
    (one,) = read(snapshot)
    points = metric(one, "classhook.duration").exponential_histogram.data_points
    found = {len(point.exemplars): point.exemplars for point in points}
    assert found.keys() == {0, MOST_EXEMPLARS}
    assert [each.time_unix_nano - 10**18 for each in found[MOST_EXEMPLARS]] == list(range(10, 30, 2))
    last = found[MOST_EXEMPLARS][-1]
    assert last.as_double == pytest.approx(278e-9)
    assert (last.trace_id.hex(), last.span_id.hex()) == (f"{29:032x}", f"{29:016x}")
