"""One round: a JVM that runs Stress with both scripts, what is done to it from outside meanwhile, and a watch that no
round outlives.

1. In a round of kind `run`, the scripts are there from the start, and no event may be missing. From outside come the
   commands of `ctl`, SIGQUIT, and exchanges of the second script; these stop before the program compares its counts
   with the MXBeans'.
2. In a round of kind `attach`, the agent comes and goes while the program runs.
3. If the JVM has not ended long after it should have, the stacks of its threads are kept, Java's and the native ones,
   and it is killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.conftest import ENVIRONMENT, classhook_command

HERE = Path(__file__).parent
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah")
#: How the program ends, and its exit status then.
ENDS = {"return": 0, "exit": 3, "signal": 143}
KINDS = ("run", "attach")
PATIENCE = 240.0  # seconds that a JVM may take longer than it was told to, on a busy machine
COMMAND_PATIENCE = 120.0
RULES = ("count Stress::work(..)", "time Stress::generate", "alloc Stress$Drop in Stress::*", "locks parks")
#: What a program says on stderr that is no problem: of JVMs about options, and about the JVM that is being
#: instrumented.
USUAL = ("classhook: 1 JVM instrumented", "OpenJDK 64-Bit Server VM warning: Sharing is only supported", "WARNING: ")


@dataclass(frozen=True, slots=True)
class Round:
    """What to run. `seconds`: how long the program works; `options`: more of the JVM's."""

    java: Path
    release: int
    collector: str
    end: str
    kind: str
    seconds: float
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.release} {self.collector} {self.end} {self.kind}"


@dataclass(slots=True)
class Outcome:
    """What came of it. `truth`: the program's numbers; `told`: the first script's; `handlers`: the second one's, one
    for each time it was run."""

    round: Round
    folder: Path
    status: int | None = None
    output: str = ""
    errors: list[str] = field(default_factory=list)
    truth: dict[str, int] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)
    handlers: list[dict[str, int]] = field(default_factory=list)
    commands: int = 0
    histograms: int = 0
    problems: list[str] = field(default_factory=list)


def numbers(output: str, word: str) -> list[dict[str, int]]:
    """What `WORD NAME NUMBER` lines say: a dictionary for each block of such lines, which begins where a name comes
    again."""
    found: list[dict[str, int]] = []
    for line in output.splitlines():
        match line.split():
            case [first, name, number] if first == word and number.isdecimal():
                if not found or name in found[-1]:
                    found.append({})
                found[-1][name] = int(number)
    return found


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
    for script in ("jvmpi_script.py", "handler_script.py"):
        shutil.copy(HERE / script, folder)
    outcome = Outcome(one, folder)
    output, errors = (folder / "stdout").open("w+"), (folder / "stderr").open("w+")
    with output, errors:
        process = subprocess.Popen(
            line_of(one, classes, folder),
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
                f"hangs: {time.monotonic() - began:.0f} s; stacks in"
                f" {keep_stacks(one, jvm_pid(folder, process), folder)}"
            )
            kill(jvm_pid(folder, process), process)
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
    options = (f"-XX:+Use{one.collector}GC", "-Xmx300m", f"-XX:ErrorFile={folder}/hs_err.log", *one.options)
    quiet = ["quiet-driver", "quiet-script"] if one.kind == "run" else []
    program = [one.java, *options, "-cp", classes, "Stress", f"{one.seconds:g}", one.end, *quiet]
    if one.kind == "attach":
        return program
    rules = [word for rule in RULES for word in ("-e", rule)]
    return [*classhook_command(), "run", *scripts(), *rules, "-o", "data", "--no-cache", "--", *program]


def scripts() -> list[str]:
    return ["--agent", "jvmpi_script.py=quiet=quiet-script,stop=quiet-driver", "--agent", "handler_script.py"]


def jvm_pid(folder: Path, process: subprocess.Popen[bytes]) -> int:
    """That of the JVM: `classhook run` becomes it, or starts it."""
    for path in (folder / "data").glob("*.ctl"):
        return int(path.stem.partition("-")[0])
    return process.pid


