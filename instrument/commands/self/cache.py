"""`classhook self cache`: shows and clears the cache of woven classes, and memory that data of earlier runs still
takes."""

from __future__ import annotations

import argparse
import os
from datetime import datetime
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.base.files import opened_folder, stranger
from classhook.base.names import quantity, several
from classhook.base.terminal import show
from classhook.store.cache import parsed_rules as parsed
from classhook.store.cache.packs import MOST_BYTES, SUFFIX, Pack, default_directory, packs, remove

EPILOG = f"""\
A class is woven (instrumented) once for each set of rules. Later runs take it
from the cache, and do not even start Python if they find all classes there.
`classhook run` uses the cache unless --no-cache is given, and keeps it below
{quantity(MOST_BYTES)}.

Data files of running JVMs may lie in memory, in /dev/shm, with a link to them
in the data directory. If the directory is deleted, they stay behind; --clean
removes them.

examples:
  classhook self cache             show what is in it
  classhook self cache --clear
  classhook self cache --clean

If you moved a data directory, run `classhook report` on it before --clean:
otherwise its data in /dev/shm is removed, too.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cache", metavar="DIR", help="use a cache other than the default")
    parser.add_argument("--clear", action="store_true", help="remove everything in it")
    parser.add_argument("--clean", action="store_true", help="remove data in /dev/shm whose data directory is gone")


def execute(args: argparse.Namespace) -> int:
    directory = Path(args.cache) if args.cache else default_directory()
    if args.cache and not directory.is_dir():
        raise UsageError(f"{directory}: no such directory")
    if args.clean:
        return clean()
    try:
        with opened_folder(directory) as folder:
            return cleared(directory, folder) if args.clear else shown(directory, packs(folder))
    except FileNotFoundError:
        return shown(directory, [])
    except OSError as error:
        raise UsageError(f"{error.filename or directory}: {error.strerror}") from None


def cleared(directory: Path, folder: int) -> int:
    """Removes everything in the cache. Raises UsageError."""
    if owner := stranger(os.fstat(folder).st_uid):
        raise UsageError(f"{directory} belongs to {owner}: clear it as that user")
    found = packs(folder)
    remove(folder, found)
    parsed.prune(folder, most=0)
    show(f"{directory}: {several(len(found), 'set')} of rules removed, {_total(found)}")
    return 0


def shown(directory: Path, found: list[Pack]) -> int:
    show(f"{directory}: {several(len(found), 'set')} of rules, {_total(found)}")
    for pack in found:
        show(
            f"  {quantity(pack.bytes):>10}  {datetime.fromtimestamp(pack.used):%Y-%m-%d %H:%M} "
            f" {pack.name.removesuffix(SUFFIX)}"
        )
    return 0


def _total(found: list[Pack]) -> str:
    return quantity(sum(pack.bytes for pack in found))


def clean() -> int:
    """Removes what no data directory links to."""
    from classhook.store.orphans import orphans, remove

    found = list(orphans())
    show(f"{several(len(found), 'file')} of data without a directory removed from /dev/shm, {quantity(remove(found))}")
    for one in found:
        show(f"  {quantity(one.bytes):>10}  {one.path.name}: {one.link.parent} does not link to it any more")
    return 0
