"""The JDK's demos of JVMTI as scripts: each runs in a real program, and its numbers are those that the JVM itself tells
otherwise."""

from __future__ import annotations

import html
import json
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import (
    ENVIRONMENT,
    JAVA_SOURCES,
    PATIENCE,
    FindJvm,
    Jvm,
    Result,
    classhook_command,
    execute,
    need_jar,
)
from tests.jvm.test_jfr_oracle import CLASSES, PACKAGE, jfr_counts

DEMOS = Path(__file__).parents[2] / "docs" / "examples" / "demos"
SCRIPTS = sorted(DEMOS.glob("*.py"))

Demo = Callable[..., Result]


@pytest.fixture
def demo(classes: Path, tmp_path: Path) -> Demo:
    """Runs a program with scripts: their names and options, the JVM, its words."""

    def run(scripts: str | list[str], jvm: Jvm, *words: str | Path) -> Result:
        named = [
            part for one in ([scripts] if isinstance(scripts, str) else scripts) for part in ("--agent", placed(one))
        ]
        path = f"{classes}:{need_jar('h2.jar')}:{need_jar('eclipse-jdt-core.jar')}"
        line = [
            *classhook_command(),
            "run",
            "--quiet",
            *named,
            "-o",
            tmp_path / "data",
            "--no-cache",
            "--",
            jvm.java,
            "-cp",
            path,
            *words,
        ]
        result = execute(line)
        assert (result.status, result.stderr) == (0, "")
        return result

    return run


def placed(script: str) -> str:
    name, equals, options = script.partition("=")
    return f"{name if name.endswith('.py') else DEMOS / name}{'' if name.endswith('.py') else '.py'}{equals}{options}"


def tool(jvm: Jvm, name: str, *words: str | Path) -> str:
    done = subprocess.run(
        [jvm.tool(name), *words], capture_output=True, text=True, timeout=PATIENCE, env=ENVIRONMENT, check=True
    )
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_is_short(script: Path) -> None:
    text = re.sub(r'\A""".*?"""', "", script.read_text(), count=1, flags=re.DOTALL)
    assert len([line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]) < 25


