"""Weaves hostile classes in a separate process and prints seconds and memory:
`python -m tools.fuzz.measure [NAME]...`."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
RULES = {
    "time": "time **::*\nalloc * in **",
    "count": "count **::*",
    "odd": (
        "count **a**b**c::*a*b*c(.., a.*, **, ..)\ntime **::@**.a*b* *a*b*\nalloc **a**b**c, **[] in **::*\ncount"
        " @**.a*z **+::@a* *(..)"
    ),
}


@dataclass(frozen=True)
class Cost:
    """The cost of weaving one class: CPU seconds, scaled to the machine on which the bounds were set, peak memory in
    bytes beyond that before, and the result."""

    seconds: float
    memory: int
    result: str


def measure(*names: str, timeout: float = 600) -> dict[tuple[str, str], Cost]:
    """Weaves hostile classes with each set of rules in a separate process. Results by class and rules; those not
    reached are missing."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.fuzz.measure", *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    costs = {}
    for line in done.stdout.splitlines():
        name, rules, seconds, memory, result = json.loads(line)
        costs[name, rules] = Cost(seconds, memory, result)
    if done.returncode:
        costs["the process", "itself"] = Cost(float("inf"), 0, done.stderr[-500:])
    return costs


def main() -> None:
    import classhook.measures.every  # noqa: F401  # registers the words of rules
    from classhook.classfile.errors import ClassFormatError
    from classhook.probes import probe_table
    from classhook.probes.records import SkipRecord
    from classhook.rules.parse import parse_text
    from classhook.rules.ruleset import RuleSet
    from classhook.weaving.weave import weave
    from tools.fuzz import hostile
    from tools.fuzz.slowness import slowness

    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    for name in sys.argv[1:] or [build.__name__ for build in hostile.HOSTILE]:
        data = getattr(hostile, name)()
        assert len(data) <= hostile.LIMIT, (name, len(data))
        for text in RULES:
            rules = RuleSet(parse_text(RULES[text], "fuzz"))
            before = memory(reset=True)
            slow = slowness()
            start = process_time()
            try:
                woven = weave(data, rules, False)
                meta = probe_table.encode(woven.table)
                reasons = sorted({record.reason for record in woven.table if isinstance(record, SkipRecord)})
                result = (
                    f"{'woven' if woven.data else 'left'} {len(woven.data or b'')} bytes, table {len(meta)} {reasons}"
                )
                del woven, meta
            except ClassFormatError as error:
                result = str(error)
            seconds = (process_time() - start) / slow
            print(json.dumps([name, text, seconds, memory() - before, result[:200]]), flush=True)


def memory(reset: bool = False) -> int:
    """Peak memory of this process since the last reset, in bytes."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


if __name__ == "__main__":
    main()
