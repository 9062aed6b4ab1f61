"""Dominators, retained sizes and shortest ways of random graphs, beside what follows from their definitions."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classhook.extensions.heap import object_columns
from classhook.extensions.heap.graph import Graph, graph
from classhook.extensions.heap.heap import opened
from classhook.extensions.heap.library import NOBODY, TOP, ffi
from classhook.extensions.heap.object_columns import objects
from tests.extensions.heap import made

CLASS_COUNT = 1


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    count = draw(st.integers(1, 12))
    node = st.integers(0, count - 1)
    return draw(st.lists(st.lists(node, max_size=4), min_size=count, max_size=count)), draw(st.lists(node, max_size=3))


def read(edges: list[list[int]], roots: list[int], id_size: int = 8, distance: int = 8) -> Graph:
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(made.graph(edges, roots, id_size, distance))
        return graph(objects(opened(Path(file.name))))


def references(of: Graph) -> bytes:
    return bytes(ffi.buffer(of.lists.bytes, of.lists.used))


def reachable(edges: list[list[int]], roots: list[int], without: int | None = None) -> set[int]:
    found: set[int] = set()
    left = [root for root in roots if root != without]
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left += [target for target in edges[node] if target != without]
    return found


@given(graphs(), st.sampled_from([4, 8]))
def test_an_object_retains_what_is_out_of_reach_without_it(
    given_: tuple[list[list[int]], list[int]], id_size: int
) -> None:
    edges, roots = given_
    found = read(edges, roots, id_size)
    whole = reachable(edges, roots)
    size = found.objects.size[CLASS_COUNT:]
    for node in range(len(edges)):
        gone = whole - reachable(edges, roots, without=node) if node in whole else {node}
        assert found.retained[CLASS_COUNT + node] == sum(int(size[i]) for i in gone)
        assert bool(found.reached[CLASS_COUNT + node]) == (node in whole)


@given(graphs())
def test_the_dominator_is_the_nearest_one_on_all_ways(given_: tuple[list[list[int]], list[int]]) -> None:
    edges, roots = given_
    found = read(edges, roots)
    whole = reachable(edges, roots)
    above = {
        node: {other for other in whole - {node} if node not in reachable(edges, roots, without=other)}
        for node in whole
    }
    for node in whole:
        dominator = int(found.dominator[CLASS_COUNT + node])
        nearest = [other for other in above[node] if len(above[other]) == len(above[node]) - 1]
        assert [dominator] == ([CLASS_COUNT + other for other in nearest] or [TOP])
        assert found.topmost[CLASS_COUNT + node] == (not above[node])  # all are of one class


@given(graphs())
def test_ids_may_lie_far_from_each_other(given_: tuple[list[list[int]], list[int]]) -> None:
    near, far = (read(*given_, distance=distance) for distance in (8, 1 << 40))
    assert near.objects.index.places
    assert bool(far.objects.index.places) == (len(given_[0]) == 1)
    assert references(near) == references(far)
    assert np.array_equal(near.dominator, far.dominator)


@pytest.mark.parametrize("wide", [False, True])
def test_large_graphs_are_no_different(wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """References lead near and far, and all numbers take several bytes; `wide`: as if there were many classes."""
    if wide:
        monkeypatch.setattr(object_columns, "WIDE", 0)
    chance, count = random.Random(1), 20_000
    edges = [
        [min(count - 1, max(0, i + chance.randint(-40, 40))) for _ in range(chance.choice([0, 1, 2, 2]))]
        for i in range(count)
    ]
    for i in range(0, count, 100):
        edges[i] += [chance.randrange(count) for _ in range(chance.choice([1, 60]))]
    roots = chance.sample(range(count), 50)
    found, whole = read(edges, roots), reachable(edges, roots)
    size = found.objects.size[CLASS_COUNT:]
    assert count / 4 < found.reached.sum() - CLASS_COUNT == len(whole)
    largest = np.argsort(-found.retained[CLASS_COUNT:].astype(np.int64), kind="stable")[:10].tolist()
    for node in largest + chance.sample(sorted(whole), 10):
        gone = whole - reachable(edges, roots, without=node)
        assert found.retained[CLASS_COUNT + node] == size[sorted(gone)].sum()


@given(graphs())
def test_a_way_is_the_shortest(given_: tuple[list[list[int]], list[int]]) -> None:
    edges, roots = given_
    found = read(edges, roots)
    distance, level, next_ = {}, set(roots), 0
    while level:
        distance |= dict.fromkeys(level, next_)
        level, next_ = {target for node in level for target in edges[node]} - distance.keys(), next_ + 1
    for node in range(len(edges)):
        steps, at = 0, CLASS_COUNT + node
        while found.parent[at] not in (at, NOBODY):
            above = int(found.parent[at])
            assert at - CLASS_COUNT in edges[above - CLASS_COUNT]
            at, steps = above, steps + 1
        assert (steps if found.parent[at] != NOBODY else None) == distance.get(node)


@pytest.mark.parametrize("count", [300_000])
def test_a_list_may_be_as_long_as_the_heap(count: int) -> None:
    found = read([[i + 1] for i in range(count - 1)] + [[0]], [0])
    assert found.retained[CLASS_COUNT] == found.objects.size[CLASS_COUNT:].sum()
    assert np.array_equal(found.dominator[CLASS_COUNT + 1 :], np.arange(CLASS_COUNT, CLASS_COUNT + count - 1))
