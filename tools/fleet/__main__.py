"""`python -m tools.fleet`: makes the dataset of a fleet out of real runs, and measures its size, and some
questions with DuckDB and Spark.

The questions are those of docs/questions/fleet.md. Each runs in a process of its own, whose time and largest memory are
measured. Spark is asked with `--spark PYTHON`, an interpreter that has pyspark.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests import jars
from tests.conftest import ENVIRONMENT, classhook_command
from tools.fleet.made import make, templates
from tools.fleet.questions import questions

SPARK = Path(__file__).with_name("spark.py")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.fleet", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--dataset", type=Path, help="keep the dataset here; one that is there is used")
    parser.add_argument("--spark", metavar="PYTHON", help="an interpreter with pyspark")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="classhook-fleet-") as folder:
        dataset = args.dataset or Path(folder) / "dataset"
        if not dataset.exists():
            jar = jars.find("h2.jar")
            if jar is None:
                parser.error(jars.missing("h2.jar"))
            kinds = templates(Path(folder), jar)
            begin = time.perf_counter()
            make(kinds, args.runs, args.machines, dataset)
            print(f"made in {time.perf_counter() - begin:.0f} s")
        sizes(dataset)
        duckdb(dataset)
        if args.spark:
            subprocess.run(
                [args.spark, SPARK, dataset], input=json.dumps(questions()), env=ENVIRONMENT, check=False, text=True
            )
    return 0


def sizes(dataset: Path) -> None:
    files = [path.stat().st_size for path in dataset.rglob("*.parquet")]
    runs = sum(1 for _ in (dataset / "runs").rglob("*.parquet"))
    print(f"{runs:,} runs, {len(files):,} files, {sum(files) / 1e6:,.0f} MB, {sum(files) / runs / 1000:.1f} kB a run")


def duckdb(dataset: Path) -> None:
    for title, query in questions():
        begin = time.perf_counter()
        child = subprocess.Popen(
            [*classhook_command(), "sql", dataset, query],
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert child.stdout is not None
        out = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        taken = time.perf_counter() - begin
        said = f"  {out.splitlines()[0]}" if child.returncode else f"{out.count(chr(10)) - 1:7,} rows"
        print(f"{taken:7.1f} s {usage.ru_maxrss / 1024:7,.0f} MB {said}  {title}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
