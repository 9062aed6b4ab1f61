"""`classhook ps`: the JVMs that this user can attach to."""

from __future__ import annotations

import argparse
import json

from classhook.base.names import printable
from classhook.base.terminal import show
from classhook.base.units import NANOSECONDS
from classhook.live.jvms import Jvm, jvms

EPILOG = """\
One line for each JVM of this user (root sees all), also in containers: process
id, user, version of the JDK, how long it has been running, what it runs, and,
if classhook is in it, where its data is.

examples:
  classhook ps
  classhook ps --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object for each JVM")


def execute(args: argparse.Namespace) -> int:
    rows = []
    for jvm in jvms():
        try:
            rows.append(described(jvm))
        except OSError:
            continue  # it has ended
    if args.json:
        for row in rows:
            show(json.dumps(row))
        return 0
    if not rows:
        show("no JVM of this user is running")
        return 0
    lines = [("pid", "user", "JDK", "since", "program", "data"), *map(cells_of, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        fields = [
            cell.rjust(width) if i in (0, 3) else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        show("  ".join(fields).rstrip())
    return 0


def described(jvm: Jvm) -> dict[str, object]:
    """A JVM as JSON. Raises OSError if it has ended."""
    data = jvm.data()
    return {
        "pid": jvm.pid,
        "user": jvm.user,
        "jvm": jvm.version,
        "age_s": round(jvm.age_s, 1),
        "main": jvm.main,
        "command": " ".join(jvm.command),
        "container": jvm.is_apart,
        "data": None if data is None else str(data),
    }


def cells_of(row: dict[str, object]) -> tuple[str, ...]:
    main = printable(str(row["main"])) + (" (in a container)" if row["container"] else "")
    return (
        str(row["pid"]),
        str(row["user"]),
        str(row["jvm"]),
        age(float(str(row["age_s"]))),
        main,
        printable(str(row["data"] or "-")),
    )


def age(seconds: float) -> str:
    """A duration in its two largest units."""
    units = [(unit, NANOSECONDS[unit] // NANOSECONDS["s"]) for unit in ("d", "h", "m", "s")]
    for i, (name, size) in enumerate(units):
        if seconds >= size or name == "s":
            text = f"{int(seconds // size)}{name}"
            if i + 1 < len(units):
                further, small = units[i + 1]
                text += f"{int(seconds % size // small):02}{further}"
            return text
    return ""
