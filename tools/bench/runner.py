"""Runs commands and measures them, in a separate process because it has to be small.

The kernel's peak resident memory of a child is never less than its parent's memory, which the child shares until it
executes its program. So the parent must be smaller than the measured command, and the benchmarks are not.

``python -I -S runner.py`` answers each line of stdin, {"command", "out", "err"}, with one line on stdout: {"status",
"wall", "cpu", "resident"}, in seconds and MB.
"""

import json
import os
import sys
import time


def run(command: list[str], out: str, err: str) -> dict[str, float]:
    """Runs a command to its end. `out` and `err`: files to overwrite."""
    files = [
        (os.POSIX_SPAWN_OPEN, fd, path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for fd, path in ((1, out), (2, err))
    ]
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=files)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    return {"status": code, "wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "resident": usage.ru_maxrss / 1024}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(run(**json.loads(line))), flush=True)
