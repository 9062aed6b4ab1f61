"""Selects the tests that a change may alter: the dependencies of each test are recorded with the data, and compared
with the present state.

1. classfile/symbols.py turns a class file into text without debug information and without positions in its constant
   pool; facts.py makes hashes of it, and notes what each method refers to.
2. program.py finds and reads the program's classes and its other files.
3. observed.py takes from a report which methods ran in which test, and which files it opened; reach.py and opened.py
   add what a test depends on through static state.
4. recording.py keeps that in a file; recordings can be merged.
5. changes.py and since.py compare a recording with the classes and files of now; deciding.py selects tests, with
   reasons; forms.py writes them for build tools.
"""
