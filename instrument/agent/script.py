"""Runs a script inside the JVM, when the agent is loaded: before rules are in force and long before the program begins.

1. Its decorators add handlers, and rules for the calls that these want to be told of.
2. What is wrong with it is said with file and line; then the JVM runs bare.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TextIO, cast

import classhook_events as jvm

from instrument.agent import handlers, timers
from instrument.agent.agent import RULES, Script
from instrument.agent.lines import WholeLines
from instrument.terminal import harmless
from rules.compiled import dumps, loads
from rules.errors import RuleError
from rules.ruleset import RuleSet


def run(path: str, rules: bytes) -> bytes | None:
    """The compiled rules, with those of the script; None, after a message, if it does not work."""
    sys.stdout = cast("TextIO", WholeLines(sys.stdout))  # nobody flushes it at the end
    jvm.hooks(handlers.failed, timers.due, handlers.HandlerTimeout)
    wrong = executed(path)
    if wrong:
        jvm.say(harmless(f"{wrong}\nthis JVM is not instrumented"))
        return None
    handlers.Handler("end", conclude, True, None, 0)
    Script.is_over = True
    given = loads(rules.decode()).rules if rules else ()
    return dumps(RuleSet([*given, *RULES])).encode()


def conclude(event: object) -> None:
    handlers.conclude()
    sys.stdout.flush()


def executed(path: str) -> str:
    """Executes the script; what is wrong, empty if nothing is."""
    try:
        with open(path, "rb") as file:
            source = file.read()
        code = compile(source, path, "exec", dont_inherit=True)
    except OSError as error:
        return f"cannot read the script {path}: {error.strerror}"
    except SyntaxError as error:
        return described(path, error)
    except ValueError as error:  # null bytes
        return f"{path}: {error}"
    main = ModuleType("__main__")
    main.__file__ = path
    sys.modules["__main__"] = main
    sys.argv = [path]
    sys.path.insert(0, path.rpartition("/")[0] or ".")
    try:
        exec(code, main.__dict__)
    except RuleError as error:
        return f"{path}:{line_of(error, path)}: {error}"
    except BaseException as error:
        return f"{path}:{line_of(error, path)}: {handlers.brief(error)}"
    return ""


def described(path: str, error: SyntaxError) -> str:
    """File, line and column, the line, a caret."""
    text = (error.text or "").rstrip("\n")
    column = error.offset or 1
    place = f"{path}:{error.lineno or 1}:{column}: {error.msg}"
    blank = "".join("\t" if c == "\t" else " " for c in text[: column - 1])
    return f"{place}\n    {text}\n    {blank}^" if text else place


def line_of(error: BaseException, path: str) -> int:
    """The script's line that was executed last."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
