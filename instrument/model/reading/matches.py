"""Finds the rules that matched something in a run, without adding up counts: `run` says at its end which did not.

A site of allocations or calls that only supertypes decide belongs to the first rule that they match, as in reports.
Rules may have been exchanged in the JVM: a class's table names rules by their places among those that were in force.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from classhook.native._layout import lib
from classhook.probes import probe_table
from classhook.probes.records import CallRecord, RuleRecord, RuleTextRecord, SiteRecord
from classhook.rules.compiled import loads
from classhook.rules.errors import RuleError
from classhook.rules.ruleset import RuleSet
from classhook.store.data_file import DataFile
from classhook.store.layout import read_supertypes, text_of
from classhook.store.opening import DataError
from classhook.store.reading import read_file

#: The records of a class's table that are looked at; those of probes only if a rule has a type, or a called method,
#: with a `+`.
KINDS = ("rule", "rule-text")
#: The subject that supertypes decide: an allocated type, or the class, name and descriptor of a method that is called.
Asked = str | tuple[str, str, str]


def matched_rules(files: Iterable[Path], rules: RuleSet) -> set[int] | None:
    """The indices of the rules that matched a method; None if a file does not tell."""
    found: set[int] = set()
    for path in files:
        try:
            file = read_file(path)
            found |= _matched(file, rules)
        except DataError:
            return None
        if not file.all_described:
            return None
    return found


def jvms(files: Iterable[Path]) -> Iterator[str]:
    """The versions of the JVMs that wrote these files, as far as the files can be read."""
    for path in files:
        with suppress(DataError):
            yield text_of(read_file(path).header.jvm)


def unmatched_handlers(files: Iterable[Path]) -> list[str]:
    """The patterns of a script's handlers (`event PATTERN handler N ...`) that matched no method in any of the
    files."""
    import classhook.measures.every  # noqa: F401  # the words of rules

    known: dict[str, bool] = {}
    for path in files:
        try:
            file = read_file(path)
            rules = RuleSet([])
            for kind, _, _, text in file.descriptions():
                if kind == lib.CH_META_RULES and text:
                    rules = loads(text.decode())
            matched = _matched(file, rules)
        except (DataError, RuleError, UnicodeDecodeError):
            return []
        for index, rule in enumerate(rules.rules):
            if rule.kind == "event" and rule.clause("handler"):
                pattern = rule.text.removeprefix("event ").rpartition(" handler ")[0]
                known[pattern] = known.get(pattern, False) or index in matched or not file.all_described
    return [pattern for pattern, matched in known.items() if not matched]


def _matched(file: DataFile, rules: RuleSet) -> set[int]:
    found: set[int] = set()
    undecided: set[tuple[int, tuple[int, ...], Asked]] = set()  # which set, indices of rules, and the type or call
    supertypes: dict[str, set[str]] = {}
    sets: list[tuple[RuleSet, list[list[int]]]] = []  # with each rule's places in `rules`
    for kind, _, _, text in file.descriptions():
        if kind == lib.CH_META_RULES:
            sets.append(_exchanged(text, rules) if sets else (rules, [[i] for i in range(len(rules))]))
        elif sets and kind in (lib.CH_META_CLASS, lib.CH_META_SKIP):
            with suppress(ValueError):  # a damaged table: the report says so
                one = _Found(text, any(rule.asks_for_supertypes for rule in sets[-1][0].rules))
                found.update(*(places for index in one.rules for places in sets[-1][1][index : index + 1]))
                undecided.update((len(sets) - 1, *site) for site in one.undecided)
        elif kind == lib.CH_META_SUPERTYPES:
            name, above = read_supertypes(text)
            supertypes.setdefault(name, set()).update(above)
    for number, indices, asked in undecided:
        in_force, places = sets[number]
        if isinstance(asked, str):
            known = supertypes.get(asked.rstrip("[]"), set())
            decisive = [index for index in indices if in_force.match_type(index, asked, known)][:1]
        else:
            known = supertypes.get(asked[0], set())
            decisive = [index for index in indices if in_force.match_call(index, asked[0], asked[1], asked[2], known)][
                :1
            ]
        found.update(*(places[index] for index in decisive))
    return found


class _Found:
    """The matches in a class's table: the rules that match methods, and the sites that supertypes decide. Empty if it
    was woven ahead of time: then it has rules of its own. Raises ValueError."""

    def __init__(self, text: bytes, sites: bool) -> None:
        self.rules: list[int] = []
        self.undecided: list[tuple[tuple[int, ...], Asked]] = []
        records = list(probe_table.decode(text, (*KINDS, "probe") if sites else KINDS))
        if any(isinstance(record, RuleTextRecord) for record in records):
            return
        for record in records:
            match record:
                case RuleRecord() if record.methods > 0:
                    self.rules.append(record.rule)
                case SiteRecord() if record.undecided:
                    self.undecided.append((record.undecided, record.type))
                case CallRecord() if record.undecided:
                    self.undecided.append((record.undecided, (record.owner, record.called, record.called_descriptor)))


def _exchanged(text: bytes, rules: RuleSet) -> tuple[RuleSet, list[list[int]]]:
    """The rules that took the place of others. Raises DataError."""
    try:
        in_force = loads(text.decode())
    except (RuleError, UnicodeDecodeError) as error:
        raise DataError(str(error)) from None
    return in_force, [[i for i, rule in enumerate(rules.rules) if rule.text == one.text] for one in in_force.rules]
