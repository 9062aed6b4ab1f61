"""`classhook rules`: the stock rules, and what is in each."""

from __future__ import annotations

import argparse

from classhook.errors import UsageError
from classhook.names import printable
from classhook.rules import stock_rules
from classhook.terminal import show

EPILOG = """\
Without NAME, one line for each file of stock rules: its name, and what it
measures. With NAME, the file itself, to read or to copy and change.

examples:
  classhook rules
  classhook rules jdbc
  classhook run -r jdbc -- java -jar app.jar
  classhook rules jdbc > my.rules
  classhook run -r my.rules -- java -jar app.jar
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name of stock rules, such as jdbc")


def execute(args: argparse.Namespace) -> int:
    names = stock_rules.names()
    if args.name is None:
        width = max(map(len, names))
        for name in names:
            show(f"{name:{width}}  {stock_rules.summary(name)}")
        return 0
    name = stock_rules.known(args.name)
    if not name:
        from classhook.rules.suggest import nearest_name

        near = nearest_name(args.name, names)
        meant = f"did you mean {near}?" if near else f"there are {', '.join(names)}"
        raise UsageError(f"no stock rules have the name {printable(args.name)!r}; {meant}")
    show(stock_rules.text(name).removesuffix("\n"))
    return 0
