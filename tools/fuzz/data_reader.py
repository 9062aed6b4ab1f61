"""Reads damaged data files in a process with little memory and tells what broke a promise:
`python -m tools.fuzz.data_reader`.

1. A report of the file ends with 0, 1 or 2 and no traceback, in text and JSON; nothing in it is a control sequence for
   a terminal.
2. A report of a directory contains everything of the other file in it.
3. After compacting (instrument/store/compact.py), which is done only if nothing is missing in the file, the report is
   the same.
4. If the damage only removed data, no count exceeds that of the undamaged file. If it truncated the file and a count is
   lower, a note says so.
5. The rows of a dataset are made of it (instrument/extensions/fleet/dataset/run_rows.py), or it is said why not.
For a folder without another file (hostile, not damaged), only promises 1 and 5 are checked.
The process reads a line of JSON for each folder and answers with one.
"""

from __future__ import annotations

import gc
import io
import json
import os
import re
import resource
import sys
import traceback
from contextlib import redirect_stderr, suppress
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

from tools.fuzz.slowness import slowness

ADDRESS_SPACE = 1 << 30
SECONDS = 10.0  # CPU time for everything; more on a slower or busier machine than that on which this was set
MOST_BYTES = 400 << 20  # of memory
BAD, GOOD, TOGETHER = "bad.classhook", "good.classhook", "together.classhook"
TIMES = ("completed", "exceptions", "total_ns", "max_ns")
CHANGING = ("duration_ns", "end", "notes")


class Broken(Exception):
    """A promise that was broken."""


def reported(*words: str) -> tuple[int, str, str]:
    """Status, stdout and stderr of a command."""
    from classhook.cli import main

    raw, err, before = io.BytesIO(), io.StringIO(), sys.stdout
    sys.stdout = out = io.TextIOWrapper(raw, "utf-8")
    try:
        with redirect_stderr(err):
            status = main(["report", *words])
    finally:
        sys.stdout = before
        gc.enable()
    out.flush()
    text = raw.getvalue().decode()
    if status not in (0, 1, 2):
        raise Broken(f"status {status}")
    for said in (text, err.getvalue()):
        if not all(c.isprintable() or c in "\n\t" for c in said):
            raise Broken(f"says {[c for c in said if not c.isprintable()][:9]}")
    if status != 0 and not err.getvalue() and "note:" not in text and "not counted: " not in text:
        raise Broken(f"status {status}, and no word about it")
    return status, text, err.getvalue()


def exported(path: Path) -> None:
    """Makes rows of a dataset out of a file, if the extension for that is there."""
    from classhook.base.errors import Failure
    from classhook.extensions import EXTENSIONS

    if "fleet" not in {one.name for one in EXTENSIONS}:
        return
    from classhook.extensions.fleet.dataset.method_bodies import Bodies
    from classhook.extensions.fleet.dataset.run_rows import run_rows
    from classhook.store.runs import repetitions

    for runs in repetitions([path]).values():
        for run in runs:
            with suppress(Failure):
                run_rows(run, Bodies())


def shown(path: Path) -> dict[str, Any]:
    """The report of one file, without what depends on time and place of reading."""
    from classhook.model.reading.files import read
    from classhook.reports import Options
    from classhook.reports.json import as_dict

    found = as_dict(read([path]), Options(all=True, top=0, sort="self"))
    json.dumps(found)
    if any("too large" in note for note in found["notes"]):
        raise Broken(str(found["notes"]))
    return found


