"""The costs of contexts: 120,000 of them, with reports; a begin and an end where there are 100,000 probes; a suite of
1,000 tests.

  many    how long 120,000 contexts by key take, how large the data file gets, the program's and the reports' memory;
          whether counts are exact
  switch  a begin and an end, in microseconds, of contexts that are new each time, with 100,000 probes of `cover`
  suite   1,000 tests of H2, told apart and not: wall and CPU time, by turns

examples:
  python -m tools.bench.contexts                    all
  python -m tools.bench.contexts suite --runs 3     one, less often
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

from classhook.model.reading.files import data_files, read
from classhook.model.snapshot import Snapshot
from classhook.store.reading import read_file
from tests import jars, peers
from tools.bench.common import CLI, ROOT, Agent, compiled, jvms, last_number, oldest, peer, run, scratch, tool
from tools.bench.figures import BenchError, Results, Values, table

JOBS, NAMED = 120_000, 100_000  # contexts; those that have names of their own
JOB_RULES = (
    'context ManyContexts::job by arg0 as "job"',
    "count ManyContexts::leaf",
    "time ManyContexts::job, ManyContexts::rare",
    "alloc int[] in ManyContexts",
)
FORMS = ("text", "json", "html")
CLASSES, METHODS = 100, 1000
#: The number of classes whose methods each context calls, and the number of methods that it calls of each.
CALLED = {"few": (1, 10), "1 of each class": (CLASSES, 1), "all of 5 classes": (5, METHODS)}
SWITCHES = 3000
SUITE_RULES = {
    "cover": ("cover org.h2.** hits", "cover org.h2.**"),
    "profile": ("profile org.h2.**::*",) * 2,
}  # without tests, and with them


# ---- many contexts


def expected(job: int) -> Counter[str]:
    """Calls of ManyContexts' methods in a job."""
    rare = int(job % 3 == 0)
    return +Counter({"job": 1, "leaf": job % 5 + 1 + rare, "rare": rare})


def wrong(snapshot: Snapshot) -> int:
    """Counts the contexts with other numbers than their jobs made."""
    assert snapshot.each_context is not None
    bad, named, others = 0, Counter[str](), Counter[str]()
    for name, one in snapshot.each_context():
        calls = Counter({key[1]: row.calls for key, row in one.tables["methods"].items() if row.calls})
        arrays = sum(row.count for row in one.tables["allocations"].values())
        if name.endswith("[others]"):
            others = calls
        elif name:
            number = int(name.partition("[")[2].rstrip("]"))
            bad += calls != expected(number) or arrays != int(number % 3 == 0)
            named += expected(number)
    whole = Counter[str]()
    for job in range(JOBS):
        whole.update(expected(job))
    return bad + (others != whole - named) + (snapshot.entered["job [others]"] != JOBS - NAMED)


def many(turns: int) -> None:
    rows = []
    for release, java in jvms().items():
        words = [java, "-cp", str(jobs()), "ManyContexts", "platform", "1", str(JOBS), "1"]
        results = Results("contexts")
        results.by_turns({"bare": partial(run, words), "contexts": partial(recorded, words)}, turns, f"on {release}")
        check(results)
        snapshot = read(data_files([data()]))
        taken = {"contexts that are wrong": str(wrong(snapshot)), "data file": f"{used(data()) / 1e6:.0f} MB"}
        for what in ("wall", "resident"):
            unit = "s" if what == "wall" else "MB"
            taken |= {
                f"{what}, {way}": results.figure(way, what).text(f"{{:.1f}} {unit}") for way in ("bare", "contexts")
            }
        for form in FORMS:
            values = run([*CLI, "report", "--by", "context", "-f", form, data()])
            taken[f"report, {form}"] = (
                f"{values['wall']:.1f} s ({values['cpu']:.1f} s CPU), {values['resident']:.0f} MB,"
                f" {size('out') / 1e6:.1f} MB written"
            )
        rows += [[release, what, value] for what, value in {**taken, **killed(words)}.items()]
    print(table(["JDK", "what", "value"], rows))


def jobs() -> Path:
    """The classes of the tests' program."""
    out = scratch() / "ManyContexts"
    if not out.exists():
        tool("javac", "--release", "17", "-d", out, ROOT / "tests" / "jvm" / "java" / "ManyContexts.java")
    return out


def data() -> Path:
    return scratch() / "recorded"


def used(folder: Path) -> int:
    """Bytes that the data files take."""
    return sum(path.stat().st_blocks * 512 for path in data_files([folder]))


def size(name: str) -> int:
    return (scratch() / name).stat().st_size


def line(rules: tuple[str, ...], *more: str) -> list[str]:
    shutil.rmtree(data(), ignore_errors=True)
    return [*CLI, "run", *more, *(word for rule in rules for word in ("-e", rule)), "-o", str(data()), "--"]


def recorded(words: list[str], rules: tuple[str, ...] = JOB_RULES, *more: str) -> Values:
    return run([*line(rules, *more), *words])


