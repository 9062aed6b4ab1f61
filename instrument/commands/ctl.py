"""`classhook ctl`: asks a running JVM in which classhook is, and changes what it counts."""

from __future__ import annotations

import argparse
import re
import textwrap
from importlib import import_module
from pathlib import Path

from classhook.base.errors import Failure, UsageError
from classhook.base.script_words import OF_SCRIPTS
from classhook.base.terminal import show
from classhook.commands.control import agent, recording, rules
from classhook.commands.control.agent import Command
from classhook.commands.control.answers import NOW, at_most_of
from classhook.commands.control.hotspot import WITHOUT_AGENT, deadlocks
from classhook.commands.following import AT_MOST, add_at_most
from classhook.extensions import EXTENSIONS
from classhook.live.jvms import Jvm, named
from classhook.store.opening import DataError

CONTROLS = {name: control for extension in EXTENSIONS for name, control in extension.controls.items()}
ABOUT = 25  # the column in which a command's description begins


def shown(name: str, arguments: str, about: str) -> str:
    """A command in the help."""
    head = f"  {name} {arguments}".ljust(ABOUT)
    return textwrap.fill(about, 79, initial_indent=head, subsequent_indent=" " * ABOUT) + "\n"


EPILOG = f"""\
commands:
  status                 the state of the session, read from the data file, so
                         this works even if the JVM is stopped
  rules [list]           the rules, with their numbers
  rules add RULE         adds a rule; changes only classes that it applies to. A
                         rule that can never match the loaded classes is
                         refused, with the nearest thing that exists
  rules add -r FILE      adds the rules of a file, or stock rules by their name;
                         takes -D NAME=VALUE, too
  rules remove WHICH     removes a rule, given by its number, its text or its
                         name after `as`; what it counted stays in the report
  pause WHICH            removes a rule's probes but keeps the rule
  resume WHICH           puts them back
  now                    changes the classes that wait for their loops to end:
                         a loop that runs is then slow until its method returns
  watch [RULE]           shows calls as they end, until Ctrl-C. With RULE, such
                         as `com.acme.Orders::place when arg0 > 100`, or
                         `com.acme.Orders:123 show total` for a line, the rule
                         is added now and removed at Ctrl-C; without it, calls
                         of the session's `watch` rules are shown
  reset                  makes reports begin at zero; coverage is kept
  rotate [N]             writes what was counted since the last `rotate` to a
                         file beside the data file; keeps N such files, or all
  snapshot FILE          copies the data file, for `classhook report FILE`
  threads                all threads with their states, what they wait for, and
                         which thread holds it; deadlocks
  deadlocks              threads that wait for each other, with their stacks
  gc                     a full garbage collection
  heap histogram         objects and bytes of each class
  heap dump FILE         a heap dump, for `classhook heap FILE`; all threads
                         are stopped while it is written
{"".join(shown(name, one.arguments, one.about) for name, one in CONTROLS.items())}\
  jcmd COMMAND           a diagnostic command of the JVM, such as
                         `jcmd Thread.print -l`; `jcmd help` lists them
  agent [list]           the scripts of handlers in the JVM
  agent reload [FILE]    runs a script again and replaces its handlers; if it
                         fails, nothing changes. FILE replaces the script with
                         the same file name, or else the only script; options
                         as in `run --agent`. Without FILE: all scripts
  agent add FILE         adds a script; agent remove [FILE] removes one
  detach                 as `classhook detach`
  `rules add`, `rules remove`, `pause`, `resume` and `detach` take `--now` as
  `attach` does; all but `detach` also take `--at-most TIME`. Ctrl-C while
  classes are changed undoes it
  NAME [ARGUMENT]...     a command that a script of handlers defines

`threads`, `deadlocks`, `gc`, `heap` and `jcmd` need no session: without one,
HotSpot answers them.

For these commands the agent creates a socket beside the data file,
DATA/PID-START.ctl, when it is first needed; only the JVM's user and root may
use it. Other programs can use the socket, too: they send a command as one line
and get lines of JSON: echo threads | nc -U classhook-data/4711-*.ctl

examples:
  classhook ctl 4711 status
  classhook ctl 4711 rules add 'count com.acme.Db::query(..)'
  classhook ctl com.acme.Main reset
"""

