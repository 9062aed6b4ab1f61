"""HPROF's file of a running JVM, with the measurements of its rules until now."""

from __future__ import annotations

import json
from pathlib import Path

from classhook.base.errors import Failure
from classhook.base.terminal import show
from classhook.extensions.hprof.options import parse
from classhook.extensions.hprof.output import named, save
from classhook.live.control_socket import Control
from classhook.live.jvms import Jvm


def asked(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    """The command `hprof` of `classhook ctl`."""
    file = written(jvm, data, ",".join(words))
    if as_json:
        show(json.dumps({"ok": True, "file": file}))


def written(jvm: Jvm, data: Path, options: str) -> str:
    """The file's name; the options are HPROF's. The rules decide what is measured, but the heap is dumped if `heap=`
    asks for it. Raises Failure, UsageError."""
    settings = named(parse(options))
    settings.own_rules = False
    control = Control(jvm, data)
    control.ask("dump")
    dump = None
    if settings.given.get("heap") in ("dump", "all"):
        dump = Path(settings.file).with_suffix(".heap.hprof").absolute()
        dump.unlink(missing_ok=True)  # HotSpot writes over no file
        control.ask(f"heap listed {dump}")
        if not dump.exists():
            raise Failure(f"{jvm.pid}: {dump} is not there: the JVM runs in another file system, or cannot write here")
    save(settings, [data], dump, Path(settings.file))
    return settings.file
