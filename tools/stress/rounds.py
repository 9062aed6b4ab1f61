"""One round: a JVM that runs Stress, what is done to it from outside meanwhile (kinds.py), and a watch that no round
outlives: if the JVM has not ended long after it should have, the stacks of its threads are kept, Java's and the native
ones, and it is killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path
from random import Random

from tests.conftest import ENVIRONMENT, classhook_command
from tools.stress.hanging import keep_stacks, kill
from tools.stress.kinds import COMMAND_PATIENCE, KINDS
from tools.stress.limits import chosen, under
from tools.stress.outcomes import Outcome, Round, numbers

HERE = Path(__file__).parent
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")
#: Ways in which the program ends -> its exit status.
ENDS = {"return": 0, "exit": 3, "signal": 143}
PATIENCE = 240.0  # seconds that a JVM may take longer than it was told to, on a busy machine
#: Beginnings of lines on stderr that are no problem: those of JVMs about options, and about the JVM that is being
#: instrumented.
USUAL = ("classhook: 1 JVM instrumented", "OpenJDK 64-Bit Server VM warning: Sharing is only supported", "WARNING: ")


def prepared(scratch: Path, javac: Path) -> Path:
    """The folder of the compiled program."""
    classes = scratch / "classes"
    subprocess.run(
        [javac, "--release", "17", "-g", "-d", classes, HERE / "Stress.java"], check=True, timeout=120, env=ENVIRONMENT
    )
    return classes


def run(one: Round, classes: Path, folder: Path, random: Random) -> Outcome:
    """Runs it in this folder, which is made."""
    folder.mkdir(parents=True)
    if one.limit:
        folder.chmod(0o777)
        one = replace(one, value=chosen(one.limit, program(one, classes, folder), folder, random))
    for script in ("jvmpi_script.py", "handler_script.py"):
        shutil.copy(HERE / script, folder)
    outcome = Outcome(one, folder)
    output, errors = (folder / "stdout").open("w+"), (folder / "stderr").open("w+")
    with output, errors:
        process = subprocess.Popen(
            [*(under(one.limit, one.value) if one.limit else ()), *line_of(one, classes, folder)],
            cwd=folder,
            stdout=output,
            stderr=errors,
            env=ENVIRONMENT | {"CLASSHOOK_END_S": f"{PATIENCE:.0f}"},
        )
        began = time.monotonic()
        actions = threading.Thread(target=act, args=(outcome, process, random))
        actions.start()
        try:
            outcome.status = process.wait(one.seconds + PATIENCE)
        except subprocess.TimeoutExpired:
            outcome.problems.append(
                f"hangs: {time.monotonic() - began:.0f} s; stacks in {keep_stacks(one.java, jvm_pid(process), folder)}"
            )
            kill(jvm_pid(process), process)
        actions.join(COMMAND_PATIENCE * 2)
        output.seek(0)
        errors.seek(0)
        outcome.output = output.read()
        outcome.errors = [line for line in errors.read().splitlines() if line and not line.startswith(USUAL)]
    outcome.truth = (numbers(outcome.output, "truth") or [{}])[0]
    outcome.told = (numbers(outcome.output, "told") or [{}])[-1]
    outcome.handlers = numbers(outcome.output, "handlers")
    return outcome


def line_of(one: Round, classes: Path, folder: Path) -> list[str | Path]:
    kind = KINDS[one.kind]
    if not kind.words:
        return program(one, classes, folder)
    return [*classhook_command(), "run", *kind.words, "-o", "data", "--no-cache", "--", *program(one, classes, folder)]


def program(one: Round, classes: Path, folder: Path) -> list[str | Path]:
    """The program's own command."""
    kind = KINDS[one.kind]
    options = (f"-XX:+Use{one.collector}GC", "-Xmx300m", f"-XX:ErrorFile={folder}/hs_err.log", *one.options)
    return [
        *(one.java, *options, *kind.options(one, folder), "-cp", classes),
        *("Stress", f"{one.seconds:g}", one.end, *kind.arguments),
    ]


def jvm_pid(process: subprocess.Popen[bytes]) -> int:
    """That of the JVM, which `classhook run` starts."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    started = children.read_text().split() if children.exists() else []
    return int(started[0]) if started else process.pid


# ---- from outside


def act(outcome: Outcome, process: subprocess.Popen[bytes], random: Random) -> None:
    one = outcome.round
    while not outcome.said("ready") and process.poll() is None:
        time.sleep(0.1)
    pid, until = jvm_pid(process), time.monotonic() + one.seconds
    while time.monotonic() < until and process.poll() is None and not outcome.said("stopping"):
        KINDS[one.kind].drive(outcome, pid, random)
        time.sleep(random.random())
    (outcome.folder / "quiet-driver").write_text("quiet")
    if one.end == "signal" and process.poll() is None:
        os.kill(pid, signal.SIGTERM)
