"""Standard output for handlers on many threads: what a thread prints comes out in whole lines."""

from __future__ import annotations

from _thread import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


class WholeLines:
    """Collects each thread's text until a line is complete; `print` writes a piece at a time, and other threads may run
    between two of them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun: dict[int, str] = {}

    def write(self, text: str) -> int:
        thread = get_ident()
        whole = self._begun.pop(thread, "") + text
        lines, end, rest = whole.rpartition("\n")
        if rest:
            self._begun[thread] = rest
        if end:
            self._stream.write(lines + end)
            self._stream.flush()
        return len(text)

    def flush(self) -> None:
        rest = self._begun.pop(get_ident(), "")
        if rest:
            self._stream.write(rest)
        self._stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
