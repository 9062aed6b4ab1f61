"""Three questions, asked of classhook, BTrace and Byteman in one run by turns: how many calls have such an argument, how
long calls with each argument take, and what the arguments of some calls are. The program and the way to measure are
those of handlers.py; each tool tells how many calls it saw, and their number must be the program's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from classhook.model.reading.files import read
from classhook.store.data_file import DataFile
from tests import peers
from tools.bench.common import Agent, compiled, jvms
from tools.bench.figures import BenchError, Results, Values, runs, side_by_side
from tools.bench.handlers import BURST, BURSTS, LINE, METHOD, number, plain, with_btrace, with_byteman

SELDOM = 127  # an argument of 3 of the 500 calls of a burst
CALLS = 2 * BURSTS * BURST
TOLD = """RULE told
CLASS Handled
METHOD told
AT ENTRY
IF TRUE
DO traceln("calls " + readCounter("calls"))
ENDRULE
"""


def rule(name: str, at: str, condition: str, does: str, binds: str = "") -> str:
    """One of Byteman's, of the method."""
    head = f"RULE {name}\nCLASS Handled\nMETHOD place\nAT {at}\n"
    return f"{head}{f'BIND {binds}' if binds else ''}\nIF {condition}\nDO {does}\nENDRULE\n"


@dataclass(frozen=True, slots=True)
class Question:
    """`rule`: ours; `script`: the class in Traced.java; `rules`: Byteman's; `calls`: how many each peer tells of."""

    title: str
    rule: str
    script: str
    rules: str
    calls: int


QUESTIONS = {
    "condition": Question(
        "calls are counted if a number is above 63, as in half of them",
        f"count {METHOD} when arg1 > 63",
        "Above",
        rule("above", "ENTRY", "$2 > 63", 'incrementCounter("calls")'),
        2 * BURSTS * sum(i & 127 > 63 for i in range(BURST)),
    ),
    "key": Question(
        "calls are timed by a string",
        f"time {METHOD} by arg0",
        "TimedKeys",
        rule("begin", "ENTRY", "TRUE", 'link("began", Thread.currentThread(), System.nanoTime())')
        + rule(
            "end",
            "EXIT",
            "TRUE",
            'incrementCounter($1, (System.nanoTime() - began)), incrementCounter("calls")',
            'began:Long = unlink("began", Thread.currentThread())',
        ),
        CALLS,
    ),
    "shown": Question(
        "arguments are shown if a number is 127, as in 3 of 500 calls",
        f"watch {METHOD} when arg1 == {SELDOM} show args first {CALLS}",
        "Seldom",
        rule("seldom", "ENTRY", f"$2 == {SELDOM}", 'traceln($1 + " " + $2), incrementCounter("calls")'),
        2 * BURSTS * sum(i & 127 == SELDOM for i in range(BURST)),
    ),
}


def seen(file: DataFile) -> Values:
    """The number of calls that are counted by key, or shown."""
    tables = read([file.path]).tables
    return {"calls": sum(row.calls for row in tables["keys"].values()) + len(tables["calls"])}


def classhook(rule: str, java: str, program: list[str]) -> Values:
    found = Agent((rule,)).run(java, program, seen)
    return {"ns": number("ns"), "calls": found["calls"]}


def peer(measured: Callable[[], Values]) -> Values:
    return {**measured(), "calls": number("calls")}


def exact(measured: Callable[[], Values], calls: int) -> Values:
    """The time of a call. Raises BenchError if the tool tells of another number of calls."""
    values = measured()
    if values["calls"] != calls:
        raise BenchError(f"it tells of {values['calls']:,.0f} calls instead of {calls:,}")
    return {"ns": values["ns"]}


def measure(results: Results) -> None:
    program = [*LINE, str(compiled("Handled.java")), "Handled", str(BURSTS)]
    for release, java in jvms().items():
        variants: dict[str, Callable[[], Values]] = {"bare/bare": partial(plain, [java, *program])}
        for name, asked in QUESTIONS.items():
            tools = {
                "classhook": partial(classhook, asked.rule, java, program),
                "btrace": partial(peer, partial(with_btrace, asked.script, java, program)),
                "byteman": partial(peer, partial(with_byteman, asked.rules + TOLD, True, java, program)),
            }
            variants.update({f"{name}/{tool}": partial(exact, run, asked.calls) for tool, run in tools.items()})
        results.by_turns(
            {f"{release}/{name}": variant for name, variant in variants.items()}, runs(7), f"questions on {release}"
        )


def tables(results: Results) -> str:
    titles = {"btrace": f"BTrace {peers.BTRACE[0].version}", "byteman": f"Byteman {peers.BYTEMAN.version}"}
    rows = []
    for release in results.names(0):
        for name, asked in QUESTIONS.items():
            ours = f"{release}/{name}/classhook/ns"
            cost = results.minus(ours, f"{release}/bare/bare/ns").text("{:,.1f} ns")
            rows.append([release, asked.title, f"classhook: `{asked.rule}`", cost, ""])
            for peer, title in titles.items():
                theirs = f"{release}/{name}/{peer}/ns"
                if results.figure(theirs):
                    beyond = results.minus(theirs, f"{release}/bare/bare/ns").text("{:,.1f} ns")
                    rows.append([release, asked.title, title, beyond, results.over(theirs, ours).text("{:,.1f}")])
    return side_by_side(["question", "tool"], ["a call costs more", "a call, as a multiple of classhook's"], rows)
