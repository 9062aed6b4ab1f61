"""Erases a data directory: data files with what belongs to them, rules, and the store of originals; anything else
stays."""

from __future__ import annotations

from contextlib import suppress

from classhook.base.files import listed, opened_folder, unlink
from classhook.store.originals import ENDING, FOLDER
from classhook.store.tmpfs import remove_in


def erase(folder: int) -> None:
    """`folder`: the directory, open. Raises OSError."""
    for name in listed(folder, ".classhook"):
        remove_in(folder, name)
    for name in listed(folder, ".rules"):
        unlink(folder, name)
    with suppress(FileNotFoundError, NotADirectoryError), opened_folder(FOLDER, folder, follow=False) as store:
        for name in listed(store, f".{ENDING}"):
            unlink(store, name)
