"""`load` reads data, `run` runs a command; both give a result."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from instrument.api.result import Result
from instrument.data.rows import Snapshot
from instrument.errors import UsageError
from rules.ruleset import RuleSet

Rules = str | Path | Iterable[str | Path]


def rule_set(rules: Rules) -> RuleSet:
    """Rules: text, and files as Path objects. Raises RuleError."""
    import instrument.measures  # noqa: F401  # registers the rules' words
    from rules.parse import load

    each = [rules] if isinstance(rules, str | Path) else list(rules)
    return load([str(one) for one in each if isinstance(one, Path)], [one for one in each if isinstance(one, str)])


def load(*paths: str | Path) -> Result:
    """What is in data directories and files, added up. Raises UsageError if nothing is."""
    from instrument.commands.reading import read_data
    from instrument.commands.run import DEFAULT_DATA

    snapshot, files, _ = read_data([Path(path) for path in paths] or [Path(DEFAULT_DATA)])
    return Result(snapshot, files)


def run(command: str | Sequence[str | Path], rules: Rules = (), data: str | Path | None = None, *, cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None, capture: bool = False, timeout: float | None = None, cache: bool = True) -> Result:  # fmt: skip
    """Runs a command, instruments all JVMs that it starts, and gives what they counted when it has ended.

    rules: text, and files as Path objects
    data: where the data stays; None: nowhere. Of earlier runs there, nothing is in the result
    capture: the command's output goes to the result's `stdout` and `stderr`
    timeout: seconds after which the command is killed; what was counted until then is in the result
    cache: whether woven classes are kept for the next run

    Raises RuleError, UsageError, and OSError if the command cannot be started.
    """
    from instrument import launch
    from instrument.commands.common import write_whole
    from instrument.commands.run import prepared_directory
    from instrument.data.packs import default_directory
    from instrument.data.snapshot import read
    from instrument.data.tmpfs import bring_home
    from instrument.files import whole
    from rules.compiled import digest, dumps

    words = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
    if not words:
        raise UsageError("no command to run")
    parsed = rule_set(rules)
    keep = tempfile.TemporaryDirectory(prefix="classhook-") if data is None else None
    folder = prepared_directory(Path(keep.name if keep else data or "").absolute(), erase=False)
    compiled = folder / f"{digest(parsed)[:16]}.rules"
    write_whole(compiled, dumps(parsed).encode(), whole)
    before = set(folder.glob("*.classhook"))
    option = launch.agent_option(compiled, folder, cache=str(default_directory().absolute()) if cache else "")
    line, environment = launch.instrumented(words, option, os.environ if env is None else env)
    pipe = subprocess.PIPE if capture else None
    with subprocess.Popen(line, cwd=cwd, env=environment, stdout=pipe, stderr=pipe, text=True, errors="replace") as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        except BaseException:
            process.kill()
            raise
    files = sorted(set(folder.glob("*.classhook")) - before)
    complaints = bring_home(files, {process.pid: time.monotonic_ns()})
    snapshot = read(files) if files else Snapshot()
    snapshot.notes += complaints
    if not files:
        snapshot.notes.append("no JVM was instrumented: the command started none, or said why on its stderr")
    return Result(snapshot, files, process.returncode, out, err, keep)
