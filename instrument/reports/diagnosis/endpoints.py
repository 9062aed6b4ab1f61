"""The endpoints: how often they were called, and how long that took."""

from __future__ import annotations

from classhook.base.names import several, time_label
from classhook.reports.diagnosis.part import NUMBER, TEXT, TIME, Part, absent, first
from classhook.reports.diagnosis.seen import REQUEST, Seen

NAME = "endpoints"
NONE = (
    "no endpoint of a framework that the stock rules `endpoints` know was called; -e 'context com.acme.Api::*' names"
    " others"
)


AROUND = "request: all requests with their filters; those of the endpoints above are in its times, but not in its cpu"


def endpoints(seen: Seen) -> Part:
    found = [(one, one.row.times) for one in seen.endpoints]
    if not found:
        return absent(NAME, NONE)
    rows, more = first(
        (
            times.total_ns if times else None,
            one.row.entered,
            times.quantiles()[0] if times else None,
            times.quantiles()[2] if times else None,
            times.max_ns if times else None,
            one.row.cpu_ns,
            one.name,
        )
        for one, times in found
    )
    open_ = sum(one.row.entered - (times.completed if times else 0) for one, times in found)
    own = [one for one in seen.endpoints if one.name != REQUEST] or seen.endpoints
    whole, calls = sum(one.total_ns for one in own), sum(one.row.entered for one in own)
    notes = [AROUND] if len(own) < len(found) and not more else []
    if open_ > 0:
        notes.append(f"{several(open_, 'call')} had not ended; the times are without {'it' if open_ == 1 else 'them'}")
    columns = [("total", TIME), ("calls", NUMBER), ("p50", TIME), ("p99", TIME), ("max", TIME), ("cpu", TIME)]
    return Part(
        NAME,
        f"Endpoints: {several(calls, 'call')}, {time_label(whole).strip()}",
        [*columns, ("endpoint", TEXT)],
        rows,
        notes,
        more + seen.others,
    )
