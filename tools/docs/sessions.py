"""The sessions of the documentation: blocks of a page that begin with ```console, and what running them prints.

1. Lines that begin with `$ ` are commands; they go on behind a backslash, or up to END after `<<'END'`. The lines below
   are what they print, up to the next command; `...` stands for more.
2. The commands of a page run one after another in one new folder, with the example programs of docs/examples compiled
   into `classes` there, and classhook in PATH.
3. `<!-- setup: NAME -->` prepares the folder by a function of setups.py before the commands that follow.

All pages with such blocks are run, except those in NOT_RUN.
"""

from __future__ import annotations

import atexit
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import ENVIRONMENT

ROOT = Path(__file__).parents[2]
#: Pages whose blocks need another project, or are run by other tests.
NOT_RUN = frozenset(
    f"docs/{name}.md"
    for name in ("explained/architecture", "questions/coverage", "questions/hprof-findings", "reference/python-agents")
)
PAGES = tuple(
    name
    for name in ("README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")))
    if name not in NOT_RUN and "\n```console\n" in (ROOT / name).read_text()
)
BLOCK = re.compile(r"^<!-- setup: (?P<setup>\w+) -->$|^```console\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
MORE = "..."
#: The option `--help` in each command's help; pages leave it out.
OF_HELP = re.compile(r"  -h, --help +show this help message and exit\n")


@dataclass
class Session:
    """A command with what it printed, according to the page; or a setup."""

    command: str
    said: list[str] = field(default_factory=list)
    setup: str = ""


def blocks(page: str) -> list[list[Session]]:
    """The sessions of a page, by block."""
    return [
        [Session("", setup=found["setup"])] if found["setup"] else parse(found["text"])
        for found in BLOCK.finditer(page)
    ]


def parse(text: str) -> list[Session]:
    """The sessions of a block."""
    found: list[Session] = []
    open_until: str | None = None
    for line in text.splitlines():
        if open_until is not None:
            found[-1].command += "\n" + line.removeprefix("> ")
            if open_until == "\\":
                open_until = "\\" if line.endswith("\\") else None
            elif line == open_until:
                open_until = None
        elif line.startswith("$ "):
            found.append(Session(line[2:]))
            open_until = "END" if "<<'END'" in line else "\\" if line.endswith("\\") else None
        else:
            found[-1].said.append(line)
    return found


def written(sessions: list[Session]) -> str:
    """The block of these sessions."""
    return (
        "```console\n"
        + "".join("".join(line + "\n" for line in [f"$ {one.command}", *one.said]) for one in sessions)
        + "```"
    )


@functools.cache
def examples() -> Path:
    """The example programs, compiled once."""
    folder = Path(tempfile.mkdtemp(prefix="classhook-examples-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sources = [str(path) for path in sorted((ROOT / "docs" / "examples").rglob("*.java"))]
    subprocess.run(["javac", "-g", "-d", str(folder), *sources], check=True)
    return folder


def prepare(folder: Path) -> dict[str, str]:
    """Puts what the sessions need into a folder; returns their environment."""
    shutil.copytree(examples(), folder / "classes")
    for name in ("tests", "tools"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "app").symlink_to(folder / "classes" / "app")
    scripts = folder / ".bin"
    scripts.mkdir()
    for name, code in (("classhook", "-m classhook.cli"), ("python3", "")):
        (scripts / name).write_text(f'#!/bin/sh\nexec {sys.executable} {code} "$@"\n')
        (scripts / name).chmod(0o755)
    return {
        **ENVIRONMENT,
        "COLUMNS": "80",
        "PATH": f"{scripts}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(folder / ".cache"),
    }


def run(session: Session, folder: Path, environment: dict[str, str]) -> list[str]:
    """Returns what the command prints, on stderr too."""
    done = subprocess.run(
        ["bash", "-c", session.command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
    )
    said = done.stdout.decode()
    if session.command.endswith(" --help"):
        said = without_help(said)
    return said.splitlines()


def without_help(said: str) -> str:
    """Removes the option `--help` from what a command's help prints."""
    said = "".join(line for line in said.splitlines(keepends=True) if not OF_HELP.fullmatch(line))
    return re.sub(r"\n\noptions:\n(?=\n|\Z)", "\n", said)
