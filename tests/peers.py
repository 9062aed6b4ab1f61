"""Brings what ours is compared with: JaCoCo's agent and ASM, from Maven's local repository, Maven Central, or by mvn."""

from __future__ import annotations

import os
import shutil
import subprocess
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

CENTRAL = "https://repo.maven.apache.org/maven2/"
LOCAL = Path.home() / ".m2" / "repository"


class Missing(Exception):
    """A peer that is not to be had; the text says what was tried."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A jar of Maven Central."""

    group: str
    name: str
    version: str
    classifier: str = ""

    @property
    def path(self) -> str:
        """Where it lies in a repository."""
        file = "-".join(filter(None, (self.name, self.version, self.classifier)))
        return f"{self.group.replace('.', '/')}/{self.name}/{self.version}/{file}.jar"

    @property
    def coordinates(self) -> str:
        """As mvn wants it."""
        return ":".join(filter(None, (self.group, self.name, self.version, "jar", self.classifier)))


JACOCO = Artifact("org.jacoco", "org.jacoco.agent", "0.8.13", "runtime")
ASM = Artifact("org.ow2.asm", "asm", "9.8")


def fetch(artifact: Artifact, folder: Path) -> Path:
    """The artifact's jar, kept in `folder` once it was fetched. Raises Missing."""
    local = LOCAL / artifact.path
    jar = folder / local.name
    if jar.exists():
        return jar
    if local.exists():
        return local
    folder.mkdir(parents=True, exist_ok=True)
    part = jar.with_suffix(f".{os.getpid()}")  # what is cut off must not be taken for the jar
    try:
        try:
            with urllib.request.urlopen(CENTRAL + artifact.path, timeout=60) as answer:
                part.write_bytes(answer.read())
        except (urllib.error.URLError, OSError):
            _fetch_by_maven(artifact, folder / "m2", part)
        part.rename(jar)
    finally:
        part.unlink(missing_ok=True)
    return jar


def _fetch_by_maven(artifact: Artifact, repository: Path, to: Path) -> None:
    """Where only Maven knows the way out."""
    line = ["mvn", "-q", f"-Dmaven.repo.local={repository}", "dependency:get", f"-Dartifact={artifact.coordinates}"]
    try:
        subprocess.run(line, check=True, capture_output=True, timeout=200)
        shutil.copy(repository / artifact.path, to)
    except (OSError, subprocess.SubprocessError):
        raise Missing(f"{artifact.coordinates} is not to be had: neither from Maven Central nor by mvn") from None
    finally:
        shutil.rmtree(repository, ignore_errors=True)
