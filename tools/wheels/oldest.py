"""A root folder with an old glibc, and a Python from Debian's source package, since no distribution has both.

It is Ubuntu 16.04, whose glibc is older than those of RHEL 8 and Amazon Linux 2, if its keys are on this machine, else
Debian 11. It shows that a wheel works there whose symbols are old enough (glibc.py); of the other wheels, only the
symbols are checked.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from tools.wheels.shell import call

KEYS = Path("/usr/share/keyrings")
#: Suites, with their glibc and the file of their keys.
SUITES = (
    ("xenial", (2, 23), KEYS / "ubuntu-archive-keyring.gpg"),
    ("bullseye", (2, 31), KEYS / "debian-archive-keyring.gpg"),
)
#: The release whose wheel is tried there, and the suite of Debian that has its source.
RELEASE, SOURCE = "3.11", "bookworm"
MACHINE, DEBIAN = "x86_64", "amd64"
COMPILER = ("gcc", "libc6-dev", "libffi-dev", "make", "zlib1g-dev")
BUILD = "cd /build && ./configure -q --prefix=/usr --enable-shared && make -s -j2 && make -s install && ldconfig"


def source(folder: Path) -> None:
    """Downloads Python's source and unpacks it into `folder`, from where this machine gets its packages."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        (scratch / "lists" / "partial").mkdir(parents=True)
        found = call("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Origin: Debian")
        site = found.split()[0]
        (scratch / "sources").write_text(f"deb-src {site} {SOURCE} main\n")
        options = {
            "Dir::Etc::SourceList": scratch / "sources",
            "Dir::Etc::SourceParts": "-",
            "Dir::State::Lists": scratch / "lists",
            "APT::Sandbox::User": "root",
        }
        apt = ["apt-get", "-q", *(word for key, value in options.items() for word in ("-o", f"{key}={value}"))]
        call(*apt, "update")
        call(*apt, "source", "--download-only", f"python{RELEASE}", cwd=scratch)
        (archive,) = scratch.glob("*.orig.tar.*")
        folder.mkdir(exist_ok=True)
        call("tar", "-x", "--strip-components=1", "-f", archive, "-C", folder)


def root(roots: Path) -> tuple[Path, tuple[int, int]]:
    """The folder, made by debootstrap as root if it is not there, and the release of its glibc. Raises Failed,
    LookupError."""
    suite, glibc = next(((name, glibc) for name, glibc, keys in SUITES if keys.is_file()), ("", (0, 0)))
    if not suite:
        raise LookupError("the keys of old distributions are missing: install debian-archive-keyring")
    made = roots / f"{suite}-{DEBIAN}"
    if not (made / f"usr/bin/python{RELEASE}").exists():
        if subprocess.run(["chroot", made, "/usr/bin/gcc", "--version"], capture_output=True).returncode:
            included = f"--include={','.join(COMPILER)}"
            call("debootstrap", f"--arch={DEBIAN}", "--variant=minbase", included, suite, made)
        source(made / "build")
        call("chroot", made, "/bin/sh", "-c", BUILD)
    return made, glibc
