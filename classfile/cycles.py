"""Finds the nodes of a graph that lie on common cycles: its strongly connected components, by Tarjan's algorithm
without recursion."""

from __future__ import annotations


def components(edges: list[tuple[int, int]]) -> dict[int, int]:
    """A number for each node, shared with the nodes that it reaches and that reach it."""
    targets: dict[int, list[int]] = {}
    for source, target in edges:
        targets.setdefault(source, []).append(target)
        targets.setdefault(target, [])
    found: dict[int, int] = {}
    order: dict[int, int] = {}  # by node that was reached: when
    lowest: dict[int, int] = {}  # the earliest node, of those without a component, that it reaches
    waiting: list[int] = []  # nodes without a component
    for root in targets:
        way = [] if root in order else [root]
        tried: dict[int, int] = {}  # by node: how many of its targets were looked at
        while way:
            node = way[-1]
            if node not in order:
                order[node] = lowest[node] = len(order)
                waiting.append(node)
                tried[node] = 0
            if tried[node] < len(targets[node]):
                target = targets[node][tried[node]]
                tried[node] += 1
                if target not in order:
                    way.append(target)
                elif target not in found:
                    lowest[node] = min(lowest[node], order[target])
                continue
            way.pop()
            if way:
                lowest[way[-1]] = min(lowest[way[-1]], lowest[node])
            if lowest[node] == order[node]:
                member = -1
                while member != node:
                    member = waiting.pop()
                    found[member] = node
    return found
