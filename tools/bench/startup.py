"""The costs that an agent adds to a JVM's start: wall and CPU time and resident memory of Hello, relative to bare."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tools.bench.common import Agent, compiled, jvms, python_start, run, scratch, with_jacoco
from tools.bench.figures import Figure, Results, Values, runs, table

FIRST_WITH_METHOD_TIMING = 25
ONE = ("time Hello::*",)
OURS = {
    "nothing": ("rules that match nothing", Agent(("count com.acme.**::*",), "startup-nothing", cold=True)),
    "nothing timed": (
        "the same with `time`, first run",
        Agent(("time com.acme.**::*",), "startup-nothing-timed", cold=True),
    ),
    "cold": ("one class timed, cold", Agent(ONE, "startup-cold", cold=True)),
    "warm": ("one class timed, cache warm", Agent(ONE, "startup-warm")),
}
PEERS = {"jacoco": "JaCoCo's agent", "jfr": "JFR method timing"}
FORMS = {"wall": ("{:+.1f} ms", 1e3), "cpu": ("{:+.0f} ms", 1e3), "resident": ("{:+.1f} MB", 1.0)}


def measure(results: Results) -> None:
    for release, java in jvms().items():
        hello = ["-Xshare:auto", "-cp", str(compiled("Hello.java")), "Hello"]
        OURS["warm"][1].run(java, hello)
        variants: dict[str, Callable[[], Values]] = {f"{release}/bare": partial(run, [java, *hello])}
        for name, (_, agent) in OURS.items():
            variants[f"{release}/{name}"] = partial(agent.run, java, hello, python_start)
        variants[f"{release}/jacoco"] = partial(with_jacoco, run, java, hello)
        if int(release) >= FIRST_WITH_METHOD_TIMING:
            jfr = f"-XX:StartFlightRecording:method-timing=Hello::main,filename={scratch() / 'hello.jfr'}"
            variants[f"{release}/jfr"] = partial(run, [java, jfr, "-Xlog:jfr*=off", *hello])
        results.by_turns(variants, runs(21), f"Hello on {release}")


def over_bare(results: Results, release: str, name: str, kind: str) -> str:
    form, scale = FORMS[kind]
    figure = results.minus(f"{release}/{name}/{kind}", f"{release}/bare/{kind}")
    return Figure(tuple(value * scale for value in figure.values)).text(form)


def python(results: Results, release: str, name: str) -> str:
    """Says how long Python's start took, or that it was not started."""
    figure = results.figure(release, name, "python")
    return figure.text("{:.1f} ms") if any(figure.values) else "not started" if figure else ""


def tables(results: Results) -> str:
    rows = []
    for release in results.names(0):
        bare = [results.figure(release, "bare", kind) for kind in FORMS]
        rows.append(
            [
                release,
                "bare",
                *(figure.text("{:.2f} " + unit) for figure, unit in zip(bare, ("s", "s", "MB"), strict=True)),
                "",
            ]
        )
        for name, what in [(name, what) for name, (what, _) in OURS.items()] + list(PEERS.items()):
            if results.figure(release, name, "wall"):
                rows.append(
                    [
                        release,
                        what,
                        *(over_bare(results, release, name, kind) for kind in FORMS),
                        python(results, release, name),
                    ]
                )
    return table(["JDK", "what", "wall", "CPU", "resident", "start of Python"], rows)
