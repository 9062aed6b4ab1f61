"""The fuzzers: `python -m tests.fuzz classes`, `data` (damaged data files) or `cache` (damaged caches of woven classes), `--seconds N`.

Each round has a number, from which all in it comes. What broke a promise is kept, and can be tried again with `--again`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import monotonic

from tests.fuzz.cached import KINDS, Broken, Cache
from tests.fuzz.datafiles import bases
from tests.fuzz.guided import run as classes
from tests.fuzz.program import Program
from tests.fuzz.reader import DataFiles, Reader, keep

JAVA = Path("/usr/lib/jvm/java-17-openjdk-amd64/bin/java")


def rounds(seconds: int, seed: int, once: Callable[[int], str]) -> int:
    """Rounds until the time is over; says what they were, and what broke."""
    end, number, broken, done = monotonic() + seconds, seed, 0, Counter[str]()
    while monotonic() < end:
        kind = once(number)
        done[kind] += 1
        broken += kind.startswith("broken")
        number += 1
    print(f"{number - seed} rounds from {seed} on, {broken} broken: {dict(done)}")
    return int(broken > 0)


@contextmanager
def program(java: Path) -> Iterator[Program]:
    with tempfile.TemporaryDirectory(prefix="classhook-fuzz-") as scratch:
        folder = Path(scratch, "program")
        folder.mkdir()
        yield Program(java, folder)


def data(args: argparse.Namespace) -> int:
    with program(args.java) as made, Reader() as reader:
        (made.folder.parent / "whole").mkdir()
        files = DataFiles(bases(made, made.folder.parent / "whole"), made.folder.parent / "damaged")
        for folder in args.again:
            print(f"{folder}: {files.again(folder, reader) or 'fine'}")

        def once(number: int) -> str:
            trouble = files.round(Random(number), reader)
            if trouble:
                keep(files.kept, args.keep / f"data-{number}")
                print(f"{number}, kept in {args.keep / f'data-{number}'}: {trouble}", flush=True)
            return "broken" if trouble else "read"

        return 0 if args.again else rounds(args.seconds, args.seed, once)


def cache(args: argparse.Namespace) -> int:
    with program(args.java) as made:
        tried = Cache(made, made.folder.parent / "cache")
        for path in args.again:
            try:
                tried.try_out(path.read_bytes(), mended="mended" in path.name)
                print(f"{path}: fine")
            except Broken as broken:
                print(f"{path}: {broken}")

        def once(number: int) -> str:
            rnd = Random(number)
            kind = rnd.choice(KINDS)
            try:
                tried.round(kind, rnd)
            except Broken as broken:
                path = args.keep / f"cache-{kind}-{number}.pack"
                path.write_bytes(tried.damaged)
                print(f"{number}, kept in {path}: {broken}", flush=True)
                return f"broken {kind}"
            return kind

        return 0 if args.again else rounds(args.seconds, args.seed, once)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzzes what reads files of others.")
    commands = parser.add_subparsers(required=True, metavar="WHAT")
    one = commands.add_parser("classes", help="the class reader and the weaver; with atheris")
    one.add_argument("jars", nargs="*", type=Path, help="jars whose classes to begin with")
    one.set_defaults(execute=lambda args: classes(args.seconds, args.seed, args.jars))
    for name, execute, text in (("data", data, "damaged data files"), ("cache", cache, "damaged caches of woven classes")):
        one = commands.add_parser(name, help=text)
        one.add_argument("--java", type=Path, default=JAVA, help=f"a JDK's java (default {JAVA})")
        one.add_argument("--keep", type=Path, default=Path(), help="where to keep what broke a promise (default: here)")
        one.add_argument("--again", type=Path, nargs="+", default=[], metavar="KEPT", help="only try again what was kept")
        one.set_defaults(execute=execute)
    for one in commands.choices.values():
        one.add_argument("--seconds", type=int, default=60, help="how long (default 60)")
        one.add_argument("--seed", type=int, default=0, help="the first round's number; another one finds other things")
    args = parser.parse_args()
    status: int = args.execute(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
