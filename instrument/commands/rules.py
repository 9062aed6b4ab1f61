"""`classhook rules`: the stock rules, what is in each, and a file of rules in the usual layout, or compiled."""

from __future__ import annotations

import argparse
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.base.files import write_file
from classhook.base.names import printable
from classhook.base.terminal import show, show_file
from classhook.commands.common import add_rule_arguments, given, load_rules
from classhook.rules import stock_rules

EPILOG = """\
Without NAME, the command lists the stock rules; with NAME, it prints a file of
them. With --format, it prints a file of your own with single blanks, aligned.
With --compile, it writes a file with which JVMs start faster, for the agent's
option rules=; `classhook run` compiles rules by itself.

examples:
  classhook rules
  classhook rules jdbc
  classhook run -r jdbc -- java -jar app.jar
  classhook rules jdbc > my.rules
  classhook run -r my.rules -- java -jar app.jar
  classhook rules --format my.rules > tidy.rules
  classhook rules --compile -r my.rules -o my.compiled
  java -agentpath:$(classhook self agent)=rules=my.compiled -jar app.jar
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "\n       ".join(
        (
            f"{parser.prog} [-h] [NAME]",
            f"{parser.prog} --format FILE [-D NAME=VALUE]",
            f"{parser.prog} --compile [-r FILE] [-e RULE] [-D NAME=VALUE] -o OUTPUT",
        )
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name of stock rules, such as jdbc")
    parser.add_argument("--format", metavar="FILE", help="print a file of rules in the usual layout")
    parser.add_argument("--compile", action="store_true", help="compile the rules of -r and -e")
    add_rule_arguments(parser)
    parser.add_argument("-o", "--output", metavar="OUTPUT", help="the file to write with --compile")


def execute(args: argparse.Namespace) -> int:
    if args.compile:
        if args.name is not None or args.format is not None:
            raise UsageError("--compile takes rules by -r and -e; leave out NAME and --format")
        if args.output is None:
            raise UsageError("--compile requires -o OUTPUT, the file to write")
        return _compiled(args)
    if args.rules or args.rule or args.output is not None:
        raise UsageError("-r, -e and -o are for --compile")
    if args.format is not None:
        if args.name is not None:
            raise UsageError("--format takes a file; leave out NAME")
        show_file(_laid_out(args.format, given(args.define)))
        return 0
    return _listed() if args.name is None else _printed(args.name)


def _listed() -> int:
    names = stock_rules.names()
    width = max(map(len, names))
    for name in names:
        show(f"{name:{width}}  {stock_rules.summary(name)}")
    return 0


def _printed(wanted: str) -> int:
    """Prints one file of stock rules. Raises UsageError."""
    name = stock_rules.known(wanted)
    if not name:
        from classhook.rules.suggest import nearest_name

        names = stock_rules.names()
        near = nearest_name(wanted, names)
        meant = f"did you mean {near}?" if near else f"there are {', '.join(names)}"
        raise UsageError(f"no stock rules have the name {printable(wanted)!r}; {meant}")
    show(stock_rules.text(name).removesuffix("\n"))
    return 0


def _compiled(args: argparse.Namespace) -> int:
    """Writes the rules in the form that the agent reads. Raises RuleError or UsageError."""
    from classhook.rules.compiled import dumps

    write_file(Path(args.output), dumps(load_rules(args)).encode())
    return 0


def _laid_out(file: str, values: dict[str, str]) -> str:
    """The text of a file in the canonical layout; `values`: of its parameters. Raises RuleError or UsageError."""
    import classhook.measures.every  # noqa: F401  # registers the rules' words
    from classhook.rules import compiled
    from classhook.rules.formatting import formatted
    from classhook.rules.parse import load_bytes, read

    data, origin = read(file)
    path = stock_rules.real(stock_rules.find(file))
    load_bytes(data, origin, values, path)
    text = data.decode("utf-8-sig")
    if text.startswith(compiled.MAGIC):
        raise UsageError(f"{printable(file)}: compiled rules cannot be laid out; give the text of the rules")
    return formatted(text, path, values)
