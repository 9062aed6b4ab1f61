"""The records of probe tables, listed once: table.py. The build makes their classes for Python (python_source.py) and
the structs and tables of fields for C (c_source.py); `python -m tools.generated` makes the tables of
docs/reference/probe-table.md."""
