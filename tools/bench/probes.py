"""The cost of a probe: nanoseconds per call or allocation beyond the same loop without an agent (Probes.java)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tools.bench.common import Agent, compiled, jvms, last_number, printed, scratch, with_jacoco
from tools.bench.figures import Results, Values, runs, side_by_side
from tools.bench.startup import FIRST_WITH_METHOD_TIMING, PEERS

DONT_INLINE = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Probes::empty"]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop to run: its kind, whether the method is inlined into it, and the number of threads."""

    kind: str
    inlined: bool
    threads: int

    def words(self) -> list[str]:
        return [
            *([] if self.inlined else DONT_INLINE),
            "-cp",
            str(compiled("Probes.java")),
            "Probes",
            self.kind,
            str(self.threads),
        ]

    def __str__(self) -> str:
        what = (
            "new" if self.kind == "alloc" else f"{self.kind}, inlined" if self.inlined else f"{self.kind}, not inlined"
        )
        return f"{what}, {self.threads} thread{'s' if self.threads > 1 else ''}"


LOOPS = [
    *(Loop("call", inlined, threads) for inlined in (False, True) for threads in (1, 2)),
    *(Loop("alloc", True, threads) for threads in (1, 2)),
]
#: Probe -> rule, and the kind of loop that it is measured in.
OURS = {
    "count": ("count Probes::empty", "call"),
    "profile": ("profile Probes::empty", "call"),
    "time": ("time Probes::empty", "call"),
    "alloc": ("alloc java.lang.Object in Probes::make", "alloc"),
}


def measure(results: Results) -> None:
    for release, java in jvms().items():
        for loop in LOOPS:
            line = loop.words()
            variants: dict[str, Callable[[], Values]] = {"bare": partial(printed, "ns", [java, *line])}
            for probe, (rule, kind) in OURS.items():
                if kind == loop.kind:
                    variants[probe] = partial(with_agent, Agent((rule,)), java, line)
            if loop.kind == "call":
                variants["jacoco"] = partial(with_jacoco, partial(printed, "ns"), java, line)
                if int(release) >= FIRST_WITH_METHOD_TIMING:
                    jfr = [
                        f"-XX:StartFlightRecording:method-timing=Probes::empty,filename={scratch() / 'probes.jfr'}",
                        "-Xlog:jfr*=off",
                    ]
                    variants["jfr"] = partial(printed, "ns", [java, *jfr, *line])
            results.by_turns(
                {f"{release}/{loop}/{name}": v for name, v in variants.items()}, runs(), f"{loop}, on {release}"
            )


def with_agent(agent: Agent, java: str, line: list[str]) -> Values:
    agent.run(java, line)
    return {"ns": last_number()}


def tables(results: Results) -> str:
    rows = []
    for release in results.names(0):
        for loop in map(str, LOOPS):
            bare = f"{release}/{loop}/bare/ns"
            for probe, what in [(probe, f"`{probe}`") for probe in OURS] + list(PEERS.items()):
                if results.figure(release, loop, probe, "ns"):
                    over = results.minus(f"{release}/{loop}/{probe}/ns", bare)
                    rows.append([release, loop, what, over.text("{:.2f} ns")])
    return side_by_side(["loop", "probe"], ["over bare"], rows)
