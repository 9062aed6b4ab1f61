"""`classhook agent`: the agent library's path."""

from __future__ import annotations

import argparse

from instrument.errors import Failure
from native import library

EPILOG = """\
options, separated by commas; in a value, write a comma, blank or % as %2C, %20,
%25:
  rules=FILE        compiled rules (classhook compile), or rules as text, which
                    the JVM parses when it starts; not needed for classes woven
                    ahead of time
  data=DIR          where the data goes (default: classhook-data)
  cache=DIR         keep woven classes there for the next run
  timeout=MS        do not weave classes that take longer (default: 10000)
  control=yes       make a socket for `classhook ctl` in DIR when the JVM starts
  script=FILE       a script of handlers in Python, as `classhook run --agent`
  run=NAME          JVMs with the same NAME are one run for `report --diff`
  pythonpath=PATHS  where Python finds classhook's own dependencies (default:
                    known from the build)
  libpython=FILE    Python's shared library (default: known from the build)

example:
  java -agentpath:$(classhook agent)=rules=rules.txt,data=out -jar app.jar
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def execute(args: argparse.Namespace) -> int:
    if not library.AGENT.is_file():
        raise Failure(f"{library.AGENT} is missing: it was not built; reinstall classhook")
    print(library.AGENT)
    return 0
