"""The call tree for speedscope (https://www.speedscope.app/file-format-schema.json): a sampled profile for each clock,
in nanoseconds."""

from __future__ import annotations

import json
from typing import Any, TextIO

from classhook.model.call_tree import Call, MethodKey
from classhook.model.snapshot import Snapshot
from classhook.reports import Options
from classhook.reports.call_trees import CLOCKS, UNITS, chosen, clock, stacks

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def report(snapshot: Snapshot, options: Options, out: TextIO) -> None:
    """Writes one JSON object; the clock that is asked for comes first."""
    numbers: dict[MethodKey, int] = {}
    tree, first = chosen(snapshot, options), clock(snapshot, options)
    profiles = [profile(tree.root(snapshot), one, numbers) for one in sorted(tree.clocks, key=lambda one: one != first)]
    frames = [{"name": snapshot.readable.frame(*method), **source(snapshot, method)} for method in numbers]
    json.dump({"$schema": SCHEMA, "exporter": "classhook", "shared": {"frames": frames}, "profiles": profiles}, out)
    out.write("\n")


def profile(root: Call, clock: str, numbers: dict[MethodKey, int]) -> dict[str, Any]:
    """One profile; methods get their numbers when they are first met."""
    weight = CLOCKS[clock]
    samples: list[list[int]] = []
    weights: list[int] = []
    for path, call in stacks(root):
        if weight(call):
            samples.append([numbers.setdefault(method, len(numbers)) for method in path])
            weights.append(weight(call))
    return {
        "type": "sampled",
        "name": UNITS[clock],
        "unit": "nanoseconds",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }


def source(snapshot: Snapshot, method: MethodKey) -> dict[str, str]:
    """The method's source file, where the class says one."""
    file = snapshot.class_sources.get(method[0])
    return {"file": file} if file else {}
