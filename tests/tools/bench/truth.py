"""Whether times are true: shares of self time by a report, beside those of the bare program, of which JFR takes samples.

1. The truth is what several runs of the bare program have in common: JFR's execution samples, each given to the method called last that is
   not the JDK's.
2. The distance of two lists of shares is half the sum of their differences: 0 equal, 1 nothing in common. The noise is the distance of one
   run of JFR's to all others together. There are two judges, JFR as it comes and with exact debug information, which differ from each other.
3. What is judged is a run with a warm cache. Its CPU time is compared with that of a bare run and of `count`, by turns.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from classhook.model.call_tree import MethodKey
from classhook.store.data_file import DataFile
from classhook.summary.reading import read
from tests import jars
from tests.tools.bench.common import Agent, compiled, oldest, run, scratch
from tests.tools.bench.figures import BenchError, Results, Values, counted, runs, table
from tests.tools.bench.programs import WARMING, ecj, h2

SAMPLED_RUNS = 8
#: JFR as it comes, and with debug information at each instruction: without, a sample in inlined code is that of the method of the nearest safepoint.
JUDGES = {"usual": (), "exact": ("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints")}
TOP = 10
PERIOD = "10 ms"  # of JFR's, the shortest it has
OURS = {"profile": "profile **::*", "time": "time **::*", "budget": "time **::* budget 5%", "count": "count **::*"}
ROWS, ECJ_COPIES, GROOVY_COPIES = 200_000, 120, 200  # so that JFR takes some hundred samples

Shares = dict[MethodKey, float]


def groovy(path: Path) -> list[str]:
    """Compiles a script, many times over under other names."""
    folder, sources = scratch() / "groovy", []
    folder.mkdir(exist_ok=True)
    text = (Path(__file__).parent / "java" / "Inventory.groovy").read_text()
    for i in range(GROOVY_COPIES):
        source = folder / f"Inventory{i}.groovy"
        source.write_text(text.replace("Inventory", f"Inventory{i}"))
        sources.append(str(source))
    return ["-cp", str(path), "org.codehaus.groovy.tools.FileSystemCompiler", "-d", str(scratch() / "groovy-out"), *sources]


def shortest(path: Path) -> list[str]:
    """A program of the benchmarks' own: maps, sorting, parsing and graphs of fastutil's, in turn."""
    return ["-cp", f"{path}:{compiled('Collections.java', path)}", "Collections", "30"]


LINES: dict[str, tuple[str, Callable[[Path], list[str]]]] = {
    "h2": ("h2.jar", partial(h2, rows=ROWS)),
    "ecj": ("eclipse-jdt-core.jar", partial(ecj, copies=ECJ_COPIES)),
    "groovy": ("groovy-all.jar", groovy),
    "fastutil": ("fastutil.jar", shortest),
}


def distance(one: Shares, other: Shares) -> float:
    """Total variation."""
    return sum(abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other}) / 2


def in_common(one: Shares, other: Shares) -> int:
    """Of the ten methods of most time, how many are so in both."""
    return len({*heaviest(one)} & {*heaviest(other)})


def heaviest(shares: Shares) -> list[MethodKey]:
    return sorted(shares, key=lambda key: -shares[key])[:TOP]


def shares(times: Counter[MethodKey] | dict[MethodKey, int]) -> Shares:
    whole = sum(times.values()) or 1
    return {key: time / whole for key, time in times.items() if time}


def sampled(java: str, words: list[str], options: tuple[str, ...] = ()) -> Counter[MethodKey]:
    """A bare run's samples by method, from JFR."""
    recording, settings = scratch() / "bare.jfr", scratch() / "samples.jfc"
    settings.write_text(f"""<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0"><event name="jdk.ExecutionSample">
        <setting name="enabled">true</setting><setting name="period">{PERIOD}</setting></event></configuration>""")
    run([java, f"-XX:StartFlightRecording:filename={recording},settings={settings}", "-Xlog:jfr*=off", *options, *words])
    done = subprocess.run([java, "-cp", compiled("Samples.java"), "Samples", recording], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"the recording cannot be read: {done.stderr[-300:]}")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return Counter({(name, method, descriptor): int(n) for n, name, method, descriptor in lines})


def reported(file: DataFile) -> Shares:
    """The shares of self time in what one run's report says."""
    rows = read([file.path]).tables["methods"]
    return shares({key: max(0, row.sampled.cpu_self if row.sampled else row.self_ns) for key, row in rows.items()})


def compared(found: Shares, truths: dict[str, Shares]) -> Values:
    """How far it is from each of the truths."""
    measures: dict[str, Callable[[Shares, Shares], float]] = {"distance": distance, "top": in_common}
    return {f"{judge}-{what}": by(found, truth) for judge, truth in truths.items() for what, by in measures.items()}


def judged(truths: dict[str, Shares], file: DataFile) -> Values:
    return compared(reported(file), truths)


def looked_at(results: Results, name: str, java: str, words: list[str]) -> dict[str, Shares]:
    """What JFR says of the bare program, by each judge; and how far one of its runs is from the others."""
    found = {}
    for judge, options in JUDGES.items():
        times = [sampled(java, words, options) for _ in counted(SAMPLED_RUNS, f"truth: JFR ({judge}) looks at {name}")]
        whole: Counter[MethodKey] = sum(times, Counter())
        for one in times:
            for what, value in compared(shares(one), {judge: shares(whole - one)}).items():
                results.values.setdefault(f"{name}/{judge}/{what}", []).append(value)
        results.values[f"{name}/{judge}/samples"] = [sum(one.values()) for one in times]
        found[judge] = shares(whole)
    for what, value in compared(found["exact"], {"usual": found["usual"]}).items():
        results.values[f"{name}/exact/{what}"] = [value]
    return found


def measure(results: Results) -> None:
    release, java = oldest()
    results.facts = {"release": release}
    for name, (file, line) in LINES.items():
        path = jars.find(file)
        if path is None:
            results.absent[name] = jars.missing(file)
            continue
        words = line(path)
        truths = looked_at(results, name, java, words)
        variants: dict[str, Callable[[], Values]] = {f"{name}/bare": partial(run, [java, *words])}
        for label, rule in OURS.items():
            agent = Agent((rule,), f"{name}-{label}")
            for _ in range(WARMING):
                agent.run(java, words)
            variants[f"{name}/{label}"] = partial(agent.run, java, words, partial(judged, truths))
        results.by_turns(variants, runs(5), name)


def cells(results: Results, name: str, what: str) -> list[str]:
    """The distance to both judges, with methods in common."""
    found = []
    for judge in JUDGES:
        known = f"{name}/{what}/{judge}-distance" in results.values
        found += [
            results.figure(name, what, f"{judge}-{column}").text(form) if known else ""
            for column, form in (("distance", "{:.2f}"), ("top", "{:.0f}"))
        ]
    return found


def tables(results: Results) -> str:
    rows = []
    for name in results.names(0):
        rows += [[name, f"JFR, {judge}: one run to the others", *cells(results, name, judge), "", ""] for judge in JUDGES]
        for label, rule in OURS.items():
            if label == "count":
                continue
            over = [results.over(f"{name}/{label}/cpu", f"{name}/{other}/cpu").text("x{:.2f}") for other in ("bare", "count")]
            rows.append([name, f"`{rule}`", *cells(results, name, label), *over])
    head = [f"{column} {judge}" for judge in JUDGES for column in ("distance to", "top 10 of")]
    return table(["program", "what", *head, "CPU over bare", "over `count`"], rows)
