"""Runs of many JVMs: datasets as Parquet, questions in SQL, and methods that nobody calls."""
