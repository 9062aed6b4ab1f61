"""``python -m tests.bench.states OTHER``: this installation beside another one, by turns.

OTHER is a virtual environment, or a checkout with one in .venv.

1. Costs: ns a call over the bare loop, of the fastest of many short batches (Calls.java), for several measures, and for JFR's method timing.
2. Truth: methods that take 20 ns to 10 us in loops, and callers that take as long themselves (Lengths.java): medians of the report, as parts of
   what a bare run took. One activation of a caller is 100 rounds of its loop.
3. Wholes: CPU and wall time of Hello, with an empty cache and a filled one, and of H2 with every method woven; over bare, and this over the other.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests import jars
from tests.bench.common import ROOT, compiled, jvms, oldest, run, scratch
from tests.bench.figures import BenchError, Figure, Values, table
from tests.bench.programs import WARMING, h2

RULES = ("time Calls::empty", "time Calls::empty tree", "count Calls::empty", "profile Calls::empty", "cover Calls", "time Calls::empty sample 1/100",
         "time Calls::* budget 5%")  # fmt: skip
WHOLES = {
    **{word: f"{word} org.h2.**::*" for word in ("count", "time", "profile")},
    **{word: f"{word} org.h2.**" for word in ("cover", "alloc")},
}
NOT_INLINED = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Calls::empty", "-XX:CompileCommand=dontinline,Lengths::c*"]
METHOD_TIMING = 25
IN_ONE = 100  # calls of Lengths' callers in an activation


def environment_of(home: Path) -> Path:
    """The folder of an installation's commands. Raises BenchError."""
    for folder in (home / "bin", home / ".venv" / "bin"):
        if (folder / "classhook").exists():
            return folder
    raise BenchError(f"{home}: neither a virtual environment with classhook nor a checkout with one in .venv")


def classhook(commands: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONSAFEPATH": "1"}  # the checkout that this was started in must not be found
    return subprocess.run([commands / "classhook", *words], capture_output=True, text=True, check=False, env=environment)


def printed(command: list[str]) -> list[float]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(line.split()[0]) for line in done.stdout.splitlines() if line[:1].isdigit()]


def with_rule(commands: Path, rule: str, command: list[str]) -> tuple[list[float], dict[str, dict[str, int]]]:
    """What the program printed, and the rows of its methods."""
    data = scratch() / "states-data"
    shutil.rmtree(data, ignore_errors=True)
    done = classhook(commands, "run", "--no-cache", "-o", data, "-e", rule, "--", *command)
    if done.returncode:
        raise BenchError(f"{commands}: {done.stderr[-500:]}")
    report = json.loads(classhook(commands, "report", data, "-f", "json").stdout)
    rows = {row["method"]: row for row in report["methods"]}
    return [float(line.split()[0]) for line in done.stdout.splitlines() if line[:1].isdigit()], rows


def costs(homes: dict[str, Path], runs: int) -> str:
    found: dict[tuple[str, str, str], list[float]] = {}
    for _ in range(runs):
        for release, java in jvms().items():
            command = [java, *NOT_INLINED, "-cp", str(compiled("Calls.java")), "Calls"]
            found.setdefault((release, "bare", ""), []).append(printed(command)[0])
            for rule in RULES:
                for name, home in homes.items():
                    found.setdefault((release, rule, name), []).append(with_rule(home, rule, command)[0][0])
            if int(release) >= METHOD_TIMING:
                jfr = [f"-XX:StartFlightRecording:method-timing=Calls::empty,filename={scratch() / 'states.jfr'}", "-Xlog:jfr*=off"]
                found.setdefault((release, "JFR's method timing", ""), []).append(printed([java, *jfr, *command[1:]])[0])
    rows = []
    for (release, rule, name), values in found.items():
        bare = min(found[release, "bare", ""])
        over = Figure(tuple(values if rule == "bare" else [value - bare for value in values]))
        rows.append([release, rule, name, f"{min(over.values):.2f} ns", over.text("{:.2f} ns"), str(len(values))])
    return table(["JDK", "rule", "state", "least", "median and spread over bare", "runs"], rows)


