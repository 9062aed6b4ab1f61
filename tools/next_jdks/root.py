"""A folder with Debian's newest JDKs and Pythons, in which commands run as if it were the root of the machine.

1. debootstrap makes it, as root. What it has is noted in it: a folder that was not finished, or has other packages, is
   made again.
2. A command runs there by chroot. What it needs besides (/proc, /dev, /dev/shm) is mounted in a mount namespace of its
   own, which ends with it: in the folder itself nothing is ever mounted, so that who removes it removes nothing else.
3. The committed state of this checkout is cloned into it, a clone for each Python, and installed as README says.
"""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.wheels.shell import Failed, bare, call

CHECKOUT = Path(__file__).resolve().parents[2]
SUITE = "sid"
JDKS = (26, 27, 28)
PYTHONS = ("3.14", "3.15")
PACKAGES = (
    "ca-certificates",
    *(name for python in PYTHONS for name in (f"python{python}", f"python{python}-venv", f"libpython{python}-dev")),
    *("gcc", "g++", "make", "git", "procps"),
    *(f"openjdk-{jdk}-jdk-headless" for jdk in JDKS),
)
MOUNTS = Path("/proc/self/mountinfo")
CERTIFICATES = Path("etc/ssl/certs/ca-certificates.crt")
NEEDED = {"debootstrap": "debootstrap", "unshare": "util-linux", "git": "git"}
#: Mounts what a JVM needs below the folder $1, and runs the rest of the line there.
INSIDE = """
set -e; root=$1; shift
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
exec chroot "$root" "$@"
"""


def missing() -> str:
    """What has to be done first; nothing if that is done."""
    if os.geteuid() != 0:
        return "debootstrap, chroot and mounts need root: sudo make next-jdks"
    absent = [package for program, package in NEEDED.items() if not shutil.which(program)]
    return f"apt-get install {' '.join(absent)}" if absent else ""


class Root:
    """The folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made = folder / "packages"

    def is_made(self) -> bool:
        return self._made.exists() and self._made.read_text().split() == [SUITE, *PACKAGES]

    def make(self) -> None:
        """Makes it anew. Raises Failed."""
        self.remove()
        self.folder.mkdir(parents=True)
        call(
            "unshare",
            "--mount",
            "debootstrap",
            "--variant=minbase",
            f"--include={','.join(PACKAGES)}",
            SUITE,
            self.folder,
        )
        if (
            certificates := ssl.get_default_verify_paths().cafile
        ):  # what this machine trusts; without, pip does not start
            shutil.copy(certificates, self.folder / CERTIFICATES)
        self.call(
            "apt-get", "-q", "-o", "Acquire::Check-Valid-Until=false", "update"
        )  # of a mirror that is behind, debootstrap takes packages, too
        self._made.write_text(" ".join([SUITE, *PACKAGES]))

    def remove(self) -> None:
        """Removes the folder. Raises Failed if somebody has mounted something in it."""
        mounts = [line.split()[4] for line in MOUNTS.read_text().splitlines()]
        if inside := [mount for mount in mounts if Path(mount).is_relative_to(self.folder.resolve())]:
            raise Failed(f"unmount first what is not of this tool: umount {' '.join(reversed(inside))}")
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def home(self, jdk: int) -> Path:
        """The JDK's, as seen from inside."""
        (found,) = (self.folder / "usr/lib/jvm").glob(f"java-{jdk}-openjdk-*")
        return Path("/") / found.relative_to(self.folder)

    def version(self, jdk: int) -> str:
        """Its own version text, such as `28-ea+23-Debian-1`."""
        return self.call(self.home(jdk) / "bin" / "java", "--version").partition("(build ")[2].partition(")")[0]

    def line(self, *words: str | Path, cwd: Path = Path("/"), **variables: str) -> list[str | Path]:
        """The command line of a command inside, with nothing of this environment but the settings of pip."""
        settings = {name: value for name, value in bare().items() if not name.startswith(("SSL_", "REQUESTS_"))}
        env = (
            settings
            | {
                "HOME": "/root",
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                "LC_ALL": "C.UTF-8",
                "PIP_CERT": f"/{CERTIFICATES}",
            }
            | variables
        )
        given = [f"{name}={value}" for name, value in env.items()]
        return ["unshare", "--mount", "sh", "-c", INSIDE, "sh", self.folder, "env", "-i", "-C", cwd, *given, *words]

    def call(self, *words: str | Path, cwd: Path = Path("/"), **variables: str) -> str:
        """Runs a command inside and returns what it printed. Raises Failed."""
        return call(*self.line(*words, cwd=cwd, **variables))

    def install(self, python: str, variables: dict[str, str]) -> Path:
        """Brings the committed state, and installs it with a Python; returns the clone, as seen from inside. Raises
        Failed."""
        name = f"classhook-{python}"
        clone = self.folder / name
        if not clone.exists():
            call("git", "clone", "-q", "--no-hardlinks", CHECKOUT, clone)
        call("git", "-C", clone, "fetch", "-q", CHECKOUT, "HEAD")
        call("git", "-C", clone, "reset", "-q", "--hard", "FETCH_HEAD")
        inside = Path("/") / name
        self.call(
            "make",
            f"PYTHON=python{python}",
            ".venv/.installed-compiled",
            cwd=inside,
            JAVA_HOME=str(self.home(JDKS[-1])),
            **variables,
        )
        return inside

    @contextmanager
    def running(self, *words: str | Path, cwd: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
        """A command inside, whose output is read as it comes."""
        line = self.line(*words, cwd=cwd, **variables)
        with subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            yield process
