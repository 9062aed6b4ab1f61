"""What some pages' folders hold before their commands run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from classhook.native._layout import ffi

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
#: Programs that run in the background.
STARTED: list[subprocess.Popen[str]] = []


def finish() -> None:
    """Ends what a page has started."""
    while STARTED:
        with STARTED.pop() as jvm:
            jvm.kill()


def thousand(folder: Path, environment: dict[str, str]) -> None:
    """`runs`: the data of 1,000 runs on ten machines, copies of a real one."""
    line = ["classhook", "run", "--quiet", "-e", "time shop.**::*", "-o", "one", "--", "java", "-cp", "classes", "shop.ShopTests"]
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
    subprocess.run(["jar", "-c", "-f", "app.jar", "-e", "app.App", "-C", "classes", "app/App.class"], cwd=folder, env=environment, check=True)


def sources(folder: Path, environment: dict[str, str]) -> None:
    """`src`: the sources of the example programs."""
    shutil.copytree(EXAMPLES, folder / "src")


def suite(folder: Path, environment: dict[str, str]) -> None:
    """`junit.jar`, JUnit's console launcher, and a test of the shop in `tests-classes`."""
    from tests import peers
    from tests.coverage.conftest import peer

    shutil.copy(peer(peers.JUNIT_CONSOLES["1.13.4"]), folder / "junit.jar")
    source = EXAMPLES.parents[1] / "tests" / "jvm" / "java" / "suites" / "shop" / "StockTest.java"
    subprocess.run(["javac", "-cp", "classes:junit.jar", "-d", "tests-classes", source], cwd=folder, env=environment, check=True)


def assistant(folder: Path, environment: dict[str, str]) -> None:
    """The script docs/examples/assistants/ask.py, which asks `classhook mcp`."""
    shutil.copy(EXAMPLES / "assistants" / "ask.py", folder)


SETUPS = {"assistant": assistant, "jar": jar, "service": service, "sources": sources, "suite": suite, "thousand": thousand}
