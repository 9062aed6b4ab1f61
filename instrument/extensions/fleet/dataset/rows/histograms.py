"""Histograms: of the times of calls, and of recorded values. Those of several runs add up, since all have the same
bounds: 2^(n/16), of whole numbers rounded down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.rows import Row, named
from classhook.extensions.fleet.dataset.rows.methods import OF_KEY, OF_SITE, about, ran
from classhook.measures.calls.reader import CALL_SITES
from classhook.measures.keys.reader import KEYS
from classhook.measures.methods.reader import METHODS, MethodRow
from classhook.measures.value.reader import LAST, VALUES, ValueRow
from classhook.model.snapshot import Snapshot
from classhook.reports.exponential_histogram import bucket
from classhook.store.runs import Run

SCALE = 4  # 16 buckets for each power of two
#: By kind: the rows that have times, and what their keys tell besides the method.
TIMED = {"timed": (METHODS.name, ()), "timed_by_key": (KEYS.name, OF_KEY), "timed_call": (CALL_SITES.name, OF_SITE)}


def of_times(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    for kind, (table, more) in TIMED.items():
        for key, row in ran(snapshot, table):
            if row.timed:
                chosen = "chosen_by_key" if table == KEYS.name and row.self_unknown else kind
                told = {"kind": chosen, **about(snapshot, key, more)}
                yield from (
                    {**told, "upper_ns": upper, "count": count} for upper, count in sorted(buckets(row).items())
                )


def of_values(snapshot: Snapshot, run: Run, bodies: Bodies) -> Iterator[Row]:
    """Histograms of numbers of which none is negative: the data does not tell negative ones apart, nor those above
    2^52, or 2^36 if not whole."""
    for (*method, of, by, value), row in snapshot.tables[VALUES.name].items():
        if row.least is not None and 0 <= row.least < LAST:
            told = {
                **named((method[0], method[1], method[2])),
                "value_of": of,
                "keyed_by": by or None,
                "key": value or None,
            }
            yield from ({**told, "upper": upper, "count": count} for upper, count in sorted(value_buckets(row).items()))


def buckets(row: MethodRow) -> dict[int, int]:
    """The number of timed calls that took at most so long, in ns, and more than the bound below."""
    found: Counter[int] = Counter()
    for middle, count in row.histogram.counts.items():  # with the time that a probe takes
        ns = round(min(max(middle - row.floor_ns, row.min_ns or 0), row.max_ns))
        found[int(upper_bound(ns))] += count
    return found


def value_buckets(row: ValueRow) -> dict[float, int]:
    """The number of values that were at most as large, and larger than the bound below."""
    found: Counter[float] = Counter()
    for middle, count in row.histogram.counts.items():
        value = min(max(middle, row.least or 0), row.largest or 0)
        found[upper_bound(value) if row.is_real else int(upper_bound(round(value)))] += count
    return found


def upper_bound(value: float) -> float:
    """The largest one in the bucket of a value that is not negative."""
    return 2.0 ** ((bucket(value, SCALE) + 1) / (1 << SCALE)) if value > 0 else 0
