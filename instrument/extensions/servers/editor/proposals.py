"""Proposals of completion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from classhook.rules.document import Position

MOST = 1_000  # proposals; with more, the editor asks again for each character


@dataclass(frozen=True, slots=True)
class Proposal:
    """`text`: what is inserted; `kind`: a word that server.py knows; `matches`: what typed characters are compared
    with, if not `text`; `sort`: what comes before others."""

    label: str
    text: str
    kind: str
    detail: str = ""
    matches: str = ""
    sort: str = ""


@dataclass(frozen=True, slots=True)
class Proposals:
    """`begin`: from where on they replace what is written; `whole`: whether there are no more."""

    begin: Position
    found: list[Proposal] = field(default_factory=list)
    whole: bool = True


def limited(begin: Position, found: Iterable[Proposal]) -> Proposals:
    """Each once, and only so many."""
    once = list(dict.fromkeys(found))
    return Proposals(begin, once[:MOST], len(once) <= MOST)
