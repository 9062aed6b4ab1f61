"""The requests of a script by `agent.on.EVENT`: handlers, with what they need of the JVM.

Calls of methods are asked for by rules, which the agent adds to those that it was given: `event PATTERN handler N`
(instrument/measures/event).
"""

from __future__ import annotations

from classhook.agent import own_session as session
from classhook.agent.event_kinds import CLASSES, KINDS, METHODS, NOTHING, SYNC_ONLY
from classhook.agent.handlers import TIMEOUT, Handler, least_sample
from classhook.agent.patterns import class_glob, parsed
from classhook.base.embedded import events as jvm
from classhook.base.units import nanoseconds
from classhook.rules.errors import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from classhook.agent.loaded import Script
    from classhook.rules.syntax import Rule

    Function = Callable[..., Any]

MOST_FRAMES = 1024


def on(
    script: Script,
    event: str,
    pattern: Any,
    *,
    sync: bool | None = None,
    timeout: float = TIMEOUT,
    over: str = "",
    every: str = "",
    stack: int = 0,
    lossy: bool = False,
    **words: Any,
) -> Any:
    """The decorator, or the handler of a function that is decorated by the event itself. Raises as `handler` does."""
    sampled = sample(event, every) if every else 0
    check_queued(event, sync, stack, lossy)

    def add(function: Function | Handler, pattern: str) -> Handler:
        function = function.function if isinstance(function, Handler) else function  # one function for several events
        if not callable(function):
            raise TypeError(f"@agent.on.{event} belongs above a function, not {type(function).__name__}")
        made = handler(script, event, function, pattern, sync, timeout, over, words)
        made.choose(lossy, stack)
        made.every = sampled
        follow(made)
        return made

    return (
        add(pattern, "")
        if callable(pattern) or isinstance(pattern, Handler)
        else lambda function: add(function, pattern or "")
    )


def handler(
    script: Script,
    event: str,
    function: Function,
    pattern: str,
    sync: bool | None,
    timeout: float,
    over: str,
    words: dict[str, bool],
) -> Handler:
    """Adds a handler. Raises TypeError and ValueError for what the event does not have, RuleError for a wrong
    pattern."""
    kind = KINDS[event]
    _, ways = jvm.ways()[event]
    for word in words:
        if word not in kind.words:
            raise TypeError(f"{event} has no `{word}`" + (f"; it has {', '.join(kind.words)}" if kind.words else ""))
    asked = [word for word, on in words.items() if on]
    if sync is None:
        sync = ways[0] == "S"
    if ("S" if sync else "R") not in ways:
        why = "it comes while no thread may wait" if sync else "it is delivered on its own thread"
        raise ValueError(f"{event} cannot have sync={sync}: {why}")
    if not sync and (late := [word for word in asked if word in SYNC_ONLY]):
        raise ValueError(f"{event}: {late[0]}=True needs sync=True: a queued event has numbers and names only")
    if over and not kind.takes_time:
        raise TypeError(f"{event} has no `over`: it takes no time")
    least = shortest(over) if over else 0
    if kind.subject == NOTHING and pattern:
        raise ValueError(f"{event} is not selected by a pattern")
    if kind.subject == METHODS and not pattern:
        raise ValueError(f'{event} needs a pattern of methods: @agent.on.{event}("com.acme.Orders::place(..)")')
    if kind.subject != METHODS:
        glob = class_glob(pattern) if kind.subject == CLASSES and pattern else pattern or None
        return Handler(event, function, sync, glob, timeout, least_ns=least, script=script)
    wanted = " ".join([word for word in ("exit",) if event == "method_exit"] + asked)
    check = parsed(f"event {pattern}")  # before there is a handler
    made = Handler(event, function, sync, None, timeout, least_ns=least, script=script)
    if len(check) != 1:
        raise RuleError("one pattern is expected", "pattern", source=pattern)
    made.rules = parsed(f"event {pattern} handler {made.number} {wanted}".rstrip())
    put_in(made)
    return made


def put_in(handler: Handler) -> None:
    """Inserts its probes: all classes that they concern are changed, if the JVM is up. Raises RuntimeError if the rules
    cannot be changed now."""
    handler.waiting = those_of(handler, add_rules(handler.script, handler.rules)) - handler.waiting


def take_out(handler: Handler) -> None:
    """Takes its probes out again. Classes that wait keep them, and need not be changed if they are to have them again.
    Raises RuntimeError."""
    script = handler.script
    if script.in_force:
        handler.waiting = those_of(handler, session.drop_rules(handler.rules)) - handler.waiting
    script.rules = [rule for rule in script.rules if rule not in handler.rules]


def those_of(handler: Handler, loops: Iterable[str]) -> set[str]:
    """Classes that wait for these loops, of those that its rules name."""
    from classhook.rules.patterns import compile_glob

    globs = [compile_glob(target.class_pattern.glob) for rule in handler.rules for target in rule.targets]
    return {name for name in (loop.partition("::")[0] for loop in loops) if any(matches(name) for matches in globs)}


def follow(made: Handler) -> None:
    """While the program runs, its events begin at once."""
    if made.script.in_force:
        jvm.sample_every(least_sample())
        jvm.follow()


def add_rules(script: Script, rules: list[Rule]) -> tuple[str, ...]:
    """Adds rules to the script's own, or, while the program runs, to those in force: then returns the loops for which
    classes wait. Raises RuntimeError."""
    loops = session.add_rules(rules) if script.in_force else ()
    script.rules += rules
    return loops


def check_queued(event: str, sync: bool | None, stack: int, lossy: bool) -> None:
    """Checks the options that only queued handlers have. Raises TypeError, ValueError."""
    _, ways = jvm.ways()[event]
    if lossy and (sync or "R" not in ways or (sync is None and ways[0] == "S")):
        raise ValueError(f"{event}: lossy=True needs sync=False: events on their own thread are never lost")
    if stack and not KINDS[event].has_stack:
        raise TypeError(f"{event} has no `stack`: it belongs to no call of the program")
    if not 0 <= stack <= MOST_FRAMES:
        raise ValueError(f"{event}: stack={stack} is not a number of frames from 1 to {MOST_FRAMES}")


def shortest(duration: str) -> int:
    """The ns of `10ms` and the like. Raises ValueError."""
    try:
        return round(nanoseconds(duration, ("us", "ms", "s")))
    except ValueError:
        raise ValueError(f"over={duration!r} is not a time: write 500us, 10ms or 2s") from None


def sample(event: str, every: str) -> int:
    """Allocations: one in so many bytes. Raises TypeError, ValueError."""
    from re import fullmatch

    found = fullmatch(r"(\d+)([kKmM]?)", every)
    if event != "object_alloc":
        raise TypeError(f"{event} has no `every`: each one is delivered")
    if found is None or not int(found[1]):
        raise ValueError(f"every={every!r} is not a size: write 512k or 1m")
    return int(found[1]) << {"": 0, "k": 10, "m": 20}[found[2].lower()]
