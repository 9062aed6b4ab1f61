"""A dataset of as many runs as wanted, made of a few real ones: other machines, versions, dates and numbers, the same
methods and stacks."""

from __future__ import annotations

import subprocess
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

from classhook.base.processes import in_order
from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dataset.run_rows import RunRows, run_rows
from classhook.extensions.fleet.dataset.storage import storage_at
from classhook.extensions.fleet.dataset.writing import write
from classhook.store.runs import repetitions
from tools.bench.programs import h2
from tools.docs.sessions import prepare
from tools.docs.setups import suite

PACKAGES = ("org.h2.engine.**", "org.h2.command.**", "org.h2.expression.**")
METHODS = ", ".join(f"{package}::*" for package in PACKAGES)
#: By kind of run: its rules, and how many runs of a thousand are of this kind.
KINDS = {
    "count": (f"count {METHODS}", 700),
    "profile": (f"profile {METHODS}", 130),
    "keys": (
        "time org.h2.jdbc.JdbcStatement::{executeInternal,executeQuery}(java.lang.String, ..) slowest 20 by sql(arg0)",
        100,
    ),
    "cover": (f"cover {', '.join(PACKAGES)}", 40),
}
TESTS = 30  # of a thousand: a small suite of JUnit
SERVICES = ("orders", "stock", "prices", "search")
DAYS, VERSIONS = 90, 12
BOUND = "upper_ns"  # of histograms: all runs have the same
VARIED = ("calls", "exceptions", "completed", "duration_ns", "value", "count", "bytes")
FIRST = datetime(2026, 8, 1)
SEED = 17


def templates(folder: Path, jar: Path) -> list[RunRows]:
    """A real run of each kind."""
    found = []
    bodies = Bodies.from_paths([jar])
    environment = prepare(folder)
    suite(folder, environment)
    launcher = ["-jar", "junit.jar", "execute", "--scan-classpath", "-cp", "classes:tests-classes"]
    lines = {kind: ["-e", rule, "-o", kind, "--", "java", *h2(jar)] for kind, (rule, _) in KINDS.items()}
    lines["tests"] = [
        "--tests",
        "-e",
        "cover shop.**",
        "-e",
        "count shop.**::*",
        "-o",
        "tests-data",
        "--",
        "java",
        *launcher,
    ]
    for line in lines.values():
        subprocess.run(
            ["classhook", "run", "--quiet", *line], cwd=folder, env=environment, check=False, stdout=subprocess.DEVNULL
        )
        for runs in repetitions(sorted((folder / line[line.index("-o") + 1]).glob("*.classhook"))).values():
            found += [run_rows(run, bodies) for run in runs]
    assert len(found) == len(KINDS) + 1
    return found


def make(kinds: list[RunRows], runs: int, machines: int, to: Path) -> int:
    """Writes the dataset; returns its bytes."""
    there = storage_at(str(to))
    return sum(
        in_order(range(runs), lambda number: write(made(kinds, number, machines), there).bytes, "makes a dataset")
    )


def made(kinds: list[RunRows], number: int, machines: int) -> RunRows:
    """A run."""
    random = Random(SEED * 1_000_003 + number)
    shares = [*(share for _, share in KINDS.values()), TESTS]
    kind = random.choices(kinds, shares)[0]
    start = FIRST + timedelta(seconds=random.randrange(DAYS * 86400))
    service, machine = SERVICES[number % len(SERVICES)], f"machine-{number % machines:03}"
    version = f"4.{(start - FIRST).days * VERSIONS // DAYS}"
    tables = {name: [varied(row, random) for row in rows] for name, rows in kind.tables.items()}
    (run,) = tables["runs"]
    seconds = random.randrange(60, 3600)
    run |= {"start": start, "stop": start + timedelta(seconds=seconds), "host": machine, "version": version}
    run["labels"] = {"host": machine, "service": service, "version": version, "team": f"team{number % 7}"}
    for row in tables[
        "methods"
    ]:  # some methods are changed by some versions, and some are dead, or only tests run them
        own = int(
            blake2b(repr((row["class"], row["method"], row["descriptor"])).encode(), digest_size=4).hexdigest(), 16
        )
        if row.get("body_hash") and own % 20 == 0:
            row["body_hash"] = f"{own % 97:016x}" if int(version[2:]) > own % VERSIONS else row["body_hash"]
    return RunRows(f"{number:08x}-0000-7000-8000-000000000000", (start.date().isoformat(), service), tables, [])


def varied(row: dict[str, Any], random: Random) -> dict[str, Any]:
    """A row with other numbers."""
    factor = random.uniform(0.5, 2)
    names = [name for name in row if name in VARIED or (name.endswith("_ns") and name != BOUND)]
    more = {name: int(value * factor) for name in names if isinstance(value := row[name], int)}
    return {**row, **more}
