"""`python -m tests.compare`: runs libraries' tests with JaCoCo's agent and with `cover`, compares all numbers, writes docs/coverage-compared.md."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests import peers
from tests.compare.fetching import Failed, Fetcher
from tests.compare.libraries import LIBRARIES, Workshop
from tests.compare.page import PAGE, Row, page
from tests.compare.running import Oracle, compare
from tests.coverage.conftest import PEERS

SHOWN = 10


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compare", description=__doc__)
    parser.add_argument("-l", "--library", action="append", choices=LIBRARIES, help="only this one")
    parser.add_argument("-c", "--compiler", action="append", help="only what this one compiled")
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page; rows of what does not run now are kept")
    parser.add_argument("--cache", type=Path, default=PEERS.parent / "compare", help="where what was fetched is kept")
    parser.add_argument("--keep", type=Path, help="build here, and keep it")
    chosen = parser.parse_args()
    scratch = chosen.keep or Path(tempfile.mkdtemp(prefix="classhook-compare-"))
    scratch.mkdir(parents=True, exist_ok=True)
    shop = Workshop(Fetcher(chosen.cache.resolve()), scratch.resolve())
    rows: list[Row] = []
    try:
        agent = shop.fetcher.jar(peers.JACOCO)
        oracle = Oracle(shop)
        for name in chosen.library or LIBRARIES:
            library = LIBRARIES[name]
            for compiler in library.compilers:
                if chosen.compiler and compiler not in chosen.compiler:
                    continue
                start = time.monotonic()
                row = Row(library.title, library.tests, compiler)
                rows.append(row)
                try:
                    inner = scratch / f"run-{name}-{compiler.replace(' ', '-')}"
                    shutil.rmtree(inner, ignore_errors=True)
                    inner.mkdir()
                    row.found = compare(library.build(shop, compiler), agent, oracle, inner.resolve())
                except Failed as failed:
                    row.missing = str(failed)
                said(row, time.monotonic() - start)
    except Failed as failed:
        print(f"compare: {failed}", file=sys.stderr)
        return 2
    finally:
        if not chosen.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    order = [(library.title, compiler) for library in LIBRARIES.values() for compiler in library.compilers]
    chosen.output.write_text(page(rows, chosen.output.read_text() if chosen.output.exists() else "", order))
    return 0 if all(row.found and not row.found.same_data and not row.found.differ for row in rows) else 1


def said(row: Row, seconds: float) -> None:
    """Prints a row as it comes."""
    print(f"{seconds:6.1f} s  {row.title}, {row.compiler}: ", end="")
    found = row.found
    if found is None:
        print(f"not compared: {row.missing}", flush=True)
        return
    print(
        f"{found.classes:,} classes, {found.ran:,} ran, {found.lines:,} lines, {found.counters:,} numbers; in the same data {len(found.same_data)} "
        f"nodes differ, in the same tests {len(found.differ)}; {len(found.unsteady)} unsteady; {len(found.coarse)} coarse; "
        f"{[text[-60:] for text in dict.fromkeys(found.passed)]}"
    )
    for text in (found.same_data + found.differ)[:SHOWN]:
        print(f"    {text[:1000]}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
