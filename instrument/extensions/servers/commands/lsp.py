"""`classhook lsp`: the server that editors start for rule files."""

from __future__ import annotations

import argparse
import os
import sys
from importlib.util import find_spec

from classhook.base.errors import UsageError

EPILOG = """\
An editor starts this command, and talks to it by standard input and output as
the Language Server Protocol says. It needs pygls: pip install 'classhook[lsp]'.

Exit status:
  0  the editor ended it
  1  the editor is gone
  2  pygls is missing, or no editor is there

examples:
  classhook lsp                 in the settings of an editor
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stdio",
        action="store_true",
        help="talk by standard input and output, as always; many editors add this option",
    )


def execute(args: argparse.Namespace) -> int:
    if find_spec("pygls") is None:
        raise UsageError("the language server requires pygls, which is not installed: pip install 'classhook[lsp]'")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "an editor starts this command and talks to it by standard input; docs/questions/editor.md says how to set"
            " it up"
        )
    from importlib.metadata import version

    import classhook.measures.every  # noqa: F401  # registers the rules' words
    from classhook.extensions.servers.editor.server import serve

    status = serve(version("classhook"))
    sys.stderr.flush()
    os._exit(status)  # Python would wait for threads that read or work
