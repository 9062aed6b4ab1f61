"""`report DATA WORD...`: which rows the words are about, and what they may have meant.

1. A word that is the name of a method, class or type in the data means just these: `lowerCase`, `Orders`,
   `Orders.place`, `com.acme.Orders::place`.
2. Any other word is a pattern or a part of a name, as with --filter (filters.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from classhook.base.readable import Readable
from classhook.measures.tables import tables
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot
from classhook.reports.filters import METHOD, Matches, by_either_name, matcher

SUGGESTED = 3
NEAR, LAST_NEAR = 0.75, 0.6  # of difflib's ratio: for a whole name, and for what is behind its last dot
CANDIDATES = 20


def about(words: Sequence[str], snapshot: Snapshot) -> Matches:
    """Finds the rows that the words name. Raises UsageError, RuleError."""
    keys = list(_keys(snapshot))
    readable = snapshot.readable
    each = [_about(word, keys, readable) for word in words]
    return lambda key: any(matches(key) for matches in each)


def unmatched(words: Sequence[str], snapshot: Snapshot) -> list[str]:
    """The words that no row is about, even one that never ran."""
    keys = [key for rows in snapshot.tables.values() for key in rows]
    return [word for word in words if not any(map(about([word], snapshot), keys))]


def _about(word: str, keys: Sequence[Key], readable: Readable) -> Matches:
    name = _dotted(word)
    if any(name in _names(key, readable) for key in keys):
        return lambda key: name in _names(key, readable)
    return by_either_name(matcher([word]), readable)


def nearest(words: Sequence[str], snapshot: Snapshot) -> list[str]:
    """The names in the data that are spelt most like these words: as simple or as qualified as the words are."""
    from difflib import SequenceMatcher, get_close_matches

    found: dict[str, None] = {}
    for word in words:
        name = _dotted(word).lower()
        known: dict[str, str] = {}
        for key in _keys(snapshot):
            alike = {one for one in _names(key, snapshot.readable) if ("." in one) == ("." in name)}
            known.update(
                (one.lower(), one) for one in alike if "::" not in word or (key[1] and one.endswith(f".{key[1]}"))
            )
        close = get_close_matches(name, known, n=CANDIDATES, cutoff=NEAR)
        near = [known[one] for one in close if SequenceMatcher(None, _last(one), _last(name)).ratio() >= LAST_NEAR]
        found.update(dict.fromkeys("::".join(one.rsplit(".", 1)) if "::" in word else one for one in near))
    return list(found)[:SUGGESTED]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _keys(snapshot: Snapshot) -> Iterator[Key]:
    for table in tables():
        yield from snapshot.tables[table.name]


def _dotted(word: str) -> str:
    """`Orders.place` of `Orders::place`, `Orders#place`, and ``Orders::`place` ``."""
    return word.replace("::", ".").replace("#", ".").replace("`", "")


def _names(key: Key, readable: Readable) -> set[str]:
    """The names of a row: `place`, `Orders`, `com.acme.Orders`, `Orders.place`, `com.acme.Orders.place`, as the
    JVM and as its language writes it, and the types in its key."""
    found = _own_names(key)
    name = readable.name(*key[:3]) if len(key) >= len(METHOD) else None
    return found | _own_names((name.owner, name.method, "")) if name is not None and name.matches else found


def _own_names(key: Key) -> set[str]:
    class_name, method, _, *more = (one if isinstance(one, str) else "" for one in key)
    found = {method, f"{class_name}.{method}" if method else ""}
    for type_name in (class_name, *more):
        found |= {type_name, simple := type_name.rpartition(".")[2], simple.rpartition("$")[2]}
    simple = class_name.rpartition(".")[2]
    found |= {f"{one}.{method}" for one in (simple, simple.rpartition("$")[2]) if method}
    return found - {""}
