"""The events that handlers can be told of: what selects them, and what handlers can ask for. Their numbers and ways are the agent's (bridge.h)."""

from __future__ import annotations

from typing import Final, NamedTuple

# What selects an event.
NOTHING: Final = ""
CLASSES: Final = "a class pattern"
METHODS: Final = "a method pattern"
TAGS: Final = "a tag"


class Kind(NamedTuple):
    """An event: what selects it, the words that a handler may add, each of which is True or False, and whether it takes time (`over`)."""

    subject: str
    words: tuple[str, ...] = ()
    takes_time: bool = False


KINDS: Final = {
    "class_load": Kind(CLASSES),
    "thread_start": Kind(NOTHING),
    "thread_end": Kind(NOTHING),
    "gc_start": Kind(NOTHING),
    "gc_finish": Kind(NOTHING, takes_time=True),
    "monitor_contended": Kind(CLASSES, takes_time=True),
    "class_unload": Kind(CLASSES),
    "object_alloc": Kind(CLASSES),
    "object_free": Kind(TAGS),
    "data_dump": Kind(NOTHING),
    "method_entry": Kind(METHODS, ("args",)),
    "method_exit": Kind(METHODS, ("args", "value"), takes_time=True),
    "start": Kind(NOTHING),
    "end": Kind(NOTHING),
}

#: The words that ask for what is there on the event's own thread only.
SYNC_ONLY: Final = ("args", "value")
