"""A root folder with Debian's newest JDKs and Pythons. The committed state of this checkout is installed there as README
says, in a clone for each Python."""

from __future__ import annotations

from pathlib import Path

from tools import roots

SUITE = "sid"
JDKS = (26, 27, 28)
PYTHONS = ("3.14", "3.15")
PACKAGES = (
    "ca-certificates",
    *(name for python in PYTHONS for name in (f"python{python}", f"python{python}-venv", f"libpython{python}-dev")),
    *("gcc", "g++", "make", "git", "procps"),
    *(f"openjdk-{jdk}-jdk-headless" for jdk in JDKS),
)


class Root(roots.Root):
    """The folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, SUITE, PACKAGES)

    def home(self, jdk: int) -> Path:
        """The JDK's, as seen from inside."""
        (found,) = (self.folder / "usr/lib/jvm").glob(f"java-{jdk}-openjdk-*")
        return Path("/") / found.relative_to(self.folder)

    def version(self, jdk: int) -> str:
        """Its own version text, such as `28-ea+23-Debian-1`."""
        return self.call(self.home(jdk) / "bin" / "java", "--version").partition("(build ")[2].partition(")")[0]

    def install(self, python: str, variables: dict[str, str]) -> Path:
        """Brings the committed state, and installs it with a Python; returns the clone, as seen from inside. Raises
        Failed."""
        inside = Path("/") / self.clone(f"classhook-{python}").relative_to(self.folder)
        self.call(
            "make",
            f"PYTHON=python{python}",
            ".venv/.installed-compiled",
            cwd=inside,
            JAVA_HOME=str(self.home(JDKS[-1])),
            **variables,
        )
        return inside
