"""Observations from a dataset: DuckDB adds up the runs, so that it does not matter how many there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from classhook.base.errors import UsageError
from classhook.extensions.fleet.dataset.queries import Dataset
from classhook.extensions.fleet.dead.observations import LAST, About, Known, Observation, Observed, Use

#: The runs that are asked for; `tests` tells whether they are of tests.
CHOSEN = """
create or replace temp table chosen as
select run_id, start, stop, host, version, rules, complete, {tests} as tests from runs where {condition}"""
RUNS = """
select tests, rules, count(*), min(start), max(stop), list(distinct host), list(distinct version),
    count(*) filter (where not complete)
from chosen group by all"""
FOREIGN = "{}: files of another table are among those of {}"
METHODS = """
select class, method, descriptor, body_hash, tests,
    count(*), min(start), max(stop), list(distinct host), list(distinct version),
    sum(calls), count(*) filter (where ran), max(stop) filter (where ran), max_by(version, stop) filter (where ran),
    count(*) filter (where ran is null),
    max(start), any_value(readable), any_value(source), max_by(line, start), any_value(flags), any_value(annotations)
from methods join chosen using (run_id)
group by class, method, descriptor, body_hash, tests"""
IDS = "select run_id from chosen"
TESTS = "select distinct class from tests join chosen using (run_id) where class is not null"


def add_dataset(observed: Observed, dataset: Dataset, labels: Mapping[str, str], is_test: bool | None) -> None:
    """Adds the runs of a dataset. `labels`: of those that count; `is_test`: what they are; None: as each says itself.
    Raises UsageError."""
    condition = " and ".join(["true", *(having(name, value) for name, value in labels.items())])
    dataset.answer(CHOSEN.format(tests="is_test" if is_test is None else is_test, condition=condition))
    ids = {run for (run,) in dataset.answer(IDS)[1]}
    if not ids:
        asked = ", ".join(f"{name}={value}" for name, value in labels.items())
        raise UsageError(f"{dataset.place.text}: no run has the label {asked}")
    if again := ids & observed.ids:
        dataset.answer(f"delete from chosen where run_id in ({', '.join(map(quoted, again))})")
    observed.ids |= ids
    for tests, rules, runs, first, last, hosts, versions, incomplete in dataset.answer(RUNS)[1]:
        if tests is None or rules is None:
            raise UsageError(FOREIGN.format(dataset.place.text, "runs"))
        observed.add_run(tests, tuple(rules), Observation(runs, first, last, known(hosts), known(versions)))
        if incomplete:
            observed.notes.append(f"{dataset.place.text}: of {incomplete:,} of {runs:,} runs, some data is missing")
    observed.test_classes |= {name for (name,) in dataset.answer(TESTS)[1]}
    for row in dataset.answer(METHODS)[1]:
        if not _add(observed, row):
            raise UsageError(FOREIGN.format(dataset.place.text, "methods"))


def _add(observed: Observed, row: tuple[Any, ...]) -> bool:
    """False: it is none of a method."""
    (
        cls,
        method,
        descriptor,
        body,
        tests,
        runs,
        first,
        last,
        hosts,
        versions,
        calls,
        used,
        last_used,
        last_version,
        unknown,
        *about,
    ) = row
    if unknown:
        return False
    newest, readable, source, line, flags, annotations = about
    use = Use(
        runs, first, last, known(hosts), known(versions), int(calls or 0), used, last_used or LAST, last_version or ""
    )
    told = About(newest, body, readable, source, line, flags, None if annotations is None else tuple(annotations))
    observed.methods.setdefault((cls, method, descriptor), Known()).add(tests, told, use)
    return True


def known(values: list[Any] | None) -> set[str]:
    return {value for value in values or () if value is not None}


def having(name: str, value: str) -> str:
    """A condition in SQL: the label has this value, in which `*` is a wildcard."""
    pattern = value
    for sign in "\\%_":
        pattern = pattern.replace(sign, f"\\{sign}")
    pattern = pattern.replace("*", "%")
    return f"labels[{quoted(name)}] like {quoted(pattern)} escape '\\'"


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
