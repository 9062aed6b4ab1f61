"""Executes one script, as Python does: as `__main__`, with its folder in `sys.path` options in `sys.argv`. Its handlers
are off."""

from __future__ import annotations

import sys
from types import ModuleType

from classhook.agent import handlers, own_modules
from classhook.agent.loaded import SCRIPTS, Script
from classhook.rules.errors import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Wrong(Exception):
    """The reason why scripts are not run."""


def execute(script: Script) -> None:
    """Executes it, with modules of its own. Raises Wrong."""
    with own_modules.exchange:
        if script.late:
            own_modules.begin()
        before = (
            own_modules.own(script.folder) if script.late else own_modules.jvmpi()
        )  # which refuses to be imported for another one
        own_modules.take_out(before)
        SCRIPTS.append(script)
        own_modules.State.executing = script
        wrong = executed(script)
        own_modules.State.executing = None
        script.modules = own_modules.gained(script)
        own_modules.put_back({**before, **script.modules})
    if wrong:
        raise Wrong(wrong)
    handlers.Handler("end", conclude_for(script), True, None, 0, script=script)


def conclude_for(script: Script) -> Callable[[object], None]:
    def conclude(event: object) -> None:
        handlers.conclude(script)
        sys.stdout.flush()

    return conclude


def executed(script: Script) -> str:
    """Executes the script; what is wrong, empty if nothing is."""
    path = script.path
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
    script.main = main
    sys.modules["__main__"] = main
    sys.argv = script.argv
    if script.folder not in sys.path:
        sys.path.insert(0, script.folder)
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
