"""Commands of a script's own: `classhook ctl PID NAME ARGUMENT...`.

Arguments are converted to the types of the function's annotations, or else of its defaults. Its result is shown: a text
line by line, lists and dictionaries an item a line, other values as `str` shows them.
"""

from __future__ import annotations

import json
from inspect import Parameter, signature

from classhook.agent.handlers import Handler, trace_of
from classhook.agent.loaded import SCRIPTS, others
from classhook.base.script_words import OF_SCRIPTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

    from classhook.agent.loaded import Script

#: By the name of a type.
CONVERTED: Final[dict[str, Callable[[str], Any]]] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": lambda text: text in ("1", "true", "yes", "on"),
}


def add_command(script: Script, name: str, function: Callable[..., Any], help: str) -> None:
    """Raises ValueError if another script has the command."""
    for other in others(script):
        if name in other.commands:
            raise ValueError(f"{other.path} has the command `{name}` already")
    if not script.commands:
        Handler("command", answers_of(script), True, None, 0, script=script)
    script.commands[name] = (function, help)


def answers_of(script: Script) -> Callable[[Any], str | None]:
    return lambda event: answer(script, event.text.split())


def answer(script: Script, words: list[str]) -> str | None:
    """The answer to a line, as lines of JSON; None: the script has no such command. Called by the agent."""
    if not words or words[0] not in script.commands:
        known = [name for one in SCRIPTS for name in one.commands]
        if not words or words[0] in known:
            return None  # another script has it
        return json.dumps({"error": f"unknown command {words[0]}{OF_SCRIPTS}{', '.join(known)}"}) + "\n"
    function, _ = script.commands[words[0]]
    try:
        arguments = converted(function, words[1:])
    except (TypeError, ValueError) as error:
        return json.dumps({"error": f"{words[0]}: {error}"}) + "\n"
    try:
        result = function(*arguments)
    except Exception as error:
        return json.dumps({"error": f"{words[0]}: {trace_of(error)}"}) + "\n"
    return "".join(json.dumps(line) + "\n" for line in [*({"line": text} for text in lines(result)), {"ok": True}])


def converted(function: Callable[..., Any], words: list[str]) -> list[Any]:
    """The arguments. Raises TypeError, ValueError."""
    bound = signature(function).bind(*words)
    values: list[Any] = []
    for name, parameter in bound.signature.parameters.items():
        if name in bound.arguments:
            given = bound.arguments[name]
            all_given = given if parameter.kind is Parameter.VAR_POSITIONAL else [given]
            values += [converter(parameter)(word) for word in all_given]
    return values


def converter(parameter: Parameter) -> Callable[[str], Any]:
    named = parameter.annotation
    if named is Parameter.empty and parameter.default is not Parameter.empty:
        named = type(parameter.default)
    return CONVERTED.get(named if isinstance(named, str) else getattr(named, "__name__", "str"), str)


def lines(result: Any) -> Iterable[str]:
    if result is None:
        return []
    if isinstance(result, dict):
        return [f"{key}: {value}" for key, value in result.items()]
    if isinstance(result, (list, tuple)):
        return [str(one) for one in result]
    return str(result).split("\n")
