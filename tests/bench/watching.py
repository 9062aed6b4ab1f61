"""``python -m tests.bench.watching [RUNS]``: what a call of a watched method costs that is not shown, in ns beyond the same call of a method that
nobody watches: medians, with the least and the most of all runs.

Methods are kept from being inlined: else the JIT takes a condition that never holds out of the loop.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

import instrument.measures  # noqa: F401  # registers the rules' words
from instrument.launch import agent_option
from rules.compiled import dumps
from rules.parse import load
from tests.bench.common import compiled, jvms, scratch

CALLS = 2_000_000
#: By the method of tests/bench/java/Calls.java.
RULES = {
    "number": "watch Calls::number when arg0 > 1000",
    "string": 'watch Calls::string when arg1 == "zoe"',
    "field": 'watch Calls::field when arg0 > 3 && this.state == "NEW"',
    "further": 'watch Calls::further when this.inner.state == "NEW"',
    "over": "watch Calls::over over 10ms",
    "every": "watch Calls::every every 60s",
    "first": "watch Calls::first first 100",
}


def once(java: str) -> dict[str, float]:
    """The time of a call, by method."""
    file = scratch() / "watch.rules"
    file.write_text(dumps(load([], list(RULES.values()))))
    kept = [f"-XX:CompileCommand=dontinline,Calls::{name}" for name in ("bare", *RULES)]
    line = [java, agent_option(file, scratch() / "data"), "-XX:CompileCommand=quiet", *kept, "-cp", str(compiled("Calls.java")), "Calls", str(CALLS)]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    pairs = [text.split() for text in done.stdout.splitlines() if len(text.split()) == 2]
    return {name: float(ns) for name, ns in pairs}


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    for release, java in jvms().items():
        found = [once(java) for _ in range(runs)]
        print(f"JDK {release}, {runs} runs of {CALLS:,} calls; bare: {median(one['bare'] for one in found):.2f} ns")
        for name, rule in RULES.items():
            more = sorted(one[name] - one["bare"] for one in found)
            print(f"  {median(more):7.2f} ns ({more[0]:.2f} to {more[-1]:.2f})  {rule}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
