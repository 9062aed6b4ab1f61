"""``python -m tests.bench.states OTHER``: this installation beside another one, by turns. OTHER is a checkout that was built in place.

1. Costs: ns a call over the bare loop, of the fastest of many short batches (Calls.java), for several measures, and for JFR's method timing.
2. Truth: methods that take 20 ns to 10 us in loops, and callers that take as long themselves (Lengths.java): medians of the report, as parts of
   what a bare run took. One activation of a caller is 100 rounds of its loop.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.bench.common import ROOT, compiled, jvms, scratch
from tests.bench.figures import Figure, table

RULES = ("time Calls::empty", "time Calls::empty tree", "count Calls::empty", "profile Calls::empty", "cover Calls", "time Calls::empty sample 1/100",
         "time Calls::* budget 5%")  # fmt: skip
NOT_INLINED = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Calls::empty", "-XX:CompileCommand=dontinline,Lengths::c*"]
METHOD_TIMING = 25
IN_ONE = 100  # calls of Lengths' callers in an activation


def classhook(home: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", "import sys; from instrument.cli import main; sys.exit(main())", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False, cwd=home, env=os.environ | {"PYTHONPATH": str(home)})


def printed(command: list[str]) -> list[float]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(line.split()[0]) for line in done.stdout.splitlines() if line[:1].isdigit()]


def with_rule(home: Path, rule: str, command: list[str]) -> tuple[list[float], dict[str, dict[str, int]]]:
    """What the program printed, and the rows of its methods."""
    data = scratch() / "states-data"
    shutil.rmtree(data, ignore_errors=True)
    done = classhook(home, "run", "--no-cache", "-o", data, "-e", rule, "--", *command)
    if done.returncode:
        raise SystemExit(f"{home}: {done.stderr[-500:]}")
    report = json.loads(classhook(home, "report", data, "-f", "json").stdout)
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.states", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("other", type=Path, nargs="?", help="another checkout, built in place")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=("costs", "truth"))
    options = parser.parse_args()
    homes = {"this": ROOT, **({"other": options.other.resolve()} if options.other else {})}
    for part in (costs, truth):
        if options.only in (None, part.__name__):
            print(f"## {part.__name__}\n\n{part(homes, options.runs)}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
