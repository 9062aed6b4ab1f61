"""Tools that are brought into a program that runs: how long until they tell of it, how long it stands still meanwhile,
what they cost.

1. A program calls one method all the time. A tool is started as its users do it, and asked again and again until its
   answer names the method.
2. async-profiler and Byteman have commands of their own for attaching, which are not in these jars of Maven Central:
   they are loaded by classhook's code, in this process, which saves them the start of one.
"""

from __future__ import annotations

import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from classhook.base.errors import Failure
from classhook.live import protocol
from classhook.live.jvms import jvm_of
from tests import peers
from tools.bench.common import CLI, compiled, peer, scratch
from tools.bench.figures import BenchError, Results, Values, table

PATIENCE_S = 60
PROGRAM = "Watched"
COUNTING = f"""RULE count
CLASS {PROGRAM}
METHOD step
AT ENTRY
IF TRUE
DO incrementCounter("calls")
ENDRULE
RULE tell
CLASS {PROGRAM}
METHOD told
AT ENTRY
IF TRUE
DO openTrace("told", "FILE"), traceln("told", "counted " + readCounter("calls")), closeTrace("told")
ENDRULE
"""


@dataclass(frozen=True, slots=True)
class Program:
    """The program that runs. `out`: where the tool writes."""

    java: Path
    process: subprocess.Popen[str]
    out: Path

    @property
    def pid(self) -> str:
        return str(self.process.pid)

    def stood_still(self) -> float:
        """The longest time in ms since it was asked last, and calls the method `told`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("p")
        self.process.stdin.flush()
        while (line := self.process.stdout.readline()) and not line[0].isdigit():
            pass  # async-profiler's messages
        return float(line or "nan")

    def tool(self, name: str, *words: str | Path) -> str:
        """Returns what a tool of the JVM's JDK prints. Raises BenchError."""
        return output(self.java.with_name(name), *words)

    def load(self, *words: str) -> None:
        """Raises BenchError."""
        found = jvm_of(self.process.pid)
        try:
            status, said = protocol.execute(found, "load", *words) if found else (1, "it has ended")
        except Failure as failure:
            status, said = 1, str(failure)
        if status:
            raise BenchError(f"{Path(words[0]).name}: {said}")


def output(*line: str | Path) -> str:
    """Raises BenchError."""
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"{' '.join(map(str, line[:2]))}: {(done.stderr + done.stdout).strip()[-300:]}")
    return done.stdout


@dataclass(frozen=True, slots=True)
class Tool:
    """`start`: brings it into the program; `asked`: what it tells of the program so far."""

    title: str
    start: Callable[[Program], None]
    asked: Callable[[Program], str]


# ---- the tools


def classhook(rule: str) -> Callable[[Program], None]:
    return lambda program: (
        output(*CLI, "attach", program.pid, "-e", rule, "-o", str(program.out), "--no-cache", "--quiet") and None
    )


def reported(program: Program) -> str:
    return output(*CLI, "report", str(program.out))


def start_byteman(program: Program) -> None:
    jar, rules = peer(peers.BYTEMAN), program.out.with_suffix(".btm")
    rules.write_text(COUNTING.replace("FILE", str(program.out)))
    program.load("instrument", "false", f"{jar}=script:{rules},boot:{jar}")


def asked_byteman(program: Program) -> str:
    program.stood_still()
    text = program.out.read_text() if program.out.exists() else ""
    return PROGRAM if "counted " in text.replace("counted 0\n", "") else ""


def start_jfr(program: Program) -> None:
    program.tool("jcmd", program.pid, "JFR.start", "name=bench", "settings=profile")


def asked_jfr(program: Program) -> str:
    program.tool("jcmd", program.pid, "JFR.dump", "name=bench", f"filename={program.out}.jfr")
    return program.tool("jfr", "print", "--events", "jdk.ExecutionSample", f"{program.out}.jfr")


@cache
def async_profiler() -> Path:
    """Its library for this machine. Raises BenchError."""
    library = scratch() / "libasyncProfiler.so"
    with zipfile.ZipFile(peer(peers.ASYNC_PROFILER)) as jar:
        library.write_bytes(jar.read("linux-x64/libasyncProfiler.so"))
    return library


def start_async(program: Program) -> None:
    program.load(str(async_profiler()), "true", "start,event=itimer,interval=10ms")


def asked_async(program: Program) -> str:
    program.load(str(async_profiler()), "true", f"dump,collapsed,file={program.out}")
    return program.out.read_text()


TOOLS = {
    "count": Tool("classhook, `count` of the method", classhook(f"count {PROGRAM}::step"), reported),
    "byteman": Tool(f"Byteman {peers.BYTEMAN.version}, `incrementCounter` in the method", start_byteman, asked_byteman),
    "cpu": Tool("classhook, `cpu every 10ms`", classhook("cpu every 10ms"), reported),
    "jfr": Tool("JFR, `jcmd JFR.start settings=profile`", start_jfr, asked_jfr),
    "async": Tool(f"async-profiler {peers.ASYNC_PROFILER.version}, every 10 ms", start_async, asked_async),
}


# ---- measuring


@contextmanager
def running(java: str) -> Iterator[Program]:
    line = [java, "-Xmx256m", "-XX:+EnableDynamicAgentLoading", "-cp", str(compiled(f"{PROGRAM}.java")), PROGRAM]
    process = subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield Program(Path(java).resolve(), process, scratch() / f"attached-{process.pid}")
    finally:
        process.kill()
        process.wait()


def measured(java: str, name: str, speed: Callable[[subprocess.Popen[str]], float]) -> Values:
    """`first`: seconds until the first figure; `pause`: ms; `bare`, `attached`: of a call, ns. Raises BenchError."""
    tool = TOOLS[name]
    with running(java) as program:
        bare = speed(program.process)
        program.stood_still()
        start, pause = time.monotonic(), 0.0
        tool.start(program)
        while PROGRAM not in tool.asked(program):
            pause = max(pause, program.stood_still())
            if time.monotonic() > start + PATIENCE_S:
                raise BenchError(f"{tool.title}: told nothing in {PATIENCE_S} s")
        first = time.monotonic() - start
        pause = max(pause, program.stood_still())
        return {"first": first, "pause": pause, "bare": bare, "attached": speed(program.process)}


def tables(results: Results) -> str:
    forms = {"first": "{:.2f} s", "pause": "{:.1f} ms", "bare": "{:.1f} ns", "attached": "{:.1f} ns"}
    rows = [
        [release, tool.title, *(results.figure(release, name, kind).text(form) for kind, form in forms.items())]
        for release in results.names(0)
        for name, tool in TOOLS.items()
        if results.figure(release, name, "first")
    ]
    return table(
        ["JDK", "tool", "until the first figure", "longest pause meanwhile", "a call, bare", "while attached"], rows
    )
