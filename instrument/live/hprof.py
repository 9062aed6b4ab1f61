"""HPROF's file of a JVM that runs, of what its rules have measured until now."""

from __future__ import annotations

from pathlib import Path

from instrument.errors import Failure
from instrument.hprof.options import parse
from instrument.hprof.output import named, save
from instrument.live.control import Control
from instrument.live.jvms import Jvm


def written(jvm: Jvm, data: Path, options: str) -> str:
    """The file's name; the options are HPROF's. What is measured is the rules' affair, but the heap is dumped if `heap=` asks for it.
    Raises Failure, UsageError."""
    settings = named(parse(options))
    control = Control(jvm, data)
    control.ask("dump")
    dump = None
    if settings.given.get("heap") in ("dump", "all"):
        dump = Path(settings.file).with_suffix(".heap.hprof").absolute()
        dump.unlink(missing_ok=True)  # HotSpot writes over no file
        control.ask(f"heap dump {dump}")
        if not dump.exists():
            raise Failure(f"{jvm.pid}: {dump} is not there: the JVM runs in another file system, or cannot write here")
    save(settings, [data], dump, Path(settings.file))
    return settings.file
