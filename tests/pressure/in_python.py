"""Runs a Java program in a JVM within this Python. Arguments: the JVM's library, its options, `--`, the main class and
its arguments."""

from __future__ import annotations

import sys

import jpype

if __name__ == "__main__":
    library, *words = sys.argv[1:]
    at = words.index("--")
    jpype.startJVM(library, *words[:at])
    jpype.JClass(words[at + 1]).main(words[at + 2 :])
    jpype.shutdownJVM()
