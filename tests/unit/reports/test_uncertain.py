"""Methods whose self time is mostly the cost of timing come last; totals that cannot be estimated are not shown."""

from __future__ import annotations

import io

from classhook.measures.methods.reader import MethodRow
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.text import report as text_report
from tests.unit.model.test_floor import row


def interrupted() -> MethodRow:
    """Nearly all calls took 4 ns, beside 20 ns for timing each; some were interrupted for a while."""
    tiny = row(4, 1000, probes_ns=20_000)
    tiny.self_ns = tiny.total_ns = tiny.max_ns = 100_000
    tiny.histogram.counts[100_000.0] = 1
    return tiny


def text_of(**rows: MethodRow) -> str:
    snapshot = Snapshot()
    snapshot.tables["methods"] = {("a.B", name, "()V"): one for name, one in rows.items()}
    out = io.StringIO()
    text_report(snapshot, Options(), out)
    return out.getvalue()


def test_what_is_mostly_the_cost_of_timing_comes_last() -> None:
    slow = row(50, 1000, probes_ns=20_000)
    assert (slow.mostly_probes, interrupted().mostly_probes) == (False, True)
    text = text_of(slow=slow, tiny=interrupted())
    assert text.index("B.slow()") < text.index("B.tiny() !") < text.index("! in most calls")


def test_rarely_slow_methods_keep_their_rank() -> None:
    lazy = interrupted()
    lazy.self_ns = lazy.total_ns = 10_000_000
    assert not lazy.mostly_probes


def test_the_total_of_a_sampled_recursion_is_unknown() -> None:
    found = row(50, 1000)
    found.calls, found.sample, found.recursed = 2000, 10, True
    found.finish()
    text = text_of(recursive=found)
    assert (found.total_unknown, found.self_ns > 0) == (True, True)
    assert " unknown " in text
    assert "unknown: the timed calls do not show which calls are recursive, " in text
