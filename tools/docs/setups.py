"""Files that some pages' folders hold before their commands run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from classhook.native._layout import ffi

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
#: Programs that run in the background.
STARTED: list[subprocess.Popen[str]] = []


def finish() -> None:
    """Ends what a page has started."""
    while STARTED:
        with STARTED.pop() as jvm:
            jvm.kill()


def thousand(folder: Path, environment: dict[str, str]) -> None:
    """`runs`: the data of 1,000 runs on ten machines, copies of a real one."""
    line = [
        "classhook",
        "run",
        "--quiet",
        "-e",
        "time shop.**::*",
        "-o",
        "one",
        "--",
        "java",
        "-cp",
        "classes",
        "shop.ShopTests",
    ]
    subprocess.run(line, cwd=folder, env=environment, check=True, capture_output=True)
    (file,) = (folder / "one").glob("*.classhook")
    data = bytearray(file.read_bytes())
    at = ffi.offsetof("struct ch_header", "pid")
    for number in range(1000):
        data[at : at + 4] = (1000 + number).to_bytes(4, sys.byteorder)
        path = folder / "runs" / f"machine{number % 10}" / f"{1000 + number}.classhook"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def service(folder: Path, environment: dict[str, str]) -> None:
    """A program that runs until the page has ended: `$PID`."""
    line = ["java", "-XX:+EnableDynamicAgentLoading", "-cp", "classes", "app.Service"]
    jvm = subprocess.Popen(line, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    STARTED.append(jvm)
    assert jvm.stdout is not None
    assert jvm.stdout.readline() == "open\n"
    environment["PID"] = str(jvm.pid)


def jar(folder: Path, environment: dict[str, str]) -> None:
    """`app.jar`, with the example program `app.App`."""
    subprocess.run(
        ["jar", "-c", "-f", "app.jar", "-e", "app.App", "-C", "classes", "app/App.class"],
        cwd=folder,
        env=environment,
        check=True,
    )


def sources(folder: Path, environment: dict[str, str]) -> None:
    """`src`: the sources of the example programs."""
    shutil.copytree(EXAMPLES, folder / "src")


def suite(folder: Path, environment: dict[str, str]) -> None:
    """`junit.jar`, JUnit's console launcher, and a test of the shop in `tests-classes`."""
    from tests import peers
    from tests.coverage.conftest import peer

    shutil.copy(peer(peers.JUNIT_CONSOLES["1.13.4"]), folder / "junit.jar")
    source = EXAMPLES.parents[1] / "tests" / "jvm" / "java" / "suites" / "shop" / "StockTest.java"
    subprocess.run(
        ["javac", "-cp", "classes:junit.jar", "-d", "tests-classes", source], cwd=folder, env=environment, check=True
    )


def blamed(folder: Path, environment: dict[str, str]) -> None:
    """`junit.jar`, JUnit's console launcher, and tests in `target/classes` of which one pollutes another."""
    from tests import peers
    from tests.coverage.conftest import peer

    shutil.copy(peer(peers.JUNIT_CONSOLES["1.13.4"]), folder / "junit.jar")
    sources = sorted((EXAMPLES.parents[1] / "tests" / "jvm" / "java" / "suites" / "blamed").glob("*.java"))
    subprocess.run(
        ["javac", "-g", "-cp", "junit.jar", "-d", "target/classes", *sources], cwd=folder, env=environment, check=True
    )


def assistant(folder: Path, environment: dict[str, str]) -> None:
    """The script docs/examples/assistants/ask.py, which asks `classhook mcp`."""
    shutil.copy(EXAMPLES / "assistants" / "ask.py", folder)


def fleet(folder: Path, environment: dict[str, str]) -> None:
    """`paris` and `tokyo`: data of two machines on which version 4.0 of the shop ran, then 4.1, in which discounts take
    longer; `ci`: of a run of its tests. Only there, the shop has no index. `desks`: of version 4.2 of the help desk, on
    both machines, with the agent of OpenTelemetry."""
    suite(folder, environment)
    prices = (EXAMPLES / "shop" / "Prices.java").read_text()
    slower = 'for (int n = 0; n < 500; n++) String.format("%d", n);'
    (folder / "Prices.java").write_text(prices.replace("for (int i", f"{slower}\n        for (int i", 1))
    shutil.copytree(folder / "classes", folder / "classes-4.1")
    subprocess.run(
        ["javac", "-g", "-cp", "classes", "-d", "classes-4.1", "Prices.java"], cwd=folder, env=environment, check=True
    )
    run = ["classhook", "run", "--quiet", "--label", "service=shop", "-e", "cover shop.**"]
    lines = [
        [*run, "--label", f"host={host}", "--label", f"version={version}", "-e", "profile shop.**::*", "-o", host]
        + ["--", "java", "-Dshop.index=true", "-cp", classes, "shop.Shop", "100"]
        for host in ("paris", "tokyo")
        for version, classes in (("4.0", "classes"), ("4.1", "classes-4.1"))
    ]
    junit = ["java", "-jar", "junit.jar", "execute", "--scan-classpath", "-cp", "classes-4.1:tests-classes"]
    lines.append([*run, "--tests", "--label", "host=runner", "--label", "version=4.1", "--label", "ci.job=tests"])
    lines[-1] += ["-e", "count shop.**::*", "-o", "ci", "--", *junit]
    for line in lines:
        subprocess.run(
            line, cwd=folder, env=environment, check=line is not lines[-1], capture_output=True
        )  # one of the tests fails
    desks(folder, environment)


def desks(folder: Path, environment: dict[str, str]) -> None:
    """The data `desks`, whose calls have traces."""
    from tests import peers
    from tests.coverage.conftest import peer

    run = ["classhook", "run", "--quiet", "--label", "service=desk", "--label", "version=4.2", "-o", "desks"]
    run += ["-e", "time desk.Desk::handle slowest 5 by arg0.impl.uri.path"]
    settings = [*(f"{what}.exporter=none" for what in ("traces", "metrics", "logs"))]
    settings += [
        "instrumentation.common.default-enabled=false",
        "instrumentation.java-http-server.enabled=true",
    ]  # or it starts for ten seconds
    java = [
        "java",
        "-XX:TieredStopAtLevel=1",
        f"-javaagent:{peer(peers.OPENTELEMETRY)}",
        *(f"-Dotel.{one}" for one in settings),
    ]
    lines = [
        [*run, "--label", f"host={host}", "--", *java, "-cp", "classes", "desk.Desk", "100"]
        for host in ("paris", "tokyo")
    ]
    for one in [
        subprocess.Popen(line, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for line in lines
    ]:
        said, _ = one.communicate()
        assert one.returncode == 0, said


SETUPS = {
    "assistant": assistant,
    "blamed": blamed,
    "fleet": fleet,
    "jar": jar,
    "service": service,
    "sources": sources,
    "suite": suite,
    "thousand": thousand,
}
