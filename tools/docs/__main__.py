"""Runs the sessions of the documentation, and writes what they print into the pages:
`python -m tools.docs [PAGE...]`.

A page of a command that does not exist yet, such as docs/commands/coverage.md, is made with the command's summary and
options.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from classhook.commands.groups import COMMANDS
from tools.docs.sessions import BLOCK, MORE, PAGES, ROOT, parse, prepare, run, written
from tools.docs.setups import SETUPS, finish


def of_command(name: str) -> str:
    """The page of a command, to which examples are added by hand."""
    summary = COMMANDS[name][0].upper() + COMMANDS[name][1:]
    return f"# classhook {name}\n\n{summary}.\n\n## All options\n\n```console\n$ classhook {name} --help\n```\n"


def renew(page: str) -> None:
    path = ROOT / page
    if not path.exists() and path.parent.name == "commands":
        path.write_text(of_command(path.stem))
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
                if MORE in one.said[:-1]:  # shortened by hand
                    run(one, folder, environment)
                    continue
                cut = len(one.said) - 1 if one.said and one.said[-1] == MORE else None
                lines = [line.rstrip().replace(str(folder), "/home/me/shop") for line in run(one, folder, environment)]
                one.said = lines if cut is None else [*lines[:cut], MORE]
            return written(sessions)

        try:
            path.write_text(BLOCK.sub(said, path.read_text()))
        finally:
            finish()
    print(page)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m tools.docs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", metavar="PAGE", nargs="*", help="such as docs/commands/run.md (default: all)")
    for page in parser.parse_args().pages or PAGES:
        renew(page)
