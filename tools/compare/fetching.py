"""Sources and class paths, from Maven Central and from Debian's source packages; kept in a folder once fetched.

1. Not all libraries have their tests on Maven Central. Debian has the whole source of its packages: apt-get takes it,
   with lists of its own, so that nothing of the machine's configuration is needed or changed.
2. One thread fetches at a time: several rows of the comparison need the same.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from tests import peers
from tools.archives import unpack

Given = ParamSpec("Given")
Got = TypeVar("Got")
FETCHING = threading.RLock()
PATIENCE = 900  # seconds for a download
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
SYSTEM_SOURCES = "/etc/apt/sources.list", "/etc/apt/sources.list.d/*"
SUITES = ("trixie", "bookworm", "sid", "forky")  # the order in which they are asked
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
<dependencies>{}</dependencies></project>"""
DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


def mirror() -> str:
    """The archive that this machine's packages come from. Raises Failed."""
    for pattern in SYSTEM_SOURCES:
        for file in sorted(Path("/").glob(pattern[1:])):
            if found := re.search(r"https?://\S+/debian(?=\s|$)", file.read_text(errors="replace"), re.M):
                return found[0]
    raise Failed("no archive of Debian's packages is named in /etc/apt")


class Failed(Exception):
    """Something cannot be fetched or built; the text says what was tried."""


def tool(*line: str | Path, cwd: Path | None = None, patience: int = PATIENCE) -> str:
    """Runs a command; returns what it printed. Raises Failed."""
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=patience, cwd=cwd, errors="replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"{line[0]}: {error}") from None
    if done.returncode:
        raise Failed(
            f"{' '.join(map(str, line[:6]))} ...: status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}"
        )
    return done.stdout


def by_turns(fetch: Callable[Given, Got]) -> Callable[Given, Got]:
    """Has threads wait for each other."""

    @wraps(fetch)
    def alone(*given: Given.args, **named: Given.kwargs) -> Got:
        with FETCHING:
            return fetch(*given, **named)

    return alone


@dataclass(frozen=True)
class Fetcher:
    """Fetches into a folder."""

    folder: Path

    @by_turns
    def jar(self, artifact: peers.Artifact) -> Path:
        try:
            return peers.fetch(artifact, self.folder / "jars")
        except peers.Missing as missing:
            raise Failed(str(missing)) from None

    @by_turns
    def unpacked(self, artifact: peers.Artifact) -> Path:
        """The content of a jar."""
        to = self.folder / "unpacked" / Path(artifact.path).stem
        if not to.exists():
            with zipfile.ZipFile(self.jar(artifact)) as jar:
                jar.extractall(part := to.with_suffix(".part"))
            part.rename(to)
        return to

    @by_turns
    def debian(self, package: str, part: str = "") -> Path:
        """The unpacked source of a package, of the first of Debian's suites that has it, or only a folder of it, which
        takes less time. Raises Failed."""
        to = self.folder / "debian" / package
        if not to.exists():
            into = self.folder / "apt" / package
            into.mkdir(parents=True, exist_ok=True)
            said = [self._download(package, suite, into) for suite in SUITES if not list(into.glob("*.orig.tar.*"))]
            unfinished = to.with_suffix(".part")
            shutil.rmtree(unfinished, ignore_errors=True)
            for file in into.glob("*.orig.tar.*"):
                with tarfile.open(file) as packed:
                    members = [one for one in packed if f"{one.name}/".partition("/")[2].startswith(part)]
                    unpack(packed, unfinished, members)
            if not unfinished.exists():
                raise Failed(f"Debian's source package {package} is not to be had: {said}")
            unfinished.rename(to)
        (inner,) = to.iterdir()
        return inner

    def _download(self, package: str, suite: str, into: Path) -> str:
        """Downloads a package's source; returns what apt-get says if it fails. Debian's own changes may be missing,
        for they are not needed."""
        lists = self.folder / "apt" / "lists" / suite
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        source = lists.with_suffix(".list")
        source.write_text(f"deb-src [signed-by={KEYS}] {mirror()} {suite} main\n")
        options = {
            "Dir::Etc::sourcelist": source,
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::State::lists": lists,
            "Dir::Cache": self.folder / "apt",
            "Acquire::Languages": "none",
        }
        line = ["apt-get", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
        try:
            tool(*line, "update")
            tool(*line, "source", "--download-only", package, cwd=into)
        except Failed as failed:
            return str(failed)
        return ""

    @by_turns
    def class_path(self, *artifacts: peers.Artifact) -> list[Path]:
        """These and what they need."""
        text = POM.format("".join(DEPENDENCY.format(one.group, one.name, one.version) for one in artifacts))
        pom = self.folder / "poms" / hashlib.sha256(text.encode()).hexdigest()[:16] / "pom.xml"
        pom.parent.mkdir(parents=True, exist_ok=True)
        pom.write_text(text)
        return self.needs(pom)

    @by_turns
    def pom(self, artifact: peers.Artifact) -> Path:
        """The artifact's own description."""
        pom = self.folder / "poms" / artifact.name / "pom.xml"
        if not pom.exists():
            coordinates = f"{artifact.group}:{artifact.name}:{artifact.version}:pom"
            tool("mvn", "-q", "-B", "dependency:get", f"-Dartifact={coordinates}", "-Dtransitive=false")
            pom.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy((peers.LOCAL / artifact.path).parent / f"{artifact.name}-{artifact.version}.pom", pom)
        return pom

    @by_turns
    def needs(self, pom: Path) -> list[Path]:
        """The jars that the tests of a project need, by its description."""
        file = self.folder / "paths" / f"{hashlib.sha256(pom.read_bytes()).hexdigest()[:16]}.txt"
        if not file.exists():
            tool(
                "mvn",
                "-q",
                "-B",
                "-f",
                pom,
                "dependency:build-classpath",
                f"-Dmdep.outputFile={file}",
                "-Dmdep.includeScope=test",
            )
        return [Path(path) for path in file.read_text().split(os.pathsep) if path]
