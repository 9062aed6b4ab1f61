"""The JSON report's schema "classhook/1"; the tests check every report that they read against it."""

from __future__ import annotations

from typing import Any

SAMPLING = {"period_ns": int, "samples": int, "torn": int, "refused": int, "unseen_cpu_ns": int, "outside_cpu_ns": int, "counted_cpu_ns": int}
#: Keys with a question mark may be missing. A set: one of these values; a list: any number of such items.
SCHEMA: dict[str, Any] = {
    "schema": {"classhook/1"},
    "processes": [{
        "pid": int, "jvm": str, "jvm_name": str, "command": str, "start": str, "duration_ns": int, "end": {"exit", "halt", "killed", "running"},
        "python_start_ns": int, "weaving_ns": int, "time_cost_ns": float, "count_cost_ns": float, "notes": [str],
        "sampling?": SAMPLING, "cpu_sampling?": SAMPLING, "tree?": {"nodes": int, "refused": int, "deeper": int, "treeless": int},
    }],
    "classes": {
        "seen": int, "matched": int, "woven": int, "cached": int,
        "skipped": [{"class": str, "method": str, "descriptor": str, "reason": str, "detail": str}],
    },
    "methods": [{
        "class": str, "method": str, "descriptor": str, "rule": str, "name?": str, "calls": int,
        "completed?": int, "exceptions?": int, "total_ns?": int, "self_ns?": int, "min_ns?": int, "max_ns?": int,
        "p50_ns?": int, "p90_ns?": int, "p99_ns?": int, "estimated?": {True}, "sample?": int, "total_ns_error?": int, "self_ns_error?": int,
        "cpu_self_ns?": int, "cpu_self_ns_error?": int, "cpu_total_ns?": int, "cpu_total_ns_error?": int,
        "wall_self_ns?": int, "wall_self_ns_error?": int, "wall_total_ns?": int, "wall_total_ns_error?": int, "short?": {True},
        "probes_ns?": int, "mostly_probes?": {True}, "total_mostly_probes?": {True},
        "over_budget?": {True}, "earlier_run?": {True}, "not_timed?": int, "only_counted?": int,
    }],
    "allocations": [{
        "class": str, "method": str, "descriptor": str, "line": int, "bci": int, "type": str, "rule": str, "name?": str, "count": int, "bytes": int,
    }],
    "cpu": [{
        "class": str, "method": str, "descriptor": str, "rule": str, "name?": str,
        "cpu_self_ns": int, "cpu_self_ns_error": int, "cpu_total_ns": int, "cpu_total_ns_error": int,
        "wall_self_ns": int, "wall_self_ns_error": int, "wall_total_ns": int, "wall_total_ns_error": int,
    }],
    "coverage": [{"class": str, "method": str, "descriptor": str, "rule": str, "name?": str, "probes": int, "hit": int}],
    "rules": [{"rule": str, "name?": str, "matched_classes": int, "matched_methods": int, "unknown?": {True}, "nearest?": str}],
    "source_files": [{
        "source": str, **{f"{kind}_{side}": int for kind in ("instruction", "branch", "line", "complexity", "method", "class")
                          for side in ("missed", "covered")},
        "missed_lines": [int], "missed_branches": [{"line": int, "text": str}],
    }],
    "notes": [str],
}  # fmt: skip
#: The keys that only timed methods have, and those that only profiled ones have; either kind has `exceptions`.
TIMES = {"completed", "probes_ns", "total_ns", "self_ns", "min_ns", "max_ns", "p50_ns", "p90_ns", "p99_ns"}
SAMPLED = {f"{clock}_{part}_ns{error}" for clock in ("cpu", "wall") for part in ("self", "total") for error in ("", "_error")}


def check(report: dict[str, Any]) -> None:
    """Asserts that a report has exactly the schema's keys and types, and that a method has either all keys of times or none."""
    check_value(report, SCHEMA, "")
    for row in report["methods"]:
        timed, over_budget = "completed" in row, "over_budget" in row
        profiled = "cpu_self_ns" in row
        assert row.keys() & TIMES == (TIMES if timed else set()), row
        assert row.keys() & SAMPLED == (SAMPLED if profiled else set()), row
        assert ("exceptions" in row) == (timed or (profiled and "only_counted" not in row)), row
        assert ("mostly_probes" in row) <= timed, row
        assert ("estimated" in row) == ("sample" in row) == ("total_ns_error" in row) <= ("self_ns_error" in row) <= timed, row
        assert ("not_timed" in row) == over_budget, row
        assert ("only_counted" in row) <= over_budget, row
        assert ("earlier_run" in row) <= over_budget, row


def check_value(value: Any, schema: Any, where: str) -> None:
    if isinstance(schema, dict):
        wanted = {key.rstrip("?"): kind for key, kind in schema.items()}
        assert {key for key in schema if not key.endswith("?")} <= value.keys() <= wanted.keys(), f"{where}: {sorted(value)}"
        for key in value:
            check_value(value[key], wanted[key], f"{where}.{key}".lstrip("."))
    elif isinstance(schema, list):
        assert isinstance(value, list), where
        assert schema or not value, where
        for one in value:
            check_value(one, schema[0], where)
    elif isinstance(schema, set):
        assert any(type(value) is type(one) and value == one for one in schema), f"{where}: {value!r}"
    else:
        assert type(value) is schema, f"{where}: {value!r}"
