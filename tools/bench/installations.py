"""States of the project, installed by pip in virtual environments of their own, as a user has them: an editable
installation starts slower.

A state is a commit, or what the checkout holds now, with changes that are not committed and new files. Installations
are kept in build/states by the tree of files, so that a commit is built once, and the checkout after each change.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.bench.common import ROOT
from tools.bench.figures import BenchError

KEPT = ROOT / "build" / "states"
NOTHING_OF_THE_CHECKOUT = {"PYTHONSAFEPATH": "1"}  # nor of the folder that a command is started in


def git(*words: str, **env: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, env=os.environ | env, check=False)
    if done.returncode:
        raise BenchError(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def tree_of(commit: str) -> str:
    """The tree of a commit. Raises BenchError."""
    try:
        return git("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    except BenchError:
        raise BenchError(f"{commit}: neither a commit of this repository nor a folder with an installation") from None


def tree_of_checkout() -> str:
    """The tree of the checkout's files, but for those that git ignores; the index stays as it is."""
    with tempfile.TemporaryDirectory() as scratch:
        index = {"GIT_INDEX_FILE": f"{scratch}/index"}
        git("read-tree", "HEAD", **index)
        git("add", "--all", **index)
        return git("write-tree", **index)


def installed(tree: str, pure: bool) -> Path:
    """The folder of an installation's commands, made now if it is not kept. Raises BenchError."""
    folder = KEPT / (tree[:16] + "-pure" * pure)
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        source = folder / "source"
        source.mkdir(parents=True)
        print(
            f"installing {tree[:12]} into {folder.relative_to(ROOT)} ({'half a minute' if pure else 'some minutes'})",
            file=sys.stderr,
            flush=True,
        )
        packed = subprocess.run(["git", "archive", tree], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", source], input=packed, check=True)
        call(sys.executable, "-m", "venv", folder / "venv")
        pip = [folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        call(*pip, source, env={"CLASSHOOK_PURE": "1"} if pure else {})
        (folder / "complete").touch()
    return folder / "venv" / "bin"


def call(*line: str | Path, env: dict[str, str] | None = None) -> None:
    done = subprocess.run(line, capture_output=True, text=True, cwd=KEPT, env=os.environ | (env or {}), check=False)
    if done.returncode:
        raise BenchError(
            f"{' '.join(map(str, line))} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}"
        )


def commands(state: str, pure: bool) -> Path:
    """The folder of the commands of a state: of a commit, or of an installation that is there, in a virtual environment
    or a checkout's .venv."""
    for folder in (Path(state) / "bin", Path(state) / ".venv" / "bin"):
        if (folder / "classhook").exists():
            return folder.absolute()
    return installed(tree_of(state), pure)
