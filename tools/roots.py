"""A folder with packages of Debian, in which commands run as if it were the root of the machine.

1. debootstrap makes it, as root. What it has is noted in it: a folder that was not finished, or has other packages, is
   made again.
2. A command runs there by chroot. What it needs besides (/proc, /dev, /dev/shm) is mounted in a mount namespace of its
   own, which ends with it: in the folder itself nothing is ever mounted, so that who removes it removes nothing else.
3. The committed state of this checkout is cloned into it.
"""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tools.wheels.shell import Failed, bare, call

CHECKOUT = Path(__file__).resolve().parents[1]
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
    """Names the command that must run first; returns nothing if all is there."""
    if os.geteuid() != 0:
        return "debootstrap, chroot and mounts need root"
    absent = [package for program, package in NEEDED.items() if not shutil.which(program)]
    return f"apt-get install {' '.join(absent)}" if absent else ""


class Root:
    """The folder; the suite of Debian, and the packages that are there besides the essential ones."""

    def __init__(self, folder: Path, suite: str, packages: Sequence[str]) -> None:
        self.folder = folder
        self.suite = suite
        self.packages = packages
        self._made = folder / "packages"

    def is_made(self) -> bool:
        return self._made.exists() and self._made.read_text().split() == [self.suite, *self.packages]

    def make(self) -> None:
        """Makes it anew. Raises Failed."""
        self.remove()
        self.folder.mkdir(parents=True)
        call(
            "unshare",
            "--mount",
            "debootstrap",
            "--variant=minbase",
            f"--include={','.join(self.packages)}",
            self.suite,
            self.folder,
        )
        if (
            certificates := ssl.get_default_verify_paths().cafile
        ):  # what this machine trusts; without, pip does not start
            shutil.copy(certificates, self.folder / CERTIFICATES)
        if (settings := Path.home() / ".npmrc").exists():  # from where this machine gets its packages
            shutil.copy(settings, self.folder / "root")
        self.call(
            "apt-get", "-q", "-o", "Acquire::Check-Valid-Until=false", "update"
        )  # of a mirror that is behind, debootstrap takes packages, too
        self._made.write_text(" ".join([self.suite, *self.packages]))

    def remove(self) -> None:
        """Removes the folder. Raises Failed if somebody has mounted something in it."""
        mounts = [line.split()[4] for line in MOUNTS.read_text().splitlines()]
        if inside := [mount for mount in mounts if Path(mount).is_relative_to(self.folder.resolve())]:
            raise Failed(f"unmount first what is not of this tool: umount {' '.join(reversed(inside))}")
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def line(self, *words: str | Path, cwd: Path = Path("/"), **variables: str) -> list[str | Path]:
        """The command line of a command inside, with nothing of this environment but the settings of pip and npm."""
        settings = {
            name: value
            for name, value in bare().items()
            if not name.startswith(("SSL_", "REQUESTS_", "PIP_FIND_LINKS"))
        }
        env = (
            settings
            | {
                "HOME": "/root",
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                "LC_ALL": "C.UTF-8",
                "PIP_CERT": f"/{CERTIFICATES}",
                "NODE_EXTRA_CA_CERTS": f"/{CERTIFICATES}",
            }
            | variables
        )
        given = [f"{name}={value}" for name, value in env.items()]
        return ["unshare", "--mount", "sh", "-c", INSIDE, "sh", self.folder, "env", "-i", "-C", cwd, *given, *words]

    def call(self, *words: str | Path, cwd: Path = Path("/"), **variables: str) -> str:
        """Runs a command inside and returns what it printed. Raises Failed."""
        return call(*self.line(*words, cwd=cwd, **variables))

    def clone(self, name: str) -> Path:
        """Brings the committed state into a folder below the root, as a clone; returns the folder as seen from outside.
        Raises Failed."""
        clone = self.folder / name
        if not clone.exists():
            call("git", "clone", "-q", "--no-hardlinks", CHECKOUT, clone)
        call("git", "-C", clone, "fetch", "-q", CHECKOUT, "HEAD")
        call("git", "-C", clone, "reset", "-q", "--hard", "FETCH_HEAD")
        return clone

    @contextmanager
    def running(self, *words: str | Path, cwd: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
        """A command inside, whose output is read as it comes."""
        line = self.line(*words, cwd=cwd, **variables)
        with subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            yield process
