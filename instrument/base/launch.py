"""Starts a command with the agent in every JVM that it starts, and waits for it transparently.

1. A `java` command gets the agent as an option; its children, and other commands, get it through
   JAVA_TOOL_OPTIONS (native/agent.c copies CLASSHOOK_AGENT there).
2. The child keeps terminal, stdin and stdout. Signals sent to this process are forwarded; signals from the terminal
   have already reached the child, which is in the same foreground group.
3. Its status is returned; 128 + signal if a signal killed it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from classhook.base.errors import UsageError
from classhook.base.terminal import say
from classhook.native import library
from classhook.native.building.prerequisites import Missing

ENDS_VALUE = frozenset(
    "%, \t\n\v\f\r\"'\\"
)  # characters that end a value or an option (native/options.c, JAVA_TOOL_OPTIONS)
NOT_IN_PATH = frozenset("=\"'\t\n\v\f\r")  # -agentpath's path ends at the first equals sign
MEANWHILE = 0.2  # seconds between two calls of what else is to be done
SI_KERNEL = 0x80  # si_code of a signal from the terminal driver
FORWARDED = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
#: HotSpot does not start with an agent if one of these tells it to dump classes.
DUMPS = ("-XX:ArchiveClassesAtExit=", "-Xshare:dump", "-XX:+AutoCreateSharedArchive")
TAKES_A_WORD = frozenset(
    {
        "-cp",
        "-classpath",
        "--class-path",
        "-p",
        "--module-path",
        "--add-modules",
        "--add-opens",
        "--add-exports",
        "--add-reads",
        "--limit-modules",
        "--patch-module",
        "--upgrade-module-path",
        "--enable-native-access",
        "--source",
    }
)
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)  # and by its child processes, unless reset


def encode_value(text: str) -> str:
    """An option's value with the characters that would end it written as %XX."""
    return "".join(f"%{ord(c):02X}" if c in ENDS_VALUE else c for c in text)


def agent_option(rules: Path, data: Path, **more: str) -> str:
    """The `-agentpath:` option of the JVMs of a run. `more`: further options of the agent."""
    if not library.AGENT.is_file():
        raise UsageError(
            f"the agent library {library.AGENT} is missing: it was not built; reinstall classhook with `pip install`"
        )
    if not NOT_IN_PATH.isdisjoint(str(library.AGENT)):
        raise UsageError(
            f"the agent library {library.AGENT} is in a folder whose name cannot be passed in a JVM option; move it"
        )
    values = {
        "rules": str(rules.resolve()),
        "data": str(data.resolve()),
        "pythonpath": packages(),
        "libpython": known_library(),
        "run": os.urandom(8).hex(),
        **more,
    }
    return f"-agentpath:{library.AGENT}=" + ",".join(
        f"{key}={encode_value(value)}" for key, value in values.items() if value
    )


def packages() -> str:
    """The paths where Python finds classhook's dependencies, for the agent's option `pythonpath`."""
    return ":".join(
        dict.fromkeys(
            path for path in sys.path if path.endswith("-packages") or (path and Path(path, "mutf8").is_dir())
        )
    )


def known_library() -> str:
    """The agent's option `libpython`, if it needs one."""
    try:
        return library.libpython()
    except Missing as missing:
        raise UsageError(str(missing)) from None


def quoted(option: str) -> str:
    """The option, quoted for JAVA_TOOL_OPTIONS if needed."""
    return f'"{option}"' if any(c.isspace() for c in option) else option


def instrumented(
    command: Sequence[str], option: str, environment: Mapping[str, str], labels: str = ""
) -> tuple[list[str], dict[str, str]]:
    """The command line and environment, with the agent added. `labels`: of the run."""
    line, env = list(command), dict(environment)
    if labels:
        env["CLASSHOOK_LABELS"] = labels
    env["CLASSHOOK_AGENT"] = quoted(option)
    if Path(command[0]).name == "java":
        if not takes_no_agent(command):
            line.insert(1, option)
    else:
        env["JAVA_TOOL_OPTIONS"] = f"{env.get('JAVA_TOOL_OPTIONS', '')} {quoted(option)}".strip()
    return line, env


