"""The interface for scripts: `agent.on.EVENT`, `agent.every`, `agent.command`, and the JVM as a whole."""

from __future__ import annotations

from classhook.agent import dumps, heap_queries
from classhook.agent import own_session as session
from classhook.agent.event_requests import add_rules
from classhook.agent.events import Events
from classhook.agent.handlers import TIMEOUT, Handler
from classhook.agent.loaded import SCRIPTS
from classhook.agent.own_commands import add_command
from classhook.agent.patterns import class_glob, parsed
from classhook.agent.timers import TIMERS, Timer
from classhook.agent.transforms import transformer
from classhook.base.embedded import IN_JVM, OutsideJvm
from classhook.base.embedded import events as jvm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from classhook.agent.event_object import Object
    from classhook.agent.heap_queries import HeapRow
    from classhook.agent.inserts import Insert
    from classhook.agent.loaded import Options
    from classhook.agent.open_tests import ScriptTest
    from classhook.agent.transforms import ClassToLoad
    from classhook.agent.versions import Versions
    from classhook.api.result import Result

    Called = TypeVar("Called", bound=Callable[..., Any])


class Agent:
    """The JVM that the script is in. `rules`: what is measured beside, as in a file of rules. Raises RuleError, outside
    a JVM OutsideJvm."""

    def __init__(self, rules: str = "") -> None:
        if not IN_JVM:
            raise OutsideJvm("classhook.agent.Agent")
        self._script = SCRIPTS[-1]
        self.on = Events(self._script)
        self.dump = dumps.Dump()
        self._insert: Insert | None = None
        self.rules = session.Rules()
        if rules:
            add_rules(self._script, parsed(rules))

    @property
    def insert(self) -> Insert:
        """Calls that are put into the program's methods."""
        from classhook.agent.inserts import Insert

        if self._insert is None:
            self._insert = Insert(self._script)
        return self._insert

    @property
    def options(self) -> Options:
        """The options after the script's name in `--agent my.py=a=b,c`, by name; `options.text`: as it was written."""
        return self._script.options

    @property
    def versions(self) -> Versions:
        """The versions of the JVM, JVMTI, classhook and Python."""
        from classhook.agent.versions import versions

        return versions()

    def every(self, seconds: float, timeout: float = TIMEOUT) -> Callable[[Called], Called]:
        """Calls the function every so many seconds, on the agent's own thread."""

        def decorate(function: Called) -> Called:
            TIMERS.append(Timer(seconds, function, timeout, self._script))
            return function

        return decorate

    def command(self, name: str, help: str = "") -> Callable[[Called], Called]:
        """Makes the function a command: `classhook ctl PID NAME ARGUMENT...`."""

        def decorate(function: Called) -> Called:
            add_command(self._script, name, function, help)
            return function

        return decorate

    def test(self, name: str) -> ScriptTest:
        """A test, or another piece of work, of this name: `with agent.test("checkout"): ...`, or its begin() and
        end()."""
        from classhook.agent.open_tests import ScriptTest

        return ScriptTest(name)

    def transform(
        self, pattern: str, timeout: float = TIMEOUT
    ) -> Callable[[Callable[[ClassToLoad], bytes | None]], Handler]:
        """Class files of these classes go through the function, after the agent's own probes are in: it returns bytes,
        or None to leave them."""

        def decorate(function: Callable[[ClassToLoad], bytes | None]) -> Handler:
            return Handler(
                "transform", function, True, class_glob(pattern), timeout, transformer(function), script=self._script
            )

        return decorate

    def threads(self) -> list[dict[str, Any]]:
        """All threads: `name`, `state`, `daemon`, `priority`; of those that wait also `waits_for`, `held_by`, `at`."""
        return dumps.threads()

    def histogram(self, pattern: str = "", live: bool = True) -> list[HeapRow]:
        """The objects of each class: `name`, `objects`, `bytes`; those with most bytes first. `live`: after a full
        garbage collection; else garbage is counted, too. Raises RuleError, RuntimeError."""
        return heap_queries.histogram(pattern, live)

    def tags(self, live: bool = True) -> list[HeapRow]:
        """The same by the tags that scripts gave to objects. Raises RuntimeError."""
        return heap_queries.tags(live)

    def objects(self, pattern: str = "", *, tagged: str = "", most: int = heap_queries.MOST) -> list[Object]:
        """Handles that last: of the objects of these classes, or of those with a tag; garbage may be among them. Raises
        ValueError, RuleError, RuntimeError."""
        return heap_queries.objects(pattern, tagged, most)

    def snapshot(self) -> Result:
        """The counts of the rules in this JVM until now, as `classhook.load` returns them."""
        return session.snapshot()

    def gc(self) -> None:
        """A full garbage collection."""
        dumps.asked("gc")

    @property
    def heap(self) -> tuple[int, int]:
        """Bytes of the heap: those that are used, and all."""
        used, total = jvm.memory()
        return used, total
