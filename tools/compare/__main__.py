"""`python -m tools.compare`: runs libraries' tests with JaCoCo's agent and with `cover`, compares all numbers,
writes docs/explained/coverage-compared.md.

1. Rows, a library by a compiler each, are compared by two threads, those that take longest first. Each is built in a
   folder of its own.
2. A row's result is kept when it is there. A run that was interrupted, or comes after a change, takes what still holds
   (keeping.py).
3. At the end all rows are printed as one table. The page is written if none was left out.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests import peers
from tests.coverage.conftest import PEERS
from tools.compare.fetching import Failed, Fetcher
from tools.compare.keeping import Kept
from tools.compare.libraries import LIBRARIES, Workshop
from tools.compare.page import PAGE, Row, page, table
from tools.compare.running import Oracle, compare

SHOWN = 10


@dataclass
class Progress:
    """Prints what begins and ends: how many rows are done, and since when it runs."""

    rows: int
    done: int = 0
    start: float = field(default_factory=time.monotonic)

    def say(self, row: Row, text: str) -> None:
        print(
            f"[{self.done}/{self.rows}] {time.monotonic() - self.start:6.0f} s  {row.title}, {row.compiler}: {text}",
            flush=True,
        )

    def end(self, row: Row, text: str) -> None:
        self.done += 1
        self.say(row, text)


@dataclass(frozen=True)
class Comparison:
    shop: Workshop
    kept: Kept
    again: bool
    agent: Path
    oracle: Oracle
    progress: Progress

    def row(self, name: str, row: Row) -> None:
        """Compares, or takes what is kept."""
        known = f"{name}-{row.compiler.replace(' ', '-')}"
        row.found = None if self.again else self.kept.result(known)
        if row.found:
            self.progress.end(row, f"{row.found}; kept")
            return
        start = time.monotonic()
        shop = self.shop.inner(known)
        try:
            self.progress.say(row, "is compiled")
            built = LIBRARIES[name].build(shop, row.compiler)
            row.found = compare(
                built, self.agent, self.oracle, shop.scratch, self.kept.run, lambda text: self.progress.say(row, text)
            )
            self.kept.keep(known, row.found)
            self.progress.end(row, f"{row.found}; took {time.monotonic() - start:.0f} s")
        except (Failed, OSError) as failed:
            row.missing = str(failed)
            self.progress.end(row, f"not compared: {failed}")
        finally:
            shutil.rmtree(shop.scratch, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.compare", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-l", "--library", action="append", choices=LIBRARIES, help="only this one")
    parser.add_argument("-c", "--compiler", action="append", help="only what this one compiled")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="how many rows at once")
    parser.add_argument("-o", "--output", type=Path, help=f"the page; by default {PAGE.name} if no row is left out")
    parser.add_argument("--again", action="store_true", help="compare again what is known")
    parser.add_argument(
        "--cache", type=Path, default=PEERS.parent / "compare", help="where what was fetched and found is kept"
    )
    chosen = parser.parse_args()
    rows = [
        (name, Row(library.title, library.tests, compiler))
        for name, library in LIBRARIES.items()
        if name in (chosen.library or LIBRARIES)
        for compiler in library.compilers
        if compiler in (chosen.compiler or library.compilers)
    ]
    cache = chosen.cache.resolve()
    shop = Workshop(Fetcher(cache), cache / "built")
    try:
        agent = shop.fetcher.jar(peers.JACOCO)
        comparison = Comparison(shop, Kept(cache / "found"), chosen.again, agent, Oracle(shop), Progress(len(rows)))
    except Failed as failed:
        print(f"compare: {failed}", file=sys.stderr)
        return 2
    pool = ThreadPoolExecutor(max(1, chosen.jobs))
    try:
        for begun in [pool.submit(comparison.row, name, row) for name, row in rows]:
            begun.result()
    finally:
        pool.shutdown(cancel_futures=True)
    found = [row for _, row in rows]
    print(f"\n{table(found)}")
    for row in found:
        for text in row.different[:SHOWN]:
            print(f"\n{row.title}, {row.compiler}: {text[:1000]}")
    output = chosen.output or (PAGE if not (chosen.library or chosen.compiler) else None)
    if output:
        output.write_text(page(found))
    return 0 if all(row.found and not row.different for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
