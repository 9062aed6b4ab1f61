"""Work that is divided among processes. Each is a fork, which has all that this one has read; results come in the order
of the work.

A process that ends too early is noticed, since its pipe ends: nothing waits for it, and none is started in its place.
"""

from __future__ import annotations

import fcntl
import gc
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from classhook.base.errors import Failure, UsageError
from classhook.base.signals import leave_to_parent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 8  # results that are kept before their turn, of each process
PIPE_BYTES = 1 << 20  # as large as users may have them: a process goes on while its results are waiting
KILLED = "a process that {} was killed: is there enough memory?"


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


def in_order(pieces: Sequence[T], work: Callable[[T], R], doing: str, processes: int = 0) -> Iterator[R]:
    """The result of `work` for each piece, in their order; `doing`: what it does, for a message. Processes start at
    once, and pieces are dealt in turn, so they should be of one size. Exceptions are raised where their results would
    come. `processes`: 0 for as many as there are processors. Raises Failure if one was killed."""
    number = min(processes or processors(), len(pieces))
    if number < 2:
        return map(work, pieces)
    import multiprocessing

    context = multiprocessing.get_context("fork")
    workers: list[Any] = []
    pipes: list[Connection] = []
    for first in range(number):
        ours, theirs = context.Pipe(duplex=False)
        with suppress(OSError):  # there may be a limit for all pipes of a user
            fcntl.fcntl(theirs.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        worker = context.Process(
            target=_work, args=(pieces[first::number], work, theirs, [*pipes, ours], doing), daemon=True
        )
        worker.start()
        theirs.close()
        pipes.append(ours)
        workers.append(worker)
    return _results(len(pieces), pipes, workers, doing)


def _results(pieces: int, pipes: list[Connection], workers: list[Any], doing: str) -> Iterator[Any]:
    from multiprocessing.connection import wait

    number = len(pipes)
    left = [len(range(first, pieces, number)) for first in range(number)]  # results that are still to come from each
    early: list[deque[Any]] = [deque() for _ in pipes]  # those that have come before their turn
    try:
        for at in range(pieces):
            own = at % number
            while not early[own]:
                ready = wait([pipes[one] for one in range(number) if left[one] and len(early[one]) < AHEAD])
                for one in range(number):
                    if pipes[one] in ready:
                        said = _received(pipes[one], doing)
                        early[one].append(said)
                        left[one] = 0 if isinstance(said, Exception) else left[one] - 1
            said = early[own].popleft()
            if isinstance(said, Exception):
                raise said
            yield said
    finally:
        for pipe in pipes:
            pipe.close()
        for worker in workers:
            worker.terminate()  # it has ended, unless its results are no longer wanted
            worker.join()


def _work(
    pieces: Sequence[T], work: Callable[[T], Any], pipe: Connection, others: list[Connection], doing: str
) -> None:
    """The body of a process."""
    leave_to_parent()
    gc.disable()  # it would visit all that was read before
    for other in others:  # else their writers would not notice that nobody reads any more
        other.close()
    with suppress(BrokenPipeError):
        try:
            for piece in pieces:
                pipe.send(work(piece))
        except (Failure, UsageError, OSError) as error:
            pipe.send(error)
        except Exception as error:  # a defect; what it sends must be something that can be sent
            pipe.send(Failure(f"a process that {doing} failed: {type(error).__name__}: {error}"))


def _received(pipe: Connection, doing: str) -> Any:
    """The next result of a process, or its exception. Raises Failure if it was killed."""
    try:
        return pipe.recv()
    except (EOFError, ConnectionResetError):
        raise Failure(KILLED.format(doing)) from None
