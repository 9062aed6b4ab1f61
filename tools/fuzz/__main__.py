"""Fuzzes the code that reads untrusted files; `python -m tools.fuzz --help`."""

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

from tools.fuzz.data_bases import made_up, recorded
from tools.fuzz.data_rounds import DataFiles, Reader, keep
from tools.fuzz.guided import run as classes
from tools.fuzz.pack_rounds import KINDS, Broken, Cache
from tools.fuzz.program import Program

JAVA = Path("/usr/lib/jvm/java-17-openjdk-amd64/bin/java")
EPILOG = """\
examples:
  python -m tools.fuzz --seconds 600 lib/*.jar         class files, made from those in jars (`classes` may be omitted)
  python -m tools.fuzz data --seconds 600 --seed 5000  damaged data files, from round 5000 on
  python -m tools.fuzz cache --seconds 600 --keep out  damaged caches; those that caused a failure go to the folder `out`
  python -m tools.fuzz cache --again out/*.pack        tries these again

The number of a round of `data` or `cache` determines everything in it except for files that a JVM has just written and the timing of
processes. That is why files that caused a failure are kept, and the message about it contains the command that tries them again.
Exit status: 0 no failure; 1 a failure; 2 the fuzzer cannot run. `make test-all` runs some rounds of `data` and `cache`.
"""


def rounds(seconds: int, seed: int, once: Callable[[int], str]) -> int:
    """Runs rounds until the time is over; prints what they were and what broke."""
    end, number, done = monotonic() + seconds, seed, Counter[str]()
    while monotonic() < end:
        done[once(number)] += 1
        number += 1
    broken = sum(n for kind, n in done.items() if kind.startswith("broken"))
    print(f"{number - seed} rounds from {seed} on, {broken} broken: {dict(done)}")
    return int(broken > 0)


def finding(number: int, trouble: object, again: str) -> None:
    print(f"round {number}: {trouble}\n  again: python -m tools.fuzz {again}", flush=True)


@contextmanager
def program(java: Path) -> Iterator[Program]:
    with tempfile.TemporaryDirectory(prefix="classhook-fuzz-") as scratch:
        folder = Path(scratch, "program")
        folder.mkdir()
        yield Program(java, folder)


def data(args: argparse.Namespace) -> int:
    with program(args.java) as made, Reader() as reader:
        scratch = made.folder.parent
        files = DataFiles([] if args.again else [*made_up(scratch), *recorded(made, scratch)], scratch / "damaged")
        if args.again:
            return said({folder: files.again(folder, reader) for folder in args.again})

        def once(number: int) -> str:
            trouble = files.round(Random(number), reader)
            if trouble:
                kept = args.keep / f"data-{number}"
                keep(files.kept, kept)
                finding(number, trouble, f"data --again {kept}")
            return "broken" if trouble else "read"

        return rounds(args.seconds, args.seed, once)


def cache(args: argparse.Namespace) -> int:
    with program(args.java) as made:
        tried = Cache(made, made.folder.parent / "cache")
        if args.again:
            return said({path: again(tried, path) for path in args.again})

        def once(number: int) -> str:
            rnd = Random(number)
            kind = rnd.choice(KINDS)
            try:
                tried.round(kind, rnd)
            except Broken as broken:
                kept = args.keep / f"cache-{kind}-{number}.pack"
                if tried.damaged:
                    kept.write_bytes(tried.damaged)
                finding(
                    number, broken, f"cache --again {kept}" if tried.damaged else f"cache --seed {number} --seconds 1"
                )
                return f"broken {kind}"
            return kind

        return rounds(args.seconds, args.seed, once)


def again(tried: Cache, kept: Path) -> str:
    try:
        tried.try_out(kept.read_bytes(), mended="mended" in kept.name)
    except Broken as broken:
        return str(broken)
    return ""


def said(troubles: dict[Path, str]) -> int:
    for path, trouble in troubles.items():
        print(f"{path}: {trouble or 'fine'}")
    return int(any(troubles.values()))


def main() -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m tools.fuzz",
        description=__doc__.partition(";")[0] + ".",
        epilog=EPILOG,
        formatter_class=form,
    )
    commands = parser.add_subparsers(required=True, metavar="WHAT")
    one = commands.add_parser(
        "classes", help="the class reader and the weaver; guided by coverage, which needs atheris (pip install atheris)"
    )
    one.add_argument("jars", nargs="*", type=Path, help="jars whose classes to begin with")
    one.set_defaults(execute=lambda args: classes(args.seconds, args.seed, args.jars))
    for name, execute, text in (
        ("data", data, "damaged data files, and `report` of them"),
        ("cache", cache, "damaged caches of woven classes, and programs that start with them"),
    ):
        one = commands.add_parser(name, help=text)
        one.add_argument("--java", type=Path, default=JAVA, help="a JDK's java (default: %(default)s)")
        one.add_argument(
            "--keep",
            type=Path,
            default=Path("build", "fuzz"),
            metavar="FOLDER",
            help="where to keep what broke a promise (%(default)s)",
        )
        one.add_argument(
            "--again", type=Path, nargs="+", default=[], metavar="KEPT", help="only try again what was kept"
        )
        one.set_defaults(execute=execute)
    for one in commands.choices.values():
        one.add_argument("--seconds", type=int, default=60, help="how long (default: %(default)s)")
        one.add_argument("--seed", type=int, default=0, help="the first round's number; another one finds other things")
    words = sys.argv[1:]
    if not words or words[0] not in (*commands.choices, "-h", "--help"):
        words = ["classes", *words]
    args = parser.parse_args(words)
    if "keep" in args:
        args.keep.mkdir(parents=True, exist_ok=True)
    status: int = args.execute(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
