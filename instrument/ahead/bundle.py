"""A bundle: one file with the agent, woven classes and compiled rules, for machines without Python.

1. The file begins with the agent of one machine, so that it is a library that a JVM loads by ``-agentpath:``. Data
   after a library does not disturb the loader.
2. The jar with woven classes follows, so that the file is a jar, too: Java looks for a jar's directory at the end of a
   file.
3. The jar also has the compiled rules, not compressed; the agent is told where they are (native/base/bundle.c). Agents
   of other machines lie beside them.
"""

from __future__ import annotations

import gzip
import platform
import struct
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from classhook.ahead.archive import DAMAGED, Entry, Files, Frame, frame
from classhook.ahead.jars import Done, Outcome, write_jar
from classhook.base.errors import UsageError
from classhook.base.files import whole, writing
from classhook.native import library

FOLDER = "META-INF/classhook/"
RULES = FOLDER + "rules"
MARK = b"classhook bundle"
PLACE = struct.Struct("<16s16sQQ")  # native/base/bundle.c: mark, build, where the rules are, and how long
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine, ELF
ELF, E_MACHINE = b"\x7fELF\x02\x01", 18
GLIBC = b"\0libc.so.6\0"
DATE = (1980, 1, 1, 0, 0, 0)  # so that the same input makes the same file
IN_WHEEL = "classhook/native/" + library.AGENT.name


def here() -> str:
    """The name of this machine, as in the names of agents."""
    return platform.machine()


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent's library."""

    machine: str
    build: bytes
    data: bytes

    @property
    def at(self) -> int:
        """The offset at which the agent finds the rules."""
        return self.data.index(MARK)


def agent_of(data: bytes, path: Path) -> Agent:
    """The agent in a library. Raises UsageError if it is none. `path`: for messages."""
    machine = (
        MACHINES.get(int.from_bytes(data[E_MACHINE : E_MACHINE + 2], "little"), "") if data.startswith(ELF) else ""
    )
    if not machine or data.count(MARK) != 1:
        raise UsageError(f"{path}: not an agent of classhook: expected libclasshook.so, or a wheel that holds it")
    _, build, _, used = PLACE.unpack_from(data, data.index(MARK))
    if used:
        raise UsageError(f"{path}: is a bundle already; give the agent it was made with")
    return Agent(machine if GLIBC in data else f"{machine}-musl", build, data)


def read_agent(path: Path) -> Agent:
    """The agent in a library, a compressed one, or a wheel. Raises UsageError."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        elif path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                data = wheel.read(IN_WHEEL)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (*DAMAGED, EOFError):
        raise UsageError(f"{path}: damaged, or not what its name says") from None
    return agent_of(data, path)


def agents(given: Iterable[Path]) -> dict[str, Agent]:
    """The agents by machine: this installation's own, those installed beside it, and those given. Raises UsageError if
    one is of another build."""
    if not library.AGENT.is_file():
        raise UsageError(
            f"the agent library {library.AGENT} is missing: it was not built; reinstall classhook with `pip install`"
        )
    own = read_agent(library.AGENT)
    found = {own.machine: own}
    for path in [*sorted(library.HERE.glob(library.OTHERS)), *given]:
        agent = read_agent(path)
        if agent.build != own.build:
            raise UsageError(
                f"{path}: the agent is of another build of classhook than this one, whose woven classes it would not"
                " understand"
            )
        found[agent.machine] = agent
    return found


def refuse_bundle(files: Files) -> None:
    """Raises UsageError if a jar is a bundle."""
    if any(files.head(at).name == RULES for at in range(len(files))):
        raise UsageError(f"{files.path}: is a bundle already; give the jar that it was made from")


def write_bundle(
    output: Path,
    first: Agent,
    others: Mapping[str, Agent],
    rules: bytes,
    files: Files | None,
    woven: Iterable[tuple[Entry, Done | None]],
    outcome: Outcome,
) -> int:
    """Writes the file and returns its size. `first`: the agent that it begins with; `files`, `woven`: the jar, if there
    is one, and what has become of its files. Raises UsageError."""
    with writing(output, whole) as file:
        file.write(first.data)
        if files is not None:
            write_jar(Frame(b"", frame(files.path).comment, 0), file, woven, outcome)
        at = _append(file, rules, others)
        size = file.seek(0, 2)
        file.seek(first.at)
        file.write(PLACE.pack(MARK, first.build, at, len(rules)))
        return size


def _append(file: BinaryIO, rules: bytes, others: Mapping[str, Agent]) -> int:
    """Adds to the jar, or begins one; returns where the rules are in the file."""
    with zipfile.ZipFile(file, "a") as jar:
        entry = zipfile.ZipInfo(RULES, DATE)
        jar.writestr(entry, rules, zipfile.ZIP_STORED)
        for machine, agent in sorted(others.items()):
            jar.writestr(
                zipfile.ZipInfo(f"{FOLDER}{machine}/{library.AGENT.name}", DATE), agent.data, zipfile.ZIP_DEFLATED
            )
    return entry.header_offset + len(entry.FileHeader())
