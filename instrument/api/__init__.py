"""The Python interface (docs/reference/python.md). Programs and notebooks import its names from `classhook`; commands
are built on it, too.

Names and arguments stay; new ones may come.
"""
