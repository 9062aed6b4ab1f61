"""`classhook cache`: shows and clears the cache of woven classes."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path

from instrument.data.packs import MOST_BYTES, default_directory, packs, remove
from instrument.errors import UsageError
from instrument.names import quantity
from instrument.terminal import show

EPILOG = f"""\
A class that was woven once by the same rules is not woven again: the agent takes it from here, and Python is not even started
when all classes are found. `classhook run` uses the cache unless --no-cache is given, and keeps it below {quantity(MOST_BYTES)}.

examples:
  classhook cache             what lies in it
  classhook cache --clear
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cache", metavar="DIR", help="another cache than the default one")
    parser.add_argument("--clear", action="store_true", help="remove all that lies in it")


def execute(args: argparse.Namespace) -> int:
    directory = Path(args.cache) if args.cache else default_directory()
    if args.cache and not directory.is_dir():
        raise UsageError(f"{directory}: no such directory")
    found = packs(directory)
    total = quantity(sum(pack.bytes for pack in found))
    if args.clear:
        remove(found)
        show(f"{directory}: {len(found)} sets of rules removed, {total}")
        return 0
    show(f"{directory}: {len(found)} sets of rules, {total}")
    for pack in found:
        show(f"  {quantity(pack.bytes):>10}  {datetime.fromtimestamp(pack.used):%Y-%m-%d %H:%M}  {pack.path.stem}")
    return 0
