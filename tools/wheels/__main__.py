"""``python -m tools.wheels FOLDER``: a source distribution, and wheels from it for each release of Python and
each processor. Each wheel is installed and counts a program where there is neither a compiler nor a JDK: `make wheels`.

1. The source distribution is made from the committed files, and each wheel from the source distribution.
2. Pythons are those of this machine (pyenv, uv, /usr); for releases that it lacks, Debian's, unpacked by debootstrap as
   root.
3. aarch64 is cross-compiled by the same Pythons, and tried with Debian's for aarch64, which qemu runs.
4. One wheel is also tried with an old glibc (oldest.py).
5. What cannot be built or tried here is said, with what is missing, and so is a failure. Neither ends the rest; a
   failure makes the exit status 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tools.wheels import building, oldest, pythons, trial
from tools.wheels.pythons import RELEASES, SUITES, Python
from tools.wheels.shell import Failed
from tools.wheels.targets import HERE, TARGETS, Target


def can_have_debian() -> bool:
    return os.geteuid() == 0 and shutil.which("debootstrap") is not None


def building_python(release: str, roots: Path) -> Python | None:
    """The Python that builds for a release."""
    if found := pythons.found(release):
        return found[0]
    if release in SUITES and can_have_debian():
        return pythons.of_debian(pythons.debian(roots, SUITES[release], TARGETS[HERE].debian), release)
    return None


def root_for(python: Python, target: Target, roots: Path) -> Path | None:
    """The folder that becomes the root for a trial; None: this machine will do. Raises LookupError if there is no place
    for it."""
    if target.machine == HERE and python.root is None:
        return None
    if python.release not in SUITES:
        raise LookupError(f"Debian has no Python {python.release} for {target.machine}")
    if not can_have_debian():
        raise LookupError("root and debootstrap are needed")
    root = pythons.debian(roots, SUITES[python.release], target.debian)
    if subprocess.run(["chroot", root, "/bin/true"], capture_output=True).returncode:
        raise LookupError(f"programs for {target.machine} do not run here: install qemu-user-static and binfmt-support")
    return root


def made(source: Path, release: str, target: Target, folder: Path, roots: Path) -> Iterator[str]:
    """Builds a wheel and tries it; yields what is to be said."""
    python = building_python(release, roots)
    if python is None:
        yield (
            f"Python {release}, {target.machine}: not built: no Python {release} with a shared libpython is on this"
            " machine"
        )
        return
    if not shutil.which(f"{target.tools}gcc"):
        yield f"Python {release}, {target.machine}: not built: {target.tools}gcc is missing"
        return
    start = time.monotonic()
    wheel = building.wheel(source, python, target, folder)
    yield f"{wheel.name}: {wheel.stat().st_size / 2**20:.1f} MiB, built in {time.monotonic() - start:.0f} s"
    try:
        yield trial.tried(wheel, python, target, root_for(python, target, roots))
    except LookupError as none:
        yield f"{wheel.name}: not tried: {none}"
    if (release, target.machine, HERE) == (oldest.RELEASE, oldest.MACHINE, oldest.MACHINE):
        try:
            if not can_have_debian():
                raise LookupError("root and debootstrap are needed")
            yield trial.tried(wheel, python, target, *oldest.root(roots))
        except LookupError as none:
            yield f"{wheel.name}: not tried with an old glibc: {none}"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.wheels", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where wheels and the source distribution go")
    parser.add_argument(
        "--python",
        action="append",
        choices=RELEASES,
        metavar="3.N",
        help=f"only this release; may be repeated (all: {', '.join(RELEASES)})",
    )
    parser.add_argument("--machine", action="append", choices=TARGETS, help="only this processor; may be repeated")
    parser.add_argument(
        "--roots",
        type=Path,
        default=building.ROOT / "build" / "wheels",
        help="where Debian's Pythons are unpacked (build/wheels)",
    )
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    try:
        source = building.source_distribution(args.folder)
    except Failed as error:
        sys.exit(str(error))
    print(f"{source.name}: {source.stat().st_size / 2**20:.1f} MiB", flush=True)
    failed = False
    for release in args.python or RELEASES:
        for machine in args.machine or TARGETS:
            try:
                for line in made(source, release, TARGETS[machine], args.folder, args.roots):
                    print(line, flush=True)
            except Failed as error:
                failed = True
                print(f"Python {release}, {machine}: failed: {error}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
