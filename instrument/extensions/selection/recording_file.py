"""The file of recordings, which CI keeps between builds: JSON, packed by gzip."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from classhook.base.errors import UsageError
from classhook.extensions.selection.observed import MethodName
from classhook.extensions.selection.reach import bits as numbers_of
from classhook.extensions.selection.recording import KnownClass, KnownTest, Recording

FILE = "tests.selection"
FORMAT = 3


def write(folder: Path, recordings: list[Recording]) -> Path:
    """Writes the file, whole or not at all."""
    path = folder / FILE
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{FILE}.{os.getpid()}")
    content = {"format": FORMAT, "recordings": [_as_json(one) for one in recordings]}
    with gzip.GzipFile(part, "wb", compresslevel=6, mtime=0) as file:
        file.write(json.dumps(content, separators=(",", ":")).encode("utf-8", "surrogatepass"))
    part.replace(path)
    return path


def read(folder: Path) -> list[Recording]:
    """Raises UsageError if there is none, or it cannot be read."""
    path = folder / FILE
    try:
        with gzip.open(path) as file:
            content = json.loads(file.read().decode("utf-8", "surrogatepass"))
        if content["format"] != FORMAT:
            raise UsageError(f"{path}: written by another version of classhook; run the tests again to record them")
        return [_of_json(one) for one in content["recordings"]]
    except FileNotFoundError:
        raise UsageError(
            f"{folder}: no tests were recorded here: `classhook run --tests -e 'count com.acme.**::*' -o {folder} --"
            " ...` does"
        ) from None
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise UsageError(
            f"{path}: damaged, or not a file of recorded tests ({type(error).__name__}); run the tests again to record"
            " them"
        ) from None


def _as_json(one: Recording) -> dict[str, Any]:
    numbers = {starts: i for i, starts in enumerate(dict.fromkeys(test.starts for test in one.tests.values()))}
    return {
        "made": one.made,
        "commit": one.commit,
        "dirty": one.dirty,
        "build": one.build,
        "files": one.files,
        "classes": {
            name: [known.shape, known.supertypes, known.annotated, known.methods] for name, known in one.classes.items()
        },
        "methods": _by_class(one.methods),
        "outside": f"{one.outside:x}",
        "uncounted": _by_class(sorted(one.uncounted)),
        "opened": one.opened,
        "kept": one.kept,
        "fields": {name: [f"{changers:x}", f"{readers:x}"] for name, (changers, readers) in one.fields.items()},
        "below": {str(start): f"{below:x}" for start, below in one.below.items()},
        "starts": [f"{starts:x}" for starts in numbers],
        "tests": {
            name: [
                *(test.status, test.duration_ns, f"{test.ran:x}", numbers[test.starts]),
                *(f"{test.touches:x}", f"{test.reads:x}"),
            ]
            for name, test in one.tests.items()
        },
    }


def _of_json(one: dict[str, Any]) -> Recording:
    below = {int(start): int(bits, 16) for start, bits in one["below"].items()}
    starts = [int(bits, 16) for bits in one["starts"]]
    if any(start not in below for some in starts for start in numbers_of(some)):
        raise ValueError("what ran below a method is missing")
    if not all(isinstance(text, str) for text in _texts(one)):
        raise TypeError("a name is no text")
    return Recording(
        int(one["made"]),
        one["commit"],
        dict(one["dirty"]),
        dict(one["build"]),
        dict(one["files"]),
        {
            name: KnownClass(
                shape, list(supertypes), annotated, {method: (a, b, c) for method, (a, b, c) in methods.items()}
            )
            for name, (shape, supertypes, annotated, methods) in one["classes"].items()
        },
        _methods(one["methods"]),
        int(one["outside"], 16),
        set(_methods(one["uncounted"])),
        dict(one["opened"]),
        {
            name: KnownTest(status, int(duration), int(ran, 16), starts[number], int(touches, 16), int(reads, 16))
            for name, (status, duration, ran, number, touches, reads) in one["tests"].items()
        },
        [*one["kept"]],
        {name: (int(changers, 16), int(readers, 16)) for name, (changers, readers) in one["fields"].items()},
        below,
    )


def _texts(one: dict[str, Any]) -> Iterator[Any]:
    yield one["commit"]
    yield from one["kept"]
    for names in (one["dirty"], one["build"], one["files"], one["opened"]):
        yield from names.values()
    for name, (shape, supertypes, _, methods) in one["classes"].items():
        yield from (name, shape, *supertypes)
        yield from (text for own in methods.values() for text in own[:2])


def _by_class(methods: Iterable[MethodName]) -> dict[str, list[str]]:
    """Methods in order of their classes."""
    found: dict[str, list[str]] = {}
    for owner, member in methods:
        found.setdefault(owner, []).append(member)
    return found


def _methods(by_class: dict[str, list[str]]) -> list[MethodName]:
    return [(owner, member) for owner, members in by_class.items() for member in members]
