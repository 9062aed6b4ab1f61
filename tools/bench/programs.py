"""Whole programs with every method outside the JDK woven, cache warm: wall and CPU time relative to bare, and resident
memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests import jars
from tools.bench.common import Agent, oldest, run, scratch, with_jacoco
from tools.bench.figures import Results, Values, runs, table

ROWS = 20_000
COPIES = 12
OURS = {"count": "count **::*", "profile": "profile **::*", "time": "time **::*"}
NAMES = {**{name: f"`{rule}`" for name, rule in OURS.items()}, "jacoco": "JaCoCo's coverage"}
JARS = {"h2": "h2.jar", "ecj": "eclipse-jdt-core.jar"}


def h2(path: Path, rows: int = ROWS) -> list[str]:
    """A program that inserts rows one by one, joins and updates them."""
    script = scratch() / f"bench-{rows}.sql"
    inserts = [f"INSERT INTO t VALUES({i}, 'name {i * 7919 % 1000}', {i * 1.37:.2f});" for i in range(rows)]
    script.write_text(
        "\n".join(
            [
                "CREATE TABLE t(id INT PRIMARY KEY, name VARCHAR(100), v DECIMAL(20, 2));",
                *inserts,
                "CREATE INDEX ix ON t(name);",
                "SELECT name, COUNT(*), AVG(v) FROM t GROUP BY name ORDER BY name LIMIT 20;",
                "SELECT COUNT(*) FROM t a JOIN t b ON a.name = b.name WHERE a.id < 2000;",
                "UPDATE t SET v = v * 2 WHERE id < 9000;",
            ]
        )
    )
    return ["-cp", str(path), "org.h2.tools.RunScript", "-url", "jdbc:h2:mem:x", "-script", str(script)]


def ecj(path: Path, copies: int = COPIES) -> list[str]:
    """Compiles the demo's sources, many times over under other names."""
    folder, sources = scratch() / f"ecj-{copies}", []
    for original in sorted((Path(__file__).parent.parent / "demo" / "java").glob("*.java")):
        for i in range(copies):
            source = folder / f"p{i}" / original.name
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(original.read_text().replace("package demo;", f"package p{i};"))
            sources.append(str(source))
    options = ["-17", "-nowarn", "-proc:none", "-d", str(scratch() / "ecj-out")]
    return ["-cp", str(path), "org.eclipse.jdt.internal.compiler.batch.Main", *options, *sources]


LINES = {"h2": h2, "ecj": ecj}
LONG, LONG_ROWS = "h2, 1,000,000 rows", 1_000_000


def programs(results: Results) -> dict[str, list[str]]:
    """Name -> arguments of java, for the programs whose jars exist."""
    found = {}
    for name, file in JARS.items():
        if path := jars.find(file):
            found[name] = LINES[name](path)
        else:
            results.absent[name] = f"{file} is not there; `python -m tests.jars FOLDER` brings it"
    return found


def measure(results: Results) -> None:
    release, java = oldest()
    results.facts = {"release": release}
    for name, words in programs(results).items():
        variants: dict[str, Callable[[], Values]] = {f"{name}/bare": partial(run, [java, *words])}
        for label, rule in OURS.items():
            agent = Agent((rule,), f"{name}-{label}")
            agent.run(java, words)  # which fills the cache
            variants[f"{name}/{label}"] = partial(agent.run, java, words)
        variants[f"{name}/jacoco"] = partial(with_jacoco, run, java, words)
        results.by_turns(variants, runs(15), name)
    if path := jars.find(JARS["h2"]):
        words = h2(path, LONG_ROWS)
        variants = {f"{LONG}/bare": partial(run, [java, *words])}
        variants |= {
            f"{LONG}/{label}": partial(Agent((OURS[label],), f"h2-{label}").run, java, words)
            for label in ("count", "profile")
        }
        results.by_turns(variants, runs(3), LONG)


def tables(results: Results) -> str:
    rows = []
    for name in results.names(0):
        bare = {kind: results.figure(name, "bare", kind) for kind in ("wall", "cpu", "resident")}
        rows.append(
            [
                name,
                "bare",
                *(
                    bare[kind].text(form)
                    for kind, form in (("wall", "{:.2f} s"), ("cpu", "{:.2f} s"), ("resident", "{:.0f} MB"))
                ),
            ]
        )
        for label, what in NAMES.items():
            figures = {kind: results.figure(name, label, kind) for kind in bare}
            if not figures["wall"]:
                continue
            ratios = [figures[kind].over(bare[kind]).text("x{:.2f}") for kind in ("wall", "cpu")]
            rows.append([name, what, *ratios, figures["resident"].minus(bare["resident"]).text("{:+.0f} MB")])
    return table(["program", "what", "wall", "CPU", "resident"], rows)
