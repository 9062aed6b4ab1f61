"""What handlers did is in the notes of the report; their methods have no rows."""

from __future__ import annotations

from classhook.measures.event import EVENT
from classhook.model.reader import Reader


class EventReader(Reader):
    kinds = EVENT.kinds


READER = EventReader
