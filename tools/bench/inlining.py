"""Calls that C2 inlines in a whole program, bare and with every method counted; a second bare run shows how much runs
differ anyway.

1. The JVM writes its compilation log (compilations.py).
2. A call site is a method of the program and the number of the call in it, which weaving does not change; calls of the
   tracker are excluded. Sites in the JDK's own classes are ignored, since nothing is woven there.
3. A site is inlined if at least one compilation by C2 inlined it, refused if C2 saw it and always refused, else not
   compiled.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from classhook.classfile.code import Code
from classhook.classfile.reader import ClassFile
from classhook.probes.method_weaver import TRACKER
from classhook.rules.parse import load
from classhook.weaving.weave import weave
from tests import jars
from tools.bench.common import Agent, oldest, run, scratch
from tools.bench.compilations import Key, decisions
from tools.bench.figures import Figure, Results, Values, runs, table
from tools.bench.programs import JARS, programs

RULE = "count **::*"
INVOKES = range(182, 187)
INVOKEDYNAMIC = 186
PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "V": "void",
    "Z": "boolean",
}
RUNS = {"bare": "bare", "again": "bare again", "count": "`count` on every method"}
PROBE = -1  # used as the number of a call of the tracker

#: A method and the number of the call in it.
Site = tuple[Key, int]
#: Method -> pc of a call in it -> its number.
Calls = dict[Key, dict[int, int]]


# ---- the call sites of class files


def type_name(descriptor: str) -> str:
    if descriptor[0] == "L":
        return descriptor[1:-1].replace("/", ".")
    return PRIMITIVES.get(descriptor) or descriptor.replace("/", ".")


def key(owner: str, name: str, descriptor: str) -> Key:
    """A method as the log names it: its types, the return type first."""
    types = [type_name(one) for one in re.findall(r"\[*(?:L[^;]*;|[A-Z])", descriptor)]
    return owner.replace("/", "."), name, (types[-1], *types[:-1])


def calls(data: bytes) -> Calls:
    """Method -> pc of each call in it -> its number."""
    cf = ClassFile.parse(data)
    found = {}
    for method in cf.methods:
        if method.code_at:
            code = Code.parse(cf.data, method.code_at, cf.pool)
            pcs = [pc for pc, starts in enumerate(code.scan().bounds) if starts and code.code[pc] in INVOKES]
            own = [pc for pc in pcs if callee_class(cf, code.code, pc) != TRACKER]
            numbers = {pc: number for number, pc in enumerate(own)}
            found[key(cf.name, method.name, method.descriptor)] = {pc: numbers.get(pc, PROBE) for pc in pcs}
    return found


def callee_class(cf: ClassFile, code: bytes, pc: int) -> bytes:
    if code[pc] == INVOKEDYNAMIC:  # has no method
        return b""
    methodref = cf.pool.entry(code[pc + 1] << 8 | code[pc + 2])
    return cf.pool.class_name_bytes(methodref[1] << 8 | methodref[2])


def call_maps(path: Path) -> tuple[Calls, Calls]:
    """The calls of a jar's classes, as they are and woven."""
    bare: Calls = {}
    woven: Calls = {}
    rules = load([], [RULE])
    with zipfile.ZipFile(path) as file:
        for entry in file.namelist():
            if entry.endswith(".class") and not entry.startswith("META-INF/") and entry != "module-info.class":
                data = file.read(entry)
                bare |= calls(data)
                woven |= calls(weave(data, rules, False).data or data)
    return bare, woven


# ---- runs


@dataclass(slots=True)
class Seen:
    """One run: the sites that C2 inlined, or refused and why; how often each compiler refused a call; what happened to
    probes."""

    inlined: set[Site] = field(default_factory=set)
    refused: dict[Site, str] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    probes: Counter[str] = field(default_factory=Counter)


