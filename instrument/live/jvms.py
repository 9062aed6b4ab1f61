"""The JVMs of this machine that this user can attach to, including those in containers.

1. A process whose memory has libjvm.so mapped is a JVM. Only its own user and root can see that.
2. Its main class comes from its command line, its version from the file `release` of its JDK, below /proc/PID/root
   (rooted.py).
3. If the agent is in it, its data file is mapped, too; the file's metadata say where it lies.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from classhook.base.errors import Failure, UsageError
from classhook.base.launch import main_of
from classhook.base.names import printable
from classhook.live import rooted

PROC = Path("/proc")
SIGQUIT_BIT = 1 << 2
LIVE = (".classhook", ".classhook.live")  # files that the agent has mapped (native/base/session_files.c)
REMOVED = " (deleted)"  # the kernel's word, behind a path
RELEASE_BYTES = 1 << 16  # of a JDK's file `release`, which has a thousand or two
COMMAND_BYTES = 8 << 20  # of a command line; the kernel's limit is 6 MB


@dataclass(frozen=True)
class Jvm:
    """A JVM. `pid`: as this process sees it; `libjvm`: the JVM's own path of its library; `mapped`: of its data file,
    "" if the agent is not in it."""

    pid: int
    libjvm: str
    mapped: str

    @property
    def proc(self) -> Path:
        return PROC / str(self.pid)

    @property
    def root(self) -> Path:
        """The root of its file system."""
        return self.proc / "root"

    def outside(self, path: str | Path, follow: bool = True) -> Path:
        """A path of its file system as this process sees it; `follow`: also where the last name is a link. Raises
        OSError."""
        if not self.is_apart:
            return Path(path)
        return (
            rooted.located(self.root, path)
            if follow
            else rooted.located(self.root, Path(path).parent) / Path(path).name
        )

    @cached_property
    def is_apart(self) -> bool:
        """True if it has another file system, as in a container."""
        try:
            return os.readlink(self.proc / "ns" / "mnt") != os.readlink(PROC / "self/ns/mnt") or not os.path.samefile(
                self.root, "/"
            )
        except OSError:
            return False

    @cached_property
    def command(self) -> list[str]:
        with open(self.proc / "cmdline", "rb") as file:
            return file.read(COMMAND_BYTES).rstrip(b"\0").decode("utf-8", "replace").split("\0")

    @cached_property
    def status(self) -> dict[str, str]:
        """/proc/PID/status, by its keys, as it was at first."""
        return self.status_now()

    def status_now(self) -> dict[str, str]:
        """The status of now. Raises OSError."""
        lines = (self.proc / "status").read_text(errors="replace").split("\n")
        return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}

    @property
    def inner_pid(self) -> int:
        """The process id in its own namespace."""
        return int(self.status.get("NSpid", str(self.pid)).split()[-1])

    @property
    def uid(self) -> int:
        """The effective user."""
        return int(self.status["Uid"].split()[1])

    @property
    def gid(self) -> int:
        return int(self.status["Gid"].split()[1])

    @property
    def user(self) -> str:
        from pwd import getpwuid

        try:
            return getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)

    @property
    def catches_quit(self) -> bool:
        """True if it handles SIGQUIT, which would kill it otherwise."""
        return bool(int(self.status_now()["SigCgt"], 16) & SIGQUIT_BIT)

    @property
    def is_stopped(self) -> bool:
        """True if it stands still, by SIGSTOP or a debugger."""
        try:
            return self.status_now()["State"][0] in "Tt"
        except OSError:  # it has ended
            return False

    @property
    def main(self) -> str:
        """The main class, module or jar; else the command's name."""
        return main_of(self.command)

    @property
    def version(self) -> str:
        """The version of its JDK, "?" if unknown."""
        home = Path(self.libjvm).parents[2]
        try:
            text = rooted.read(self.root, home / "release", RELEASE_BYTES).decode("utf-8", "replace")
        except OSError:
            return "?"
        found = re.search(r'^JAVA_(?:RUNTIME_)?VERSION="?([^"\n]+)', text, re.M)
        return printable(found[1]) if found else "?"

    @property
    def age_s(self) -> float:
        """The time since its start, in seconds."""
        ticks = int((self.proc / "stat").read_text().rpartition(")")[2].split()[19])
        return max(0.0, float((PROC / "uptime").read_text().split()[0]) - ticks / os.sysconf("SC_CLK_TCK"))

    def data(self) -> Path | None:
        """The data file of its session, or of the last one, as this process sees it; None if the agent is not in it."""
        if not self.mapped:
            return None
        from classhook.store.opening import DataError, place_of

        try:
            place = place_of(self._live)
            return self.outside(place, follow=False) if place else self._live
        except (DataError, OSError):
            return self.root / self.mapped.lstrip("/")

    def session(self) -> Path | None:
        """The data file of the present session; None if there is none."""
        from classhook.native._layout import lib
        from classhook.store.opening import DataError, live_header

        try:
            on = bool(self.mapped) and live_header(self._live).how_ended == lib.CH_RUNNING
        except (DataError, OSError):
            return None
        return self.data() if on else None

    @property
    def _live(self) -> Path:
        return self.root / self.mapped.lstrip("/")


