"""The costs of HPROF's options, by turns with bare programs, async-profiler and JFR: ten threads sampled each ms, whole
programs, dumps of a heap."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tools.bench.attached import async_profiler
from tools.bench.common import CLI, Agent, compiled, last_number, oldest, run, scratch
from tools.bench.figures import Results, Values, runs, table
from tools.bench.programs import programs

WORK = 100_000  # times for each of ten threads
OBJECTS = 3_000_000
HEAP = ["-Xms1500m", "-Xmx1500m"]
OURS = {
    "samples": "cpu=samples,interval=1",
    "samples10": "cpu=samples,interval=10",
    "times": "cpu=times",
    "sites": "heap=sites",
    "monitor": "monitor=y",
}
ASYNC = {"async-cpu": "event=cpu,interval=1ms", "async-alloc": "event=alloc", "async-lock": "event=lock"}
JFR = "-XX:StartFlightRecording:settings=profile,{more}filename={file}"
JFR_FAST = "jdk.ExecutionSample#period=1ms,"
NAMES = {
    "samples": "`cpu=samples,interval=1`",
    "samples10": "`cpu=samples,interval=10`",
    "times": "`cpu=times`",
    "sites": "`heap=sites`",
    "monitor": "`monitor=y`",
    "async-cpu": "async-profiler, CPU each ms",
    "async-alloc": "async-profiler, allocations",
    "async-lock": "async-profiler, locks",
    "jfr-fast": "JFR, CPU each ms",
    "jfr": "JFR, profile",
}
#: The goal for ten threads sampled each ms: their time at most, relative to bare.
GOAL = 1.02


def with_async(java: str, options: str, words: list[str]) -> Values:
    return run([java, f"-agentpath:{async_profiler()}=start,{options},file={scratch() / 'async.jfr'}", *words])


def with_jfr(java: str, more: str, words: list[str]) -> Values:
    return run([java, JFR.format(more=more, file=scratch() / "run.jfr"), *words])


def variants(
    java: str, place: str, words: list[str], ours: list[str], theirs: list[str]
) -> dict[str, Callable[[], Values]]:
    """A program bare, with ours and with the others; caches are warmed."""
    from classhook.extensions.hprof.options import parse  # pages are made without the extension, too

    found: dict[str, Callable[[], Values]] = {f"{place}/bare": partial(run, [java, *words])}
    for name in ours:
        agent = Agent(tuple(parse(OURS[name]).rules()), f"hprof-{name}-{Path(place).name}")
        agent.run(java, words)
        found[f"{place}/{name}"] = partial(agent.run, java, words)
    for name in theirs:
        if name in ASYNC:
            found[f"{place}/{name}"] = partial(with_async, java, ASYNC[name], words)
        else:
            found[f"{place}/{name}"] = partial(with_jfr, java, JFR_FAST if name == "jfr-fast" else "", words)
    return found


def measure(results: Results) -> None:
    release, java = oldest()
    results.facts = {"release": release}
    ten = ["-cp", str(compiled("Ten.java")), "Ten", str(WORK)]
    results.by_turns(
        variants(java, "ten", ten, ["samples", "samples10"], ["async-cpu", "jfr-fast"]), runs(15), "ten threads"
    )
    for name, words in programs(results).items():
        theirs = ["async-cpu", "async-alloc", "async-lock", "jfr-fast", "jfr"]
        results.by_turns(variants(java, name, words, ["samples", "times", "sites", "monitor"], theirs), runs(7), name)
    results.by_turns(heaps(java), runs(5), "heap")


def heaps(java: str) -> dict[str, Callable[[], Values]]:
    """A dump by the MXBean, by the agent at the end, as HPROF's text, and read by `classhook heap`."""
    words = [*HEAP, "-cp", str(compiled("Objects.java")), "Objects", str(OBJECTS)]
    binary, text, theirs = scratch() / "ours.hprof", scratch() / "ours.txt", scratch() / "theirs.hprof"

    def by_bean() -> Values:
        theirs.unlink(missing_ok=True)
        run([java, *words, theirs])
        return {"ms": last_number(), "megabytes": theirs.stat().st_size / 1e6}

    def by_agent(options: str, file: Path) -> Values:
        values = run([*CLI, "hprof", f"{options},verbose=n,file={file}", "--", java, *words])
        return {**values, "megabytes": file.stat().st_size / 1e6}

    return {
        "heap/bare": partial(run, [java, *words]),
        "heap/bean": by_bean,
        "heap/binary": partial(by_agent, "heap=dump,format=b", binary),
        "heap/text": partial(by_agent, "heap=dump", text),
        "heap/read": lambda: run([*CLI, "heap", theirs]),
    }


def tables(results: Results) -> str:
    made = []
    for place, what in (("ten", "ten threads"), ("h2", "H2")):
        rows = []
        for name, label in NAMES.items():
            if results.figure(place, name, "wall"):
                ratios = [
                    results.over(f"{place}/{name}/{kind}", f"{place}/bare/{kind}").text("x{:.3f}")
                    for kind in ("wall", "cpu")
                ]
                rows.append([label, *ratios])
        if rows:
            bare = [results.figure(place, "bare", kind).text("{:.2f} s") for kind in ("wall", "cpu")]
            made.append(table([what, "wall time", "CPU time"], [["bare", *bare], *rows]))
    ours = {"heap=dump,format=b": "binary", "heap=dump": "text"}
    heap = [
        [
            "HotSpot's dump by its MXBean",
            results.figure("heap", "bean", "ms").text("{:.0f} ms"),
            megabytes(results, "bean"),
        ],
        *(
            [
                f"`{options}`, beyond the program",
                results.minus(f"heap/{name}/wall", "heap/bare/wall").text("{:.2f} s"),
                megabytes(results, name),
            ]
            for options, name in ours.items()
        ),
        ["`classhook heap`, histogram", results.figure("heap", "read", "wall").text("{:.2f} s"), ""],
    ]
    made.append(table([f"{OBJECTS:,} objects", "time", "file"], heap))
    return "\n\n".join(made)


def megabytes(results: Results, name: str) -> str:
    return results.figure("heap", name, "megabytes").text("{:.0f} MB")
