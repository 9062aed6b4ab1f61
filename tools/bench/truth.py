"""Checks that times are true: compares the shares of self time by a report with those of the bare program, of which
async-profiler takes samples.

1. The truth is what several runs of the bare program have in common: async-profiler's samples of CPU time (`ctimer`,
   each ms), each given to the method called last that is not the JDK's. The JIT writes debug information for each
   instruction (-XX:+DebugNonSafepoints): without it, a sample in inlined code is that of the method of the nearest
   safepoint.
2. The distance of two lists of shares is half the sum of their differences: 0 equal, 1 nothing in common. The noise is
   the distance of one run of async-profiler to all others together. JFR's samples of a bare run are compared in the
   same way.
3. `cpu` tells all stacks, so that three things are compared: the method called last that is not the JDK's, the method
   called last, and the three called last.
4. What is judged is a run with a warm cache. Its CPU time is compared with that of a bare run and of `count`, by turns.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from classhook.model.call_tree import MethodKey
from classhook.model.reading.files import read
from classhook.reports.call_trees import stacks as paths
from classhook.store.data_file import DataFile
from tools.bench import figures
from tools.bench.attached import async_profiler
from tools.bench.common import Agent, compiled, jvms, run, scratch
from tools.bench.figures import BenchError, Results, Values, counted, runs, table
from tools.bench.sampled_programs import PROGRAMS

SAMPLED_RUNS = 8
EXACT = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints")
JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
LAMBDA = re.compile(r"(?<=\$\$Lambda).*")  # what differs in each run
JAVA_FRAME = re.compile(r"([^.(]+)\.([^.(]+)(\(.*)")  # of the others, which are native, none has a descriptor
TOP = 10
#: JFR's events with samples, and their intervals: the shortest that the first one has, and the same for the second one,
#: which is in newer releases only.
JFR = {"jfr": ("jdk.ExecutionSample", "period", "10 ms"), "jfr-cpu": ("jdk.CPUTimeSample", "throttle", "10 ms")}
WITH_CPU_TIME = 25
#: Programs that are also measured on the newest JVM.
ON_NEWEST = ("fastutil", "ecj")
CPU = "cpu every 4ms"
OURS = {
    "profile": "profile **::*",
    "time": "time **::*",
    "count": "count **::*",
}

Stack = tuple[MethodKey, ...]  # Java's methods, the one called last at the end
Shares = dict[Any, float]


def distance(one: Shares, other: Shares) -> float:
    """Total variation."""
    return sum(abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other}) / 2


def in_common(one: Shares, other: Shares) -> int:
    """The number of methods that are among the ten heaviest in both."""
    return len({*heaviest(one)} & {*heaviest(other)})


def heaviest(shares: Shares) -> list[Any]:
    return sorted(shares, key=lambda key: -shares[key])[:TOP]


def shares(times: Counter[Any] | dict[Any, int]) -> Shares:
    whole = sum(times.values()) or 1
    return {key: time / whole for key, time in times.items() if time}


def sampled(java: str, words: list[str]) -> Counter[Stack]:
    """A bare run's samples by stack, from async-profiler."""
    stacks = scratch() / "bare.collapsed"
    run(
        [
            java,
            *EXACT,
            f"-agentpath:{async_profiler()}=start,event=ctimer,interval=1ms,collapsed,sig,file={stacks}",
            *words,
        ]
    )
    found: Counter[Stack] = Counter()
    for line in stacks.read_text().splitlines():
        stack, _, samples = line.rpartition(" ")
        if methods := java_methods(stack.split(";")):
            found[methods] += int(samples)
    return found


def java_methods(frames: list[str]) -> Stack:
    """Empty if there are none, as in the JIT's threads. In a descriptor | stands for a semicolon."""
    parts = [match for frame in frames if (match := JAVA_FRAME.fullmatch(frame))]
    return tuple((LAMBDA.sub("", one[1].replace("/", ".")), one[2], one[3].replace("|", ";")) for one in parts)


def of_program(stack: Stack) -> Any:
    """The method called last that is not the JDK's; None if there is none."""
    return next((method for method in reversed(stack) if not method[0].startswith(JDK)), None)


#: Functions that return the part of a stack to compare.
PLACES: dict[str, Callable[[Stack], Any]] = {
    "": of_program,
    "/leaf": lambda stack: stack[-1],
    "/three": lambda stack: stack[-3:],
}


def times_by(place: Callable[[Stack], Any], stacks: Counter[Stack]) -> Counter[Any]:
    """The times of stacks by what `place` takes of them."""
    found: Counter[Any] = Counter()
    for stack, time in stacks.items():
        if key := place(stack):
            found[key] += time
    return found


