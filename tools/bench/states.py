"""Compares the costs of another state of the project with this checkout: both are installed by pip, and run by turns.

BASE is a commit (main, HEAD~3, 1a2b3c4), or a folder with an installation. The checkout is measured as it is now, with
changes that are not committed. Installations are kept in build/states; a new one takes some minutes (with --pure half a
minute: the weaver is not compiled, which only `start` and `weaving` notice).

parts:
  calls     ns that a call takes, or an object that is made, beyond the bare loop: by count, time, profile, cover and
            alloc
  start     Hello with an empty cache and a filled one: wall and CPU time
  weaving   microseconds for a class, in the JVM, of some hundred classes of the JDK
  programs  H2 with all its methods woven: wall and CPU time
  truth     methods of 20 ns to 10 us: what the report says they took, as a part of what they take in a bare run

examples:
  make compare BASE=main                       all but truth, seven turns
  make compare BASE=HEAD~1 ONLY=calls RUNS=15  one part, more often
  python -m tools.bench.states main --only start --only weaving --pure

A ratio is this checkout over BASE: the median of the turns' ratios, and the smallest and largest. Where all of at least
five lie on one side of 1, the table says `slower` or `quicker`; on a machine that does other things too, believe what a
second run repeats. Exit status 0 if all was measured, 1 if something could not be, 2 for wrong arguments.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests import jars
from tools.bench.common import compiled, jvms, oldest, run, scratch
from tools.bench.figures import BenchError, Figure, Results, Values, table
from tools.bench.installations import NOTHING_OF_THE_CHECKOUT, commands, installed, tree_of, tree_of_checkout
from tools.bench.programs import h2

CALLS = {
    "count": ("count Calls::empty", ""),
    "time": ("time Calls::empty", ""),
    "profile": ("profile Calls::empty", ""),
    "cover": ("cover Calls", ""),
    "alloc": ("alloc * in Calls", "objects"),
}
PROGRAMS = {
    "count": "count org.h2.**::*",
    "time": "time org.h2.**::*",
    "profile": "profile org.h2.**::*",
    "cover": "cover org.h2.**",
}
WOVEN = {"count": "count jdk:java.util.**::*", "time": "time jdk:java.util.**::*"}
NOT_INLINED = [
    "-XX:CompileCommand=quiet",
    "-XX:CompileCommand=dontinline,Calls::empty",
    "-XX:CompileCommand=dontinline,Lengths::c*",
]
IN_ONE = 100  # calls of Lengths' callers in an activation
ENOUGH = 5  # turns, to say which is slower
Homes = dict[str, Path]


# ---- one measurement


def classhook(home: Path, *words: str | Path) -> str:
    """Returns what a command of an installation prints. Raises BenchError."""
    done = subprocess.run(
        [home / "classhook", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | NOTHING_OF_THE_CHECKOUT,
    )
    if done.returncode:
        raise BenchError(f"{home}: classhook {words[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def numbers(text: str) -> list[float]:
    return [float(line.split()[0]) for line in text.splitlines() if line[:1].isdigit()]


def bare(java: str, *words: str) -> list[float]:
    return numbers(subprocess.run([java, *words], capture_output=True, text=True, check=True).stdout)


def data() -> Path:
    folder = scratch() / "states-data"
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def reported(home: Path, rule: str, command: list[str]) -> tuple[list[float], dict[str, Any]]:
    """The numbers that the program printed, and the report."""
    folder = data()
    printed = classhook(home, "run", "--quiet", "--no-cache", "-o", folder, "-e", rule, "--", *command)
    return numbers(printed), json.loads(classhook(home, "report", folder, "-f", "json"))


def whole(home: Path, rule: str, cache: Path, command: list[str], cold: bool = False) -> Values:
    """Wall and CPU time of a program under a rule. `cold`: with an empty cache."""
    if cold:
        shutil.rmtree(cache, ignore_errors=True)
    words: list[str | Path] = [
        home / "classhook",
        "run",
        "--quiet",
        "--cache",
        cache,
        "-o",
        data(),
        "-e",
        rule,
        "--",
        *command,
    ]
    return {kind: value for kind, value in run(words).items() if kind in ("cpu", "wall")}


def beyond(loop: float, home: Path, rule: str, command: list[str]) -> Values:
    """The ns of an iteration, but for what the loop takes without us."""
    return {"ns": reported(home, rule, command)[0][0] - loop}


def a_class(home: Path, rule: str, command: list[str]) -> Values:
    _, report = reported(home, rule, command)
    return {"us": report["processes"][0]["weaving_ns"] / report["classes"]["matched"] / 1e3}


def of_the_truth(home: Path, command: list[str], takes: list[float]) -> Values:
    """The parts of what callees and callers take that the report has."""
    _, report = reported(home, "time Lengths::c*", command)
    rows = {row["method"]: row for row in report["methods"]}
    found = {}
    for i, ns in enumerate(takes):
        caller, callee = rows[f"caller{i}"]["p50_ns"] / IN_ONE, rows[f"callee{i}"]["p50_ns"]
        found |= {
            f"callee of {ns / 2:.0f} ns": 2 * callee / ns,
            f"caller of {ns / 2:.0f} ns": 2 * (caller - callee) / ns,
        }
    return found


# ---- parts: each adds variants, `what/state`, and measures them by turns


def calls(homes: Homes, results: Results, turns: int) -> None:
    for release, java in jvms().items():
        for kind in ("", "objects"):
            words = [java, *NOT_INLINED, "-cp", str(compiled("Calls.java")), "Calls", *([kind] if kind else [])]
            loop = min(bare(*words)[0] for _ in range(3))
            variants: dict[str, Callable[[], Values]] = {}
            for word, (rule, made) in CALLS.items():
                for name, home in homes.items() if made == kind else ():
                    variants[f"JDK {release}, {word}/{name}"] = partial(beyond, loop, home, rule, words)
            results.by_turns(variants, turns, f"calls on JDK {release}")


def start(homes: Homes, results: Results, turns: int) -> None:
    for release, java in jvms().items():
        hello = [java, "-cp", str(compiled("Hello.java")), "Hello"]
        variants: dict[str, Callable[[], Values]] = {}
        for name, home in homes.items():
            for cold, cache in ((True, "empty"), (False, "filled")):
                kept = scratch() / f"states-cache-{name}-{release}-{cache}"
                whole(home, "time Hello::*", kept, hello)
                variants[f"JDK {release}, cache {cache}/{name}"] = partial(
                    whole, home, "time Hello::*", kept, hello, cold
                )
        results.by_turns(variants, 2 * turns, f"Hello on JDK {release}")


def weaving(homes: Homes, results: Results, turns: int) -> None:
    release, java = oldest()
    hello = [java, "-cp", str(compiled("Hello.java")), "Hello"]

    variants: dict[str, Callable[[], Values]] = {}
    for word, rule in WOVEN.items():
        for name, home in homes.items():
            variants[f"JDK {release}, a class of java.util by {word}/{name}"] = partial(a_class, home, rule, hello)
    results.by_turns(variants, turns, "weaving")


def programs(homes: Homes, results: Results, turns: int) -> None:
    release, java = oldest()
    jar = jars.find("h2.jar")
    if jar is None:
        raise BenchError(jars.missing("h2.jar"))
    variants: dict[str, Callable[[], Values]] = {}
    for word, rule in PROGRAMS.items():
        for name, home in homes.items():
            kept, program = scratch() / f"states-cache-h2-{name}-{word}", [java, *h2(jar)]
            whole(home, rule, kept, program)  # fills the cache
            variants[f"JDK {release}, H2 by {word}/{name}"] = partial(whole, home, rule, kept, program)
    results.by_turns(variants, turns, "H2")


def truth(homes: Homes, results: Results, turns: int) -> None:
    for release, java in jvms().items():
        words = [java, *NOT_INLINED, "-cp", str(compiled("Lengths.java")), "Lengths"]
        takes = [min(column) for column in zip(*(bare(*words) for _ in range(3)), strict=True)]

        variants = {
            f"JDK {release}, of the truth/{name}": partial(of_the_truth, home, words, takes)
            for name, home in homes.items()
        }
        results.by_turns(variants, turns, f"lengths on JDK {release}")


PARTS = {part.__name__: part for part in (calls, start, weaving, programs, truth)}
USUAL = [name for name in PARTS if name != "truth"]
LEAST = {"ns": 0.3}  # of what takes less, a ratio says nothing
FORMS = {"ns": "{:.2f} ns", "us": "{:.0f} us", "cpu": "{:.3f} s", "wall": "{:.3f} s"}


# ---- what is printed


def verdict(ratio: Figure) -> str:
    if len(ratio.values) < ENOUGH or min(ratio.values) <= 1 <= max(ratio.values):
        return ""
    return "slower" if min(ratio.values) > 1 else "quicker"


def rows(results: Results) -> list[list[str]]:
    found = []
    for name in results.values:
        what, state, kind = name.rsplit("/", 2)
        if state != "this":
            continue
        this, base = results.figure(name), results.figure(what, "base", kind)
        form = FORMS.get(kind, "{:.2f}")
        ratio = this.over(base) if base and min(base.values) > LEAST.get(kind, 0) else Figure(())
        judged = verdict(ratio) if kind in FORMS else ""
        found.append(
            [
                f"{what}: {kind}",
                this.text(form),
                base.text(form),
                ratio.text("{:.3f}") if ratio else "",
                judged,
                str(len(this.values)),
            ]
        )
    return found


def main() -> int:
    about, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.states",
        description=about,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("base", metavar="BASE", help="a commit, or a folder with an installation")
    parser.add_argument(
        "--this", metavar="STATE", help="a commit or an installation to measure in place of this checkout"
    )
    parser.add_argument("--runs", type=int, default=7, metavar="N", help="turns (default 7; Hello has twice as many)")
    parser.add_argument(
        "--only", choices=PARTS, action="append", help="a part; may be given again (default: all but truth)"
    )
    parser.add_argument("--pure", action="store_true", help="do not compile the weavers")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs: at least 1")
    try:
        if not Path(options.base).is_dir():
            tree_of(options.base)
        if options.this and not Path(options.this).is_dir():
            tree_of(options.this)
    except BenchError as error:
        parser.error(str(error))
    failed = False
    try:
        this = commands(options.this, options.pure) if options.this else installed(tree_of_checkout(), options.pure)
        homes = {"this": this, "base": commands(options.base, options.pure)}
    except BenchError as error:
        print(f"cannot install: {error}", file=sys.stderr)
        return 1
    print(
        f"this: {options.this or 'this checkout'}; base: {options.base}; load of the machine: {os.getloadavg()[0]:.1f}"
    )
    for name in options.only or USUAL:
        results = Results(name)
        try:
            PARTS[name](homes, results, options.runs)
        except BenchError as error:
            results.absent[name] = str(error)
        print(
            f"\n## {name}\n\n" + table(["what", "this", "base", "this over base", "", "runs"], rows(results)),
            flush=True,
        )
        for what, why in results.absent.items():
            failed = True
            print(f"{what} was not measured: {why}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
