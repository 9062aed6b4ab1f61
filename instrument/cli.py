"""The command line: finds the command's module, which defines its arguments and executes it.

Exit status: 0 done; 1 ran but found a problem; 2 invalid arguments or rules. Users never see a traceback.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from classhook.base.errors import Failure, UsageError
from classhook.base.signals import Ended, interrupting
from classhook.base.terminal import harmless, say
from classhook.commands.groups import COMMANDS, GROUPS, MEANT, PACKAGES, WITHIN

#: The commands whose options and other arguments may be in any order; those after `run -- java` are another program's.
ANY_ORDER = frozenset({"report", "coverage", "diff", "weave", "bundle", "check", "export", "sql", "dead", "blame"})

EPILOG = """\
a first look:
  classhook run -e 'time com.acme.**::*' -- java -jar app.jar
  classhook report

rules, one of each kind (docs/reference/rules.md describes them):
  profile com.acme.**::*            call counts; CPU and wall time from samples
  time com.acme.Orders::*           calls, exceptions, times, percentiles
  count com.acme.Db::query(..)      number of calls
  alloc byte[] in com.acme.**       where com.acme allocates byte[]
  cover com.acme.**                 which lines and branches ran
  watch com.acme.Db::query when arg0 == null show stack 3    single calls
  context com.acme.Web::handle by arg0.path   numbers for each request, job, ...
  cpu                               CPU samples of all threads, also in the JDK
  locks                             which monitors threads wait for, and where

`classhook COMMAND --help` describes a command. docs/quickstart.md is a tour.
"""


#: The attribute with the words behind `--` of a command that sets a default for it.
PASSED_ON = "passed_on"


class Parser(argparse.ArgumentParser):
    """A parser whose messages contain no control characters: arguments may be file names that a wildcard matched."""

    def error(self, message: str) -> NoReturn:
        unknown = message.partition("unrecognized arguments: ")[2].split()
        super().error(harmless(message + (self._hint(unknown[0].partition("=")[0]) if unknown else "")))

    def _hint(self, option: str) -> str:
        """The option that the user may have meant."""
        from classhook.rules.suggest import nearest_name

        near = nearest_name(option, set(_options(self))) if option.startswith("--") else None
        return f"; did you mean {near}?" if near else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            from classhook.rules.suggest import nearest_name

            known = {**MEANT, **{name: name for name in COMMANDS}}
            if near := nearest_name(value, known):
                raise argparse.ArgumentError(
                    action, f"invalid choice: {value!r}; did you mean `classhook {known[near]}`?"
                )
            if hint := _other_meaning(value):
                raise argparse.ArgumentError(action, hint)
        super()._check_value(action, value)


def _other_meaning(word: str) -> str:
    """The command for a word that is none: the number of a process, or a program."""
    if word.isdecimal():
        return (
            f"{word} may be a process: `classhook diagnose {word}` measures it for half a minute, `classhook attach"
            f" {word} -e RULE` until you detach it"
        )
    from shutil import which

    return f"{word!r} is no command of classhook; did you mean `classhook run -- {word} ...`?" if which(word) else ""


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options of a parser, and of those within."""
    for action in parser._actions:
        yield from action.option_strings
        for within in action.choices.values() if isinstance(action, argparse._SubParsersAction) else ():
            yield from _options(within)


class HelpText(argparse.RawDescriptionHelpFormatter):
    """Names a command line that is passed on, where argparse shows three dots."""

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        if action.nargs == argparse.REMAINDER:
            return str(self._metavar_formatter(action, default_metavar)(1)[0])
        return str(super()._format_args(action, default_metavar))


class Intermixed(Parser):
    """Takes positional arguments after options, too. A command within a command cannot be asked for that by argparse's
    own method."""

    within = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Called by the whole line's parser, and then by the method that it calls."""
        if self.get_default(PASSED_ON) is not None and "--" in (args or ()):
            at = args.index("--")
            found, unknown = self.parse_known_args(args[:at], namespace)
            setattr(found, PASSED_ON, args[at + 1 :])
            return found, unknown
        if self.within or "--" in (args or ()):  # argparse would lose it
            return super().parse_known_args(args, namespace)
        self.within = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.within = False


