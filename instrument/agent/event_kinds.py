"""The events that have handlers: what selects them, and what handlers can ask for. Numbers and ways are those of
native/events/bridge.h."""

from __future__ import annotations

from typing import Final, NamedTuple

# The selectors of events.
NOTHING: Final = ""
CLASSES: Final = "a class pattern"
METHODS: Final = "a method pattern"
TAGS: Final = "a tag"


class Kind(NamedTuple):
    """An event: what selects it, the words that a handler may add, each of which is True or False, whether it takes
    time (`over`), and whether it is on a thread with a stack (`stack`)."""

    subject: str
    words: tuple[str, ...] = ()
    takes_time: bool = False
    has_stack: bool = False


KINDS: Final = {
    "class_load": Kind(CLASSES, has_stack=True),
    "thread_start": Kind(NOTHING),
    "thread_end": Kind(NOTHING),
    "gc_start": Kind(NOTHING),
    "gc_finish": Kind(NOTHING, takes_time=True),
    "monitor_contended": Kind(CLASSES, takes_time=True, has_stack=True),
    "class_unload": Kind(CLASSES),
    "object_alloc": Kind(CLASSES, has_stack=True),
    "object_free": Kind(TAGS),
    "data_dump": Kind(NOTHING),
    "method_entry": Kind(METHODS, ("args",), has_stack=True),
    "method_exit": Kind(METHODS, ("args", "value"), takes_time=True, has_stack=True),
    "start": Kind(NOTHING),
    "end": Kind(NOTHING),
}

#: The words that ask for what is there on the event's own thread only.
SYNC_ONLY: Final = ("args", "value")
