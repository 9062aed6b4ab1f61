"""Tables as OpenTelemetry's metrics: a message MetricsData (opentelemetry-proto, metrics/v1), and the same bytes that a
collector receives as ExportMetricsServiceRequest.

1. Each JVM is a resource of its own, so that a collector tells machines apart, and adds them up if asked to.
2. A column is a metric, `classhook.calls` for methods, `classhook.allocation.bytes` for other tables; attributes say
   what a row is about. Numbers that only grow are monotonic sums since the JVM's start, all others gauges. Methods of
   sampled stacks are left out: they are a profile (otlp.py).
3. Times of calls are exponential histograms instead of percentiles, which do not add up over machines. They are as
   measured: what a report finds to be the cost of timing, and subtracts, may change while the program runs, and a
   bucket must never lose what it had. Recorded calls whose trace is known are exemplars of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from classhook.base.names import printable
from classhook.measures.context.reader import ContextRow
from classhook.measures.cpu.reader import SAMPLED
from classhook.measures.methods.reader import METHODS, MethodRow
from classhook.measures.value.reader import ValueRow
from classhook.measures.watch.reader import CALLS, CallRow
from classhook.model.rows import Key
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.exponential_histogram import exponential
from classhook.reports.otlp_resource import attribute, resource, scope
from classhook.reports.protobuf import double, field, fixed64, number, packed, signed, text
from classhook.reports.row_fields import METHOD
from classhook.reports.section_view import View, views
from classhook.tables.columns import FLAG, JSON, TEXT, Column, Value

# Field numbers of the messages.
RESOURCE_METRICS, RESOURCE, SCOPE_METRICS, SCOPE, METRICS = 1, 1, 2, 1, 2  # MetricsData, ResourceMetrics, ScopeMetrics
NAME, DESCRIPTION, UNIT, GAUGE, SUM, EXPONENTIAL = 1, 2, 3, 5, 7, 10  # Metric
POINTS, TEMPORALITY, MONOTONIC = 1, 2, 3  # Gauge, Sum, ExponentialHistogram
START, TIME, AS_DOUBLE, AS_INT, ATTRIBUTES = 2, 3, 4, 6, 7  # NumberDataPoint
OF_HISTOGRAM, COUNT, TOTAL, SCALE, ZEROS, POSITIVE, EXEMPLARS, LEAST, LARGEST = (
    1,
    4,
    5,
    6,
    7,
    8,
    11,
    12,
    13,
)  # ExponentialHistogramDataPoint
MOMENT, MEASURED, SPAN_ID, TRACE_ID = 2, 3, 4, 5  # Exemplar
OFFSET, COUNTS = 1, 2  # Buckets
CUMULATIVE = 2
ROWS = 2000  # of a message: 3 MB of timed methods
MOST_EXEMPLARS = 10  # of a point

PREFIX = "classhook"
UNITS = {"seconds": "s", "bytes": "By"}  # of UCUM, which OpenTelemetry has
NOT_NUMBERS = (FLAG, TEXT, JSON)
#: Parts of keys for which there are conventions; others are named `classhook.PART`.
CONVENTIONS = {"line": "code.line.number"}
#: By what a series is, the largest value that it had.
Highest = dict[tuple[str, bytes], float]


class Metric(NamedTuple):
    """The text before the points, and the points of all tables that have it."""

    kind: int
    about: bytes
    points: bytearray


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes the message to the bytes below `out`, each JVM's part when it has been read."""
    from classhook.model.reading.files import read

    for process in snapshot.processes:
        one = read([Path(process.file)], suggest=False, exact_tree=False)
        if snapshot.selection is not None:
            snapshot.selection(one)
        for message in messages(one, process, options, os.environ):
            out.buffer.write(message)


def messages(
    snapshot: Snapshot,
    process: Process,
    options: Options,
    environment: Mapping[str, str],
    highest: Highest | None = None,
) -> Iterator[bytes]:
    """A snapshot of one process as messages of about ROWS rows each, since collectors limit their size; together they
    are a message, too. `highest`: what was sent of it before: no sum becomes smaller."""
    sent: Highest = {} if highest is None else highest
    times = fixed64(START, process.begin_unix_ns) + fixed64(TIME, process.end_unix_ns)
    about = field(RESOURCE, resource([process], environment))
    found, rows, exemplars = dict[str, Metric](), 0, exemplars_of(snapshot)
    for view in views(snapshot, options):
        if view.table.events or view.table.name == SAMPLED.name:
            continue
        for at in range(0, len(view.rows), ROWS):
            part = replace(view, rows=view.rows[at : at + ROWS])
            _add(part, found, times, sent, exemplars)
            rows += len(part.rows)
            if rows >= ROWS:
                yield _message(about, found)
                found, rows = {}, 0
    if found:
        yield _message(about, found)


def _message(about: bytes, found: dict[str, Metric]) -> bytes:
    metrics = b"".join(
        field(METRICS, one.about + field(one.kind, bytes(one.points) + _aggregation(one.kind)))
        for one in found.values()
    )
    return field(RESOURCE_METRICS, about + field(SCOPE_METRICS, field(SCOPE, scope()) + metrics))


def _aggregation(kind: int) -> bytes:
    if kind == GAUGE:
        return b""
    return number(TEMPORALITY, CUMULATIVE) + (number(MONOTONIC, 1) if kind == SUM else b"")


