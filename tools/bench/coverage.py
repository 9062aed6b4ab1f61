"""The costs of `cover`, by turns with JaCoCo's agent: programs, Hello, a Maven test run, loops, memory, and the time
that reports take."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests import jars
from tools.bench.common import CLI, Agent, compiled, jacoco, jvms, last_number, printed, run, scratch, tool
from tools.bench.figures import BenchError, Figure, Results, Values, runs, side_by_side, table
from tools.bench.probes import Loop
from tools.bench.programs import LONG_ROWS, h2, programs

RULES = ("cover **",)
OURS = {
    "cold": ("`cover`, cold", Agent(RULES, "cover-cold", cold=True)),
    "warm": ("`cover`, cache warm", Agent(RULES, "cover-warm")),
    "hits": ("`cover ... hits`, cache warm", Agent(("cover ** hits",), "cover-hits")),
    "exact": ("`cover ... exact`, cache warm", Agent(("cover ** exact",), "cover-exact")),
}
NAMES = {**{name: what for name, (what, _) in OURS.items()}, "jacoco": "JaCoCo 0.8.16"}
#: The JVM's choice of the young generation's size moves resident memory by tens of MB; with a fixed one the rest is
#: what an agent takes.
FIXED = ["-Xms256m", "-Xmx256m", "-Xmn24m"]
LOOPS = [Loop("call", inlined, threads) for inlined in (False, True) for threads in (1, 2)]
CLASSES = 5_000
REPORTS = {"text": "text", "html": "html, with sources", "jacoco-xml": "jacoco-xml"}
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>bench</groupId><artifactId>bench</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies>
<dependency><groupId>com.h2database</groupId><artifactId>h2</artifactId><version>2</version><scope>system</scope><systemPath>{jar}</systemPath></dependency>
<dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.13.4</version><scope>test</scope></dependency>
</dependencies>
<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.4</version></plugin></plugins></build></project>
"""
TEST = """import org.junit.jupiter.api.Test;
class H2Test {{
    @Test void script() throws Exception {{ org.h2.tools.RunScript.main("-url", "jdbc:h2:mem:x", "-script", "{script}"); }}
}}
"""


def variants_of(java: str, words: list[str], place: str) -> dict[str, Callable[[], Values]]:
    """A JVM bare, with each rule, and with JaCoCo; caches are warmed."""
    found: dict[str, Callable[[], Values]] = {f"{place}/bare": partial(run, [java, *words])}
    for name, (_, agent) in OURS.items():
        if not agent.cold:
            agent.run(java, words)
        found[f"{place}/{name}"] = partial(agent.run, java, words)
    found[f"{place}/jacoco"] = lambda: run([java, jacoco(), *words])
    return found


def maven(java: str, release: str) -> dict[str, Callable[[], Values]]:
    """`mvn test` of a project whose one test runs H2 with many rows. Raises BenchError."""
    mvn, jar = shutil.which("mvn"), jars.find("h2.jar")
    if mvn is None or jar is None:
        raise BenchError("no mvn, or no h2.jar")
    folder, script = scratch() / f"maven-{release}", h2(jar, LONG_ROWS)[-1]
    test = folder / "src" / "test" / "java" / "H2Test.java"
    test.parent.mkdir(parents=True, exist_ok=True)
    test.write_text(TEST.format(script=script))
    (folder / "pom.xml").write_text(POM.format(jar=jar))
    env: list[str | Path] = ["/usr/bin/env", f"JAVA_HOME={Path(java).resolve().parent.parent}"]
    line = [mvn, "-q", "-B", "-f", folder / "pom.xml", "test"]
    tool(*env, *line)  # fetches what it needs

    def ours(rule: str, cache: str, cold: bool = False) -> Values:
        if cold:
            shutil.rmtree(scratch() / "caches" / cache, ignore_errors=True)
        shutil.rmtree(scratch() / "maven-data", ignore_errors=True)
        options = ["--quiet", "-e", rule, "-o", scratch() / "maven-data", "--cache", scratch() / "caches" / cache]
        return run([*env, *CLI, "run", *options, "--", *line, "-o"])

    place = f"{release}/maven"
    rules = {"warm": "cover org.h2.**", "hits": "cover org.h2.** hits", "exact": "cover org.h2.** exact"}
    found: dict[str, Callable[[], Values]] = {f"{place}/bare": partial(run, [*env, *line, "-o"])}
    found[f"{place}/cold"] = partial(ours, rules["warm"], "maven-cold", cold=True)
    for name, rule in rules.items():
        ours(rule, f"maven-{name}")
        found[f"{place}/{name}"] = partial(ours, rule, f"maven-{name}")
    found[f"{place}/jacoco"] = lambda: run([*env, *line, "-o", f"-DargLine={jacoco()},includes=org.h2.*"])
    return found


def loop(java: str, words: list[str], place: str) -> dict[str, Callable[[], Values]]:
    def with_agent() -> Values:
        Agent(("cover Probes",)).run(java, words)
        return {"ns": last_number()}

    return {
        f"{place}/bare": partial(printed, "ns", [java, *words]),
        f"{place}/cover": with_agent,
        f"{place}/jacoco": lambda: printed("ns", [java, jacoco(), *words]),
    }