# ---- from outside


def said(outcome: Outcome, word: str) -> bool:
    return f"{word}\n" in (outcome.folder / "stdout").read_text(errors="replace")


def act(outcome: Outcome, process: subprocess.Popen[bytes], random: Random) -> None:
    one = outcome.round
    while not said(outcome, "ready") and process.poll() is None:
        time.sleep(0.1)
    pid, until = jvm_pid(outcome.folder, process), time.monotonic() + one.seconds
    choose = attached if one.kind == "attach" else commanded
    while time.monotonic() < until and process.poll() is None and not said(outcome, "stopping"):
        choose(outcome, pid, random)
        time.sleep(random.random())
    (outcome.folder / "quiet-driver").write_text("quiet")
    if one.end == "signal" and process.poll() is None:
        os.kill(pid, signal.SIGTERM)


def ctl(outcome: Outcome, pid: int, *words: str, may_fail: bool = True) -> None:
    """A command. That it fails is a problem if it should not, and that Python fails always is."""
    outcome.commands += 1
    try:
        done = subprocess.run(
            [*classhook_command(), *words],
            cwd=outcome.folder,
            capture_output=True,
            text=True,
            timeout=COMMAND_PATIENCE,
            env=ENVIRONMENT,
        )
    except subprocess.TimeoutExpired:
        outcome.problems.append(
            f"no answer to `{' '.join(words)}` in {COMMAND_PATIENCE:.0f} s; stacks in"
            f" {keep_stacks(outcome.round, pid, outcome.folder)}"
        )
        return
    outcome.histograms += words[-1] == "histogram"
    ended = "no JVM" in done.stderr or said(outcome, "stopping")
    if "Traceback" in done.stderr or (done.returncode and not may_fail and not ended):
        outcome.problems.append(f"`{' '.join(words)}` answered {done.returncode}: {done.stderr.strip()[-300:]}")


def commanded(outcome: Outcome, pid: int, random: Random) -> None:
    choice = random.randrange(9)
    if choice < len(COMMANDS):
        ctl(outcome, pid, "ctl", str(pid), *COMMANDS[choice], may_fail=False)
    elif choice == len(COMMANDS):
        ctl(outcome, pid, "ctl", str(pid), "rules", "add", "count Stress::pause", may_fail=False)
        ctl(outcome, pid, "ctl", str(pid), "rules", "remove", "count Stress::pause", may_fail=False)
    else:
        os.kill(pid, signal.SIGQUIT)


COMMANDS = (
    ("status",),
    ("threads",),
    ("gc",),
    ("heap", "histogram"),
    ("told",),
    ("agent", "reload", "handler_script.py"),
    ("jvmpi", "dump"),
)


def attached(outcome: Outcome, pid: int, random: Random) -> None:
    ctl(outcome, pid, "attach", str(pid), *scripts(), "-e", RULES[0], "-o", "data")
    time.sleep(random.random() * 2)
    ctl(outcome, pid, "ctl", str(pid), *random.choice(COMMANDS[:4]))
    if random.random() < 0.9:  # else the JVM may end with it
        ctl(outcome, pid, "detach", str(pid))


# ---- what hangs


def keep_stacks(one: Round, pid: int, folder: Path) -> Path:
    """Writes all stacks to a file, and returns its path."""
    path = folder / f"stacks-{time.monotonic():.0f}.txt"
    tools = (
        ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt"],
        [str(one.java.parent / "jstack"), "-l", str(pid)],
    )
    with path.open("w") as file:
        for tool in tools:
            file.write(f"---- {' '.join(tool)}\n")
            file.flush()
            try:
                subprocess.run(tool, stdout=file, stderr=subprocess.STDOUT, timeout=120, env=ENVIRONMENT)
            except (OSError, subprocess.TimeoutExpired) as error:
                file.write(f"{error}\n")
    return path


def kill(pid: int, process: subprocess.Popen[bytes]) -> None:
    """Only what this round started."""
    process.kill()
    if pid != process.pid and Path(f"/proc/{pid}/cwd").exists():
        os.kill(pid, signal.SIGKILL)
    process.wait()
