"""Units of time and size, as rules, options and reports write them."""

from __future__ import annotations

NANOSECONDS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60 * 1_000_000_000,
    "h": 3600 * 1_000_000_000,
    "d": 24 * 3600 * 1_000_000_000,
}
BYTES = {"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


def nanoseconds(text: str, units: tuple[str, ...] = tuple(NANOSECONDS)) -> float:
    """`1.5ms` in ns; `units`: those that are accepted. Raises ValueError."""
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzµ")
    unit = text[len(number) :]
    if unit not in units or not number.isascii() or not all([part.isdigit() for part in number.split(".", 1)]):
        raise ValueError(text)
    return float(number) * NANOSECONDS[unit]


def microseconds(duration: str) -> int:
    """The same in µs, rounded."""
    return round(nanoseconds(duration) / 1000)


def size(text: str) -> int:
    """`4KB` in bytes. Raises ValueError."""
    number = text.rstrip("BKMGTi")
    unit = text[len(number) :]
    if unit not in BYTES or not number.isascii() or not number.isdigit():
        raise ValueError(text)
    return int(number) * BYTES[unit]
