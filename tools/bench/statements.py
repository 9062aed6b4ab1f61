"""The costs of statements of rules that are not about a method's entry and exit: calls in the caller, lines, fields,
values, `below`, conditions; and the costs of the same with BTrace and Byteman, where they have it. The program and the
way to measure are those of handlers.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests import peers
from tools.bench.common import Agent, compiled, jvms
from tools.bench.figures import Results, Values, runs, side_by_side
from tools.bench.handlers import (
    BURSTS,
    LINE,
    METHOD,
    beyond,
    byteman_rules,
    plain,
    with_agent,
    with_btrace,
    with_byteman,
)

WRITE = 19  # the line in Handled.java that writes `sum`; in Traced.java, too
#: A measurement -> our rule, the class in Traced.java, and the place in Byteman's rule; empty: the peer has no such
#: thing.
ASKED: dict[str, tuple[str, str, str]] = {
    "count-calls": (f"count calls {METHOD} in Handled", "Calls", "INVOKE"),
    "time-calls": (f"time calls {METHOD} in Handled", "TimedCalls", ""),
    "count-line": (f"count Handled:{WRITE}", "Lines", f"AT LINE {WRITE}"),
    "count-writes": ("count writes Handled.sum", "Writes", "AFTER WRITE sum"),
    "count-reads": ("count reads Handled.sum", "", ""),
    "value": (f"value {METHOD} of arg1", "Values", ""),
    "value-by": (f"value {METHOD} of arg1 by arg0", "", ""),
    "count-when": (f"count {METHOD} when arg1 >= 0", "", "IF $2 >= 0"),
    "count-when-agent": (f"count {METHOD} when arg1 % 8 == 7 && arg0 instanceof java.lang.String", "", ""),
    "time-when": (f"time {METHOD} when arg1 % 1000 == 999", "", ""),
    "time-over": (f"time {METHOD} over 1ms", "", ""),
    "value-when": (f"value {METHOD} of arg1 when arg1 % 1000 == 999", "", ""),
    "context-when": (f"context {METHOD} when arg1 % 1000 == 999", "", ""),
    "time-from": (f"time from {METHOD} to {METHOD} by arg1", "", ""),
    "count-by-exception": (f"count {METHOD} by exception", "", ""),
    "count-below": (f"count {METHOD} below Handled::burst", "", "BELOW"),
    "time-below": (f"time {METHOD} below Handled::burst", "", ""),
    "watch-line": (f"watch Handled:{WRITE} when count > 1000", "", f"IF LINE {WRITE}"),
    "watch-writes": ("watch writes Handled.sum when value < 0", "", "IF WRITE"),
    "watch-pattern": (f'watch {METHOD} when arg0 ~ "zo*"', "", 'IF $1.startsWith("zo")'),
    "watch-in": (f"watch {METHOD} when arg1 in {{1001, 1002, 1003}}", "", ""),
    "watch-remainder": (f"watch {METHOD} when arg1 % 1000 == 999", "", "IF $2 % 1000 == 999"),
    "watch-instanceof": (f"watch {METHOD} when this.inner instanceof java.util.List", "", ""),
}


def byteman(place: str) -> str:
    """The rules of Byteman for a place."""
    if place == "INVOKE":
        return byteman_rules("counts", method="burst", at="AT INVOKE place")
    if place == "BELOW":
        return byteman_rules("counts", condition='callerEquals("Handled.burst", true)')
    if place == "IF WRITE":
        return byteman_rules("counts", at="AFTER WRITE sum", condition="$0.sum < 0")
    if place.startswith("IF LINE"):
        return byteman_rules("counts", at=f"AT {place.removeprefix('IF ')}", condition="$2 > 1000")
    if place.startswith("IF "):
        return byteman_rules("counts", condition=place.removeprefix("IF "))
    return byteman_rules("counts", at=place)


def measure(results: Results) -> None:
    program = [*LINE, str(compiled("Handled.java")), "Handled", str(BURSTS)]
    for release, java in jvms().items():
        variants: dict[str, Callable[[], Values]] = {"bare": partial(plain, [java, *program])}
        for name, (rule, script, place) in ASKED.items():
            variants[name] = partial(with_agent, Agent((rule,)), java, program)
            if script:
                variants[f"{name}-btrace"] = partial(with_btrace, script, java, program)
            if place:
                variants[f"{name}-byteman"] = partial(with_byteman, byteman(place), True, java, program)
        results.by_turns(
            {f"{release}/{name}": variant for name, variant in variants.items()}, runs(5), f"statements on {release}"
        )


def tables(results: Results) -> str:
    rows = []
    for release in results.names(0):
        for name, (rule, script, place) in ASKED.items():
            cells = [
                beyond(results, release, f"{name}{peer}") if has else None
                for peer, has in (("", rule), ("-btrace", script), ("-byteman", place))
            ]
            if cells[0]:
                rows.append([release, f"`{rule}`", *[cell.text("{:,.1f} ns") if cell else "" for cell in cells]])
    heads = [
        "classhook",
        f"BTrace {peers.BTRACE[0].version}",
        f"Byteman {peers.BYTEMAN.version}, compiled to bytecode",
    ]
    return side_by_side(["rule"], heads, rows)
