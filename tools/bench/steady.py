"""The variation of executed bytecodes and calls from run to run, where the program itself does the same: the tests of
two libraries, while sixteen other processes want the processors."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from classhook.api.reading import read_data
from classhook.reports.gate import Gate, measured
from tests.conftest import run_line
from tools.bench.common import scratch
from tools.bench.figures import BenchError, Results, Values, runs, table
from tools.compare.fetching import Failed, Fetcher
from tools.compare.libraries import LIBRARIES, Built, Workshop
from tools.compare.running import execute

PACKAGES = {"gson": "com.google.gson", "jsoup": "org.jsoup"}
COMPILER = "javac17"
LOAD = 16  # processes
BUSY = "while True: pass"
RUNS = 20
SHOWN = 3  # methods that vary most


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """Other processes that want the processors."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(LOAD)]
    try:
        yield
    finally:
        for one in others:
            one.kill()
            one.wait()


def measure_one(built: Built, package: str, java: Path, gates: list[Gate]) -> Values:
    """Raises BenchError."""
    data = scratch() / "steady"
    shutil.rmtree(data, ignore_errors=True)
    rules = [f"cover {package}.** hits exact", f"count {package}.**::*"]
    try:
        with busy():
            execute(run_line(rules, data, [java, *built.words]), built.folder)
    except Failed as failed:
        raise BenchError(str(failed)) from None
    gate = measured(read_data([data]).snapshot)
    gates.append(gate)
    (whole,) = gate.parts.values()
    return {name: float(number) for name, number in whole.items()}


def measure(results: Results) -> None:
    shop = Workshop(Fetcher(Path("build/compare").resolve()), scratch() / "libraries")
    shop.scratch.mkdir(exist_ok=True)
    for name, package in PACKAGES.items():
        gates: list[Gate] = []
        built = LIBRARIES[name].build(shop, COMPILER)
        one = partial(measure_one, built, package, shop.jdk(built.release) / "java", gates)
        results.by_turns({name: one}, runs(RUNS), LIBRARIES[name].title)
        results.facts[f"{name}_varies"] = varying(gates)


def varying(gates: list[Gate]) -> str:
    """The methods whose bytecodes differ most, in words."""
    spans = {}
    for method in {method for gate in gates for method in gate.methods}:
        numbers = [gate.methods.get(method, {}).get("bytecodes", 0) for gate in gates]
        if span := max(numbers) - min(numbers):
            spans[method.partition("(")[0]] = span
    most = sorted(spans, key=lambda method: -spans[method])[:SHOWN]
    more = f" and {len(spans) - SHOWN} more" if len(spans) > SHOWN else ""
    return f"{', '.join(f'`{method}`' for method in most)}{more}" if spans else "nothing"


def tables(results: Results) -> str:
    rows = []
    for name in results.names(0):
        for kind in ("bytecodes", "calls"):
            figure = results.figure(name, kind)
            if not figure:
                continue
            spread = 100 * (max(figure.values) - min(figure.values)) / figure.median
            varies = results.facts[f"{name}_varies"] if kind == "bytecodes" else ""
            title = LIBRARIES[name].title
            rows.append([title, kind, str(len(figure.values)), f"{figure.median:,.0f}", f"{spread:.4f} %", varies])
    return table(["tests of", "number", "runs", "median", "highest minus lowest", "differs in"], rows)
