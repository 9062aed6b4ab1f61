"""`classhook top` in terminals of tmux, as a user sees it; `report --watch` in a pipe."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, FindJvm, classhook_command, run_line

SIZES = [(80, 24), (200, 60)]


class Terminal:
    """A terminal of its own tmux server."""

    def __init__(self, folder: Path, width: int, height: int) -> None:
        self.line = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self.folder = folder
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), "sh")
        self.tmux("set-option", "-g", "escape-time", "0")

    def tmux(self, *words: str) -> str:
        done = subprocess.run(
            [*self.line, *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={**ENVIRONMENT, "LC_ALL": "C.UTF-8"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, *command: str | Path) -> None:
        self.tmux("send-keys", "-l", f"{shlex.join(map(str, command))}; echo status $?\n")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def until(self, shows: Callable[[str], object]) -> str:
        """The first screen of which this holds."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            screen = self.screen()
            if shows(screen):
                return screen
            time.sleep(0.1)
        pytest.fail(f"not to be seen:\n{self.screen()}")

    def until_there(self, *texts: str) -> str:
        return self.until(lambda screen: all(re.search(text, screen) for text in texts))


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[[int, int], Terminal]]:
    if shutil.which("tmux") is None:
        pytest.skip("no tmux: apt-get install tmux")
    made: list[Terminal] = []

    def make(width: int, height: int) -> Terminal:
        made.append(Terminal(tmp_path, width, height))
        return made[-1]

    yield make
    for one in made:
        one.tmux("kill-server")


@pytest.fixture
def busy(compiled: Compiled, find_jvm: FindJvm, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program that goes on until its input ends."""
    rules = ["time Steady::* tree", "alloc byte[] in Steady"]
    line = run_line(rules, tmp_path / "data", [find_jvm(17).java, "-cp", compiled("Steady"), "Steady"])
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_terminal_shows_what_runs(
    width: int, height: int, terminal: Callable[[int, int], Terminal], busy: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    screen = terminal(width, height)
    screen.start(*classhook_command(), "top", tmp_path / "data", "--every", "200ms")
    text = screen.until_there(
        r"\d [nµm]?s +[▁-█]+ .*Steady\.\w+\(",
        "1 timed 4",
        "2 allocations 1",
        r"running, .*Steady",
        "q quit",
        "total/s",
        "thrown" if width == 200 else "",
    )
    assert "Traceback" not in text
    assert ("thrown" in text) == (width == 200)
    assert len(text.rstrip("\n").splitlines()) == height

    screen.press("/", "s", "t", "e", "p", "Enter")
    text = screen.until_there("filter: step", r"Steady\.step\(int\)")
    assert "outer" not in text
    screen.press("Enter")
    screen.until_there(
        "callers", r"Steady\.outer\(\)", "callees", "how long calls took", r"\d+ ns - +[\d.]+ [nµm]?s +[\d,]+ [█▏]"
    )
    screen.press("Escape")
    screen.until_there("self/s")
    screen.press("Escape")
    screen.until(lambda text: "filter:" not in text.splitlines()[1])
    screen.press("g")
    screen.until_there("by class", r"(?m) Steady$")
    screen.press("Tab")
    screen.until_there(r"objects/s", "bytes/s")
    screen.press("?")
    screen.until_there("its callers and callees", "any key goes back")
    screen.press("x", "p")
    screen.until_there("PAUSED")
    screen.press("p")
    screen.until(lambda text: "PAUSED" not in text)

    assert busy.stdin is not None
    busy.stdin.close()
    screen.until_there(r"\d+ has ended \(\d\d:\d\d:\d\d\)")
    screen.press("q")
    screen.until_there("status 0")


def test_a_jvm_that_is_killed_is_said_so(
    terminal: Callable[[int, int], Terminal], busy: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    screen = terminal(80, 24)
    screen.start(*classhook_command(), "top", tmp_path / "data", "--every", "200ms")
    screen.until_there("running, ")
    (data,) = (tmp_path / "data").glob("*.classhook")
    subprocess.run(["kill", "-9", re.match(r"\d+", data.name)[0]], check=True)  # type: ignore[index]
    text = screen.until_there("was killed")
    assert "Steady" in text
    screen.press("q")
    screen.until_there("status 0")


def test_a_jvm_by_its_process_id(
    terminal: Callable[[int, int], Terminal], busy: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    (data,) = (tmp_path / "data").glob("*.classhook")
    screen = terminal(80, 24)
    what = data.name.partition("-")[0]
    screen.start(*classhook_command(), "top", what, "--every", "200ms", "--sort", "calls", "--filter", "Steady::*e*")
    text = screen.until_there(f"{what} running", r"Steady\.step\(int\)", "filter: Steady::")
    assert text.index(".step(") < text.index(".outer(")


def test_without_a_terminal_it_says_what_to_do(busy: subprocess.Popen[bytes], tmp_path: Path) -> None:
    done = subprocess.run(
        [*classhook_command(), "top", tmp_path / "data"],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (
        2,
        "classhook: top needs a terminal; for pipes and files: classhook report --watch 2s\n",
    )
    done = subprocess.run(
        [*classhook_command(), "top", tmp_path / "no"],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=PATIENCE,
    )
    assert (done.returncode, "no such file" in done.stderr) == (2, True)


def test_report_watch_goes_on_until_the_jvm_ends(busy: subprocess.Popen[bytes], tmp_path: Path) -> None:
    line = [*classhook_command(), "report", "--watch", "100ms", "-f", "json", tmp_path / "data"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as watching:
        assert watching.stdout is not None
        reports = [json.loads(watching.stdout.readline()) for _ in range(2)]
        assert busy.stdin is not None
        busy.stdin.close()
        reports += map(json.loads, watching.stdout)
        assert watching.wait(PATIENCE) == 0
    calls = [next(row["calls"] for row in report["methods"] if row["method"] == "step") for report in reports]
    assert calls == sorted(calls)
    assert calls[0] < calls[-1]
    assert [report["processes"][0]["end"] for report in (reports[0], reports[-1])] == ["running", "exit"]
