"""The program's end: what scripts and HPROF do there, whatever the collector, and however the program ends."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from classhook.native import library
from tests.conftest import ENVIRONMENT, PATIENCE, Jvm
from tests.events.conftest import HEAD, Scripted, said
from tests.extensions import needs

ENDS = ("returns", "exits", "halts")
STOPPED = "the JVM ends, and its garbage collector has stopped"

COLLECTORS = {
    "serial": ("-XX:+UseSerialGC",),
    "parallel": ("-XX:+UseParallelGC",),
    "g1": ("-XX:+UseG1GC",),
    "z": ("-XX:+UseZGC",),
    "shenandoah": ("-XX:+UseShenandoahGC",),
}


def stops_early(collector: str, jvm: Jvm) -> bool:
    """Returns whether this collector has already stopped at VMDeath."""
    return collector in ("z", "shenandoah") and jvm.version < 26


@pytest.fixture(params=COLLECTORS)
def collector(request: pytest.FixtureRequest, jvm: Jvm) -> str:
    """The name of a collector that this JVM has."""
    name = str(request.param)
    tried = subprocess.run(
        [jvm.java, *COLLECTORS[name], "-version"], capture_output=True, timeout=PATIENCE, env=ENVIRONMENT
    )
    if tried.returncode:
        pytest.skip("this JVM does not have it")
    return name


AT_THE_END = """
@agent.on.end()
def ends(e):
    for what in (lambda: agent.gc(), lambda: agent.dump.heap({dump!r})):
        try:
            what()
            print("did", flush=True)
        except Exception as error: print("refused", error, flush=True)
"""


@pytest.mark.parametrize("end", ENDS)
def test_a_script_collects_and_dumps_at_the_end(
    scripted: Scripted, jvm: Jvm, collector: str, end: str, tmp_path: Path
) -> None:
    dump = tmp_path / "end.hprof"
    result = scripted(AT_THE_END.format(dump=str(dump)), "Ends", end, options=COLLECTORS[collector])
    assert result.status == (0 if end == "returns" else 3), result.stderr
    if end == "halts" and stops_early(collector, jvm):
        assert said(result, "refused") == [STOPPED, STOPPED]
        assert not dump.exists()
    else:
        assert result.stdout.count("did\n") == 2, result.stdout
        assert dump.read_bytes().startswith(b"JAVA PROFILE")


JVMPI = """
from classhook import jvmpi

def tell(event):
    print("collected", jvmpi.RunGC() == jvmpi.SUCCESS, flush=True)

jvmpi.NotifyEvent = tell
jvmpi.EnableEvent(jvmpi.EVENT_JVM_SHUT_DOWN, None)
"""


@needs("jvmpi")
@pytest.mark.parametrize("end", ENDS)
def test_jvmpi_collects_at_the_end(scripted: Scripted, jvm: Jvm, collector: str, end: str) -> None:
    result = scripted(JVMPI, "Ends", end, options=COLLECTORS[collector], head="")
    assert result.status == (0 if end == "returns" else 3), result.stderr
    assert said(result, "collected") == [str(end != "halts" or not stops_early(collector, jvm))]


@needs("hprof")
@pytest.mark.parametrize("end", ENDS)
def test_hprof_dumps_the_heap_at_the_end(jvm: Jvm, classes: Path, collector: str, end: str, tmp_path: Path) -> None:
    agent = f"-agentpath:{library.AGENT}=hprof:heap=all,format=b,file=out.hprof"
    line = [jvm.java, *COLLECTORS[collector], agent, "-cp", classes, "Ends", end]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT)
    assert done.returncode == (0 if end == "returns" else 3), done.stderr
    if end == "halts" and stops_early(collector, jvm):
        assert STOPPED in done.stderr
    else:
        assert (tmp_path / "out.hprof").read_bytes().startswith(b"JAVA PROFILE")


ORDER = """
@agent.on.end()
def ends(e): print("agent", flush=True)
"""


def test_it_comes_after_the_hooks_of_the_program(scripted: Scripted, jvm: Jvm) -> None:
    result = scripted(ORDER, "Ends", "hooks")
    assert result.stdout.splitlines() == ["main", "hook", "agent"]


COLLECTS = """
@agent.on.end()
def ends(e):
    agent.gc()
    print("did", flush=True)
"""


def test_a_term_signal_ends_a_program_with_a_script(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    """With a collector that stops early."""
    script = tmp_path / "handlers.py"
    script.write_text(HEAD + COLLECTS)
    line = [
        jvm.java,
        "-XX:+UseZGC",
        f"-agentpath:{library.AGENT}=script={script},data={tmp_path / 'data'}",
        "-cp",
        classes,
        "Ends",
        "waits",
    ]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "main\n"
        process.terminate()
        assert process.communicate(timeout=PATIENCE)[0] == "did\n"
    assert process.returncode == 143


STUCK = {
    "handler": HEAD + "import time\n@agent.on.end(timeout=0)\ndef ends(e): time.sleep(1000)\n",
    "jvmpi": JVMPI.replace("jvmpi.RunGC()", "[0 for _ in iter(int, 1)]"),
}


@pytest.mark.any_jvm
@pytest.mark.parametrize("end", ["returns", "halts"])
@pytest.mark.parametrize("stuck", STUCK)
def test_the_jvm_ends_whatever_a_script_does(scripted: Scripted, stuck: str, end: str) -> None:
    result = scripted(STUCK[stuck], "Ends", end, head="", env={"CLASSHOOK_END_S": "1"}, rules=("count Ends::*",))
    assert result.status == 1
    assert (
        "the work at the JVM's end takes more than 1 s, so the process is ended; CLASSHOOK_END_S=SECONDS gives it more"
        in result.stderr
    )
    assert result.method("Ends::main")["calls"] == 1
