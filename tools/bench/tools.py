"""The tools on much data: `classhook weave` of a jar with 20,000 classes, reports of 100,000 probes; on little: the
help, a report of one class."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tools.bench.common import CLI, compiled, oldest, run, scratch, tool
from tools.bench.figures import Results, Values, runs, table

CLASSES, PROBES, METHODS = 20_000, 100_000, 1000
WHAT = {
    "weave": f"`classhook weave`, {CLASSES:,} classes of the JDK, every method timed",
    "report": f"`classhook report -f json`, {PROBES:,} counted methods",
    "text": f"`classhook report`, {PROBES:,} counted methods",
    "small": "`classhook report` of one timed class",
    "help": "`classhook --help`",
}


def large_jar(java: str) -> Path:
    """Classes of the JDK in a jar, stored."""
    jdk = Path(java).resolve().parent.parent
    out, path = scratch() / "all", scratch() / "large.jar"
    tool(jdk / "bin" / "jimage", "extract", "--dir", out, jdk / "lib" / "modules")
    files = [file for file in sorted(out.rglob("*.class")) if file.name != "module-info.class"][:CLASSES]
    with zipfile.ZipFile(path, "w") as jar:
        for file in files:
            jar.write(file, file.relative_to(out).as_posix())
    return path


def many_probes(java: str) -> Path:
    """The data of a JVM that ran classes with 100,000 counted methods."""
    source, classes, data = scratch() / "Probe.java", scratch() / "probes", scratch() / "probe-data"
    methods = " ".join(f"static void m{m}() {{}}" for m in range(METHODS))
    calls = " ".join(f"m{m}();" for m in range(METHODS))
    parts = [f"class C{c} {{ {methods} static void all() {{ {calls} }} }}" for c in range(PROBES // METHODS)]
    main = " ".join(f"C{c}.all();" for c in range(PROBES // METHODS))
    source.write_text("\n".join([*parts, f"public class Probe {{ public static void main(String[] a) {{ {main} }} }}"]))
    tool("javac", "-d", classes, source)
    run([*CLI, "run", "--quiet", "-e", "count C*::*", "-o", data, "--", java, "-cp", classes, "Probe"])
    return data


def few_probes(java: str) -> Path:
    """The data of a JVM that ran one timed class."""
    data = scratch() / "small-data"
    run([*CLI, "run", "--quiet", "-e", "time Hello::*", "-o", data, "--", java, "-cp", compiled("Hello.java"), "Hello"])
    return data


def measure(results: Results) -> None:
    _, java = oldest()
    weave: list[str | Path] = [*CLI, "weave", "-e", "time **::*", large_jar(java), "-o", scratch() / "woven.jar"]
    many = many_probes(java)
    reports: dict[str, list[str | Path]] = {
        "report": [*CLI, "report", "-f", "json", many],
        "text": [*CLI, "report", many],
        "small": [*CLI, "report", few_probes(java)],
        "help": [*CLI, "--help"],
    }
    variants: dict[str, Callable[[], Values]] = {
        "weave": partial(run, weave, allowed=(0, 1)),  # 1: some methods are not instrumented
        **{name: partial(run, words) for name, words in reports.items()},
    }
    results.by_turns(variants, runs(), "weave and report")


def tables(results: Results) -> str:
    kinds = (("wall", "{:.2f} s"), ("cpu", "{:.2f} s"), ("resident", "{:.0f} MB"))
    return table(
        ["what", "wall", "CPU", "resident"],
        [[what, *(results.figure(name, kind).text(form) for kind, form in kinds)] for name, what in WHAT.items()],
    )
