"""`value`: count, sum, least, largest and percentiles of numbers that are known (java/Valued.java)."""

from __future__ import annotations

import sys
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compiled, Jvm, Result, Run, classhook_command, execute

pytestmark = pytest.mark.every_jvm

VIRTUAL = 21  # the first JDK with virtual threads
N = 1000
RULES = (
    "value Valued::number of arg0",
    "value Valued::num* of arg0",  # the same again
    "value Valued::number of arg0 + 1",
    "value Valued::number of (arg0+1)",  # the same again
    "value Valued::number of -arg0",
    "value Valued::large of result",
    "value Valued::negative of result",
    "value Valued::list of result.size",
    "value Valued::page of result.items.length by arg1",
    "value Valued$Page::grow of this.size by this.tenant",
    "value Valued::page of arg0.boxed",
    "value Valued::early of result",
    "value Valued::early of result by thread top 1",
    "value Valued::real of arg0",
    "value Valued::wide of result by thread",
    "value Valued::page of arg0.weight",
    "value Valued::page of arg0.price by arg1",
    "value Valued::mixed of result",
)
#: By method, what is recorded, and key: the numbers of one thread, and how many calls have none.
NUMBERS: dict[tuple[str, str, str], tuple[list[Any], int]] = {
    ("number", "arg0", ""): (list(range(N)), 0),
    ("number", "arg0 + 1", ""): (list(range(1, N + 1)), 0),
    ("number", "0 - arg0", ""): (list(range(0, -N, -1)), 0),
    ("large", "result", ""): ([i << 40 for i in range(N)], 0),
    ("negative", "result", ""): ([-i for i in range(N)], 0),
    ("list", "result.size", ""): ([i % 7 for i in range(N) if i % 10 != 9], N // 10),
    **{
        ("page", "result.items.length", f"k{k}"): ([i % 10 for i in range(N) if i % 3 == k and (i + 1) % 4 != 3], 0)
        for k in range(3)
    },
    **{("grow", "this.size", f"t{k}"): ([i for i in range(N) if i % 2 == k], 0) for k in range(2)},
    ("page", "arg0.boxed", ""): (list(range(N)), 0),
    ("real", "arg0", ""): ([i / 1000 - 0.25 for i in range(N) if i % 10 != 9], N // 10),
    ("page", "arg0.weight", ""): ([i / 4 for i in range(N)], 0),
    **{
        ("page", "arg0.price", f"k{k}"): (
            [i / 100 for i in range(N) if i % 3 == k and i % 5],
            len(range(N)[k::3]) - sum(i % 5 > 0 for i in range(N)[k::3]),
        )
        for k in range(3)
    },
    ("mixed", "result", ""): ([i for i in range(N) if i % 2 == 0], N // 2),  # the first number decides
    ("early", "result", ""): ([3 * i if i % 2 else 2 * i for i in range(N)], 0),
}


#: The same of numbers that are calculated.
CALCULATED: dict[tuple[str, str, str], tuple[list[Any], int]] = {
    ("span", "arg1 - arg0", ""): ([2 * i for i in range(N)], 0),
    ("span", "(arg1 + arg0) / 8", ""): ([4 * i / 8 for i in range(N)], 0),
    ("span", "arg1 * 4611686018427387904", ""): ([(0, 3 << 62, 2 << 62, 1 << 62)[i % 4] for i in range(N)], 0),
    ("span", "arg1 / arg0", ""): ([3.0] * (N - 1), 1),
    ("span", "100 / (arg1 / arg0)", ""): ([100 / 3] * (N - 1), 1),
    ("span", "result * 2 - 1", ""): ([4 * i - 1 for i in range(N)], 0),
    ("span", "result - arg0", ""): ([*range(N)], 0),
    ("span", "arg2.size + arg0 * 2", ""): ([3 * i + 1 for i in range(N) if i % 7 != 6], N // 7),
    ("span", "result - arg2.size * 2 + arg0 % 10", ""): ([i % 10 - 2 for i in range(N) if i % 7 != 6], N // 7),
    ("page", "arg0.size * arg0.weight / 100", ""): ([(i + 1) * i / 400 for i in range(N)], 0),
    ("page", "result.size - arg0.boxed", ""): ([1 for i in range(N) if (i + 1) % 4 != 3], 0),
    ("page", "arg0.price / 100", ""): ([i / 100 / 100 for i in range(N) if i % 5], N // 5),
    **{("grow", "this.size - arg0", f"t{k}"): ([i - 1 for i in range(N) if i % 2 == k], 0) for k in range(2)},
    ("real", "arg0 * arg0 * 2", ""): ([2 * (i / 1000 - 0.25) ** 2 for i in range(N) if i % 10 != 9], N // 10),
    ("number", "arg0 % 10", ""): ([i % 10 for i in range(N)], 0),
    ("number", "arg0 * 2", "when arg0 * 2 >= 1000 + arg0"): ([], 0),
    ("number", "arg0 * 2", ""): ([2 * i for i in range(N)], 0),
    ("span", "result - arg0", "when arg1 - arg0 > 100 * 2"): ([*range(101, N)], 0),
}


def wrapped(number: Any) -> Any:
    """Turns an integer into a long of Java; leaves other numbers as they are."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63) if isinstance(number, int) else number


def run_valued(run: Run, jvm: Jvm, classes: Any, rules: tuple[str, ...], threads: int, kind: str, *more: str) -> Result:
    result = run(
        rules, jvm.java, "-Xverify:all", "-Xcheck:jni", "-cp", classes, "Valued", str(N), str(threads), kind, *more
    )
    assert result.status == 0, result.stderr
    assert "WARNING" not in result.stdout + result.stderr
    return result


@pytest.mark.parametrize("kind", ["platform", "virtual", "halted"])
@pytest.mark.core
def test_each_number_is_recorded(jvm: Jvm, compiled: Compiled, run: Run, kind: str) -> None:
    if kind == "virtual" and jvm.version < VIRTUAL:
        pytest.skip("this JVM has no virtual threads")
    threads = 20 if kind == "virtual" else 2
    result = run_valued(run, jvm, compiled("Valued"), RULES, threads, kind, *(["halt"] if kind == "halted" else []))
    of_threads = [row for row in result.report["values"] if row["by"] == "thread" and row["method"] == "early"]
    of_floats = sum(row["sum"] for row in result.report["values"] if row["method"] == "wide")
    assert of_floats == pytest.approx(threads * sum(i * 1e9 for i in range(N)), rel=1e-6)
    sums = [sum(row[column] for row in of_threads) for column in ("count", "sum")]
    assert sums == [threads * N, threads * sum(NUMBERS["early", "result", ""][0])]
    rows = {(row["method"], row["of"], row["key"]): row for row in result.report["values"] if row["by"] != "thread"}
    assert rows.keys() == NUMBERS.keys()
    for key, (numbers, missing) in NUMBERS.items():
        row, numbers = rows[key], sorted(numbers)
        assert (row["count"], row["missing"]) == (threads * len(numbers), threads * missing), key
        total = threads * sum(numbers)
        assert row["sum"] == (total if isinstance(total, int) else pytest.approx(total)), key
        assert (row["min"], row["max"]) == (numbers[0], numbers[-1]), key
        assert row["mean"] == pytest.approx(sum(numbers) / len(numbers))
        for column, part in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
            true = numbers[max(1, ceil(part * len(numbers))) - 1]
            if true <= 0 and numbers[0] < 0:
                assert row[column] is None, (key, column)
            else:
                assert row[column] == pytest.approx(true, rel=1 / 64, abs=0.5 if isinstance(true, int) else 1e-5), (
                    key,
                    column,
                )
    assert result.report["methods"] == []


def test_what_is_too_large_is_left_out(jvm: Jvm, compiled: Compiled, run: Run, tmp_path: Path) -> None:
    """A sum that a double cannot hold, and percentiles beyond the histogram's end: everything else of the report is
    there."""
    result = run_valued(
        run, jvm, compiled("Valued"), ("value Valued::huge of arg0", "value Valued::time of arg0"), 1, "platform"
    )
    huge, when = sorted(result.report["values"], key=lambda row: row["method"])
    assert (huge["count"], huge["sum"], huge["mean"], huge["min"], huge["max"], huge["p50"]) == (
        N,
        None,
        None,
        1e12 + 1,
        sys.float_info.max,
        None,
    )
    first = 1_700_000_000_000_000_000
    assert (when["min"], when["max"], when["p90"]) == (first, first + N - 1, None)
    assert when["sum"] == pytest.approx(N * first)  # in more than 62 bits
    for form in ("text", "csv", "html", "jsonl", "openmetrics", "parquet"):
        assert result.data is not None
        done = execute([*classhook_command(), "report", result.data, "-f", form, "-o", tmp_path / form])
        assert (done.status, done.stderr) == (0, ""), form


def test_what_is_no_number_is_refused(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = ("value Valued::text of arg0", "value Valued::number of result")
    result = run_valued(run, jvm, compiled("Valued"), rules, 1, "platform")
    text, number = result.report["rules"]
    assert (text["matched_methods"], number["matched_methods"]) == (0, 1)
    assert "is of type String, not a number" in str(result.report["classes"]["skipped"])
    assert [row["method"] for row in result.report["values"]] == ["number"]


@pytest.mark.core
def test_numbers_are_calculated_as_java_does(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = []
    for method, of, key in CALCULATED:
        chosen = f" {key}" if key.startswith("when") else " by this.tenant" if key else ""
        rules.append(f"value Valued{'$Page' if method == 'grow' else ''}::{method} of {of}{chosen}")
    result = run_valued(run, jvm, compiled("Valued"), tuple(dict.fromkeys(rules)), 2, "platform")
    rows = {(row["method"], row["of"], row["key"]): row for row in result.report["values"]}
    for key, (numbers, missing) in CALCULATED.items():
        if not numbers:
            assert key not in rows or rows[key]["count"] == 0
            continue
        row, numbers = rows[key], sorted(map(wrapped, numbers))
        assert (row["count"], row["missing"]) == (2 * len(numbers), 2 * missing), key
        total, is_real = 2 * sum(numbers), isinstance(numbers[0], float)
        assert row["sum"] == pytest.approx(total), key
        assert isinstance(row["max"], float) == is_real, key
        assert (row["min"], row["max"]) == (pytest.approx(numbers[0]), pytest.approx(numbers[-1])), key
