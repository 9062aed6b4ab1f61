"""``python -m tools.aarch64 SYSROOT`` cross-compiles the agent for aarch64 and counts a program in a JVM that
qemu runs.

1. SYSROOT gets Debian's Python and JDK for arm64 (debootstrap, as root; what is there already is used again), and
   Python's own libraries from wheels.
2. The agent and the embedding library are compiled by aarch64-linux-gnu-gcc, without warnings. The weaver stays pure
   Python.
3. The program of known counts (jvm/java/known) runs under qemu-aarch64, with `-Xverify:all`: what it prints and what is
   counted must be as its comments say.

qemu emulates user mode only, so what this does not show is how fast it is, and the processor's weaker order of memory
accesses.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from cffi import FFI

from classhook.model.reading.files import data_files, read
from classhook.native.building import build, embed, tree
from classhook.native.library import AGENT
from classhook.rules.compiled import dumps
from classhook.rules.parse import load
from tests.conftest import JAVA_SOURCES
from tests.jvm.expectations import expectations

SUITE, PYTHON = "bookworm", "3.11"
PACKAGES = ("python3", f"libpython{PYTHON}-dev", "openjdk-17-jdk-headless")
WHEELS = ("cffi", "mutf8", "lark")
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
NEEDED = {
    COMPILER: "gcc-aarch64-linux-gnu",
    EMULATOR: "qemu-user",
    "debootstrap": "debootstrap",
    "javac": "openjdk-17-jdk",
}
RULES = {"count": "count **::*", "time": "time **::*", "profile": "profile **::*", "cover": "cover **"}


def call(*line: str | Path, cwd: Path | None = None) -> str:
    """Runs a command; ends this one with its words if it fails."""
    done = subprocess.run(line, capture_output=True, text=True, cwd=cwd)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, line))} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def furnish(root: Path) -> None:
    """Puts Debian's packages and Python's libraries into SYSROOT, unless they are there."""
    if not (root / f"usr/include/python{PYTHON}").exists():
        call(
            "debootstrap",
            "--foreign",
            "--arch=arm64",
            "--variant=minbase",
            f"--include={','.join(PACKAGES)}",
            SUITE,
            root,
        )
        for package in (root / "var/cache/apt/archives").glob("*.deb"):
            call("dpkg", "-x", package, root)
    if not (root / "site").exists():
        kinds = [word for name in ("manylinux2014_aarch64", "any") for word in ("--platform", name)]
        with tempfile.TemporaryDirectory() as folder:
            call(
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                *kinds,
                "--only-binary",
                ":all:",
                "--python-version",
                PYTHON,
                "-d",
                folder,
                *WHEELS,
            )
            for wheel in Path(folder).glob("*.whl"):
                shutil.unpack_archive(wheel, root / "site", "zip")


def libpython(root: Path) -> Path:
    return root / f"usr/lib/aarch64-linux-gnu/libpython{PYTHON}.so.1.0"


def agent(root: Path, project: Path) -> Path:
    """Compiles both libraries into a copy of the packages, beside which the agent finds its Python code."""
    shutil.copytree(
        tree.make() / tree.PACKAGE, project / tree.PACKAGE, ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    java = next(root.glob("usr/lib/jvm/*/include"))
    native, made = project / tree.PACKAGE / "native", project / "made"
    made.mkdir()
    includes = [*build.agent_includes(made, [str(java), str(java / "linux")], native), f"-I{native / 'embedded'}"]
    sources = [native / path.relative_to(build.HERE) for path in build.agent_sources()]
    call(
        COMPILER,
        *build.C_FLAGS,
        "-Werror",
        '-DCH_BUILD_ID="aarch64"',
        *includes,
        "-shared",
        *sources,
        "-o",
        native / AGENT.name,
        *build.LIBRARIES,
    )
    python = libpython(root)
    call(
        COMPILER,
        "-O2",
        "-fPIC",
        "-fvisibility=hidden",
        "-shared",
        *macros(root, python),
        *includes,
        f"-I{root}/usr/include/python{PYTHON}",
        "-idirafter",
        f"{root}/usr/include",
        embedding(made),
        *(native / path.relative_to(build.HERE) for path in embed.sources()),
        python,
        "-o",
        native / "libclasshook_python.so",
    )
    return native / AGENT.name


def embedding(folder: Path) -> Path:
    """The embedding library's C code."""
    ffi, path = FFI(), folder / "classhook_python.c"
    ffi.cdef(embed.USED_BY_PYTHON)
    ffi.embedding_api(embed.CALLED_BY_C)
    ffi.embedding_init_code(embed.INIT_CODE)
    ffi.set_source("classhook_python", embed.ENTRY.read_text())
    ffi.emit_c_code(str(path))
    return path


def macros(root: Path, python: Path) -> Iterable[str]:
    values = {
        "CH_LIBPYTHON": python.name,
        "CH_PYTHON_HOME": "/usr",
        "CH_PYTHON_STDLIB": f"/usr/lib/python{PYTHON}",
        "CH_PYTHON_PACKAGES": str(root / "site"),
    }
    return (f'-D{name}="{value}"' for name, value in values.items())


def emulated(root: Path, *words: str | Path) -> Sequence[str | Path]:
    """The command line of a JVM."""
    return [EMULATOR, "-L", root, next(root.glob("usr/lib/jvm/*/bin/java")), "-Xverify:all", *words]


def main() -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tools.aarch64", description=__doc__, formatter_class=form)
    parser.add_argument("sysroot", type=Path, metavar="SYSROOT", help="a folder, made if need be")
    root = parser.parse_args().sysroot
    for name, package in NEEDED.items():
        if not shutil.which(name):
            sys.exit(f"{name} is missing: apt-get install {package}")
    furnish(root)
    python = libpython(root)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        library, classes = agent(root, scratch), scratch / "classes"
        print("the agent compiles without a warning")
        call("javac", "--release", "17", "-g", "-d", classes, *sorted((JAVA_SOURCES / "known").glob("*.java")))
        wanted = {
            key: counts
            for found in expectations(JAVA_SOURCES / "known", classes, Path("javap")).values()
            for key, counts in found.items()
        }
        bare = call(*emulated(root, "-cp", classes, "known.All"))
        for kind, rule in RULES.items():
            rules, data = scratch / f"{kind}.rules", scratch / f"{kind}-data"
            rules.write_text(dumps(load([], [rule])))
            option = f"-agentpath:{library}=rules={rules},data={data},libpython={python}"
            if call(*emulated(root, option, "-cp", classes, "known.All")) != bare:
                sys.exit(f"{rule}: the program printed something else than without it")
            tables = read(data_files([data])).tables
            calls = {key: row.calls for key, row in tables.get("methods", {}).items()}
            wrong = [
                key for key in {*calls, *wanted} if calls.get(key, 0) != (wanted[key].calls if key in wanted else 0)
            ]
            if wrong and kind != "cover":
                sys.exit(f"{rule}: counted wrongly: {sorted(wrong)}")
            print(
                f"{rule}: {sum(calls.values()):,} calls of {len(calls)} methods, as expected"
                if calls
                else f"{rule}: the program does what it did"
            )


if __name__ == "__main__":
    main()
