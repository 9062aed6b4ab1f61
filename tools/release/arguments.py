"""Command lines of which the part behind `--` is for tools.wheels."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The parser's own arguments, and the options of tools.wheels. Ends the program for wrong ones."""
    parser.add_argument("wheels", nargs="*", metavar="-- OPTION", help="options of tools.wheels")
    at = [*arguments, "--"].index("--")
    return parser.parse_args(arguments[:at]), [*arguments[at + 1 :]]
