"""`load` reads data, `run` runs a command; both return a Result."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from classhook.api.reading import read_data
from classhook.api.recording import DEFAULT_DATA, prepare
from classhook.api.result import Result
from classhook.base.errors import UsageError
from classhook.model.snapshot import Snapshot
from classhook.rules.ruleset import RuleSet

Rules = str | Path | Iterable[str | Path]


def rule_set(rules: Rules) -> RuleSet:
    """Rules: text, and files as Path objects. Raises RuleError."""
    import classhook.measures.every  # noqa: F401  # registers the rules' words
    from classhook.rules.parse import load

    each = [rules] if isinstance(rules, str | Path) else list(rules)
    return load([str(one) for one in each if isinstance(one, Path)], [one for one in each if isinstance(one, str)])


def load(*paths: str | Path) -> Result:
    """Reads data directories and files, and adds them up; without arguments, classhook-data. Raises UsageError if there
    is no data."""
    found = read_data([Path(path) for path in paths] or [Path(DEFAULT_DATA)])
    return Result(found.snapshot, found.files)


def run(
    command: str | Sequence[str | Path],
    rules: Rules = (),
    data: str | Path | None = None,
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    capture: bool = False,
    timeout: float | None = None,
    cache: bool = True,
) -> Result:
    """Runs a command to its end, with all JVMs that it starts instrumented, and returns their counts.

    rules: text, and files as Path objects
    data: the directory that keeps the data; None: it is not kept. The result does not include earlier runs in the
    directory capture: the command's output goes to the result's `stdout` and `stderr` timeout: seconds after which the
    command is killed; the result has the counts until then cache: whether woven classes are kept for the next run

    Raises RuleError, UsageError, and OSError if the command cannot be started.
    """
    from classhook.base import launch, run_labels
    from classhook.model.reading.files import read
    from classhook.store.cache.packs import default_directory
    from classhook.store.tmpfs import move_to_disk

    words = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
    if not words:
        raise UsageError("no command to run")
    parsed = rule_set(rules)
    keep = tempfile.TemporaryDirectory(prefix="classhook-") if data is None else None
    recording = prepare(Path(keep.name if keep else data or "").absolute(), parsed)
    option = launch.agent_option(
        recording.rules, recording.data, cache=str(default_directory().absolute()) if cache else ""
    )
    labels = run_labels.labels([], folder=Path(cwd or "").absolute(), command=words)
    line, environment = launch.instrumented(
        words, option, os.environ if env is None else env, run_labels.written(labels)
    )
    pipe = subprocess.PIPE if capture else None
    with subprocess.Popen(
        line, cwd=cwd, env=environment, stdout=pipe, stderr=pipe, text=True, errors="replace"
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        except BaseException:
            process.kill()
            raise
    files = sorted(recording.new_files())
    complaints = move_to_disk(files, {process.pid: time.monotonic_ns()})
    snapshot = read(files) if files else Snapshot()
    snapshot.notes += complaints
    if not files:
        snapshot.notes.append("no JVM was instrumented: the command started none, or said why on its stderr")
    return Result(snapshot, files, process.returncode, out, err, keep)
