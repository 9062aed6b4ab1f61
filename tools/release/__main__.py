"""`python -m tools.release FOLDER`: all that a release consists of, from the committed files: `make release`.

1. What names a version is compared with pyproject.toml, and no file may differ from the commit.
2. Wheels and the source distribution, built and tried by tools.wheels; its options follow `--`.
3. The documentation as a site, packed; the extension for VS Code; the list of dependencies with licences.
4. SHA256SUMS of all of them.

With `--again`, all but the wheels are made twice, and must be the same.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from classhook.base.errors import Failure
from tools.release import dependencies, extension
from tools.release.arguments import parsed
from tools.release.version import TOP, differences, version
from tools.site.__main__ import build as build_site
from tools.wheels.building import plain, source_distribution
from tools.wheels.shell import Failed, call

SUMS = "SHA256SUMS"


def pack_site(folder: Path) -> Path:
    """Packs the documentation, the same each time."""
    name = f"classhook-{version()}-docs"
    with tempfile.TemporaryDirectory() as scratch:
        build_site(Path(scratch) / name)
        file = folder / f"{name}.tar.xz"
        with tarfile.open(file, "w:xz") as archive:
            for path in sorted((Path(scratch) / name).rglob("*")):
                archive.add(path, f"{name}/{path.relative_to(Path(scratch) / name)}", recursive=False, filter=_plain)
    return file


def _plain(one: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without what differs between machines."""
    one.mode = 0o755 if one.isdir() else 0o644
    return plain(one)


PARTS: dict[str, Callable[[Path], Path]] = {
    "the source distribution": source_distribution,
    "the documentation": pack_site,
    "the extension for VS Code": extension.package,
    "the list of dependencies": dependencies.write,
}


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def problems() -> list[str]:
    """Why no release can be made."""
    changed = call("git", "status", "--porcelain", cwd=TOP).splitlines()
    return [*(f"not committed: {line[3:]}" for line in changed), *differences()]


def make(folder: Path, again: bool) -> bool:
    """Writes all parts but the wheels; returns whether each is the same when it is made again."""
    same = True
    for what, write in PARTS.items():
        file = write(folder)
        said = f"{file.name}: {file.stat().st_size / 2**20:.1f} MiB"
        if again:
            with tempfile.TemporaryDirectory() as other:
                equal = digest(write(Path(other))) == digest(file)
            same &= equal
            said += ", the same when it is made again" if equal else ", ANOTHER when it is made again"
        print(f"{what}: {said}", flush=True)
    return same


def sums(folder: Path) -> None:
    lines = [f"{digest(file)}  {file.name}\n" for file in sorted(folder.iterdir()) if file.name != SUMS]
    (folder / SUMS).write_text("".join(lines))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.release", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where everything goes; it must be empty or new")
    parser.add_argument("--again", action="store_true", help="make each part twice, and compare")
    chosen, options = parsed(parser, arguments)
    if found := problems():
        print("\n".join(f"release: {one}" for one in found), file=sys.stderr)
        return 1
    chosen.folder.mkdir(parents=True, exist_ok=True)
    if any(chosen.folder.iterdir()):
        parser.error(f"{chosen.folder} is not empty")
    try:
        same = make(chosen.folder, chosen.again)
    except (Failed, Failure) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    wheels = subprocess.run([sys.executable, "-m", "tools.wheels", chosen.folder, *options], cwd=TOP).returncode
    if wheels or not same:
        print(f"release: {chosen.folder} is not complete", file=sys.stderr)
        return 1
    sums(chosen.folder)
    print(f"classhook {version()}: {len(list(chosen.folder.iterdir()))} files in {chosen.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
