"""Call trees as objects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from classhook.base.readable import Readable
from classhook.model.call_tree import Call
from classhook.reports.call_trees import totals


@dataclass(slots=True)
class Node:
    """A path of calls that ends with this method. Times in ns, of the wall clock: `self_ns` that the method took there
    itself, `total_ns` with what it called; `cpu_self_ns`, `cpu_total_ns` the same of CPU time, and `calls`, where the
    tree has them, else 0. The root is the empty path. Iteration goes over the children, the largest first."""

    label: str
    class_name: str
    method: str
    descriptor: str
    calls: int
    self_ns: int
    total_ns: int
    cpu_self_ns: int
    cpu_total_ns: int
    children: list[Node] = field(default_factory=list)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.children)

    def __repr__(self) -> str:
        children = f"{len(self.children):,} {'child' if len(self.children) == 1 else 'children'}"
        return f"<{self.label}: calls={self.calls}, total_ns={self.total_ns}, {children}>"

    def walk(self) -> Iterator[tuple[int, Node]]:
        """Each node below this one, itself first, with its depth."""
        todo = [(0, self)]
        while todo:
            depth, node = todo.pop()
            yield depth, node
            todo += [(depth + 1, child) for child in reversed(node.children)]

    def to_dict(self) -> dict[str, Any]:
        """The fields of the node, and those of all nodes below in `children`."""
        made: dict[int, dict[str, Any]] = {}
        for _, node in self.walk():
            made[id(node)] = {name: getattr(node, name) for name in FIELDS} | {"children": []}
        for _, node in self.walk():
            made[id(node)]["children"] = [made[id(child)] for child in node.children]
        return made[id(self)]


FIELDS = ("label", "class_name", "method", "descriptor", "calls", "self_ns", "total_ns", "cpu_self_ns", "cpu_total_ns")


def tree_of(root: Call, names: Readable) -> Node:
    """A tree as objects; what was counted stays as it is."""
    wall, cpu = totals(root, "wall"), totals(root, "cpu")
    path: list[Node] = []
    made = None
    for call, entered in root.walk():
        if entered:
            method = call.method or ("", "", "")
            label = names.text(*method) if call.method else "(root)"
            node = Node(
                label,
                *method,
                call.calls if call.method else 0,
                max(call.wall, 0),
                wall[id(call)],
                call.cpu,
                cpu[id(call)],
            )
            if path:
                path[-1].children.append(node)
            made = made or node
            path.append(node)
        else:
            path.pop().children.sort(key=lambda one: (-max(one.total_ns, one.cpu_total_ns), one.label))
    assert made is not None
    return made
