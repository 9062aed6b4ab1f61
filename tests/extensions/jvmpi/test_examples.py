"""The specification's own examples, as docs/examples/jvmpi has them: they run as printed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, classhook_command
from tests.events.conftest import said
from tests.extensions.jvmpi import page
from tests.extensions.jvmpi.conftest import Profiled


def example(name: str) -> str:
    return (page.EXAMPLES / f"{name}.py").read_text()


@pytest.mark.core
def test_the_programs_of_the_page(profiled: Profiled) -> None:
    first, second, third = re.findall(r"^```python\n(.*?)^```$", page.PATH.read_text(), re.DOTALL | re.MULTILINE)
    result = profiled(first, "Work", "calls", head="")
    assert re.fullmatch(r"java caught\n\d+ classes were loaded\n", result.stdout)
    result = profiled(second, "Work", head="")
    assert re.search(r"^\d+ bytes at \[<CallFrame", result.stdout, re.MULTILINE)
    result = profiled(third, "Work", "compile", head="")
    assert re.fullmatch(r"(0x[0-9a-f]+( < \S+)+\n)+", result.stdout)  # what is inlined: tests/events/test_demos.py


def test_class_loads(profiled: Profiled, h2: Path) -> None:
    program = ("-cp", h2, "org.h2.tools.Shell", "-url", "jdbc:h2:mem:x", "-sql", "create table t(n int primary key)")
    result = profiled(example("class_loads"), *program, head="")
    (total,) = re.findall(r"^(\d+) classes were loaded$", result.stdout, re.MULTILINE)
    threads = re.findall(r"^  (\d+) by (.+)$", result.stdout, re.MULTILINE)
    assert int(total) > 300
    assert threads[0][1] == "main"
    assert "most of them in org.h2" in result.stdout or "most of them in java." in result.stdout


def test_the_heap_analyser(jvm: Jvm, classes: Path, tmp_path: Path) -> None:
    """By SIGQUIT, then at the end."""
    pytest.importorskip("numpy")
    own = ["--quiet", "--agent", page.EXAMPLES / "heap_analyser.py", "-o", tmp_path / "data"]
    line = [*classhook_command(), "run", *own, "--", jvm.java, "-cp", classes, "Work", "forever"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        (pid,) = (int(child) for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
        os.kill(pid, signal.SIGQUIT)
        found = []
        while len(found) < 3:
            line_ = process.stdout.readline()
            found += [line_] if line_.startswith("level") else []
        rest, _ = process.communicate("\n", timeout=PATIENCE)
    assert re.match(r"level 0: \d+ objects; ", found[0])
    assert re.match(r"level 1: \d+ roots; references from java\.\S+ \d+; ", found[1])
    assert re.match(r"level 2: \d{5,} bytes in arrays of bytes$", found[2])
    assert [line.split(":")[0] for line in rest.splitlines()] == ["level 0", "level 1", "level 2"]


@pytest.mark.measured
def test_the_cpu_profiler(profiled: Profiled) -> None:
    """The two methods that compute, the one that does three times as much first; nobody who sleeps."""
    result = profiled(example("cpu_profiler"), "Busy", head="")
    (total,) = re.findall(r"^(\d+) samples$", result.stdout, re.MULTILINE)
    rows = re.findall(r"^ *(\d+) +(\d+)  (\S+)$", result.stdout, re.MULTILINE)
    own = {method: int(count) for count, _, method in rows}
    assert int(total) >= 10
    assert own["Busy.much"] > own.get("Busy.little", 0)
    assert own["Busy.much"] + own.get("Busy.little", 0) + own.get("Busy.compute", 0) > int(total) / 2
    assert not [method for method in own if "sleep" in method]
    assert said(result, "classhook:") == []