def exemplars_of(snapshot: Snapshot) -> dict[Key, bytes]:
    """The last recorded calls of each method whose trace is known, by which viewers lead from a histogram to the
    trace."""
    found: dict[Key, list[CallRow]] = {}
    for key, row in snapshot.tables[CALLS.name].items():  # in the order in which they ended
        if row.trace_id:
            found.setdefault(key[: len(METHOD)], []).append(row)
    return {
        key: b"".join(field(EXEMPLARS, _exemplar(row)) for row in rows[-MOST_EXEMPLARS:]) for key, rows in found.items()
    }


def _exemplar(row: CallRow) -> bytes:
    ids = field(SPAN_ID, bytes.fromhex(row.span_id)) + field(TRACE_ID, bytes.fromhex(row.trace_id))
    return fixed64(MOMENT, row.ended_unix_ns) + double(MEASURED, row.took_ns * 1e-9) + ids


def _add(view: View, found: dict[str, Metric], times: bytes, highest: Highest, exemplars: Mapping[Key, bytes]) -> None:
    """Adds the points of a section's rows to the metrics of their columns."""
    prefix = PREFIX if view.table.name == METHODS.name else f"{PREFIX}.{view.section.kind}"
    keys = {key: b"".join(attribute(ATTRIBUTES, *one) for one in _attributes(view, key)) for key, _ in view.rows}
    distributed = any(is_distributed(row) for _, row in view.rows)
    for key, row in view.rows if distributed else ():
        point = _histogram(row)
        if point is not None:
            what = ("distribution", "1") if isinstance(row, ValueRow) else ("duration", "s")
            metric = _metric(found, f"{prefix}.{what[0]}", EXPONENTIAL, what[1], f"{what[0]} of {view.section.what}")
            own = b"".join(attribute(OF_HISTOGRAM, *one) for one in _attributes(view, key))
            metric.points.extend(field(POINTS, own + times + point + exemplars.get(key, b"")))
    for column in view.section.by_name.values():
        if column.key and column.unit not in NOT_NUMBERS and (column.adds or not distributed):
            _add_column(view, column, prefix, found, keys, times, highest)


def _add_column(
    view: View,
    column: Column,
    prefix: str,
    found: dict[str, Metric],
    keys: dict[Key, bytes],
    times: bytes,
    highest: Highest,
) -> None:
    base, factor = column.unit.base
    kind = SUM if column.adds and not column.falls and column.unit.type == "integer" else GAUGE
    name = f"{prefix}.{column.key.removesuffix('_ns') + '_time' if base == 'seconds' else column.key}"
    for key, row in view.rows:
        value = column.value(row)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        if kind == SUM:
            value = highest[name, keys[key]] = max(value, highest.get((name, keys[key]), 0))
        held = (
            double(AS_DOUBLE, value * factor)
            if base == "seconds" or isinstance(value, float)
            else fixed64(AS_INT, value)
        )
        metric = _metric(
            found, name, kind, UNITS.get(base, "1"), f"{column.head or column.name} of {view.section.what}"
        )
        metric.points.extend(field(POINTS, keys[key] + times + held))


def _metric(found: dict[str, Metric], name: str, kind: int, unit: str, description: str) -> Metric:
    if name not in found:
        found[name] = Metric(kind, text(NAME, name) + text(DESCRIPTION, description) + text(UNIT, unit), bytearray())
    return found[name]


def is_distributed(row: Any) -> bool:
    """True if a row has a histogram, which stands for its percentiles, mean, least and largest."""
    return isinstance(row, (ValueRow, ContextRow)) or (isinstance(row, MethodRow) and row.timed)


def _histogram(row: Any) -> bytes | None:
    """A row's distribution in a data point; None if there is none."""
    if isinstance(row, ContextRow):
        row = row.times
    elif isinstance(row, MethodRow) and not row.timed:
        return None
    if isinstance(row, MethodRow) and "histogram" in row.__dict__:
        limits, factor = (((row.min_ns or 0) + row.floor_ns) * 1e-9, (row.max_ns + row.floor_ns) * 1e-9), 1e-9
    elif isinstance(row, ValueRow) and row.least is not None and row.largest is not None and row.least >= 0:
        limits, factor = (row.least, row.largest), 1.0
    else:
        return None
    one = exponential(row.histogram.counts, factor, limits[1])
    if not one.number:
        return None
    buckets = field(POSITIVE, signed(OFFSET, one.offset) + packed(COUNTS, one.counts))
    numbers = fixed64(COUNT, one.number) + double(TOTAL, one.sum) + signed(SCALE, one.scale) + fixed64(ZEROS, one.zeros)
    return numbers + buckets + double(LEAST, limits[0]) + double(LARGEST, limits[1])


def _attributes(view: View, key: Key) -> Iterator[tuple[str, str | int | float]]:
    """The attributes that identify a row."""
    if view.grouped:
        yield f"{PREFIX}.group", printable(str(key[0]))
        return
    parts: dict[str, Value] = dict(zip(view.table.names, key, strict=False))
    if view.table.first == METHOD:
        class_name, method, descriptor = (str(parts.pop(name)) for name in METHOD)
        if class_name:
            yield "code.function.name", printable(f"{class_name}.{method}" if method else class_name)
        if descriptor:
            yield f"{PREFIX}.descriptor", printable(descriptor)
    for name, value in parts.items():
        if isinstance(value, (str, int, float)) and value != "":
            yield CONVENTIONS.get(name, f"{PREFIX}.{name}"), printable(value) if isinstance(value, str) else value