def sampled_by_jfr(label: str, java: str, words: list[str], truth: Shares) -> Values:
    """A bare run's samples by JFR, compared with the truth."""
    recording, settings = scratch() / "bare.jfr", scratch() / "samples.jfc"
    event, interval, value = JFR[label]
    settings.write_text(
        f"""<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0"><event name="{event}">
        <setting name="enabled">true</setting><setting name="{interval}">{value}</setting></event></configuration>"""
    )
    values = run(
        [java, f"-XX:StartFlightRecording:filename={recording},settings={settings}", "-Xlog:jfr*=off", *EXACT, *words]
    )
    done = subprocess.run(
        [java, "-cp", compiled("Samples.java"), "Samples", recording, event],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BenchError(f"the recording cannot be read: {done.stderr[-300:]}")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {
        **values,
        **compared(shares({(name, method, descriptor): int(n) for n, name, method, descriptor in lines}), truth),
    }


def reported(file: DataFile) -> Shares:
    """The shares of self time in what one run's report says."""
    rows = read([file.path]).tables["methods"]
    return shares({key: max(0, row.sampled.cpu_self if row.sampled else row.self_ns) for key, row in rows.items()})


def compared(found: Shares, truth: Shares) -> Values:
    return {"distance": distance(found, truth), "top": in_common(found, truth)}


def judged(truth: Shares, file: DataFile) -> Values:
    return compared(reported(file), truth)


def stacks_of(file: DataFile) -> Counter[Stack]:
    """The stacks of `cpu` in one run's data."""
    found: Counter[Stack] = Counter()
    for path, call in paths(read([file.path]).stacks):
        if call.cpu and (methods := tuple(method for method in path if method[0])):
            found[methods] += call.cpu
    return found


def judged_stacks(truths: dict[str, Shares], file: DataFile) -> Values:
    stacks = stacks_of(file)
    return {
        f"{what}{place}": value
        for place, of in PLACES.items()
        for what, value in compared(shares(times_by(of, stacks)), truths[place]).items()
    }


def looked_at(results: Results, name: str, java: str, words: list[str]) -> dict[str, Shares]:
    """Runs the bare program with async-profiler, and returns the shares by place; notes in `results` how far each run
    is from the others."""
    times = [sampled(java, words) for _ in counted(SAMPLED_RUNS, f"truth: async-profiler looks at {name}")]
    whole: Counter[Stack] = sum(times, Counter())
    for one in times:
        for place, of in PLACES.items():
            others = shares(times_by(of, whole - one))
            for what, value in compared(shares(times_by(of, one)), others).items():
                results.values.setdefault(f"{name}/async/{what}{place}", []).append(value)
    return {place: shares(times_by(of, whole)) for place, of in PLACES.items()}


def measure(results: Results) -> None:
    all_jvms = jvms()
    first, last = next(iter(all_jvms)), [*all_jvms][-1]
    results.facts = {"release": first}
    cases = {name: (name, first) for name in PROGRAMS}
    if last != first:
        cases |= {f"{name}, JDK {last}": (name, last) for name in ON_NEWEST}
    named = os.environ.get(figures.PROGRAMS)
    chosen = named.split("/") if named else list(cases)
    if unknown := sorted({*chosen} - {*cases}):
        raise BenchError(f"{figures.PROGRAMS} names no such programs: {', '.join(unknown)}")
    for case in chosen:
        name, release = cases[case]
        try:
            words = PROGRAMS[name]()
        except BenchError as error:
            results.absent[name] = str(error)
            continue
        measure_one(results, case, all_jvms[release], int(release) >= WITH_CPU_TIME, words)


def measure_one(results: Results, case: str, java: str, with_cpu_time: bool, words: list[str]) -> None:
    truths = looked_at(results, case, java, words)
    truth = truths[""]
    variants: dict[str, Callable[[], Values]] = {f"{case}/bare": partial(run, [java, *words])}
    for label in JFR if with_cpu_time else ("jfr",):
        variants[f"{case}/{label}"] = partial(sampled_by_jfr, label, java, words, truth)
    for label, rule in OURS.items():
        agent = Agent((rule,), f"{case}-{label}")
        agent.run(java, words)  # which fills the cache
        variants[f"{case}/{label}"] = partial(agent.run, java, words, partial(judged, truth))
    variants[f"{case}/cpu"] = partial(Agent((CPU,)).run, java, words, partial(judged_stacks, truths))
    results.by_turns(variants, runs(5), case)


def tables(results: Results) -> str:
    rows = []
    names = {"async": "async-profiler"}
    names |= {label: f"JFR, `{event}`" for label, (event, _, _) in JFR.items()}
    names |= {label: f"`{rule}`" for label, rule in OURS.items() if label != "count"}
    names["cpu"] = f"`{CPU}`"
    for name in results.names(0):
        for label, what in names.items():
            if not results.figure(name, label, "distance"):
                continue
            everything = label in ("async", "cpu")
            cells = [
                results.figure(name, label, column).text(form) if everything or "/" not in column else ""
                for column, form in (
                    ("distance", "{:.2f}"),
                    ("top", "{:.0f}"),
                    ("distance/leaf", "{:.2f}"),
                    ("distance/three", "{:.2f}"),
                )
            ]
            over = results.over(f"{name}/{label}/cpu", f"{name}/bare/cpu").text("x{:.2f}") if label != "async" else ""
            rows.append([name, what, *cells, over])
    columns = ["program", "what", "distance", f"of the top {TOP}", "method called last", "three called last"]
    return table([*columns, "CPU over bare"], rows)
