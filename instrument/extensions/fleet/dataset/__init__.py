"""Datasets: the runs of a fleet as Parquet files, which DuckDB, Spark, Trino, ClickHouse and pandas read.

1. tables.py and tables_of_calls.py list the tables with their columns; docs/reference/dataset.md describes them.
2. run_rows.py reads one run, of which the modules of rows/ make the rows of each table; method_bodies.py adds what its
   class files say of methods.
3. storage.py is the dataset's folder, or its place in object storage; writing.py writes one file for each table and run
   there.
4. queries.py opens DuckDB with a view of each table; answers.py shows what a query found.
"""
