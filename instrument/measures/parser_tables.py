"""``python -m classhook.measures.parser_tables FILE`` writes the tables of the rules' parser, in the build."""

from __future__ import annotations

import sys
from pathlib import Path

import classhook.measures.every  # noqa: F401  # registers the words
from classhook.rules import grammar
from classhook.rules.words import WORDS, in_order

if __name__ == "__main__":
    grammar.keep(in_order(WORDS.values()), Path(sys.argv[1]))
