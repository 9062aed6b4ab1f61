"""The events, by name: decorators of handlers, with or without arguments. A decorator returns the Handler.

`sync`: on the event's own thread; `timeout`: seconds that a call may take, 0: as long as it likes; `stack`: frames that
come with a queued event; `lossy`: events that come too fast are lost, instead of waited for.
docs/reference/python-agents.md has the table.
"""

from __future__ import annotations

from typing import overload

from classhook.agent import event_requests
from classhook.agent.event_kinds import KINDS
from classhook.agent.handlers import TIMEOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from classhook.agent.event_object import Event
    from classhook.agent.handlers import Handler
    from classhook.agent.loaded import Script

    Function = Callable[[Event], object] | Handler  # one function may be that of several events
    Decorator = Callable[[Function], Handler]


class Events:
    """`agent.on`."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def _on(self, event: str, pattern: Any, **words: Any) -> Any:
        return event_requests.on(self._script, event, pattern, **words)

    if not TYPE_CHECKING:  # a type checker says itself what is not there

        def __getattr__(self, event: str) -> Any:
            if event.startswith("__"):
                raise AttributeError(event)
            from difflib import get_close_matches

            near = get_close_matches(event, KINDS, 1)
            raise AttributeError(
                f"no event `{event}`" + (f"; did you mean `{near[0]}`?" if near else f"; there are {', '.join(KINDS)}")
            )

    def __dir__(self) -> list[str]:
        return list(KINDS)

    @overload
    def method_entry(
        self, pattern: str, *, sync: Literal[True], args: bool = False, timeout: float = TIMEOUT
    ) -> Decorator: ...
    @overload
    def method_entry(
        self,
        pattern: str,
        *,
        sync: Literal[False] = False,
        timeout: float = TIMEOUT,
        stack: int = 0,
        lossy: bool = False,
    ) -> Decorator: ...
    def method_entry(
        self,
        pattern: Any,
        *,
        args: bool = False,
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        stack: int = 0,
        lossy: bool = False,
        **others: Any,
    ) -> Any:
        """A method is called. `args=True`: with its arguments, which needs `sync=True`."""
        return self._on(
            "method_entry", pattern, args=args, sync=sync, timeout=timeout, stack=stack, lossy=lossy, **others
        )

    @overload
    def method_exit(
        self,
        pattern: str,
        *,
        sync: Literal[True],
        args: bool = False,
        value: bool = False,
        timeout: float = TIMEOUT,
        over: str = "",
    ) -> Decorator: ...
    @overload
    def method_exit(
        self,
        pattern: str,
        *,
        sync: Literal[False] = False,
        timeout: float = TIMEOUT,
        over: str = "",
        stack: int = 0,
        lossy: bool = False,
    ) -> Decorator: ...
    def method_exit(
        self,
        pattern: Any,
        *,
        args: bool = False,
        value: bool = False,
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        over: str = "",
        stack: int = 0,
        lossy: bool = False,
        **others: Any,
    ) -> Any:
        """A method has returned or thrown. `value=True`: with its result; `over`: only calls that took longer."""
        return self._on(
            "method_exit",
            pattern,
            args=args,
            value=value,
            sync=sync,
            timeout=timeout,
            over=over,
            stack=stack,
            lossy=lossy,
            **others,
        )

    @overload
    def class_load(self, function: Function, /) -> Handler: ...
    @overload
    def class_load(
        self,
        pattern: str = "",
        *,
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        stack: int = 0,
        lossy: bool = False,
    ) -> Decorator: ...
    def class_load(
        self,
        pattern: Any = None,
        *,
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        stack: int = 0,
        lossy: bool = False,
        **others: Any,
    ) -> Any:
        """A class is loaded, the JDK's, too."""
        return self._on("class_load", pattern, sync=sync, timeout=timeout, stack=stack, lossy=lossy, **others)

    @overload
    def class_unload(self, function: Function, /) -> Handler: ...
    @overload
    def class_unload(self, pattern: str = "", *, timeout: float = TIMEOUT, lossy: bool = False) -> Decorator: ...
    def class_unload(self, pattern: Any = None, *, timeout: float = TIMEOUT, lossy: bool = False, **others: Any) -> Any:
        """A garbage collection has freed a class."""
        return self._on("class_unload", pattern, timeout=timeout, lossy=lossy, **others)

    @overload
    def thread_start(self, function: Function, /) -> Handler: ...
    @overload
    def thread_start(self, *, sync: bool | None = None, timeout: float = TIMEOUT, lossy: bool = False) -> Decorator: ...
    def thread_start(
        self,
        function: Any = None,
        *,
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        lossy: bool = False,
        **others: Any,
    ) -> Any:
        """A thread begins."""
        return self._on("thread_start", function, sync=sync, timeout=timeout, lossy=lossy, **others)

    @overload
    def thread_end(self, function: Function, /) -> Handler: ...
    @overload
    def thread_end(self, *, sync: bool | None = None, timeout: float = TIMEOUT, lossy: bool = False) -> Decorator: ...
    def thread_end(
        self,
        function: Any = None,
        *,
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        lossy: bool = False,
        **others: Any,
    ) -> Any:
        """A thread has ended."""
        return self._on("thread_end", function, sync=sync, timeout=timeout, lossy=lossy, **others)

    @overload
    def gc_start(self, function: Function, /) -> Handler: ...
    @overload
    def gc_start(self, *, timeout: float = TIMEOUT, lossy: bool = False) -> Decorator: ...
    def gc_start(self, function: Any = None, *, timeout: float = TIMEOUT, lossy: bool = False, **others: Any) -> Any:
        """A garbage collection, or one of its pauses, has begun."""
        return self._on("gc_start", function, timeout=timeout, lossy=lossy, **others)

    @overload
    def gc_finish(self, function: Function, /) -> Handler: ...
    @overload
    def gc_finish(self, *, timeout: float = TIMEOUT, over: str = "", lossy: bool = False) -> Decorator: ...
    def gc_finish(
        self, function: Any = None, *, timeout: float = TIMEOUT, over: str = "", lossy: bool = False, **others: Any
    ) -> Any:
        """The end of a collection. `over`: only pauses that took longer."""
        return self._on("gc_finish", function, timeout=timeout, over=over, lossy=lossy, **others)

    @overload
    def monitor_contended(self, function: Function, /) -> Handler: ...
    @overload
    def monitor_contended(
        self,
        pattern: str = "",
        *,
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        over: str = "",
        stack: int = 0,
        lossy: bool = False,
    ) -> Decorator: ...
    def monitor_contended(
        self,
        pattern: Any = None,
        *,
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        over: str = "",
        stack: int = 0,
        lossy: bool = False,
        **others: Any,
    ) -> Any:
        """A thread has got a lock for which it waited. The pattern is of the locked object's class."""
        return self._on(
            "monitor_contended", pattern, sync=sync, timeout=timeout, over=over, stack=stack, lossy=lossy, **others
        )

    @overload
    def object_alloc(self, function: Function, /) -> Handler: ...
    @overload
    def object_alloc(
        self,
        pattern: str = "",
        *,
        every: str = "",
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        stack: int = 0,
        lossy: bool = False,
    ) -> Decorator: ...
    def object_alloc(
        self,
        pattern: Any = None,
        *,
        every: str = "",
        sync: bool | None = None,
        timeout: float = TIMEOUT,
        stack: int = 0,
        lossy: bool = False,
        **others: Any,
    ) -> Any:
        """An object is allocated: one in `every`, such as "64k" bytes; "1": each object."""
        return self._on(
            "object_alloc", pattern, every=every, sync=sync, timeout=timeout, stack=stack, lossy=lossy, **others
        )

    @overload
    def object_free(self, function: Function, /) -> Handler: ...
    @overload
    def object_free(self, tagged: str = "", *, timeout: float = TIMEOUT, lossy: bool = False) -> Decorator: ...
    def object_free(self, tagged: Any = None, *, timeout: float = TIMEOUT, lossy: bool = False, **others: Any) -> Any:
        """A garbage collection has freed an object that `o.tag(NAME)` marked."""
        return self._on("object_free", tagged, timeout=timeout, lossy=lossy, **others)

    @overload
    def data_dump(self, function: Function, /) -> Handler: ...
    @overload
    def data_dump(self, *, timeout: float = TIMEOUT) -> Decorator: ...
    def data_dump(self, function: Any = None, *, timeout: float = TIMEOUT, **others: Any) -> Any:
        """The JVM got SIGQUIT."""
        return self._on("data_dump", function, timeout=timeout, **others)

    @overload
    def start(self, function: Function, /) -> Handler: ...
    @overload
    def start(self, *, timeout: float = TIMEOUT) -> Decorator: ...
    def start(self, function: Any = None, *, timeout: float = TIMEOUT, **others: Any) -> Any:
        """The JVM has started, or the script was added."""
        return self._on("start", function, timeout=timeout, **others)

    @overload
    def end(self, function: Function, /) -> Handler: ...
    @overload
    def end(self, *, timeout: float = TIMEOUT) -> Decorator: ...
    def end(self, function: Any = None, *, timeout: float = TIMEOUT, **others: Any) -> Any:
        """The program has ended, or the script is removed."""
        return self._on("end", function, timeout=timeout, **others)
