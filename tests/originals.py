"""The store of originals of a data directory, for tests that look into it or damage it."""

from __future__ import annotations

from pathlib import Path

from classhook.store.originals import Location, entries


def kept(data: Path) -> list[bytes]:
    """All class files that it has, each as often as it is kept."""
    return [content(place) for places in entries(data).values() for place in places]


def content(place: Location) -> bytes:
    return place.path.read_bytes()[place.at : place.at + place.size]


def place_of(data: Path, class_file: bytes) -> Location:
    """Finds the place where the store keeps a class file."""
    (found,) = [place for places in entries(data).values() for place in places if content(place) == class_file]
    return found


def damage(place: Location, how: str) -> None:
    """`missing`: no file; `torn`: it ends within the class; `other`: the class has other bytes."""
    if how == "missing":
        place.path.unlink()
        return
    with open(place.path, "r+b") as file:
        if how == "torn":
            file.truncate(place.at + place.size - 7)
        else:
            file.seek(place.at + place.size - 1)
            file.write(b"?")