def seen(execute: Callable[[list[str]], object], calls_of: Calls) -> Seen:
    """Runs the program and reads its log."""
    log, result = scratch() / "compilation.xml", Seen()
    execute(["-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation", f"-XX:LogFile={log}"])
    for decision in decisions(log):
        number = calls_of.get(decision.method, {}).get(decision.bci)
        said = f"{decision.compiler}: {decision.reason or 'inlined'}"
        if number == PROBE:
            result.probes[said] += 1
        elif number is not None:
            if decision.reason:
                result.reasons[said] += 1
            if decision.compiler == "C2" and decision.reason:
                result.refused[decision.method, number] = decision.reason
            elif decision.compiler == "C2":
                result.inlined.add((decision.method, number))
    for site in result.inlined:
        result.refused.pop(site, None)
    log.unlink()
    return result


def turn(executions: dict[str, tuple[Callable[[list[str]], object], Calls]]) -> Values:
    """Runs everything to compare once; for the sites that the first run inlined, what the others did with them."""
    found = {label: seen(execute, calls_of) for label, (execute, calls_of) in executions.items()}
    base = found["bare"].inlined
    values: dict[str, float] = {}
    for label, one in found.items():
        values[f"{label}/inlined"] = len(one.inlined)
        values[f"{label}/refused"] = len(one.refused)
        values[f"{label}/of bare, inlined"] = len(base & one.inlined) / len(base)
        values[f"{label}/of bare, refused"] = len(base & one.refused.keys()) / len(base)
        values[f"{label}/of bare, not compiled"] = 1 - len(base & (one.inlined | one.refused.keys())) / len(base)
        lost = Counter(one.refused[site] for site in base & one.refused.keys())
        for kind, counts in (("reason", one.reasons), ("lost", lost), ("probe", one.probes)):
            values |= {f"{label}/{kind}/{said.replace('/', ' ')}": count for said, count in counts.items()}
    return values


def measure(results: Results) -> None:
    release, java = oldest()
    results.facts = {"release": release}
    for name, words in programs(results).items():
        path = jars.find(JARS[name])
        assert path is not None
        bare, woven = call_maps(path)
        agent = Agent((RULE,), f"inlining-{name}")
        agent.run(java, words)  # warms the cache

        def execute(options: list[str], words: list[str] = words) -> object:
            return run([java, *options, *words])

        def execute_counted(options: list[str], words: list[str] = words, agent: Agent = agent) -> object:
            return agent.run(java, [*options, *words])

        executions: dict[str, tuple[Callable[[list[str]], object], Calls]] = {
            "bare": (execute, bare),
            "again": (execute, bare),
            "count": (execute_counted, woven),
        }
        results.by_turns({name: partial(turn, executions)}, runs(), f"{name}, bare, bare again and counted")


def tables(results: Results) -> str:
    rows, probes = [], []
    for name in results.names(0):
        for label, what in RUNS.items():
            figures = [results.figure(name, label, kind) for kind in ("inlined", "refused")]
            shares = [
                results.figure(name, label, f"of bare, {what}") for what in ("inlined", "refused", "not compiled")
            ]
            cells = [figure.text("{:,.0f}") for figure in figures] + [share.text("{:.1%}") for share in shares]
            rows.append([name, what, *(cells if label != "bare" else [*cells[:2], "", "", ""])])
        probes += [[name, said, *counts] for said, counts in counted(results, name, "probe", ["count"])]
    heads = [
        "program",
        "run",
        "sites inlined by C2",
        "refused",
        "of those inlined bare: inlined",
        "refused",
        "not compiled",
    ]
    return "\n\n".join(
        [
            table(heads, rows),
            table(["program", "the probes' own calls", "how often"], probes),
        ]
    )


def counted(results: Results, name: str, kind: str, labels: list[str]) -> list[tuple[str, list[str]]]:
    """The runs' counts, the most frequent first; 0 for what a run did not see."""
    turns = len(results.figure(name, "bare", "inlined").values)

    def figure(label: str, said: str) -> Figure:
        values = results.figure(name, label, kind, said).values
        return Figure(values + (0.0,) * (turns - len(values)))

    known = dict.fromkeys(
        key.split("/")[3] for key in results.values if key.split("/")[0] == name and key.split("/")[2] == kind
    )
    first = sorted(known, key=lambda said: -max(figure(label, said).median for label in labels))
    return [(said, [figure(label, said).text("{:,.0f}") for label in labels]) for said in first]