def killed(words: list[str]) -> dict[str, str]:
    """Kills it when its data is half of that of the run before."""
    half = used(data()) // 2
    with subprocess.Popen([*line(JOB_RULES), *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (data().exists() and data_files([data()])):
            time.sleep(0.01)
        (path,) = data_files([data()])
        pid = read_file(path).header.pid
        while process.poll() is None and used(data()) < half:
            pass
        if process.poll() is None:
            os.kill(pid, signal.SIGKILL)
    snapshot = read([path])
    assert snapshot.each_context is not None
    short = 0
    for name, one in snapshot.each_context():
        if name and not name.endswith("[others]"):
            calls = Counter({key[1]: row.calls for key, row in one.tables["methods"].items() if row.calls})
            short += calls != expected(int(name.partition("[")[2].rstrip("]")))
    end = snapshot.processes[0].end
    return {
        "SIGKILL": (
            f"{end}: {len(snapshot.entered):,} contexts, of which {short} do not have all that their jobs count (the"
            " one under way)"
        )
    }


# ---- switches


def wide() -> Path:
    """Classes with many methods, and a program that calls some of them in contexts of its own."""
    out = scratch() / "Wide"
    if out.exists():
        return out
    out.mkdir()
    for c in range(CLASSES):
        methods = "".join(f"static void m{m}() {{ Wide.sink++; }}\n" for m in range(METHODS))
        cases = "".join(f"case {m}: m{m}(); break;\n" for m in range(METHODS))
        (out / f"P{c}.java").write_text(
            f"class P{c} implements Runnable {{\n{methods}public void run() {{ for (int i = 0; i < Wide.each; i++)"
            f" call(i); }}\nstatic void call(int i) {{ switch (i) {{\n{cases}}} }} }}\n"
        )
    shutil.copy(Path(__file__).parent / "java" / "Wide.java", out)
    tool("javac", "--release", "17", "-d", out, *sorted(out.glob("*.java")))
    return out


def switch(turns: int) -> None:
    release, java = oldest()
    rows = []
    for way, (classes, each) in CALLED.items():
        words = ["-XX:TieredStopAtLevel=1", "-cp", str(wide()), "Wide", str(classes), str(each), str(SWITCHES)]
        variants = {
            "without": Agent(("cover P* hits",), cache="wide"),
            "with": Agent(("cover P* hits", "context Wide::test by arg0"), cache="wide"),
        }
        results = Results("contexts")
        results.by_turns({name: partial(_printed, agent, java, words) for name, agent in variants.items()}, turns, way)
        check(results)
        rows.append(
            [
                release,
                way,
                results.figure("without", "us").text("{:.1f}"),
                results.minus("with/us", "without/us").text("{:.1f}"),
                results.turns,
            ]
        )
    print(
        table(["JDK", "methods called", "us of a test without contexts", "us beyond that in a context", "runs"], rows)
    )


def _printed(agent: Agent, java: str, words: list[str]) -> Values:
    agent.run(java, words)
    return {"us": last_number()}


# ---- a suite


def suite(turns: int) -> None:
    console, h2 = peer(peers.JUNIT_CONSOLE), jars.find("h2.jar")
    if h2 is None:
        raise BenchError("there is no h2.jar: python -m tests.jars")
    release, java = oldest()
    classes = compiled("Suite.java", console)
    words = [
        java,
        "-cp",
        os.pathsep.join(map(str, (classes, console, h2))),
        "org.junit.platform.console.ConsoleLauncher",
        "execute",
        "-c",
        "Suite",
    ]
    words += ["--details=none", "--disable-banner"]
    rows = []
    for what, (plain, told_apart) in SUITE_RULES.items():
        results = Results("contexts")
        variants = {
            "without": partial(recorded, words, (plain,)),
            "with": partial(recorded, words, (told_apart,), "--tests"),
        }
        results.by_turns(variants, turns, what)
        check(results)
        for kind in ("wall", "cpu"):
            cells = [results.figure(name, kind).text("{:.2f} s") for name in variants]
            rows.append(
                [
                    release,
                    what,
                    kind,
                    *cells,
                    results.over(f"with/{kind}", f"without/{kind}").text("{:.3f}"),
                    results.turns,
                ]
            )
        tests = read(data_files([data()])).tests
        print(f"{what}: {sum(run.is_test for run in tests):,} tests were told apart")
    print(table(["JDK", "rule", "time", "without tests", "with tests", "ratio", "runs"], rows))


def check(results: Results) -> None:
    for name, why in results.absent.items():
        raise BenchError(f"{name}: {why}")


PARTS = {"many": many, "switch": switch, "suite": suite}


def main() -> int:
    about, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.contexts",
        description=about,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="some of: " + ", ".join(PARTS))
    parser.add_argument("--runs", type=int, default=7, metavar="N", help="turns (default 7)")
    options = parser.parse_args()
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if options.runs < 1:
        parser.error("--runs: at least 1")
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    for name in options.parts or PARTS:
        print(f"\n## {name}\n")
        try:
            PARTS[name](options.runs)
        except BenchError as error:
            print(f"{name} was not measured: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
