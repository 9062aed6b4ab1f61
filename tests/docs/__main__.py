"""Runs the sessions of the documentation, and writes what they print into the pages: `python -m tests.docs [PAGE...]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.docs.sessions import BLOCK, MORE, PAGES, ROOT, parse, prepare, run, written
from tests.docs.setups import SETUPS


def renew(page: str) -> None:
    path = ROOT / page
    with tempfile.TemporaryDirectory(prefix="classhook-docs-") as name:
        folder = Path(name)
        environment = prepare(folder)

        def said(found: object) -> str:
            block = found.group(0)  # type: ignore[attr-defined]
            if setup := found["setup"]:  # type: ignore[index]
                SETUPS[setup](folder, environment)
                return str(block)
            sessions = parse(found["text"])  # type: ignore[index]
            for one in sessions:
                cut = len(one.said) - 1 if one.said and one.said[-1] == MORE else None
                lines = [line.rstrip().replace(str(folder), "/home/me/shop") for line in run(one, folder, environment)]
                one.said = lines if cut is None else [*lines[:cut], MORE]
            return written(sessions)

        path.write_text(BLOCK.sub(said, path.read_text()))
    print(page)


if __name__ == "__main__":
    for page in sys.argv[1:] or PAGES:
        renew(page)
