"""``python weaver.py NAMES FOLDER RULES``: weaves classes in this process and prints the mean microseconds per
class."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from time import perf_counter

import classhook.measures.every  # noqa: F401 -- rules know no words without it
from classhook.rules.compiled import loads
from classhook.weaving.weave import weave


def main(names: Path, folder: Path, rules: Path) -> None:
    classes = [Path(folder, name.replace(".", "/") + ".class").read_bytes() for name in names.read_text().split()]
    chosen = loads(rules.read_text())
    gc.set_threshold(100_000)  # as instrument/weaving/agent_calls.py does
    start = perf_counter()
    for data in classes:
        weave(data, chosen, True)
    print((perf_counter() - start) / len(classes) * 1e6)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
