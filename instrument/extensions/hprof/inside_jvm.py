"""The agent's requests in a JVM that has HPROF's options: rules for them when it starts, and files of the measurements.

1. `start`: HPROF's options become the agent's options, in a line, and compiled rules; of `help` nothing is left.
2. `write`: WHEN, the data file and the options, each a line. At the end of a JVM, its data file has done its duty and
   is removed; a dump on the way, asked for by SIGQUIT, has a number in its name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from classhook.base.errors import Failure, UsageError
from classhook.base.launch import encode_value
from classhook.base.terminal import harmless, say, show
from classhook.extensions.hprof.options import Settings, parse, table

DATA = Path("classhook-data")


def asked(what: str, text: bytes) -> bytes | str:
    """The answer, or why there is none."""
    try:
        return ACTIONS[what](text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    except (UsageError, Failure) as error:
        return harmless(str(error))
    except Exception as error:  # a defect of classhook must not affect the program
        return harmless(f"HPROF's file is not written: {type(error).__name__}: {error}")


def start(text: str) -> str:
    """Raises UsageError, also for options that ask for nothing."""
    if text == "help":
        show(table().rstrip("\n"))
        sys.stdout.flush()  # the process ends at once
        return ""
    from classhook.extensions.hprof.output import named
    from classhook.store.cache.packs import default_directory

    settings = named(parse(text)).absolute()
    for remark in settings.remarks():
        say(remark)
    options = {
        "hprof": settings.written(),
        "hprofend": "yes",
        "heapdump": settings.heap_dump,
        "heapend": "" if settings.yes("doe") else "no",
        "data": str(DATA.absolute()),
        "cache": str(default_directory().absolute()),
    }
    return (
        ",".join(f"{name}={encode_value(value)}" for name, value in options.items() if value)
        + f"\n{compiled(settings)}"
    )


def compiled(settings: Settings) -> str:
    """The rules. Raises UsageError."""
    import classhook.measures.every  # noqa: F401  # registers the words of rules
    from classhook.rules.compiled import dumps
    from classhook.rules.parse import load

    rules = settings.rules()
    if not rules:
        raise UsageError("nothing to profile: heap=sites, heap=dump, cpu=samples, cpu=times, cpu=old or monitor=y")
    return dumps(load([], rules))


def write(text: str) -> str:
    """Raises Failure, UsageError."""
    from classhook.extensions.hprof.output import numbered, save
    from classhook.store.tmpfs import remove

    when, data, options = text.split("\n", 2)
    settings = parse(options)
    dump, path = Path(settings.heap_dump) if settings.heap_dump else None, Path(settings.file)
    if when == "end":
        if settings.yes("doe"):
            save(settings, [Path(data)], dump, path)
        remove(Path(data))
        _remove_empty(Path(data).parent)
        return ""
    path = numbered(path)
    if dump is not None and dump.exists():  # the next one has its name
        dump = dump.rename(path.with_name(f"{path.stem}.heap.hprof"))
    save(settings, [Path(data)], dump, path)
    return ""


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # others have data there


ACTIONS: dict[str, Callable[[str], str]] = {"start": start, "write": write}
