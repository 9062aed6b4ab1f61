"""`classhook self agent`: the agent library's path."""

from __future__ import annotations

import argparse

from classhook.base.errors import Failure
from classhook.extensions import EXTENSIONS
from classhook.native import library

OPTIONS = {name: about for extension in EXTENSIONS for name, about in extension.options.items()}
EPILOG = f"""\
options of the agent, after -agentpath:...=, separated by commas (in a value,
write %2C for a comma, %20 for a blank, %25 for %):
  rules=FILE        compiled rules (classhook rules --compile), or rules as
                    text, which the JVM parses when it starts; not needed for
                    classes woven ahead of time
  data=DIR          the directory for the data (default: classhook-data)
  cache=DIR         keep woven classes there for the next run
  timeout=MS        do not weave classes that take longer (default: 10000)
  control=yes       make a socket for `classhook ctl` in DIR when the JVM starts
  script=FILE[=OPTIONS]  a script of handlers in Python, as `classhook run
                    --agent`; may be repeated
  run=NAME          JVMs with the same NAME are one run for `classhook diff`
{"".join(f"  {name:16}  {about}{chr(10)}" for name, about in OPTIONS.items())}\
  labels=TEXT       labels of the run, NAME=VALUE in lines of their own
                    (default: the environment variable CLASSHOOK_LABELS)
  pythonpath=PATHS  the paths of classhook's own dependencies (default:
                    known from the build)
  libpython=FILE    Python's shared library (default: known from the build)

example:
  java -agentpath:$(classhook self agent)=rules=rules.txt,data=out -jar app.jar
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def execute(args: argparse.Namespace) -> int:
    if not library.AGENT.is_file():
        raise Failure(f"{library.AGENT} is missing: it was not built; reinstall classhook")
    print(library.AGENT)
    return 0
