"""The command line: finds the command's module, which brings its arguments and its work.

Exit status: 0 done; 1 ran but found something wrong; 2 unusable arguments or rules. No traceback reaches a user.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from instrument.errors import Failure, UsageError
from instrument.terminal import harmless, say

#: Command -> what it does. Each lives in instrument/commands/, and is imported only when it is asked for.
COMMANDS = {
    "run": "run a command with every JVM that it starts instrumented",
    "report": "show what was counted",
    "weave": "instrument jars, directories and classes ahead of time",
    "check": "say what is wrong with rules, and what they match",
    "compile": "write rules in the form that the agent reads at once",
    "cache": "show and clear the cache of woven classes",
    "agent": "print the path of the agent library",
    "doctor": "say what of Python, JDK and agent works here, and what to do",
}

EPILOG = """\
a first look:
  classhook run -e 'time com.acme.**::*' -- java -jar app.jar
  classhook report

rules, one a line (docs/rules.md says all about them):
  time   com.acme.**::*                      calls, exceptions, total, self, min, max, percentiles
  count  com.acme.Db::query(..)              exact number of calls
  alloc  byte[], java.util.* in com.acme.**  allocation sites of these types in these classes
"""


class Parser(argparse.ArgumentParser):
    """One whose complaints move no cursor: a wildcard's files are arguments, too."""

    def error(self, message: str) -> NoReturn:
        super().error(harmless(message))


class Version(argparse.Action):
    """Looks the version up only when it is asked for: importlib.metadata takes longer to import than all else here."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"classhook {version()}")
        parser.exit()


def parser_for(command: str | None) -> argparse.ArgumentParser:
    """The parser of the whole line; only the given command's arguments are built in full."""
    parser = Parser(
        prog="classhook",
        description="Bytecode instrumentation for the JVM: timing, call counts and allocations by rules.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=Version, nargs=0, help="show the version and exit")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        sub = subparsers.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".",
                                    formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
        if name == command:
            module = importlib.import_module(f"instrument.commands.{name}")
            module.add_arguments(sub)
            sub.epilog = getattr(module, "EPILOG", None)
            sub.set_defaults(execute=module.execute)
    return parser


def version() -> str:
    """The version of what is installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("classhook")
    except PackageNotFoundError:
        return "(not installed)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit status."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  # closed by who started us
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    line = list(sys.argv[1:] if arguments is None else arguments)
    command = next((word for word in line if not word.startswith("-")), None)
    from rules.errors import RuleError

    try:
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # names may hold anything
        try:
            args = parser_for(command).parse_args(line)
            status: int = args.execute(args)
        except SystemExit as end:  # argparse, after --help and for unusable arguments
            status = int(end.code or 0)
        sys.stdout.flush()
        return status
    except (UsageError, RuleError) as error:
        return fail(str(error), 2)
    except Failure as error:
        return fail(str(error), 1)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `classhook report | head`
        _drop_output()
        return 0
    except MemoryError:
        return fail("there is not enough memory for that here", 1)
    except OSError as error:
        _drop_output()
        return fail(f"{error.filename or 'output'}: {error.strerror}", 1)


def _drop_output() -> None:
    """What Python has not yet written of stdout, it shall not try to write at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def fail(text: str, status: int) -> int:
    """Says what is wrong on stderr; the status."""
    say(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
