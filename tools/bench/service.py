"""The costs of `cover` for a service that runs for long: CPU time and waiting time of its requests, beside services
without an agent and with JaCoCo's.

All services run at once, so that what else the machine does affects them alike; one client asks each in turn. Two of
them have no agent: the difference between these two is noise. CLASSHOOK_BENCH_SERVICE_MINUTES=60 measures for an hour.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack

from classhook.base.launch import agent_option
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from tests import jars
from tools.bench.common import compiled, jacoco, oldest, scratch
from tools.bench.figures import BenchError, Results, table
from tools.cpu_time import cpu_time

MINUTES = int(os.environ.get("CLASSHOOK_BENCH_SERVICE_MINUTES", 5))
PERIODS, RATE, WARM_UP = 12, 50, 60  # requests a second, seconds
OPTIONS = (
    "-Xmx128m",
    "-Dsun.net.httpserver.nodelay=true",
)  # else each answer waits 40 ms for the client to acknowledge its first part
RULES = {"cover": "cover **", "count": "count **::*"}
NAMES = {
    "bare": "no agent",
    "again": "no agent, again",
    **{name: f"`{rule}`" for name, rule in RULES.items()},
    "jacoco": "JaCoCo's agent",
}


def options() -> dict[str, list[str]]:
    """The JVM's options, by the service's name."""
    found: dict[str, list[str]] = {"bare": [], "again": []}
    for name, rule in RULES.items():
        file = scratch() / f"{name}.rules"
        file.write_text(dumps(load([], [rule])))
        found[name] = [agent_option(file, scratch() / f"data-{name}", cache=str(scratch() / f"cache-{name}"))]
    found["jacoco"] = [jacoco()]
    return found


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise BenchError(f"a service or its client ended with {process.wait()}")
    return line


def measure(results: Results) -> None:
    release, java = oldest()
    h2 = jars.find("h2.jar")
    if h2 is None:
        results.absent["service"] = jars.missing("h2.jar")
        return
    seconds = MINUTES * 60 // PERIODS
    results.facts = {"release": release, "minutes": str(MINUTES), "rate": str(RATE)}
    line = [*OPTIONS, "-cp", f"{h2}:{compiled('Service.java', h2)}", "Service"]
    with ExitStack() as stack:

        def start(*words: str) -> subprocess.Popen[str]:
            process = subprocess.Popen([java, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            stack.callback(process.communicate)  # a service ends at the end of its input
            return process

        services = {name: start(*words, *line) for name, words in options().items()}
        ports = [answer(one).strip() for one in services.values()]
        client = start(
            "-cp", str(compiled("Requests.java")), "Requests", *map(str, (RATE, WARM_UP, seconds, PERIODS)), *ports
        )
        stack.callback(client.kill)  # before anybody waits for it
        answer(client)
        used = {name: cpu_time(one.pid) for name, one in services.items()}
        for _ in range(PERIODS):
            times = [float(word) for word in answer(client).split()]
            for i, (name, one) in enumerate(services.items()):
                now = cpu_time(one.pid)
                figures = {
                    "cpu": (now - used[name]) / (seconds * RATE) * 1e6,
                    "median": times[2 * i],
                    "p99": times[2 * i + 1],
                }
                used[name] = now
                for what, value in figures.items():
                    results.values.setdefault(f"{name}/{what}", []).append(value)


def tables(results: Results) -> str:
    rows = []
    for name, what in NAMES.items():
        own = {kind: results.figure(name, kind) for kind in ("cpu", "median", "p99")}
        if own["cpu"]:
            over = [
                one.over(results.figure("bare", kind)).text("x{:.2f}") if name != "bare" else ""
                for kind, one in own.items()
            ]
            rows.append(
                [
                    what,
                    *(
                        f"{one.text('{:.0f} us')}{f', {ratio}' if ratio else ''}"
                        for one, ratio in zip(own.values(), over, strict=True)
                    ),
                ]
            )
    return table(["service with", "CPU time a request", "median time of a request", "99th percentile"], rows)
