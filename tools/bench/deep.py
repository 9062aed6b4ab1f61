"""The costs of `cpu` by the depth of stacks: the sampler's time for a look, the time of the thread that it looks at,
and both as a part of the program's time."""

from __future__ import annotations

from functools import partial

from classhook.model.call_tree import Call, add_tree
from classhook.native._layout import lib
from classhook.store.data_file import DataFile
from tools.bench.common import Agent, compiled, oldest, run, scratch
from tools.bench.figures import Figure, Results, Values, runs, table

ROUNDS = 50_000  # a second or so
FRAMES = (50, 200, 500, 1000)
DEPTHS = (64, 256, 1024)
SHOWN = 1024  # in the table
PERIODS = ("10ms", "1ms")
NS_OF_US, NS_OF_MS, US_OF_MS = 1000, 1_000_000, 1000


def sampling(file: DataFile) -> Values:
    """The mean interval between two looks at a running thread, in ms."""
    found = add_tree(Call(None), file.region(lib.CH_CPU_TREE), {})
    return {"interval": found.interval_ns / NS_OF_MS} if found else {}


def measured(values: Values) -> Values:
    """Adds the CPU time in us that the program's thread and the sampler's took, as the program has printed them."""
    own, sampler = map(int, (scratch() / "out").read_text().split())
    return {**values, "own": own / NS_OF_US, "sampler": sampler / NS_OF_US}


def measure(results: Results) -> None:
    release, java = oldest()
    results.facts = {"release": release}
    for frames in FRAMES:
        words = ["-cp", str(compiled("Deep.java")), "Deep", str(frames), str(ROUNDS)]
        variants = {f"{frames}/bare": lambda words=words: measured(run([java, *words]))}
        for period in PERIODS:
            for depth in DEPTHS:
                agent = Agent((f"cpu every {period} depth {depth}",))
                variants[f"{frames}/{period} {depth}"] = partial(sampled, agent, java, words)
        results.by_turns(variants, runs(5), f"stacks of {frames} frames")


def sampled(agent: Agent, java: str, words: list[str]) -> Values:
    return measured(agent.run(java, words, sampling))


def looks(results: Results, name: str) -> Figure:
    """The number of looks while the program worked."""
    worked, interval = results.figure(name, "own"), results.figure(name, "interval")
    return Figure(tuple(us / (ms * US_OF_MS) for us, ms in zip(worked.values, interval.values, strict=False)))


def tables(results: Results) -> str:
    rows = []
    for frames in FRAMES:
        bare = results.figure(str(frames), "bare", "own")
        for period in PERIODS:
            name = f"{frames}/{period} {SHOWN}"
            own, sampler, number = (
                results.figure(name, "own"),
                results.figure(name, "sampler"),
                looks(results, name),
            )
            if own and bare:
                part = Figure(
                    tuple((a + b) / c - 1 for a, b, c in zip(own.values, sampler.values, bare.values, strict=False))
                )
                costs = [one.over(number).text("{:.0f} us") for one in (sampler, own.minus(bare))]
                interval = results.figure(name, "interval").text("{:.1f} ms")
                rows.append([str(frames), f"`every {period}`", interval, *costs, part.text("{:+.1%}")])
    return table(
        ["frames", "rule", "interval", "the sampler, a look", "the thread, a look", "both, of the program"], rows
    )
