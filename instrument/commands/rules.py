"""`classhook rules`: the stock rules, what is in each, and the layout of a file of rules."""

from __future__ import annotations

import argparse

from classhook.base.errors import UsageError
from classhook.base.names import printable
from classhook.base.terminal import show, show_file
from classhook.rules import stock_rules

EPILOG = """\
Without NAME, one line for each file of stock rules: its name, and what it
measures. With NAME, the file itself, to read or to copy and change.
With --format, a file of your own with single blanks, and aligned: it means the
same, and comments stay.

examples:
  classhook rules
  classhook rules jdbc
  classhook run -r jdbc -- java -jar app.jar
  classhook rules jdbc > my.rules
  classhook run -r my.rules -- java -jar app.jar
  classhook rules --format my.rules > tidy.rules
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name of stock rules, such as jdbc")
    parser.add_argument("--format", metavar="FILE", help="print a file of rules in the usual layout")


def execute(args: argparse.Namespace) -> int:
    if args.format is not None:
        if args.name is not None:
            raise UsageError("--format takes a file, and no NAME beside it")
        show_file(_laid_out(args.format))
        return 0
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


def _laid_out(file: str) -> str:
    """The text of a file in the canonical layout. Raises RuleError or UsageError."""
    import classhook.measures.every  # noqa: F401  # registers the rules' words
    from classhook.rules import compiled
    from classhook.rules.formatting import formatted
    from classhook.rules.parse import load_bytes, read

    data, origin = read(file)
    load_bytes(data, origin)
    text = data.decode("utf-8-sig")
    if text.startswith(compiled.MAGIC):
        raise UsageError(f"{printable(file)}: compiled rules are not to be read, and have no layout")
    return formatted(text)