#: The words that may follow a command.
WORDS = {
    "rules": ("list", "add", "remove"),
    "heap": ("histogram", "dump"),
    "agent": ("list", "reload", "add", "remove"),
}
CHANGES = ("rules", "pause", "resume", "watch", "detach")  # that take --now
LIMITED = ("rules", "pause", "resume", "watch")  # that take --at-most


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jvm", metavar="PID|NAME", help="process id, or main class or jar, of the JVM")
    parser.add_argument("--json", action="store_true", help="print the answer as lines of JSON")
    parser.add_argument(
        "--now", action="store_true", help="change classes at once, even those with a running loop, which is then slow"
    )
    add_at_most(parser)
    parser.add_argument("words", metavar="COMMAND ...", nargs=argparse.REMAINDER, help="see below")


def execute(args: argparse.Namespace) -> int:
    words = args.words
    while words and words[0] in ("--json", NOW, AT_MOST):  # argparse takes them for some of them
        words = _taken(args, words)
    name, rest = (words[0], words[1:]) if words else ("", [])
    if args.now and name not in CHANGES:
        raise UsageError(f"--now is for {', '.join(CHANGES)}")
    if args.at_most and name not in LIMITED:
        raise UsageError(f"{AT_MOST} is for {', '.join(LIMITED)}")
    if args.now:
        rest.append(NOW)
    if args.at_most:
        rest.append(f"{AT_MOST}={args.at_most * 1000:.3f}ms")
    if not name:
        raise UsageError(f"no command; there are {', '.join(COMMANDS)} (classhook ctl --help)")
    if name in COMMANDS and "--help" in rest:
        show(help_of(name))
        return 0
    jvm = named(args.jvm)
    data = jvm.data()
    if name in WITHOUT_AGENT and not in_session(data):
        WITHOUT_AGENT[name](jvm, rest, args.json)
        return 0
    if data is None:
        raise Failure(f"{jvm.pid}: classhook is not in this JVM; attach it with `classhook attach {jvm.pid} -e RULE`")
    try:
        COMMANDS.get(name, scripts)(jvm, data, rest if name in COMMANDS else words, args.json)
    except DataError as error:
        raise Failure(str(error)) from None
    return 0


def in_session(data: Path | None) -> bool:
    from classhook.live.observe.watching import running

    return data is not None and running(data)


def _taken(args: argparse.Namespace, words: list[str]) -> list[str]:
    """The words without the option that they begin with. Raises UsageError."""
    option, *rest = words
    if option == AT_MOST:
        args.at_most = at_most_of("".join(rest[:1]))
        return rest[1:]
    args.json, args.now = args.json or option != NOW, args.now or option == NOW
    return rest


def help_of(name: str) -> str:
    """The lines of the help about a command."""
    commands = EPILOG.partition("\n\n")[0]
    return "\n".join(re.findall(rf"^  {name}\b.*(?:\n {{{ABOUT}}}.*)*", commands, re.MULTILINE))


def scripts(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    """A command that is none of ours: perhaps the script's in the JVM (instrument/agent/own_commands.py)."""
    try:
        agent.agents()(jvm, data, words, as_json)
    except Failure as failure:
        if "unknown command" not in str(failure):
            raise
        own = str(failure).partition(OF_SCRIPTS)[2]
        more = f"; of the scripts: {own}" if own else ""
        raise UsageError(
            f"unknown command {words[0]}; there are {', '.join(COMMANDS)} (classhook ctl --help){more}"
        ) from None


def of_extension(module: str) -> Command:
    """A command whose module is imported when it is used."""

    def asked(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
        import_module(f"classhook.{module}").asked(jvm, data, words, as_json)

    return asked


COMMANDS: dict[str, Command] = {
    "status": recording.status,
    "rules": rules.rules,
    "pause": rules.pause,
    "resume": rules.resume,
    "now": rules.now,
    "watch": rules.watch,
    "reset": recording.reset,
    "rotate": recording.rotate,
    "snapshot": recording.snapshot,
    "threads": agent.agents("threads"),
    "deadlocks": lambda jvm, data, words, as_json: deadlocks(jvm, words, as_json),
    "gc": agent.agents("gc"),
    "heap": agent.heap,
    "jcmd": agent.agents("jcmd"),
    "agent": agent.agent,
    "detach": agent.detach,
    **{name: of_extension(control.module) for name, control in CONTROLS.items()},
}
