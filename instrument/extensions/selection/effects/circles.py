"""Circles of a graph, and an order of what is left (R. Tarjan: Depth-first search and linear graph algorithms,
1972)."""

from __future__ import annotations

from collections.abc import Mapping


def without_circles(ways: Mapping[int, set[int]]) -> list[list[int]]:
    """The nodes, those in a circle together; each before those that its ways lead to."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    found: list[list[int]] = []
    for start in ways:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        path.append(start)
        on_path.add(start)
        todo = [(start, iter(ways[start]))]
        while todo:
            node, further = todo[-1]
            for to in further:
                if to not in index:
                    index[to] = low[to] = len(index)
                    path.append(to)
                    on_path.add(to)
                    todo.append((to, iter(ways[to])))
                    break
                if to in on_path:
                    low[node] = min(low[node], index[to])
            else:
                todo.pop()
                if todo:
                    above = todo[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    circle: list[int] = []
                    while not circle or circle[-1] != node:
                        circle.append(path.pop())
                        on_path.discard(circle[-1])
                    found.append(circle[::-1])
    return found[::-1]
