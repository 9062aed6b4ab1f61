"""A dump with what was found in it so far, and what views share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from classhook.extensions.heap import class_histogram as histogram
from classhook.extensions.heap import graph, paths
from classhook.extensions.heap import object_columns as objects
from classhook.extensions.heap.heap import Heap
from classhook.extensions.heap.library import TOP
from classhook.extensions.heap.record_batches import Column

BLOCK = 1 << 20  # objects


@dataclass
class Looked:
    """A dump, with the results so far."""

    heap: Heap
    top: int  # rows, 0 for all

    @cached_property
    def histogram(self) -> dict[str, histogram.Row]:
        return histogram.histogram(self.heap)

    @cached_property
    def objects(self) -> objects.Objects:
        return objects.objects(self.heap)

    @cached_property
    def graph(self) -> graph.Graph:
        return graph.graph(self.objects)

    def drop_sizes(self) -> None:
        """Frees what paths do not need."""
        if "graph" in self.__dict__:
            self.graph.drop_sizes()

    @cached_property
    def roots(self) -> paths.Roots:
        return paths.Roots(self.graph)


def no_lines(row: dict[str, Any]) -> list[str]:
    """`below` of views whose rows are lines."""
    return []


class View(NamedTuple):
    """`title`: one line; `columns`: of the text; `rows`: for JSON; `cells`: a row as text; `more`: rows that are not
    shown; `below`: the lines below a row."""

    title: str
    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    cells: Callable[[dict[str, Any]], tuple[str, ...]]
    more: int = 0
    below: Callable[[dict[str, Any]], list[str]] = no_lines


def blocks(count: int) -> Iterator[slice]:
    """Pieces of columns of this length, so that what is made of them takes little memory."""
    return (slice(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK))


def largest(values: Column, chosen: Column, top: int) -> Column:
    """The numbers of the chosen ones, those with the largest values first; `top` of them, or all for 0."""
    found = np.zeros(0, np.int64)
    for some in blocks(len(values)) if top else [slice(0, len(values))]:
        found = np.concatenate([found, some.start + np.flatnonzero(chosen[some])])
        found = found[np.argsort(-values[found].astype(np.int64), kind="stable")][: top or None]
    return found


def reachable(looked: Looked) -> int:
    """The bytes that are in reach of the roots."""
    dominator, retained = looked.graph.dominator, looked.graph.retained
    return sum(int(np.sum(retained[some], where=dominator[some] == TOP)) for some in blocks(len(looked.objects)))
