"""Observations from data directories and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from classhook.base.errors import Failure
from classhook.base.processes import in_order
from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.run_rows import RunRows, run_rows
from classhook.extensions.fleet.dead.observations import LAST, About, Known, Observation, Observed, Use
from classhook.store.runs import Run

ALONE = 10  # runs: fewer are read sooner than a process starts
TABLES = ("methods", "tests")


def add_data(observed: Observed, runs: Sequence[Run], bodies: Bodies, is_test: bool | None) -> None:
    """Adds runs. `is_test`: what they are; None: as each says itself."""

    def read(run: Run) -> RunRows | str:
        try:
            return run_rows(run, bodies, TABLES)
        except Failure as error:
            return str(error)

    for found in in_order(runs, read, "reads runs", 1 if len(runs) < ALONE else 0):
        if isinstance(found, str):
            observed.notes.append(found)
        else:
            add_facts(observed, found, is_test)


def add_facts(observed: Observed, facts: RunRows, is_test: bool | None) -> None:
    if facts.run_id in observed.ids:
        return
    observed.ids.add(facts.run_id)
    (run,) = facts.tables["runs"]
    observed.notes += facts.notes
    tests = run["is_test"] if is_test is None else is_test
    hosts, versions = ({run[name]} if run[name] else set() for name in ("host", "version"))
    one = Observation(1, run["start"], run["stop"], hosts, versions)
    observed.add_run(tests, tuple(run["rules"]), one)
    observed.test_classes |= {row["class"] for row in facts.tables["tests"] if row["class"]}
    for row in facts.tables["methods"]:
        known = observed.methods.setdefault((row["class"], row["method"], row["descriptor"]), Known())
        known.add(tests, about(row, run["start"]), use(row, run, one))


def about(row: dict[str, Any], newest: Any) -> About:
    annotations = row.get("annotations")
    return About(
        newest,
        row.get("body_hash"),
        row.get("readable"),
        row.get("source"),
        row.get("line"),
        row.get("flags"),
        None if annotations is None else tuple(annotations),
    )


def use(row: dict[str, Any], run: dict[str, Any], one: Observation) -> Use:
    ran = bool(row["ran"])
    last, version = (run["stop"], run["version"] or "") if ran else (LAST, "")
    return Use(
        1, one.first, one.last, set(one.hosts), set(one.versions), row.get("calls") or 0, int(ran), last, version
    )
