"""Which rules matched something in a run, without adding up what was counted: `run` says at its end which did not.

Of an allocation site that only supertypes decide, the first rule is taken that they match, as in reports (tally.py). Rules may have been exchanged in
the JVM: a class's table names rules by their places among those that were in force.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from instrument.codeless import Codeless
from instrument.data.file import DataError, DataFile, read_file, read_supertypes
from native._layout import ffi
from rules.compiled import loads
from rules.errors import RuleError
from rules.escapes import unescape
from rules.ruleset import RuleSet

lib = ffi.dlopen(None)  # the header's constants

#: Lines of a class's table (instrument/weaving/probe_table.py): a rule that matches methods, or one without code, and an allocation that supertypes
#: decide.
MATCHED = re.compile(rb"^R\t(\d+)\t[1-9]", re.MULTILINE)
WITHOUT_CODE = re.compile(rb"^N\t(\d+)\t([^\t\n]*)\t([^\t\n]*)\t(abstract|native)$", re.MULTILINE)
UNDECIDED = re.compile(rb"^P\t\d+\t[oa]\t-?\d+\t[^\t\n]*\t[^\t\n]*\t\d+\t\d+\t([\d ]+)\t([^\t\n]+)$", re.MULTILINE)


def matched_rules(files: Iterable[Path], rules: RuleSet) -> tuple[set[int], dict[int, Codeless]] | None:
    """The indices of the rules that matched a method, and a method without code that each of the others may have matched; None if a file does not
    tell."""
    found: set[int] = set()
    codeless: dict[int, Codeless] = {}
    for path in files:
        try:
            file = read_file(path)
            found |= _matched(file, rules, codeless)
        except DataError:
            return None
        if not file.all_described:
            return None
    return found, codeless


def told_of_nothing(files: Iterable[Path]) -> list[str]:
    """The patterns of a script's handlers (`event PATTERN handler N ...`) that matched no method in any of the files."""
    import instrument.measures  # noqa: F401  # the words of rules

    known: dict[str, bool] = {}
    for path in files:
        try:
            file = read_file(path)
            rules = RuleSet([])
            for kind, _, _, text in file.descriptions():
                if kind == lib.CH_META_RULES and text:
                    rules = loads(text.decode())
            matched = _matched(file, rules, {})
        except (DataError, RuleError, UnicodeDecodeError):
            return []
        for index, rule in enumerate(rules.rules):
            if rule.kind == "event" and rule.clause("handler"):
                pattern = rule.text.removeprefix("event ").rpartition(" handler ")[0]
                known[pattern] = known.get(pattern, False) or index in matched or not file.all_described
    return [pattern for pattern, matched in known.items() if not matched]


def _matched(file: DataFile, rules: RuleSet, codeless: dict[int, Codeless]) -> set[int]:
    found: set[int] = set()
    undecided: set[tuple[int, bytes, bytes]] = set()  # which set, indices of rules, and the type
    supertypes: dict[str, set[str]] = {}
    sets: list[tuple[RuleSet, list[list[int]]]] = []  # with each rule's places in `rules`
    for kind, _, _, text in file.descriptions():
        if kind == lib.CH_META_RULES:
            sets.append(_exchanged(text, rules) if sets else (rules, [[i] for i in range(len(rules))]))
        elif sets and kind in (lib.CH_META_CLASS, lib.CH_META_SKIP) and b"\nU\t" not in text:  # a class woven ahead of time has rules of its own
            for index in map(int, MATCHED.findall(text)):
                found.update(*sets[-1][1][index : index + 1])
            for index, *names in _without_code(text):
                codeless |= {place: Codeless(*names) for places in sets[-1][1][index : index + 1] for place in places}
            undecided.update((len(sets) - 1, *line) for line in UNDECIDED.findall(text))
        elif kind == lib.CH_META_SUPERTYPES:
            name, above = read_supertypes(text)
            supertypes.setdefault(name, set()).update(above)
    for number, indices, field in undecided:
        in_force, places = sets[number]
        type_name = unescape(field.decode("utf-8", "surrogatepass"))
        known = supertypes.get(type_name.rstrip("[]"), set())
        decisive = [int(index) for index in indices.split() if in_force.match_type(int(index), type_name, known)][:1]
        found.update(*(places[index] for index in decisive))
    return found


def _without_code(text: bytes) -> Iterator[tuple[int, str, str, str, str]]:
    """The methods without code in a class's table, with their rules."""
    for index, method, descriptor, why in WITHOUT_CODE.findall(text):
        class_name, *names = (unescape(one.decode("utf-8", "surrogatepass")) for one in (text.split(b"\t", 2)[1], method, descriptor, why))
        yield int(index), class_name, names[0], names[1], names[2]


def _exchanged(text: bytes, rules: RuleSet) -> tuple[RuleSet, list[list[int]]]:
    """The rules that took the place of others. Raises DataError."""
    try:
        in_force = loads(text.decode())
    except (RuleError, UnicodeDecodeError) as error:
        raise DataError(str(error)) from None
    return in_force, [[i for i, rule in enumerate(rules.rules) if rule.text == one.text] for one in in_force.rules]
