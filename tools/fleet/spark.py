"""`spark.py DATASET`: asks the questions on standard input, in JSON, with Spark, as somebody does who does not have
classhook. Needs pyspark only."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main(dataset: Path) -> None:
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[*]")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    for folder in sorted(dataset.iterdir()):
        spark.read.parquet(str(folder)).createOrReplaceTempView(folder.name)
    for title, query in json.load(sys.stdin):
        begin = time.perf_counter()
        try:
            said = f"{len(spark.sql(query).collect()):7,} rows"
        except Exception as error:  # another dialect
            said = f"  {str(error).splitlines()[0]}"
        print(f"{time.perf_counter() - begin:7.1f} s {said}  {title}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