def without(found: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    kept = {key: value for key, value in found.items() if key not in ("notes", "processes")}
    return {
        **kept,
        "processes": [{k: v for k, v in process.items() if k not in keys} for process in found["processes"]],
    }


def put_together(folder: Path, before: dict[str, Any]) -> None:
    from classhook.store.compact import compact
    from classhook.store.opening import DataError
    from classhook.store.reading import read_file

    try:
        file = read_file(folder / BAD)
    except DataError:
        return
    if file.notes:
        return
    path = folder / TOGETHER
    try:
        with path.open("wb") as to:
            to.writelines(compact(file))
        if path.stat().st_size > 64 << 20:
            raise Broken(f"{path.stat().st_size} bytes put together")
        after = shown(path)
    finally:
        path.unlink(missing_ok=True)
    if without(after, CHANGING) != without(before, CHANGING):
        raise Broken(
            f"put together it says otherwise: {difference(without(before, CHANGING), without(after, CHANGING))}"
        )
    if not file.running and notes_of(before, BAD) != notes_of(after, TOGETHER):
        raise Broken(f"put together it says otherwise: {notes_of(before, BAD)}, {notes_of(after, TOGETHER)}")


def notes_of(found: dict[str, Any], name: str) -> list[str]:
    return [note.replace(name, "") for process in found["processes"] for note in process["notes"]]


def difference(one: dict[str, Any], two: dict[str, Any]) -> str:
    for key in one:
        if one[key] != two[key]:
            rows = (
                [(a, b) for a, b in zip(one[key], two[key], strict=False) if a != b]
                if isinstance(one[key], list)
                else [(one[key], two[key])]
            )
            return f"{key}: {len(one[key])} and {len(two[key])}: {str(rows[:2])[:1500]}"
    return ""


def rows(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The tables' rows by their names."""
    names = ("class", "method", "descriptor", "line", "bci", "type")
    return {json.dumps([row.get(name) for name in names]): row for row in (*found["methods"], *found["allocations"])}


@cache
def rows_of_whole(path: Path) -> dict[str, dict[str, Any]]:
    return rows(shown(path))


def none_is_more(before: dict[str, Any], whole: Path, cut: bool) -> None:
    """Estimated times may be higher, since fewer timed activations are scaled to all calls."""
    left, true = rows(before), rows_of_whole(whole)
    for name, row in left.items():
        bounded = ("calls", "count", "bytes") + (() if "sample" in true[name] else TIMES)
        if more := [key for key in bounded if key in row and row[key] > true[name].get(key, 0)]:
            raise Broken(f"more than there was, {more}: {row}, {true[name]}")
    silent = not before["notes"] and not any(process["notes"] for process in before["processes"])
    if cut and silent and left != true:
        raise Broken("something is missing, and no word about it")


def check(folder: Path, live: bool, whole: Path | None, cut: bool) -> None:
    """Raises Broken. `live`: the file changes meanwhile; `whole`: the file from which data was removed; `cut`: it was
    truncated."""
    bad, good = folder / BAD, folder / GOOD
    if not good.exists():
        for words in (("-f", "text", "--all"), ("-f", "json", "-o", "/dev/null")):
            reported(*words, str(bad))
        exported(bad)
        return
    own = shown(good)
    if not live:
        before = shown(bad)
        put_together(folder, before)
        exported(bad)
        if whole:
            none_is_more(before, whole, cut)
    _, text, err = reported("-f", "text", str(bad))
    if not live and before["processes"] and not text:
        raise Broken(f"not reported, though it can be read: {err}")
    status, text, _ = reported("-f", "json", "--all", str(folder))
    found = json.loads(text)
    for kind in ("methods", "allocations"):
        missing = [row for row in own[kind] if row not in found[kind]]
        if missing:
            raise Broken(f"the other file's {kind} are missing: {missing[:3]}")
    if status not in (0, 1) or not set(pids(own)) <= set(pids(found)):
        raise Broken(f"the other file is missing: status {status}")
    reported("-f", "text", "--all", str(folder))
    if not live and without(shown(bad), ("duration_ns",)) != without(before, ("duration_ns",)):
        raise Broken("brought home it says otherwise")


def pids(found: dict[str, Any]) -> list[int]:
    return [process["pid"] for process in found["processes"]]


def answer(folder: Path, live: bool, whole: str | None, cut: bool) -> dict[str, Any]:
    slow, start = slowness(), process_time()
    Path("/proc/self/clear_refs").write_text("5")
    before = memory()
    trouble = ""
    try:
        check(folder, live, Path(whole) if whole else None, cut)
    except Broken as error:
        trouble = str(error)
    except BaseException:
        trouble = traceback.format_exc()
    seconds, took = process_time() - start, memory() - before
    gc.collect()
    if not trouble and seconds > SECONDS * max(1.0, slow, slowness()):
        trouble = f"slow: {seconds:.1f} s"
    if not trouble and took > MOST_BYTES:
        trouble = f"large: {took >> 20} MiB"
    return {"trouble": trouble, "seconds": seconds, "memory": took}


def memory() -> int:
    """Peak memory of this process since the last reset, in bytes."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) * 1024 if found else 0


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    with os.fdopen(os.dup(1), "w") as answers:  # a command may close stdout
        for line in sys.stdin:
            task = json.loads(line)
            print(json.dumps(answer(**{**task, "folder": Path(task["folder"])})), file=answers, flush=True)


if __name__ == "__main__":
    main()
