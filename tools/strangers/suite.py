"""A suite, and what it is given to run."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from classhook.base.launch import agent_option
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from tools.archives import unpack
from tools.compare.fetching import Failed, Fetcher
from tools.corpus.machines import Machine
from tools.strangers.outcome import Outcome

#: The sets of rules that suites run with, by the name in the table; `jdk:` weaves the JDK's own classes, too.
RULES = {
    "count": ["count **::*"],
    "time": ["time **::*"],
    "cover": ["cover **"],
    "alloc": ["alloc * in **"],
    "watch": ["watch **::* first 100"],
    "all": ["time **::*", "cover **", "alloc * in **"],
    "count jdk": ["count **::*", "count jdk:**::*"],
}


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a suite's run. `folder` is its own and stays between runs; `clones` has repositories, by name;
    `short`: a form that takes a minute; `more`: also what takes hours; `root`: the folder of `make next-jdks`."""

    folder: Path
    clones: Path | None
    jvms: dict[int, Machine]
    short: bool
    more: bool = False
    root: Path | None = None

    @property
    def fetcher(self) -> Fetcher:
        """The fetcher of packages, which keeps them for all suites."""
        return Fetcher(self.folder.parent / "fetched")

    def clone(self, owner: str, name: str) -> tuple[Path, str]:
        """The files of a repository, and the date and number of their commit. Raises Failed.

        It is looked for in `clones` as NAME, OWNER+NAME or OWNER+NAME/repo, with or without a work tree."""
        for path in (f"{name}", f"{owner}+{name}/repo", f"{owner}+{name}"):
            if self.clones and (git := self.clones / path).is_dir():
                to = self.folder / "clones" / name
                line = ["git", "--git-dir", str(git / ".git" if (git / ".git").exists() else git)]
                shown = subprocess.run([*line, "log", "-1", "--format=%cs %h"], capture_output=True, text=True)
                if shown.returncode:
                    raise Failed(f"{git} is not a repository of git: {shown.stderr.strip()}")
                if not to.exists():
                    packed = subprocess.run([*line, "archive", "HEAD"], capture_output=True, check=True).stdout
                    with tarfile.open(fileobj=BytesIO(packed)) as archive:
                        unpack(archive, to)
                return to, shown.stdout.strip()
        raise Failed(
            f"no clone of github.com/{owner}/{name}: it is in no registry of packages; name the folder that it lies in"
            f" by --clones"
        )

    def agent(self, rules: Sequence[str], data: Path) -> str:
        """The JVM's option that loads the agent with these rules; its data goes into a folder."""
        file = data.with_suffix(".rules")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dumps(load([], list(rules))))
        return agent_option(file, data)


@dataclass(frozen=True, slots=True)
class Suite:
    """`source` says for people where it comes from; `run` raises Failed if it cannot be had or built."""

    title: str
    source: str
    about: str
    run: Callable[[Place], Outcome]