def test_version_check(demo: Demo, jvm: Jvm) -> None:
    result = demo("version_check", jvm, "Shop", "1")
    shown = subprocess.run(
        [jvm.java, "-XshowSettings:properties", "-version"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=ENVIRONMENT,
    ).stderr
    facts = dict(re.findall(r"^ +([\w.]+) = (.*)$", shown, re.MULTILINE))
    found = re.match(
        r"JVMTI (\d+)\.\d+\.\d+: (.*) (\S+) \(Java (\d+)\), classhook \S+, Python \d\.\d+\.\d+\n", result.stdout
    )
    assert found is not None, result.stdout
    assert [found[1], found[2], found[3], found[4]] == [
        facts[f"java.{name}"] for name in ("specification.version", "vm.name", "vm.version")
    ] + [facts["java.specification.version"]]


def test_gctest(demo: Demo, jvm: Jvm, tmp_path: Path) -> None:
    """The demo shows as many collections as the collector's own log, and as long ones."""
    log = tmp_path / "gc.log"
    demo_of_ecj = [
        "-XX:+UseSerialGC",
        "-Xmx48m",
        "-Xmn8m",
        f"-Xlog:gc:file={log}",
        f"{PACKAGE}.batch.Main",
        *ecj(tmp_path),
    ]
    result = demo("gctest", jvm, *demo_of_ecj)
    logged = [float(ms) for ms in re.findall(r"GC\(\d+\) Pause .* (\d+\.\d+)ms$", log.read_text(), re.MULTILINE)]
    told = [float(ms) for ms in re.findall(r"^collection \d+: (\d+\.\d+) ms$", result.stdout, re.MULTILINE)]
    assert len(told) == len(logged) > 3
    assert f"{len(logged)} collections began, {len(logged)} ended: " in result.stdout
    assert all(abs(ours - theirs) < 1 + theirs / 10 for ours, theirs in zip(told, logged, strict=True)), (told, logged)


def ecj(tmp_path: Path) -> list[str]:
    return [
        "-17",
        "-proc:none",
        "-nowarn",
        "-d",
        str(tmp_path / "out"),
        *map(str, sorted((JAVA_SOURCES / "known").glob("*.java"))),
    ]


def test_minst_and_mtrace(demo: Demo, find_jvm: FindJvm, tmp_path: Path) -> None:
    """Both in one run of a compiler, against JFR's own count of calls in it (JDK 25)."""
    jvm, recording = find_jvm(25), tmp_path / "recording.jfr"
    jfr = [f"-XX:StartFlightRecording:method-timing={CLASSES[0]},filename={recording}", "-Xlog:jfr*=off"]
    result = demo(["minst", f"mtrace={CLASSES[0]}::*"], jvm, *jfr, f"{PACKAGE}.batch.Main", *ecj(tmp_path))
    theirs = {
        f"{name}.{method}{of}": n
        for (name, method, of), n in jfr_counts(jvm, recording).items()
        if method != "<clinit>"
    }
    counted = {method: int(n) for n, method in re.findall(r"^ +(\d+) (\S+)$", result.stdout, re.MULTILINE)}
    traced: Counter[str] = Counter()
    for calls, returns, owner, method in re.findall(
        r"^ +(\d+) calls +(\d+) returns  (\S+)::(\S+) \[.+\]$", result.stdout, re.MULTILINE
    ):
        traced[f"{owner}.{method}"] += int(calls)
        assert int(returns) <= int(calls)
    ours = {
        method: n for method, n in counted.items() if method.startswith(f"{CLASSES[0]}.") and "<clinit>" not in method
    }
    assert ours == {method: n for method, n in traced.items() if "<clinit>" not in method}
    assert len(theirs) > 30
    assert sum(theirs.values()) > 50_000
    thrown = {method for method in theirs if ours[method] != theirs[method]}  # JFR counts rethrown exceptions, too
    assert ours.keys() == theirs.keys()
    assert len(thrown) < 3, {method: (ours[method], theirs[method]) for method in thrown}


#: A second script, which asks the JVM's own histogram at the same moment.
HISTOGRAM = """
from classhook.agent import Agent, Event
from classhook.agent.dumps import asked
agent = Agent()
@agent.on.end(timeout=0)
def end(e: Event) -> None:
    for row in asked("heap histogram"): print("jvm", row["line"])
"""


def rows_of(lines: str) -> dict[str, tuple[int, int]]:
    """Reads the JVM's histogram: objects and bytes by class; classes of one name together."""
    found: dict[str, tuple[int, int]] = {}
    for objects, size, name in re.findall(r"^(?:jvm)? *\d+: +(\d+) +(\d+) +(\S+)", lines, re.MULTILINE):
        before = found.get(name, (0, 0))
        found[name] = (before[0] + int(objects), before[1] + int(size))
    return found


def test_heap_tracker(demo: Demo, jvm: Jvm, tmp_path: Path) -> None:
    """The live objects of each of H2's classes, added up over the places that allocated them, are those that the JVM
    counts."""
    (tmp_path / "histogram.py").write_text(HISTOGRAM)
    every = (DEMOS / "heap_tracker.py").read_text().replace("[:20]", "")
    (tmp_path / "heap_tracker.py").write_text(every)
    result = demo(
        [f"{tmp_path}/heap_tracker.py=org.h2.**", f"{tmp_path}/histogram.py"],
        jvm,
        "Library",
        "jdbc:h2:mem:kept;db_close_delay=-1",
    )
    tracked: dict[str, tuple[int, int]] = {}
    for size, objects, allocated, name in re.findall(
        r"^ +(\d+) bytes +(\d+) alive +(\d+) allocated  (\S+) at ", result.stdout, re.MULTILINE
    ):
        before = tracked.get(name, (0, 0))
        tracked[name] = (before[0] + int(objects), before[1] + int(size))
        assert int(objects) <= int(allocated)
    # H2 2.5 copies its pages by clone(), of which scripts are not told
    unlike = re.compile(r"\$\$Lambda|\[\]$|^org\.h2\.mvstore\.Page\$")
    theirs = {
        name: row
        for name, row in rows_of(result.stdout).items()
        if name.startswith("org.h2.") and not unlike.search(name)
    }
    ours = {name: row for name, row in tracked.items() if not unlike.search(name)}
    assert len(theirs) > 50
    assert ours == theirs


def test_heap_tracker_counts_each_allocation(demo: Demo, jvm: Jvm) -> None:
    """The program opens 3,000 sessions, and keeps 1,000."""
    result = demo("heap_tracker=Sessions$Session", jvm, "Sessions", "3000")
    assert re.findall(r"(\d+) alive +(\d+) allocated  (\S+) at", result.stdout) == [
        ("1000", "3000", "Sessions$Session")
    ]


def test_heap_viewer(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    """A database that does nothing: what SIGQUIT shows is what jcmd shows."""
    view = (DEMOS / "heap_viewer.py").read_text().replace("= 100", "= 100_000")
    (tmp_path / "heap_viewer.py").write_text(view)
    own = ["--quiet", "--agent", tmp_path / "heap_viewer.py", "-o", tmp_path / "data"]
    path = f"{classes}:{need_jar('h2.jar')}"
    line = [
        *classhook_command(),
        "run",
        *own,
        "--",
        jvm.java,
        "-cp",
        path,
        "Bank",
        "jdbc:h2:mem:bank",
        "2",
        "3",
        "wait",
    ]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "money 6\n"
        (file,) = (tmp_path / "data").glob("*.ctl")
        pid = file.stem.partition("-")[0]
        theirs = rows_of(tool(jvm, "jcmd", pid, "GC.class_histogram"))
        subprocess.run(["kill", f"-{signal.SIGQUIT.value}", pid], check=True)
        first = next(line for line in process.stdout if " objects of " in line)
        objects, count, size = map(int, re.findall(r"\d+", first))
        rows = [process.stdout.readline().split() for _ in range(count)]
        process.communicate("\n", timeout=PATIENCE)
    ours = {name: (int(n), int(bytes_)) for bytes_, n, name in rows}
    assert (sum(n for n, _ in ours.values()), sum(bytes_ for _, bytes_ in ours.values())) == (objects, size)
    program = {name for name in theirs if name.startswith("org.h2.") and "$$Lambda" not in name}
    assert len(program) > 50
    assert {name: ours[name] for name in program} == {name: theirs[name] for name in program}
    whole = sum(n for n, _ in theirs.values())  # a few objects come and go with either question
    assert abs(objects - whole) < whole * 0.02
    assert abs(ours["byte[]"][0] - theirs["[B"][0]) < theirs["[B"][0] * 0.05


WAITS = "+jdk.JavaMonitorWait#enabled=true,+jdk.JavaMonitorWait#threshold=0ms,+jdk.JavaMonitorEnter#enabled=true,+jdk.JavaMonitorEnter#threshold=0ms"


def test_waiters(demo: Demo, jvm: Jvm, tmp_path: Path) -> None:
    """Transactions that wait for each other in H2, and a lock of the program's: each wait is one of JFR's."""
    recording = tmp_path / "recording.jfr"
    jfr = [f"-XX:StartFlightRecording:filename={recording},settings=none,{WAITS}", "-Xlog:jfr*=off"]
    result = demo("waiters", jvm, *jfr, "Bank", "jdbc:h2:mem:bank", "4", "50")
    ours = {
        (name, what): int(n)
        for n, what, name in re.findall(r"^ +(\d+) (MONITOR\S+(?: \(timeout\))?) +(\S+)$", result.stdout, re.MULTILINE)
    }
    theirs: Counter[tuple[str, str, bool]] = Counter()
    for event in json.loads(
        tool(jvm, "jfr", "print", "--json", "--events", "jdk.JavaMonitorWait,jdk.JavaMonitorEnter", recording)
    )["recording"]["events"]:
        values = event["values"]
        name = values["monitorClass"]["name"].replace("/", ".")
        theirs[name, event["type"].removeprefix("jdk.JavaMonitor"), bool(values.get("timedOut"))] += 1
    transaction, account = "org.h2.mvstore.tx.Transaction", "Bank$Ledger"
    waits = sum(theirs[transaction, "Wait", timed_out] for timed_out in (False, True))
    assert waits > 100
    assert ours[transaction, "MONITOR_WAIT"] == waits
    assert ours.get((transaction, "MONITOR_WAITED"), 0) == theirs[transaction, "Wait", False]
    assert ours.get((transaction, "MONITOR_WAITED (timeout)"), 0) == theirs[transaction, "Wait", True]
    enters = theirs[account, "Enter", False]
    assert enters > 10
    assert ours[account, "MONITOR_CONTENDED_ENTER"] == ours[account, "MONITOR_CONTENDED_ENTERED"] == enters
    assert ours["Thread.sleep", "MONITOR_WAIT"] == ours["Thread.sleep", "MONITOR_WAITED (timeout)"] >= 200


COMPILED = re.compile(
    r"^ *\d+ +\d+ [ %][ s][ !][ b][ n] +[0-4] +(\S+?)::(\S+)(?: @ -?\d+)? +\((?:\d+ bytes\)|native\).*)$", re.MULTILINE
)
CALL = re.compile(r"^.* @ (\d+) +(\S.*)$", re.MULTILINE)
#: There may be several in one line, for the types that the receiver had.
INLINED = re.compile(r"(\S+?)::(\S+) \(\d+ bytes\) +(?:\(intrinsic\) +)?(?:force )?(?:inline|accessor)")


def compiled_in(log: str) -> Counter[str]:
    """Counts how often each method was compiled; code that links calls of method handles is in no class file."""
    found = Counter(f"{name}.{method}" for name, method in COMPILED.findall(log))
    return Counter({name: n for name, n in found.items() if not name.startswith("java.lang.invoke.MethodHandle.")})


def test_compiled_method_load(demo: Demo, jvm: Jvm, tmp_path: Path) -> None:
    """The methods that the JVM says that it compiles, and each method that we find inlined at a call was inlined
    there."""
    log = tmp_path / "vm.log"
    options = ["-Xbatch", "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintCompilation", "-XX:+PrintInlining"]
    options += ["-XX:-DisplayVMOutput", "-XX:+LogVMOutput", f"-XX:LogFile={log}"]
    result = demo("compiled_method_load", jvm, *options, "Library", "jdbc:h2:mem:")
    text = html.unescape(log.read_text(errors="replace"))
    theirs, before = (
        compiled_in(text),
        compiled_in(text[: text.index(" org.h2.")]),
    )  # before the script hears of it, code comes and goes
    ours = Counter(re.findall(r"^compiled (\S+): \d+ bytes at 0x", result.stdout, re.MULTILINE))
    assert not [name for name in theirs if ours[name] > theirs[name]]
    since = {name: n for name, n in theirs.items() if name not in before}
    assert len(since) > 100
    assert {name: ours[name] for name in since} == since
    printed = {
        (int(bci), f"{name}.{method}")
        for bci, callees in CALL.findall(text)
        for name, method in INLINED.findall(callees)
    }
    found = set()
    for line in re.findall(r"^  \+\d+ (.*)$", result.stdout, re.MULTILINE):
        frames = [frame.rpartition("@") for frame in line.split(" < ")]
        found |= {(int(caller[2]), callee[0]) for callee, caller in pairwise(frames)}
    assert len(found) > 200
    assert found <= printed, sorted(found - printed)[:10]
    assert len(found) > len(printed) * 0.9, (
        len(found),
        len(printed),
    )  # the others have no address where the JVM needs the stack
