"""The probe table, which says what a woven class's slots count, as text stored with the counters.
docs/reference/probe-table.md describes it.

The first line has the format's version; each further line is a record (records.py), its fields separated by tabs. \\t,
\\n, \\r and backslash within a field are escaped; UTF-8, lone surrogates kept.
"""

from __future__ import annotations

from classhook.native._slots import CH_PROBE_TABLE_FORMAT
from classhook.probes.records import FLAG, NUMBER, NUMBERS, PROBE, PROBES, RECORDS, ProbeRecord
from classhook.rules.escapes import escape, unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence
    from typing import Final

    from classhook.probes.records import Record

HEAD: Final = f"probe-table\t{CH_PROBE_TABLE_FORMAT}"
IN_PROBE: Final = 6  # words of a probe, before the fields of its kind


def encode(records: Sequence[Record]) -> bytes:
    """The table's text."""
    lines = [HEAD]
    tabs = 1
    for record in records:
        words = [word if isinstance(word, str) else _written(word) for word in record.words()]
        lines.append("\t".join(words))
        tabs += len(words) - 1
    text = "\n".join(lines)
    # hardly any name needs escaping, and checking the whole text is cheaper than checking each field
    if "\\" in text or "\r" in text or text.count("\t") != tabs or text.count("\n") != len(records):
        text = "\n".join(
            [HEAD, *["\t".join([escape(_written(word)) for word in record.words()]) for record in records]]
        )
    return text.encode("utf-8", "surrogatepass")


def _written(word: object) -> str:
    if isinstance(word, bool):
        return "1" if word else "0"
    return " ".join([str(one) for one in word]) if isinstance(word, tuple) else str(word)


def decode(text: bytes, kinds: Container[str] | None = None) -> Iterator[Record]:
    """The records; of these kinds only, if they are given. Raises ValueError at a damaged one, or a table of another
    version."""
    lines = text.decode("utf-8", "surrogatepass").split("\n")
    if lines[0] != HEAD:
        raise ValueError(f"no probe table of format {CH_PROBE_TABLE_FORMAT}: {lines[0][:40]!r}")
    for line in lines[1:]:
        if kinds is None or line.partition("\t")[0] in kinds:
            words = line.split("\t")
            yield _record([unescape(word) for word in words] if "\\" in line else words)


def _record(words: list[str]) -> Record:
    if words[0] not in RECORDS:
        raise ValueError(f"an unknown record: {words}")
    record: Callable[..., Record] = RECORDS[words[0]]
    fields = RECORDS[words[0]].fields
    if words[0] == PROBE:
        if len(words) == IN_PROBE and words[1] not in PROBES:  # nearly all are such
            return ProbeRecord(words[1], _number(words[2]), _number(words[3]), words[4], words[5])
        if len(words) > 1 and words[1] in PROBES:
            record, fields = PROBES[words[1]], PROBES[words[1]].fields
        else:
            words = words[:IN_PROBE]
    if len(words) != 1 + len(fields):
        raise ValueError(f"{len(words) - 1} fields instead of {len(fields)}: {words}")
    return record(*[_read(word, kind) for word, (_, kind) in zip(words[1:], fields, strict=True)])


def _read(word: str, kind: str) -> object:
    if kind == NUMBER:
        return _number(word)
    if kind == FLAG:
        if word not in ("0", "1"):
            raise ValueError(f"no flag: {word[:40]}")
        return word == "1"
    return (
        tuple([_number(one) for one in word.split(" ")])
        if kind == NUMBERS and word
        else ()
        if kind == NUMBERS
        else word
    )


def _number(word: str) -> int:
    """A number of 64 bits."""
    number = int(word)
    if number >> 64 not in (0, -1):
        raise ValueError(f"{len(word)} digits")
    return number
