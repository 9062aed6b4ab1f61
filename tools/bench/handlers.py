"""The time that a handler costs the thread that calls the method: our handlers in each of their ways, BTrace's and
Byteman's, counts by key, and an entry of `watch` whose condition does not hold; all of the same method, which is not
inlined.

1. The program calls the method in bursts (java/Handled.java), so that queued events are taken in the pauses, and none
   is lost.
2. A handler counts the calls, or prints their arguments. At the end it tells that it was called: peers that do not work
   with a JVM say nothing else.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from tests import peers
from tools.bench.common import Agent, compiled, jvms, peer, run, scratch
from tools.bench.figures import BenchError, Figure, Results, Values, runs, side_by_side

BURSTS, BURST = 400, 500  # each of so many calls, as many again before; Handled.java
METHOD = "Handled::place"
LINE = ["-XX:CompileCommand=quiet", f"-XX:CompileCommand=dontinline,{METHOD}", "-cp"]

SCRIPT = """from classhook.agent import Agent

agent = Agent()
calls = 0

@agent.on.method_entry("Handled::place", {how})
def placing(e):
    global calls
    {does}

@agent.on.method_entry("Handled::told", sync=True)
def told(e): print("calls", calls or "all")

@agent.on.end
def end(e): print("lost", placing.lost)
"""
#: The options of a handler, and the statement in it.
SCRIPTS = {
    "queued": ("sync=False", "calls += 1"),
    "sync": ("sync=True", "calls += 1"),
    "sync-prints": ("sync=True, args=True", "print(*e.args)"),
}

RULES = """RULE placing
CLASS Handled
METHOD {method}
{at}
IF {condition}
DO {does}
ENDRULE
RULE told
CLASS Handled
METHOD told
AT ENTRY
IF TRUE
DO traceln("calls " + {calls})
ENDRULE
"""
BYTEMAN = {
    "counts": ('incrementCounter("calls")', 'readCounter("calls")'),
    "prints": ('traceln($1 + " " + $2)', '"all"'),
    "keys": ("incrementCounter($1)", 'readCounter("ann")'),
}
#: Without these it takes its runtime for JDK 8, which later ones refuse.
OPENED = [
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in ("java.lang", "jdk.internal.reflect", "jdk.internal.perf")
]

WATCHED = {
    "number": f"watch {METHOD} when arg1 > 1000",
    "string": f'watch {METHOD} when arg0 == "zoe"',
    "field": f'watch {METHOD} when arg1 > 3 && this.state == "NEW"',
    "further": f'watch {METHOD} when this.inner.state == "NEW"',
    "over": f"watch {METHOD} over 10ms",
    "every": f"watch {METHOD} every 60s",
    "first": f"watch {METHOD} first 100",
}
#: `count` with a key, and `time`.
KEYED = {
    "by-number": f"count {METHOD} by arg1",
    "by-string": f"count {METHOD} by arg0",
    "by-field": f"count {METHOD} by this.state",
    "by-further": f"count {METHOD} by this.inner.state",
    "by-two": f"count {METHOD} by arg0, arg1",
    "by-thread": f"count {METHOD} by thread",
    "by-stack": f"count {METHOD} by stack 3",
    "time": f"time {METHOD}",
    "time-by-string": f"time {METHOD} by arg0",
}
TITLES = {
    "count": f"classhook, `count {METHOD}`, in C",
    "queued": "classhook, a queued handler, counts",
    "sync": "classhook, a sync handler, counts",
    "sync-prints": "classhook, a sync handler, prints the arguments",
    "btrace-counts": f"BTrace {peers.BTRACE[0].version}, counts",
    "btrace-prints": f"BTrace {peers.BTRACE[0].version}, prints the arguments",
    "byteman-counts": f"Byteman {peers.BYTEMAN.version}, counts",
    "byteman-counts-compiled": f"Byteman {peers.BYTEMAN.version}, counts, its rule compiled to bytecode",
    "byteman-prints": f"Byteman {peers.BYTEMAN.version}, prints the arguments",
    **{name: f"`{rule}`" for name, rule in KEYED.items()},
    "btrace-keys": f"BTrace {peers.BTRACE[0].version}, counts by the string",
    "byteman-keys": f"Byteman {peers.BYTEMAN.version}, counts by the string",
    **{name: f"`{rule}`" + ", when these are shown" * (name == "first") for name, rule in WATCHED.items()},
}


def measure(results: Results) -> None:
    program = [*LINE, str(compiled("Handled.java")), "Handled", str(BURSTS)]
    for release, java in jvms().items():
        variants: dict[str, Callable[[], Values]] = {
            "bare": partial(plain, [java, *program]),
            "count": partial(with_agent, Agent((f"count {METHOD}",)), java, program),
            **{name: partial(with_script, name, java, program) for name in SCRIPTS},
            "btrace-counts": partial(with_btrace, "Counts", java, program),
            "btrace-prints": partial(with_btrace, "Prints", java, program),
            "byteman-counts": partial(with_byteman, byteman_rules("counts"), False, java, program),
            "byteman-counts-compiled": partial(with_byteman, byteman_rules("counts"), True, java, program),
            "byteman-prints": partial(with_byteman, byteman_rules("prints"), False, java, program),
            **{name: partial(with_agent, Agent((rule,)), java, program) for name, rule in KEYED.items()},
            "btrace-keys": partial(with_btrace, "Keys", java, program),
            "byteman-keys": partial(with_byteman, byteman_rules("keys"), False, java, program),
            **{name: partial(with_agent, Agent((rule,)), java, program) for name, rule in WATCHED.items()},
        }
        results.by_turns(
            {f"{release}/{name}": variant for name, variant in variants.items()}, runs(5), f"handlers on {release}"
        )


# ---- the variants


def plain(command: list[str | Path]) -> Values:
    """A bare program, or one with a handler of a peer that tells nothing. Raises BenchError."""
    run(command)
    return {"ns": number("ns")}


def told(command: list[str | Path]) -> Values:
    """Raises BenchError if the handler was not called."""
    values = plain(command)
    if not re.search(r"^calls (all|[1-9])", output(), re.MULTILINE):
        raise BenchError("its handler is not called on this JVM")
    return values


def with_agent(agent: Agent, java: str, program: list[str]) -> Values:
    agent.run(java, program)
    return {"ns": number("ns")}


def with_script(name: str, java: str, program: list[str]) -> Values:
    how, does = SCRIPTS[name]
    file = scratch() / f"{name}.py"
    file.write_text(SCRIPT.format(how=how, does=does))
    Agent((), script=str(file)).run(java, program)
    return {"ns": number("ns"), "lost": number("lost")}


def with_btrace(script: str, java: str, program: list[str]) -> Values:
    agent, boot = btrace()
    classes = compiled("Traced.java", boot)
    options = f"script={classes / f'Traced${script}.class'},noServer=true,stdout=true,bootClassPath={boot}"
    return told([java, *OPENED, f"-javaagent:{agent}={options}", *program])


@cache
def btrace() -> list[Path]:
    """Its jars, under the names by which they look for each other. Raises BenchError."""
    return [Path(shutil.copy(peer(jar), scratch() / f"{jar.name}.jar")) for jar in peers.BTRACE]


def byteman_rules(kind: str, method: str = "place", at: str = "AT ENTRY", condition: str = "TRUE") -> str:
    does, calls = BYTEMAN[kind]
    return RULES.format(method=method, at=at, condition=condition, does=does, calls=calls)


def with_byteman(text: str, to_bytecode: bool, java: str, program: list[str]) -> Values:
    jar, rules = peer(peers.BYTEMAN), scratch() / "handlers.btm"
    rules.write_text(text)
    compile_to = f"-Dorg.jboss.byteman.compile.to.bytecode={str(to_bytecode).lower()}"
    return told([java, compile_to, f"-javaagent:{jar}=script:{rules},boot:{jar}", *program])


def output() -> str:
    return (scratch() / "out").read_text(errors="replace")


def number(what: str) -> float:
    """Reads the number that the last command printed behind this word. Raises BenchError."""
    found = re.findall(rf"^{what} ([0-9.]+)$", output(), re.MULTILINE)
    if not found:
        raise BenchError(f"it did not print `{what}`")
    return float(found[-1])


# ---- the table


def beyond(results: Results, release: str, name: str) -> Figure:
    """Time of a call beyond the same call bare, ns."""
    return results.minus(f"{release}/{name}/ns", f"{release}/bare/ns")


def tables(results: Results) -> str:
    rows = []
    for release in results.names(0):
        for name, title in TITLES.items():
            if over := beyond(results, release, name):
                rows.append([release, title, over.text("{:,.1f} ns")])
        rows.append([release, "the call itself, bare", results.figure(release, "bare", "ns").text("{:.1f} ns")])
    queued = [lost for release in results.names(0) for lost in results.figure(release, "queued", "lost").values]
    said = f"{sum(queued):,.0f} of {len(queued) * 2 * BURSTS * BURST:,} queued events were lost."
    return side_by_side(["what"], ["a call costs more"], rows) + f"\n\n{said}"