def truth(homes: dict[str, Path], runs: int) -> str:
    found: dict[tuple[str, int, str], list[tuple[float, ...]]] = {}
    for _ in range(runs):
        for release, java in jvms().items():
            command = [java, *NOT_INLINED, "-cp", str(compiled("Lengths.java")), "Lengths"]
            bare = printed(command)
            for name, home in homes.items():
                _, rows = with_rule(home, "time Lengths::c*", command)
                for i, whole in enumerate(bare):
                    caller, callee = rows[f"caller{i}"], rows[f"callee{i}"]
                    both, inner = caller["p50_ns"] / IN_ONE, callee["p50_ns"]
                    found.setdefault((release, i, name), []).append((whole, inner / (whole / 2), (both - inner) / (whole / 2), both / whole))
    rows = []
    for (release, _, name), values in sorted(found.items()):
        figures = [Figure(tuple(column)) for column in zip(*values, strict=True)]
        rows.append([release, f"{figures[0].median / 2:.0f} ns", name, *(figure.text("{:.2f}") for figure in figures[1:])])
    return table(["JDK", "each takes", "state", "callee, of the truth", "caller itself", "caller in all"], rows)


def whole(commands: Path, rule: str, cache: Path, command: list[str], cold: bool = False) -> Values:
    """One run of a program under a rule. `cold`: with an empty cache."""
    data = scratch() / "states-data"
    for folder in (data, *([cache] if cold else [])):
        shutil.rmtree(folder, ignore_errors=True)
    return run([commands / "classhook", "run", "--quiet", "--cache", cache, "-o", data, "-e", rule, "--", *command])


def wholes(homes: dict[str, Path], runs: int) -> str:
    release, java = oldest()
    os.environ["PYTHONSAFEPATH"] = "1"
    hello, caches = [java, "-cp", str(compiled("Hello.java")), "Hello"], {name: scratch() / f"states-cache-{name}" for name in homes}
    found: dict[tuple[str, str], list[Values]] = {}

    def turn(what: str, rule: str, command: list[str], cold: bool = False) -> None:
        found.setdefault((what, "bare"), []).append(run(command))
        for name, home in homes.items():
            found.setdefault((what, name), []).append(whole(home, rule, caches[name], command, cold))

    for _ in range(4 * runs):
        turn("Hello, cache empty", "time Hello::*", hello, cold=True)
        turn("Hello, cache filled", "time Hello::*", hello)
    if path := jars.find("h2.jar"):
        program = [java, *h2(path)]
        for what, rule in WHOLES.items():
            for name, home in homes.items():
                for _ in range(WARMING if what == "time" else 1):
                    whole(home, rule, caches[name], program)
            for _ in range(runs):
                turn(f"H2, {what}", rule, program)
    lines = []
    for (what, name), values in found.items():
        cpu, wall = (Figure(tuple(value[kind] for value in values)) for kind in ("cpu", "wall"))
        bare, other = (Figure(tuple(value["cpu"] for value in found.get((what, one), values))) for one in ("bare", "other"))
        ratio = cpu.over(other).text("{:.3f}") if name == "this" and (what, "other") in found else ""
        lines.append([what, name, cpu.text("{:.3f} s"), wall.text("{:.3f} s"), f"x{cpu.over(bare).median:.2f}", ratio, str(len(values))])
    return f"JDK {release}\n\n" + table(["program", "state", "CPU", "wall", "CPU over bare", "CPU, this over other", "runs"], lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.states", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("other", type=Path, nargs="?", help="another installation")
    parser.add_argument("--this", type=Path, default=ROOT, help="the installation to compare, in place of this checkout's")
    parser.add_argument("--runs", type=int, default=5)
    parts = {part.__name__: part for part in (costs, truth, wholes)}
    parser.add_argument("--only", choices=parts)
    options = parser.parse_args()
    try:
        homes = {"this": environment_of(options.this), **({"other": environment_of(options.other)} if options.other else {})}
        for name, part in parts.items():
            if options.only in (None, name):
                print(f"## {name}\n\n{part(homes, options.runs)}\n", flush=True)
    except BenchError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