class Version(argparse.Action):
    """Looks the version up only when needed: importing importlib.metadata takes longer than everything else here."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"classhook {version()}")
        parser.exit()


def parser_for(*words: str, alone: bool = False, any_order: bool = True) -> argparse.ArgumentParser:
    """The parser of the whole line; only the arguments of the command are added that the words begin with. `alone`: it
    knows no other command, which takes less time."""
    parser = Parser(
        prog="classhook",
        description="Measures what Java programs do: calls, times, allocations, coverage, locks.",
        epilog=EPILOG,
        formatter_class=HelpText,
    )
    parser.add_argument("--version", action=Version, nargs=0, help="show the version and exit")
    command = next(iter(words), "")
    groups = {"command": {command: COMMANDS[command]}} if alone and command in COMMANDS else GROUPS
    _add_commands(parser, groups, words, "commands", any_order)
    return parser


def _add_commands(
    parser: argparse.ArgumentParser,
    groups: Mapping[str, Mapping[str, str]],
    words: Sequence[str],
    package: str,
    any_order: bool,
) -> None:
    """Adds the commands, in groups, and the arguments of the one that the words begin with."""
    command, *within = words or [""]
    subparsers = parser.add_subparsers(
        dest="command",
        metavar="COMMAND",
        required=True,
        parser_class=Intermixed if any_order and command in ANY_ORDER else Parser,
    )
    parser._positionals._group_actions.remove(subparsers)  # --help shows the groups instead, ...
    for title, commands in groups.items():
        group = parser.add_argument_group(title)
        for name, summary in commands.items():
            sub = subparsers.add_parser(
                name, help=summary, description=summary[0].upper() + summary[1:] + ".", formatter_class=HelpText
            )
            group._group_actions.append(subparsers._choices_actions[-1])
            if name == command:
                module = importlib.import_module(f"classhook.{PACKAGES.get(name, package)}.{name}")
                sub.epilog = getattr(module, "EPILOG", None)
                if name in WITHIN:
                    _add_commands(sub, {"commands": WITHIN[name]}, within, f"{package}.{name}", any_order)
                else:
                    module.add_arguments(sub)
                    sub.set_defaults(execute=module.execute)
    parser._action_groups.append(parser._action_groups.pop(1))  # ... and then the options


def version() -> str:
    """The installed version."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("classhook")
    except PackageNotFoundError:
        return "(not installed)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  # the parent process may have closed it
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    if "_ARGCOMPLETE" in os.environ:  # the shell asks for words, and reads nothing else
        importlib.import_module("classhook.commands.self.completion").answer(
            COMMANDS, lambda *words: parser_for(*words, any_order=False)
        )
    line = list(sys.argv[1:] if arguments is None else arguments)
    words = [word for word in line if not word.startswith("-")][:2]
    from classhook.rules.errors import RuleError

    try:
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # names may contain anything
        try:
            if not line:
                parser_for().print_help()
                return 0
            args = parser_for(*words, alone=line[:1] == words[:1]).parse_args(line)
            args.given = line[1:]
            with interrupting():
                status: int = args.execute(args)
        except SystemExit as end:  # argparse, after --help and for invalid arguments
            status = int(end.code or 0)
        sys.stdout.flush()
        return status
    except (UsageError, RuleError) as error:
        return fail(str(error), 2)
    except Failure as error:
        return fail(str(error), 1)
    except Ended as end:
        _drop_output()  # the terminal may be gone
        return 128 + end.number
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `classhook report | head`
        _drop_output()
        return 0
    except MemoryError:
        return fail("not enough memory", 1)
    except OSError as error:
        _drop_output()
        return fail(f"{error.filename or 'output'}: {error.strerror}", 1)


def _drop_output() -> None:
    """Keeps Python from writing the rest of stdout when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def fail(text: str, status: int) -> int:
    """Prints the error to stderr; returns the status."""
    with suppress(OSError):  # the terminal is gone
        say(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
