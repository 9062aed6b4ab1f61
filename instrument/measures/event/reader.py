"""Methods with handlers have no rows: the notes of the report say what handlers did."""

from __future__ import annotations

from classhook.measures.event import EVENT
from classhook.model.reader import Reader


class EventReader(Reader):
    kinds = EVENT.kinds


READER = EventReader
