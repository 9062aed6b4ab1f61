"""Weaves hostile classes in a process of its own, and tells seconds and memory: `python -m tests.fuzz.measure [NAME]...`."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parent.parent.parent
LOOP_SECONDS = 0.02
RULES = {
    "time": "time **::*\nalloc * in **",
    "count": "count **::*",
    "odd": "count **a**b**c::*a*b*c(.., a.*, **, ..)\ntime **::@**.a*b* *a*b*\nalloc **a**b**c, **[] in **::*\n"
    "count @**.a*z **+::@a* *(..)",
}


@dataclass(frozen=True)
class Cost:
    """Of weaving one class: seconds of processor time on a machine like the one that the bounds were set on, bytes of memory at the
    most beyond those before, and what came out."""

    seconds: float
    memory: int
    result: str


def measure(*names: str, timeout: float = 120) -> dict[tuple[str, str], Cost]:
    """Weaves hostile classes with each set of rules, in a process of its own; by class and rules. What it did not come to is missing."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.measure", *names], cwd=ROOT, capture_output=True, text=True, timeout=timeout
    )
    costs = {}
    for line in done.stdout.splitlines():
        name, rules, seconds, memory, result = json.loads(line)
        costs[name, rules] = Cost(seconds, memory, result)
    if done.returncode:
        costs["the process", "itself"] = Cost(float("inf"), 0, done.stderr[-500:])
    return costs


def main() -> None:
    from classfile.errors import ClassFormatError
    from instrument.weaving import probe_table
    from instrument.weaving.weave import weave
    from rules.parse import parse_text
    from rules.ruleset import RuleSet
    from tests.fuzz import hostile

    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    for name in sys.argv[1:] or [build.__name__ for build in hostile.HOSTILE]:
        data = getattr(hostile, name)()
        assert len(data) <= hostile.LIMIT, (name, len(data))
        for text in RULES:
            rules = RuleSet(parse_text(RULES[text], "fuzz"))
            before = memory(reset=True)
            slowness = loop_seconds() / LOOP_SECONDS
            start = process_time()
            try:
                woven = weave(data, rules, False)
                meta = probe_table.encode(woven.table)
                reasons = sorted({str(line[3]) for line in woven.table if line[0] == "S"})
                result = f"{'woven' if woven.data else 'left'} {len(woven.data or b'')} bytes, table {len(meta)} {reasons}"
                del woven, meta
            except ClassFormatError as error:
                result = str(error)
            seconds = (process_time() - start) / slowness
            print(json.dumps([name, text, seconds, memory() - before, result[:200]]), flush=True)


def loop_seconds() -> float:
    """What some plain Python takes here and now: a busy neighbour makes everything slower, processor time too."""
    start = process_time()
    for _ in range(1_000_000):
        pass
    return process_time() - start


def memory(reset: bool = False) -> int:
    """The most memory that this process has had since the last reset, in bytes."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


if __name__ == "__main__":
    main()
