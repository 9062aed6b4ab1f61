"""The library that lets calls fail: built, and told by its environment."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from classhook.native import library
from tools.compare.fetching import Failed

SOURCE = Path(__file__).with_name("faults.c")
KINDS = ("memory", "files", "writes", "reads", "maps", "threads", "sockets", "libraries", "jvmti", "jni")
HEAD = struct.Struct("QQ")
MOST = 1 << 17  # calls that are noted
OFFSET = (1 << 56) - 1


@dataclass(frozen=True, slots=True)
class Fault:
    """The calls `first` to `last` of a kind fail; 0: none. `whose`: of one more library."""

    ALL: ClassVar[int] = 1 << 40
    kind: str
    first: int
    last: int
    whose: str = ""

    @property
    def how(self) -> str:
        return "from" if self.last == self.ALL else "once"

    def __str__(self) -> str:
        return f"{self.kind} {self.first} {self.how}"


@dataclass(frozen=True, slots=True)
class Preload:
    file: Path

    @classmethod
    def built(cls, folder: Path, java: Path) -> Preload:
        """Raises Failed."""
        home, to = java.resolve().parent.parent, folder / "faults.so"
        flags = ["-O2", "-std=c11", "-fno-builtin", "-shared", "-fPIC", f"-I{home}/include", f"-I{home}/include/linux"]
        try:
            subprocess.run(["gcc", *flags, SOURCE, "-o", to, "-ldl"], check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Failed(f"faults.c cannot be compiled: {getattr(error, 'stderr', '') or error}") from None
        return cls(to)

    def environment(self, fault: Fault, notes: Path) -> dict[str, str]:
        wish = f"{fault.kind}:{fault.first}:{fault.last}:{notes}" + (f":{fault.whose}" if fault.whose else "")
        return {"LD_PRELOAD": str(self.file), "FAULTS": wish}

    @staticmethod
    def noted(notes: Path) -> tuple[int, list[int]]:
        """The number of calls that failed, and the place of each call."""
        data = notes.read_bytes()
        calls, failed = HEAD.unpack_from(data)
        return failed, list(struct.unpack_from(f"{min(calls, MOST)}Q", data, HEAD.size))

    @staticmethod
    def place(noted: int) -> str:
        """The function of a call, and its line: of the agent, or of the library behind it; or just `libpython`."""
        if not noted or noted >> 56 > 1:
            return "libpython" if noted else "not reached"
        file = library.EMBEDDING if noted >> 56 else library.AGENT
        line = ["addr2line", "-f", "-s", "-e", str(file), hex((noted & OFFSET) - 1)]
        found = subprocess.run(line, capture_output=True, text=True).stdout.split("\n")
        return f"{found[0]} ({found[1].partition(' ')[0]})"
