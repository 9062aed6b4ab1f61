"""`classhook self completion`: what a shell needs to complete words of the command line; and the answers when it asks
(by argcomplete)."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable

from classhook.base.terminal import show
from classhook.commands.values import OFFERED

SHELLS = ("bash", "zsh", "fish")

EPILOG = """\
With the script's output in the shell's start-up file, the Tab key completes
commands, options and their values, files, names of stock rules (-r), and, for
attach, ctl, detach and top, the JVMs that are running.

examples:
  eval "$(classhook self completion bash)"     in ~/.bashrc
  eval "$(classhook self completion zsh)"      in ~/.zshrc, after compinit
  classhook self completion fish | source      in ~/.config/fish/config.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that will read the output")


def execute(args: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    show(shellcode(["classhook"], shell=args.shell))
    return 0


# ---- the shell asks


def answer(commands: Iterable[str], parser_for: Callable[..., argparse.ArgumentParser]) -> None:
    """Writes the words that fit, as argcomplete's protocol has it, and exits."""
    from argcomplete import autocomplete

    typed = os.environ.get("COMP_LINE", "").split()[1:]
    begin = next((at for at, word in enumerate(typed) if word in commands), len(typed))
    parser = parser_for(*typed[begin : begin + 2])
    for action in _actions(parser):
        completer = COMPLETERS.get(action.metavar) if isinstance(action.metavar, str) else None
        if offered := getattr(action, OFFERED, None):
            action.completer = _in_list(offered)  # type: ignore[attr-defined]  # argcomplete's
        elif completer and OPTION_OF.get(str(action.metavar), "") in (action.option_strings or [""]):
            action.completer = completer  # type: ignore[attr-defined]
    autocomplete(parser, always_complete_options="long")


def _actions(parser: argparse.ArgumentParser) -> Iterable[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from _actions(sub)
        else:
            yield action


def _jvms(**_: object) -> dict[str, str]:
    """Process ids, and what runs there."""
    from classhook.live.jvms import jvms

    return {str(jvm.pid): jvm.main for jvm in jvms()}


def _rules(prefix: str, **_: object) -> list[str]:
    """Stock rules, and files."""
    from argcomplete.completers import FilesCompleter

    from classhook.rules.stock_rules import names

    return [*names(), *FilesCompleter()(prefix)]


def _stock_rules(**_: object) -> list[str]:
    from classhook.rules.stock_rules import names

    return names()


def _forms(action: argparse.Action, **_: object) -> list[str]:
    """The formats that the option's help lists."""
    return (action.help or "").partition(" (default")[0].replace(" or ", ", ").split(", ")


def _in_list(offered: Callable[[], Iterable[str]]) -> Callable[..., list[str]]:
    """The words, each of them behind those that are there with commas between them."""

    def words(prefix: str, **_: object) -> list[str]:
        before, comma, _last = prefix.rpartition(",")
        return [before + comma + word for word in offered()]

    return words


def _of_ctl(parsed_args: argparse.Namespace, prefix: str, **_: object) -> list[str]:
    """The commands, then their words: rules of the JVM by number and name, stock rules."""
    from classhook.commands.ctl import COMMANDS, WORDS

    match parsed_args.words:
        case []:
            return list(COMMANDS)
        case ["rules", "remove"] | ["pause" | "resume"]:
            return _rules_of(parsed_args.jvm)
        case ["rules", "add", "-r" | "--rules"]:
            return _rules(prefix)
        case [name]:
            return list(WORDS.get(name, ()))
    return []


def _rules_of(jvm: str) -> list[str]:
    """The rules of a JVM: their names, or else their texts."""
    from classhook.base.errors import Failure, UsageError
    from classhook.live.jvms import named
    from classhook.live.rule_changes import entries, written
    from classhook.store.opening import DataError

    try:
        data = named(jvm).data()
        rules = [one.rule for one in written(entries(data)).values()] if data is not None else []
    except (DataError, Failure, UsageError, OSError):
        return []
    return [rule.label for rule in rules]


#: The arguments whose word has that meaning; else it is an argument without an option.
OPTION_OF = {"FILE": "--rules", "FORMAT": "--format"}
#: By what `--help` calls an argument.
COMPLETERS: dict[str, Callable[..., object]] = {
    "PID|NAME": _jvms,
    "PID|NAME|DIR|FILE": _jvms,
    "FILE": _rules,
    "NAME": _stock_rules,  # of `classhook rules`
    "FORMAT": _forms,
    "COMMAND ...": _of_ctl,
}
