"""Checks of the values of clauses that several measures have; None: no mistake. `Mistaken` in words.py is
their form."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.rules.words import Mistaken

MOST_FIRST: Final = 1_000_000
MOST_SLOWEST: Final = 1000  # in native/watch/watch_specs.c, too


def wrong_text(read: Callable[[str], object], value: str) -> Mistaken | None:
    from classhook.rules.condition_tokens import Wrong

    try:
        read(value)
    except Wrong as wrong:
        return wrong.message, wrong.expected, wrong.at
    return None


def wrong_mask(value: str) -> Mistaken | None:
    for mask in value.split(","):
        bare = mask.strip().replace("*", "").replace(".", "").replace("_", "").replace("$", "")
        if not mask.strip() or (bare and not bare.isalnum()):
            expected = "names of arguments or fields, or patterns such as `**.token`, with commas between them"
            return f"`{mask.strip()}` is not a name", expected, value.index(mask)
    return None


def wrong_first(value: str) -> Mistaken | None:
    return (
        None
        if len(value) < 9 and 1 <= int(value) <= MOST_FIRST
        else ("this number of calls cannot be kept", f"from `1` to `{MOST_FIRST}`")
    )


def wrong_slowest(value: str) -> Mistaken | None:
    return (
        None
        if len(value) < 9 and 1 <= int(value) <= MOST_SLOWEST
        else ("this number of calls cannot be kept", f"from `1` to `{MOST_SLOWEST}`")
    )
