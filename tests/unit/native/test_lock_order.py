"""The written order of locks in native/base/base.h has each lock of the C code, and no other."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from classhook.extensions import ALL, EXTENSIONS

NATIVE = Path(__file__).parents[3] / "native"
HEADER = NATIVE / "base" / "base.h"


def locks_in_code() -> dict[str, list[str]]:
    """By file, as the list names it, the mutexes and raw monitors that it defines."""
    found = {}
    for file in sorted(NATIVE.rglob("*.[ch]")):
        text = file.read_text()
        names = re.findall(
            r"^\s*(?:static )?(?:pthread_(?:mutex|rwlock|spinlock)_t|jrawMonitorID) (\w+)(?: =.*)?;", text, re.M
        )
        if names:
            found[str(file.relative_to(NATIVE))] = names
    return found


def locks_in_list() -> Counter[str]:
    """The files in the list, each as often as it is there; with the lock's name behind a colon, if the file has
    several. Those of extensions that are not there are left out."""
    text = HEADER.read_text()
    order = text[text.index("/* Locks, from outermost") :]
    order = order[: order.index("*/")].partition("\n *\n")[2]
    found = re.findall(r"(?:\w+/)*\w+\.[ch]\b(?:: \w+)?", order)
    gone = tuple(f"extensions/{one.name}/" for one in ALL if one not in EXTENSIONS)
    return Counter(one for one in found if not one.startswith(gone))


def test_each_lock_has_its_place_in_the_order() -> None:
    code = locks_in_code()
    assert len(code) > 30
    assert locks_in_list() == Counter(
        f"{file}: {name}" if len(names) > 1 else file for file, names in code.items() for name in names
    )


def test_locks_are_taken_in_no_other_way() -> None:
    """The test above finds locks by these types."""
    other = [
        file.name
        for file in NATIVE.rglob("*.c")
        if re.search(r"\b(mtx_t|pthread_spin_init|pthread_rwlock_init)\b", file.read_text())
    ]
    assert other == []