def takes_no_agent(command: Sequence[str]) -> bool:
    """True if a `java` command would fail to start with an agent, judged by its own options."""
    words = iter(command[1:])
    if Path(command[0]).name != "java":
        return False
    for word in words:
        if word in DUMPS or word.startswith(DUMPS[0]):
            return True
        if word in TAKES_A_WORD:
            next(words, None)
        elif not word.startswith(("-", "@")) or word in ("-jar", "-m", "--module"):
            return False  # the program's arguments follow
    return False


class Ended(NamedTuple):
    """A command that ended: its status, 127 if it does not exist, 126 if it could not be started; its process id, and
    when it ended."""

    status: int
    pid: int = 0
    monotonic_ns: int = 0


def run(command: Sequence[str], environment: Mapping[str, str], meanwhile: Callable[[], None] | None = None) -> Ended:
    """Runs a command to its end. `meanwhile` is called again and again until then."""
    signals = {*FORWARDED, signal.SIGCHLD}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    actions = {number: signal.getsignal(number) for number in (signal.SIGCHLD, signal.SIGINT)}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it is ignored, sigwaitinfo does not see the child's end
    try:
        import shutil  # with it come bz2 and lzma

        path = command[0] if "/" in command[0] else shutil.which(command[0], path=environment.get("PATH"))
        if path is None:
            raise FileNotFoundError
        child = _start(path, command, environment, mask, actions)
    except FileNotFoundError:
        say(f"{command[0]}: command not found")
        return Ended(127)
    except OSError as error:
        say(f"{command[0]}: {error.strerror}")
        return Ended(126)
    else:
        return Ended(_wait(child, signals, meanwhile), child, time.monotonic_ns())
    finally:
        signal.signal(signal.SIGCHLD, actions[signal.SIGCHLD] or signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _start(
    path: str,
    command: Sequence[str],
    environment: Mapping[str, str],
    mask: set[int],
    actions: Mapping[signal.Signals, Any],
) -> int:
    """Starts the command, with its signals as they would be without classhook; returns its process id. Raises OSError.

    posix_spawn cannot make the child ignore a signal that this process must not ignore.
    """
    told, tell = os.pipe()  # the command's start closes the child's end
    child = os.fork()
    if not child:
        try:
            for number in (*actions, *IGNORED_BY_PYTHON):
                signal.signal(number, signal.SIG_IGN if actions.get(number) == signal.SIG_IGN else signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.execve(path, list(command), dict(environment))
        except OSError as error:
            os.write(tell, b"%d" % (error.errno or 0))
        finally:
            os._exit(127)
    os.close(tell)
    with open(told) as answer:
        trouble = answer.read()
    if trouble:
        os.waitpid(child, 0)
        raise OSError(int(trouble), os.strerror(int(trouble)))
    return child


def _wait(child: int, signals: set[signal.Signals], meanwhile: Callable[[], None] | None) -> int:
    """The child's status. The end is also checked now and then: another thread of this process may take its signal."""
    while True:
        info = signal.sigtimedwait(signals, MEANWHILE)
        if info is not None and info.si_signo not in signals:
            info = None  # Python returns memory that it has not filled in if it was interrupted and the time is over
        if info is None and meanwhile is not None:
            meanwhile()
        if info is not None and info.si_signo != signal.SIGCHLD:
            if info.si_code != SI_KERNEL:
                os.kill(child, info.si_signo)
            continue
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return 128 - code if code < 0 else code


def main_of(command: list[str]) -> str:
    """The main class, module or jar of a `java` command."""
    words = iter(command[1:])
    for word in words:
        if word in ("-jar", "-m", "--module"):
            return next(words, word)
        if word in TAKES_A_WORD:
            next(words, None)
        elif not word.startswith(("-", "@")):
            return word
    return Path(command[0]).name
