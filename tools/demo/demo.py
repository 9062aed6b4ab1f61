"""`make demo`: times the JDK's own compiler while it compiles the Java sources beside this file.

1. Run `java` with javac's main class under `classhook run`, by the rules of rules/stock/javac.rules, and sample its
   stacks.
2. Show the tables of `classhook report`.
3. Draw the stacks as a flame graph, and say where that is.

The commands are printed before they run, to be copied. All but the flame graph goes to a temporary directory, which is
removed at the end.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RULES = Path("rules/stock/javac.rules")
SOURCES = Path("tools/demo/java")
MAIN = "jdk.compiler/com.sun.tools.javac.Main"
ROWS = 15
SAMPLES = "cpu every 5ms"
FLAMES = Path("build/flamegraph.html")  # it stays, to be opened


class Unable(Exception):
    """The demo cannot run; the text says why and what to do."""


def java() -> str:
    """The `java` to run: JAVA_HOME's, or the one in PATH, if it includes the compiler."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if found is None or not os.access(found, os.X_OK):
        where = (
            f"JAVA_HOME is {home}, where no bin/java is"
            if home
            else "JAVA_HOME is not set, and there is no java in PATH"
        )
        raise Unable(f"no JDK found: {where}; install a JDK 17 or later, or set JAVA_HOME to one")
    modules = subprocess.run([found, "--list-modules"], capture_output=True, text=True, check=False).stdout
    if not any(line.startswith("jdk.compiler@") for line in modules.splitlines()):
        raise Unable(
            f"{found} has no compiler: it is a Java runtime, or older than 9; the demo needs a JDK 17 or later"
        )
    return "java" if not home and shutil.which("java") == found else found


def classhook() -> str:
    """The command installed beside this Python."""
    path = Path(sys.executable).parent / "classhook"
    if not os.access(path, os.X_OK):
        raise Unable(f"classhook is not installed for {sys.executable}: run `make demo`")
    return os.path.relpath(path, ROOT) if path.is_relative_to(ROOT) else str(path)


def show(command: Sequence[str]) -> None:
    """Prints a command line as one would type it."""
    print(f"\n$ {shlex.join(command)}", flush=True)


def run(command: Sequence[str]) -> None:
    """Prints a command and runs it in the project's folder. Raises Unable if it fails."""
    show(command)
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if status == 128 + signal.SIGINT:
        raise KeyboardInterrupt
    if status:
        raise Unable(f"the command above ended with status {status}; `{classhook()} self doctor` says what works here")


def demo() -> None:
    """All steps. Raises Unable."""
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / SOURCES).glob("*.java"))
    lines = sum(len((ROOT / source).read_text().splitlines()) for source in sources)
    tool, compiler = classhook(), java()
    with tempfile.TemporaryDirectory(prefix="classhook-demo-") as scratch:
        data, classes = f"{scratch}/data", f"{scratch}/classes"
        print(
            f"javac compiles {len(sources)} files, {lines} lines of Java; its methods are timed, its allocations"
            f" counted by {RULES}:"
        )
        print(
            "\n".join(
                f"    {line}" for line in (ROOT / RULES).read_text().splitlines() if line and not line.startswith("#")
            )
        )
        run(
            [
                tool,
                "run",
                "-r",
                str(RULES),
                "-e",
                SAMPLES,
                "-o",
                data,
                "--",
                compiler,
                "-m",
                MAIN,
                "-d",
                classes,
                *sources,
            ]
        )
        run([tool, "report", "--top", str(ROWS), data])
        run([tool, "report", "-f", "flamegraph", "-o", str(FLAMES), data])
        print(f"\nthe flame graph, to open in a browser: {ROOT / FLAMES}")


def main() -> int:
    """The exit status: 0 done, 1 failed, 130 interrupted."""
    try:
        demo()
    except Unable as error:
        print(f"classhook demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