def reports() -> dict[str, Callable[[], Values]]:
    """Reports of classes of a JDK, and random hits. Raises BenchError if it has no sources."""
    from tests.coverage.conftest import random_data

    homes = [Path(java).resolve().parent.parent for java in jvms().values()]
    home = next((home for home in homes if (home / "lib" / "src.zip").exists()), None)
    if home is None:
        raise BenchError("no JDK with lib/src.zip")
    out, jar, data = scratch() / "all-classes", scratch() / "classes.jar", scratch() / "random.exec"
    tool(home / "bin" / "jimage", "extract", "--dir", out, home / "lib" / "modules")
    chosen = [
        file.read_bytes() for file in sorted(out.rglob("*.class")) if file.stem not in ("module-info", "package-info")
    ][:CLASSES]
    with zipfile.ZipFile(jar, "w") as opened:
        for i, content in enumerate(chosen):
            opened.writestr(f"{i}.class", content)
    data.write_bytes(random_data(chosen, 1))
    shutil.rmtree(out)
    line: list[str | Path] = [*CLI, "coverage", "--classes", jar, data]
    return {
        "report/text": partial(run, [*line, "-o", scratch() / "x.txt"], allowed=(0, 1)),
        "report/html": partial(
            run,
            [*line, "-f", "html", "--sources", home / "lib" / "src.zip", "-o", scratch() / "x.html"],
            allowed=(0, 1),
        ),
        "report/jacoco-xml": partial(run, [*line, "-f", "jacoco-xml", "-o", scratch() / "x.xml"], allowed=(0, 1)),
    }


def measure(results: Results) -> None:
    lines = programs(results)
    for release, java in jvms().items():
        hello = ["-Xshare:auto", "-cp", str(compiled("Hello.java")), "Hello"]
        results.by_turns(variants_of(java, hello, f"{release}/hello"), runs(15), f"Hello on {release}")
        for name, words in lines.items():
            results.by_turns(variants_of(java, words, f"{release}/{name}"), runs(), f"{name} on {release}")
        if "h2" in lines:
            results.by_turns(
                variants_of(java, [*FIXED, *lines["h2"]], f"{release}/h2, fixed heap"),
                runs(5),
                f"h2 on {release}, heap fixed",
            )
            absent_unless(results, f"{release}/maven", lambda java=java, release=release: maven(java, release), runs(5))  # type: ignore[misc]
        for one in LOOPS:
            results.by_turns(loop(java, one.words(), f"{release}/{one}"), runs(5), f"{one}, on {release}")
    absent_unless(results, "report", reports, runs(3))


def absent_unless(results: Results, what: str, made: Callable[[], dict[str, Callable[[], Values]]], turns: int) -> None:
    """Measures what can be made; else notes why not."""
    try:
        variants = made()
    except BenchError as error:
        results.absent[what] = str(error)
        return
    results.by_turns(variants, turns, what)


def share_of_jacoco(place: str, name: str) -> Callable[[Results], Figure]:
    """The wall time that a variant takes over bare, as a share of what JaCoCo takes over bare."""
    bare = f"{place}/bare/wall"
    return lambda results: results.minus(f"{place}/{name}/wall", bare).over(results.minus(f"{place}/jacoco/wall", bare))


def tables(results: Results) -> str:
    return "\n\n".join([_programs(results), _loops(results), _reports(results)])


def _programs(results: Results) -> str:
    rows = []
    for release in results.names(0):
        for name in dict.fromkeys(
            key.split("/")[1] for key in results.values if key.startswith(f"{release}/") and key.endswith("/wall")
        ):
            bare = {kind: results.figure(release, name, "bare", kind) for kind in ("wall", "resident")}
            if release == "report" or not bare["wall"]:
                continue
            forms = (("wall", "{:.2f} s"), ("resident", "{:.0f} MB"))
            rows.append([release, name, "bare", *(bare[kind].text(form) for kind, form in forms)])
            for label, what in NAMES.items():
                own = {kind: results.figure(release, name, label, kind) for kind in bare}
                if own["wall"]:
                    wall = own["wall"].over(bare["wall"]).text("x{:.2f}")
                    if name == "hello":
                        wall = Figure(tuple(1e3 * value for value in own["wall"].minus(bare["wall"]).values)).text(
                            "{:+.0f} ms"
                        )
                    rows.append([release, name, what, wall, own["resident"].minus(bare["resident"]).text("{:+.0f} MB")])
    return side_by_side(["program", "what"], ["wall", "resident"], rows)


def _loops(results: Results) -> str:
    rows = []
    for release in results.names(0):
        for one in map(str, LOOPS):
            bare = results.figure(release, one, "bare", "ns")
            if bare:
                rows.append([release, one, results.figure(release, one, "cover", "ns").minus(bare).text("{:.2f} ns")])
    return side_by_side(["loop"], ["`cover` over bare"], rows)


def _reports(results: Results) -> str:
    rows = []
    for name, what in REPORTS.items():
        figures = {kind: results.figure("report", name, kind) for kind in ("wall", "cpu", "resident")}
        rows.append(
            [
                f"`coverage -f {what}`, {CLASSES:,} classes",
                figures["wall"].text("{:.1f} s"),
                figures["cpu"].text("{:.1f} s"),
                figures["resident"].text("{:.0f} MB"),
            ]
        )
    return table(["what", "wall", "CPU", "resident"], rows)
