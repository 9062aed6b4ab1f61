"""Loops that run while their classes are changed: they stay fast, and their classes are changed when they have
ended."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from classhook.live import protocol
from classhook.live.jvms import jvm_of
from tests.conftest import ENVIRONMENT, OLDEST_AND_NEWEST, Jvm, on, report_of, until
from tests.live.conftest import classhook
from tests.pressure.conftest import leave_nothing

RULE = "count Busy$*::*"
HOT, VIRTUAL = "Busy$Hot::loop (thread hot)", "Busy$Virtual::loop (thread "
SLOWER = 5  # times: in the interpreter it is 10 or more, and the machine may be busy


class Busy:
    """The program, and what the tests do with it."""

    def __init__(self, jvm: Jvm, classes: Path, data: Path, reader: Path) -> None:
        line = [jvm.java, "-cp", classes, "Busy"]
        self.process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT
        )
        self.pid, self.data, self.reader, self.jvm = str(self.process.pid), data, reader, jvm
        self.read()

    def read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def tell(self, command: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.read()

    def cpu_ns(self) -> list[int]:
        """The CPU time of the threads that run the loops: the platform thread, and the virtual one's carriers."""
        used = {"hot": 0, "ForkJoinPool-1-": 0}
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            with suppress(OSError):  # it has ended
                name = (task / "comm").read_text().strip()
                if name in used:
                    used[name] += int((task / "schedstat").read_text().split()[0])
        return [*used.values()]

    def rates(self) -> list[float]:
        """Turns of the loops for each ns of CPU time: of the platform thread, and of the virtual one, if there is
        one."""
        before = self.cpu_ns()
        turns = map(int, self.tell("rate").split())
        rates = [n / max(now - then, 1) for n, now, then in zip(turns, self.cpu_ns(), before, strict=True)]
        return rates if self.jvm.version >= 21 else rates[:1]

    def best_rates(self) -> list[float]:
        self.tell("begin")
        time.sleep(0.3)  # until they are compiled
        return [max(some) for some in zip(*(self.rates() for _ in range(3)), strict=True)]

    def stay_fast(self, before: list[float]) -> None:
        until(lambda: all(now > then / SLOWER for now, then in zip(self.rates(), before, strict=True)))

    def does(self, *words: str | Path) -> str:
        done = classhook(words[0], self.pid, *words[1:])
        assert done.status == 0, done.stderr
        return done.stderr

    def postponed(self) -> list[str]:
        found: list[str] = json.loads(classhook("ctl", self.pid, "--json", "status").stdout)["postponed"]
        return found

    def calls(self) -> dict[str, int]:
        """Returns the calls of two methods; asserts that a third one, if counted, has been called, too."""
        counts = {row["method"]: row["calls"] for row in report_of(self.data)["methods"]}
        assert counts.get("sum", 1) > 0
        return {name: counts.get(name, 0) for name in ("once", "handle")}

    def codes(self) -> dict[str, str]:
        found = jvm_of(self.process.pid)
        out = self.data.with_name("bytecodes")
        assert found is not None
        protocol.execute(found, "load", str(self.reader), "true", str(out))
        return {
            name: code
            for name, code in (line.rsplit(" ", 1) for line in out.read_text().splitlines())
            if name.startswith("LBusy")
        }

    def threads(self) -> list[str]:
        names: list[str] = []
        for path in Path(f"/proc/{self.pid}/task").glob("*/comm"):
            with suppress(OSError):  # it has ended
                names.append(path.read_text().strip())
        return [name for name in names if name.startswith("classhook")]


@pytest.fixture
def busy(jvm: Jvm, classes: Path, reader: Path, tmp_path: Path) -> Iterator[Busy]:
    program = Busy(jvm, classes, tmp_path / "data", reader)
    try:
        yield program
        assert program.process.poll() is None
    finally:
        program.process.kill()
        program.process.communicate()
        leave_nothing(program.data)


@OLDEST_AND_NEWEST
def test_loops_stay_fast_until_they_end(busy: Busy) -> None:
    rates = busy.best_rates()
    original = busy.codes()
    said = busy.does("attach", "-e", RULE, "-o", busy.data)
    assert HOT in said
    assert (VIRTUAL in said) == (len(rates) == 2)
    assert f"classhook ctl {busy.pid} now" in said
    busy.stay_fast(rates)
    assert HOT in busy.postponed()
    until(lambda: "Busy$Short" not in str(busy.postponed()))  # it is called again and again, but each call ends soon
    busy.tell("call")  # each of the two, a thousand times
    assert busy.calls() == {"once": 0, "handle": 1000}  # the dispatcher's loop waits: nobody waits for that
    assert f"changed when its loop ends: {HOT}" in classhook("ctl", busy.pid, "status").stdout
    busy.tell("end")
    until(lambda: not busy.postponed() and not busy.threads())
    busy.tell("call")
    assert busy.calls() == {"once": 1000, "handle": 2000}

    rates = busy.best_rates()
    woven = busy.codes()
    said = busy.does("detach")
    assert "will be restored" in said
    assert HOT in said
    busy.stay_fast(rates)
    assert busy.codes()["LBusy$Hot;"] == woven["LBusy$Hot;"] != original["LBusy$Hot;"]
    busy.tell("end")
    until(lambda: not busy.threads())
    assert busy.codes() == original


@on(17)
def test_now(busy: Busy) -> None:
    """The loop becomes slow, and so shows what the others are spared."""
    rates = busy.best_rates()
    original = busy.codes()
    assert "Busy$Hot" not in busy.does("attach", "--now", "-e", RULE, "-o", busy.data)
    busy.tell("call")
    assert busy.calls() == {"once": 1000, "handle": 1000}
    time.sleep(0.5)  # in which it would be compiled
    assert busy.rates()[0] < rates[0] / SLOWER
    assert "Busy$Hot" not in busy.does("detach")  # it is slow already
    assert busy.codes() == original
    assert busy.threads() == []
    busy.tell("end")

    rates = busy.best_rates()
    assert HOT in busy.does("attach", "-e", "count Busy$Short::*", "-e", "count Busy$Hot::once", "-o", busy.data)
    assert "no loaded class changed" in busy.does("ctl", "pause", "2")  # it has no probes yet
    assert HOT in busy.does("ctl", "resume", "2")
    busy.stay_fast(rates)
    assert "Busy$Hot" not in busy.does("ctl", "now")
    busy.tell("call")
    assert busy.calls()["once"] == 2000
    assert busy.postponed() == []
    busy.does("detach", "--now")
    assert busy.codes() == original
    assert busy.threads() == []
