"""Work that is divided among processes: its order, its errors, and that none is waited for in vain."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from classhook.base.errors import Failure, UsageError
from classhook.base.processes import in_order


@pytest.mark.parametrize("number", [1, 2, 3, 9])
def test_results_come_in_the_order_of_the_work(number: int) -> None:
    found = list(
        in_order([[i, "x" * (i % 7) * 20_000] for i in range(40)], lambda one: (one[0], len(one[1])), "count", number)
    )
    assert found == [(i, i % 7 * 20_000) for i in range(40)]
    assert list(in_order([], str, "count", number)) == []


@pytest.mark.parametrize(
    "error", [UsageError("no such column"), Failure("no tree"), OSError(28, "No space left on device")]
)
def test_exceptions_for_users_are_raised_where_the_results_are_wanted(error: Exception) -> None:
    def work(one: int) -> int:
        if one == 5:
            raise error
        return one

    found = []
    with pytest.raises(type(error), match=str(error.args[-1])):
        found += [found.append(one) for one in in_order(range(20), work, "count", 2)]
    assert found[:5] == list(range(5))


def test_an_exception_waits_for_its_turn() -> None:
    def work(one: int) -> int:
        if one == 1:
            raise UsageError("no such column")
        time.sleep(0.3)  # the other process has ended long before
        return one

    found = in_order(range(6), work, "count", 2)
    assert next(found) == 0
    with pytest.raises(UsageError, match="no such column"):
        next(found)


def test_a_process_that_was_killed_is_said_and_not_waited_for() -> None:
    def work(one: int) -> int:
        if one == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return one

    with pytest.raises(Failure, match=r"a process that wove classes was killed: is there enough memory\?"):
        list(in_order(range(100), work, "wove classes", 2))


def test_a_process_whose_results_nobody_wants_ends(tmp_path: Path) -> None:
    def work(one: int) -> bytes:
        (tmp_path / str(os.getpid())).touch()
        return bytes(1 << 20)  # more than a pipe holds

    found = in_order(range(1000), work, "count", 2)
    next(found)
    found.close()
    numbers = [int(path.name) for path in tmp_path.iterdir()]
    assert numbers
    for number in numbers:
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
