"""javac for tests: one JVM of each JDK compiles for all tests of a process (Javac.java), and class files are kept under
build/ by the content of what they are made of."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / "build" / "javac"
#: Options whose value is a path that javac reads.
READ = ("-cp", "-classpath", "--class-path", "-processorpath", "-sourcepath", "--module-path", "-p")
RUN = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m", "-Dfile.encoding=UTF-8")
TURN = threading.Lock()


def javac(tool: str | Path, *words: str | Path) -> None:
    """Compiles like the command line of these words, which has `-d FOLDER`; fails the test if javac does."""
    options = [str(word) for word in words]
    at = options.index("-d")
    made = classes(tool, *options[:at], *options[at + 2 :])
    shutil.copytree(made, options[at + 1], copy_function=shutil.copyfile, dirs_exist_ok=True)


def classes(tool: str | Path, *words: str | Path) -> Path:
    """The folder of the class files that javac makes of these words; nothing may be written there."""
    command = resolved(str(tool))
    options = [str(word) for word in words if not str(word).startswith("-J")]
    made = KEPT / digest(command, options)
    if not made.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=KEPT))
        try:
            status, said = asked(command, ["-d", str(part), *options])
            assert status == 0, f"javac {' '.join(options)}\n{said}"
            part.chmod(0o755)
            with suppress(OSError):  # another process was faster
                part.rename(made)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return made


@cache
def resolved(tool: str) -> Path:
    return Path(shutil.which(tool) or tool).resolve()


def digest(command: Path, options: list[str]) -> str:
    """Hashes the JDK, the options, and the files that the options name."""
    found = hashlib.sha256(release(command))
    before = ""
    for option in options:
        source = option.endswith(".java") and not option.startswith("-")
        found.update(f"{os.path.basename(option) if source else '' if before in READ else option}\0".encode())
        for part in option.split(os.pathsep) if before in READ else [option] if source else []:
            for name, path in files(Path(part)):
                found.update(f"{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
        before = option
    return found.hexdigest()[:24]


@cache
def release(command: Path) -> bytes:
    told = command.parent.parent / "release"
    return f"{command}\0".encode() + (told.read_bytes() if told.exists() else b"")


def files(path: Path) -> Iterable[tuple[str, Path]]:
    """A file, or all of a folder, each with its name in it."""
    if path.is_dir():
        return ((str(one.relative_to(path)), one) for one in sorted(path.rglob("*")) if one.is_file())
    return [("", path)] if path.is_file() else []


@cache
def server(command: Path) -> subprocess.Popen[bytes]:
    """The JVM that compiles, started once."""
    line = [command.with_name("java"), *RUN, HERE / "Javac.java"]
    environment = {name: value for name, value in os.environ.items() if "JAVA_" not in name or name == "JAVA_HOME"}
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    atexit.register(process.communicate)  # it ends at the end of its input
    return process


def asked(command: Path, words: list[str]) -> tuple[int, str]:
    """Compiles with these words; returns javac's status and its messages."""
    assert not any({"\t", "\n"} & set(word) for word in words)
    with TURN:
        process = server(command)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write("\t".join(words).encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline().split()
            assert answer, f"the JVM that compiles ended with status {process.wait()}"
            status, length = map(int, answer)
            return status, process.stdout.read(length).decode()
        except BaseException:  # such as a test's time limit: its answer would be taken for the next one's
            process.kill()
            server.cache_clear()
            raise
