"""Sampled objects: their cost, in nanoseconds of CPU time for each object that is allocated (Probes.java); whether
estimates are as near as said."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from classhook.model.reading.files import read
from classhook.store.data_file import DataFile
from tools.bench.common import ROOT, Agent, compiled, jvms, scratch, tool
from tools.bench.figures import Results, Values, runs, side_by_side, table

RULE = "alloc java.lang.Object in Probes::make"
#: Way -> clauses, and rounds of the loop: few, where each takes long.
WAYS = {
    "live": ("live", 20_000_000),
    "live every 64KB": ("live every 64KB", 20_000_000),
    "live every 4KB": ("live every 4KB", 20_000_000),
    "live every 0": ("live every 0", 200_000),
}
THREADS = (1, 2)
KEPT = {
    "short": 1,
    "char": 2,
    "int": 4,
    "long": 6,
    "float": 7,
    "boolean": 4,
}  # eighths of the arrays that Keeps.places keeps
EACH = 20_000
JUDGED = 10  # runs for each that is usual


def measure(results: Results) -> None:
    for release, java in jvms().items():
        for threads in THREADS:
            variants: dict[str, Callable[[], Values]] = {}
            for way, (clauses, rounds) in WAYS.items():
                variants.setdefault(f"{release}/{threads}/{rounds}", partial(_cpu, RULE, java, threads, rounds))
                variants[f"{release}/{threads}/{way}"] = partial(_cpu, f"{RULE} {clauses}", java, threads, rounds)
            results.by_turns(variants, runs(), f"{threads} threads, on {release}")
        results.by_turns({f"{release}/near": partial(_near, java)}, runs() * JUDGED, f"estimates, on {release}")


def _cpu(rule: str, java: str, threads: int, rounds: int) -> Values:
    """CPU time of the whole process for each object: Probes allocates in as many rounds to get warm, then a quarter
    more in each thread."""
    line = ["-cp", str(compiled("Probes.java")), "Probes", "alloc", str(threads), str(rounds)]
    return {"ns": 1e9 * Agent((rule,)).run(java, line)["cpu"] / (rounds * (1 + 1.25 * threads))}


def _near(java: str) -> Values:
    """The share of the estimates of known numbers that are off by two standard errors at most, in percent."""

    def see(file: DataFile) -> Values:
        rows = {key[4]: row for key, row in read([file.path]).tables["objects"].items() if key[1] == "places"}
        inside = [
            abs(rows[f"{name}[]"].live.objects - EACH * part / 8) <= 2 * rows[f"{name}[]"].live.objects_error
            for name, part in KEPT.items()
        ]
        return {"share": 100 * sum(inside) / len(inside)}

    found = Agent(("alloc * in Keeps live stack 1 every 4KB",)).run(
        java, ["-cp", str(_keeps()), "Keeps", "places"], see
    )
    return {"share": found["share"]}


@cache
def _keeps() -> Path:
    """The classes of the tests' program."""
    out = scratch() / "Keeps"
    tool("javac", "--release", "17", "-d", out, ROOT / "tests" / "jvm" / "java" / "objects" / "Keeps.java")
    return out


def tables(results: Results) -> str:
    rows = []
    for release in jvms():
        for threads in map(str, THREADS):
            for way, (_, rounds) in WAYS.items():
                if results.figure(release, threads, way, "ns"):
                    over = results.minus(f"{release}/{threads}/{way}/ns", f"{release}/{threads}/{rounds}/ns")
                    rows.append([release, threads, f"`{way}`", over.text("{:.1f} ns")])
    shares = {release: results.values.get(f"{release}/near/share", []) for release in jvms()}
    judged = [
        [release, str(len(values) * len(KEPT)), f"{sum(values) / len(values):.0f} %"]
        for release, values in shares.items()
        if values
    ]
    return "\n\n".join(
        [
            side_by_side(["threads", "rule"], ["over `alloc` alone"], rows),
            table(["JDK", "estimates", "within two errors"], judged),
        ]
    )
