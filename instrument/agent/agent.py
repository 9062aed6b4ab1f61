"""What a script uses: `agent.on.EVENT`, `agent.every`, `agent.command`.

Calls of methods are asked for by rules, which the agent adds to those that it was given: `event PATTERN handler N` (instrument/measures/event.py).
"""

from __future__ import annotations

import classhook_events as jvm

from instrument.agent import dumps, session
from instrument.agent.commands import Commands
from instrument.agent.handlers import TIMEOUT, Handler
from instrument.agent.kinds import CLASSES, KINDS, METHODS, NOTHING, SYNC_ONLY, TAGS
from instrument.agent.timers import TIMERS, Timer
from instrument.agent.transforms import transformer
from rules.errors import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from instrument.api import Result
    from rules.syntax import Rule

    Function = Callable[..., Any]

#: What the scripts asked for, for script.py.
RULES: list[Rule] = []
COMMANDS = Commands()


class Script:
    """Whether its rules were taken: those of later handlers are added to those in force."""

    is_over = False


class Agent:
    """The JVM that the script is in. `rules`: what is measured beside, as in a file of rules. Raises RuleError."""

    def __init__(self, rules: str = "") -> None:
        self.on = Events()
        self.dump = dumps.Dump()
        self.rules = session.Rules()
        if rules:
            RULES.extend(parsed(rules))

    def every(self, seconds: float, timeout: float = TIMEOUT) -> Callable[[Function], Function]:
        """Calls the function every so many seconds, on the agent's own thread."""

        def decorate(function: Function) -> Function:
            TIMERS.append(Timer(seconds, function, timeout))
            return function

        return decorate

    def command(self, name: str, help: str = "") -> Callable[[Function], Function]:
        """Makes the function a command: `classhook ctl PID NAME ARGUMENT...`."""

        def decorate(function: Function) -> Function:
            if not COMMANDS.functions:
                Handler("command", COMMANDS.answer, True, None, 0)
            COMMANDS.functions[name] = (function, help)
            return function

        return decorate

    def transform(self, pattern: str, timeout: float = TIMEOUT) -> Callable[[Function], Handler]:
        """Class files of these classes go through the function, after the agent's own probes are in: it returns bytes, or None to leave them."""

        def decorate(function: Function) -> Handler:
            return Handler("transform", function, True, class_glob(pattern), timeout, transformer(function))

        return decorate

    def threads(self) -> list[dict[str, Any]]:
        """All threads: `name`, `state`, `daemon`, `priority`; of those that wait also `waits_for`, `held_by`, `at`."""
        return dumps.threads()

    def snapshot(self) -> Result:
        """What the rules have counted until now in this JVM, as `instrument.load` gives it."""
        return session.snapshot()

    def gc(self) -> None:
        """A full garbage collection."""
        dumps.asked("gc")

    @property
    def heap(self) -> tuple[int, int]:
        """Bytes of the heap: those that are used, and all."""
        used, total = jvm.memory()
        return used, total


class Events:
    """The events, by name: decorators of handlers, with or without arguments. What a decorator returns is the Handler."""

    def __getattr__(self, event: str) -> Callable[..., Any]:
        if event not in KINDS:
            from difflib import get_close_matches

            near = get_close_matches(event, KINDS, 1)
            raise AttributeError(f"no event `{event}`" + (f"; did you mean `{near[0]}`?" if near else f"; there are {', '.join(KINDS)}"))

        def on(pattern: Any = None, *, sync: bool | None = None, timeout: float = TIMEOUT, over: str = "", every: str = "", **words: Any) -> Any:
            if KINDS[event].subject == TAGS:
                pattern = words.pop("tagged", pattern)
            if every:
                sample(event, every)
            if callable(pattern):
                return handler(event, pattern, "", sync, timeout, over, words)
            return lambda function: handler(event, function, pattern or "", sync, timeout, over, words)

        return on

    def __dir__(self) -> list[str]:
        return list(KINDS)


def handler(event: str, function: Function, pattern: str, sync: bool | None, timeout: float, over: str, words: dict[str, bool]) -> Handler:
    """Adds a handler. Raises TypeError and ValueError for what the event does not have, RuleError for a wrong pattern."""
    kind = KINDS[event]
    _, ways = jvm.ways()[event]
    for word in words:
        if word not in kind.words:
            raise TypeError(f"{event} has no `{word}`" + (f"; it has {', '.join(kind.words)}" if kind.words else ""))
    asked = [word for word, on in words.items() if on]
    if sync is None:
        sync = ways[0] == "S"
    if ("S" if sync else "R") not in ways:
        why = "it comes while no thread may wait" if sync else "it is told on its own thread"
        raise ValueError(f"{event} cannot have sync={sync}: {why}")
    if not sync and (late := [word for word in asked if word in SYNC_ONLY]):
        raise ValueError(f"{event}: {late[0]}=True needs sync=True: a queued event has numbers and names only")
    if over and not kind.takes_time:
        raise TypeError(f"{event} has no `over`: it takes no time")
    least = nanoseconds(over) if over else 0
    if kind.subject == NOTHING and pattern:
        raise ValueError(f"{event} is not selected by a pattern")
    if kind.subject == METHODS and not pattern:
        raise ValueError(f'{event} needs a pattern of methods: @agent.on.{event}("com.acme.Orders::place(..)")')
    if kind.subject != METHODS:
        glob = class_glob(pattern) if kind.subject == CLASSES and pattern else pattern or None
        return Handler(event, function, sync, glob, timeout, least_ns=least)
    wanted = " ".join([word for word in ("exit",) if event == "method_exit"] + asked)
    check = parsed(f"event {pattern}")  # before there is a handler
    made = Handler(event, function, sync, None, timeout, least_ns=least)
    if len(check) != 1:
        raise RuleError("one pattern is expected", "pattern", source=pattern)
    rules = parsed(f"event {pattern} handler {made.number} {wanted}".rstrip())
    if Script.is_over:
        session.add_rules(rules)
    else:
        RULES.extend(rules)
    return made


def parsed(text: str) -> list[Rule]:
    """The rules of a text. Raises RuleError."""
    import instrument.measures  # noqa: F401  # the words of rules
    from rules.parse import parse_text

    return list(parse_text(text, "script"))


def nanoseconds(duration: str) -> int:
    """Of `10ms` and the like. Raises ValueError."""
    from re import fullmatch

    found = fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s)", duration)
    if found is None:
        raise ValueError(f"over={duration!r} is no time: write 500us, 10ms or 2s")
    return round(float(found[1]) * {"us": 1e3, "ms": 1e6, "s": 1e9}[found[2]])


def sample(event: str, every: str) -> None:
    """Allocations: one in so many bytes. Raises TypeError, ValueError."""
    from re import fullmatch

    found = fullmatch(r"(\d+)([kKmM]?)", every)
    if event != "object_alloc":
        raise TypeError(f"{event} has no `every`: it is told of each time")
    if found is None or not int(found[1]):
        raise ValueError(f"every={every!r} is no size: write 512k or 1m")
    jvm.sample_every(int(found[1]) << {"": 0, "k": 10, "m": 20}[found[2].lower()])


def class_glob(pattern: str) -> str:
    """A class pattern in the form of the agent's filter; also of arrays, as in `byte[]`. Raises RuleError."""
    if pattern.endswith("[]"):
        return pattern.replace(".", "/")
    (rule,) = parsed(f"cover {pattern}")
    return rule.targets[0].class_pattern.glob.replace(".", "/")
