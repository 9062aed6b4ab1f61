"""Errors of a dump."""

from __future__ import annotations

from pathlib import Path

from classhook.base.errors import UsageError


class BadDump(UsageError):
    """The file is no heap dump, or a damaged one; the text says where."""

    def __init__(self, path: Path, what: str, at: int | None = None) -> None:
        super().__init__(f"{path}: {what}" + ("" if at is None else f" (at byte {at:,})"))