def jvm_of(pid: int) -> Jvm | None:
    """The JVM with this process id; None if it is not a JVM, or another user's."""
    libjvm = mapped = ""
    try:
        with open(PROC / str(pid) / "maps", errors="surrogateescape") as maps:
            for line in maps:
                path = line.rstrip("\n").partition("/")[2]
                if path.endswith("/libjvm.so"):
                    libjvm = "/" + path
                elif path.removesuffix(REMOVED).endswith(LIVE) and not mapped:
                    mapped = "/" + path.removesuffix(REMOVED)
    except OSError:
        return None
    return Jvm(pid, libjvm, mapped) if libjvm else None


def jvms() -> Iterator[Jvm]:
    """All JVMs that this user can attach to, by process id. Raises Failure."""
    check_numbers()
    for pid in sorted(int(name) for name in os.listdir(PROC) if name.isdigit()):
        with suppress(OSError):  # it has ended
            found = jvm_of(pid)
            if found is not None and os.geteuid() in (0, found.uid):
                yield found


def check_numbers() -> None:
    """Raises Failure if /proc numbers processes otherwise than the kernel does for this one: signals would reach
    others."""
    try:
        own = os.readlink(PROC / "self")
    except OSError:
        own = ""
    if own != str(os.getpid()):
        raise Failure(
            "/proc belongs to another PID namespace: run classhook outside this one, or mount its own /proc (mount -t"
            " proc proc /proc)"
        )


def named(name: str) -> Jvm:
    """The JVM with this process id, or with this main class: in full, its last part, or a part of it. Raises
    UsageError, Failure."""
    if name.isdigit():
        check_numbers()
        found = jvm_of(int(name))
        if found is None:
            raise Failure(_why_not(int(name)))
        return found
    every = list(jvms())
    for alike in (_is, _ends_with, _contains):
        matching = [one for one in every if alike(one.main, name)]
        if len(matching) == 1:
            return matching[0]
        if matching:
            which = ", ".join(f"{one.pid} ({one.main})" for one in matching)
            raise UsageError(f"{name}: several JVMs have such a name: {which}; give the process id")
    raise UsageError(f"{name}: no running JVM of this user has such a main class; `classhook ps` lists the JVMs")


def _is(main: str, name: str) -> bool:
    return main == name


def _ends_with(main: str, name: str) -> bool:
    return re.split(r"[./]", main.removesuffix(".jar"))[-1] == name


def _contains(main: str, name: str) -> bool:
    return name in main


def _why_not(pid: int) -> str:
    try:
        os.stat(PROC / str(pid))
    except FileNotFoundError:
        return f"{pid}: there is no such process; `classhook ps` lists the JVMs that you can attach to"
    try:
        with open(PROC / str(pid) / "maps"):
            return f"{pid}: this process is not a JVM; `classhook ps` lists the JVMs that you can attach to"
    except PermissionError:
        return f"{pid}: this process belongs to another user; only that user, and root, may attach to it"
    except OSError as error:
        return f"{pid}: this process cannot be inspected: {error.strerror}"
