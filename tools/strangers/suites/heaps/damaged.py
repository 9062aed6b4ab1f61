"""Torn and damaged dumps: read, or refused by a sentence that names the file and says what is wrong."""

from __future__ import annotations

import random
import re
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.extensions.heap import views
from classhook.extensions.heap.heap import opened
from classhook.extensions.heap.looked import Looked
from tools.strangers.outcome import Difference, Row

SENTENCE = re.compile(r"\S+\.hprof: [^\n]*(?:torn|damaged|too short|shorter|no heap|not a heap dump|ids have)[^\n]*")


def rows(dump: Path, folder: Path, tries: int, jvm: str) -> list[Row]:
    """A row for torn dumps, one for those with other bytes."""
    whole, chance = dump.read_bytes(), random.Random(1)
    file = folder / "bad.hprof"
    torn, changed = Row("torn", jvm, "all views", tries), Row("damaged", jvm, "all views", tries)
    for _ in range(tries):
        end = chance.randrange(len(whole))
        file.write_bytes(whole[:end])
        if (said := look(file)) is None or not SENTENCE.fullmatch(said):
            torn.differences.append(Difference(f"{end:,} of {len(whole):,} bytes", said or "read as a whole dump"))
    for i in range(tries):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 20)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        file.write_bytes(data)
        if (said := look(file)) is not None and not SENTENCE.fullmatch(said):
            changed.differences.append(Difference(f"change {i}", said))
    return [torn, changed]


def look(file: Path) -> str | None:
    """Reads a dump; returns the message if it is refused, None if it is read."""
    try:
        looked = Looked(opened(file), 10)
        for view in views.VIEWS.values():
            view(looked)
    except UsageError as error:
        return str(error)
    except Exception as error:  # any other one is a defect
        return f"{type(error).__name__}: {error}"
    return None
