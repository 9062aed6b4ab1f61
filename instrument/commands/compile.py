"""`classhook compile`: compiles rules so that JVMs start faster."""

from __future__ import annotations

import argparse
from pathlib import Path

from classhook.base.files import write_file
from classhook.commands.common import add_rule_arguments, load_rules

EPILOG = """\
example:
  classhook compile -r rules.txt -o rules.compiled
  java -agentpath:$(classhook agent)=rules=rules.compiled -jar app.jar
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rule_arguments(parser)
    parser.add_argument("-o", "--output", metavar="OUTPUT", required=True, help="the file to write")


def execute(args: argparse.Namespace) -> int:
    from classhook.rules.compiled import dumps

    write_file(Path(args.output), dumps(load_rules(args)).encode())
    return 0
