"""Commands that must succeed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class Failed(Exception):
    """Something did not work; the text has the words of the command that failed."""


def call(*line: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    """Runs a command and returns what it printed. Raises Failed."""
    done = subprocess.run(line, capture_output=True, text=True, env=env, cwd=cwd, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, line))} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def bare(**variables: str) -> dict[str, str]:
    """An environment without the caller's settings, but for those of pip, uv and certificates."""
    kept = ("PIP_", "UV_", "SSL_", "REQUESTS_", "HTTP", "http", "no_proxy", "NO_PROXY")
    return {name: value for name, value in os.environ.items() if name.startswith(kept)} | variables
