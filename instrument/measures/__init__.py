"""The measures: what rules can ask for. Each is in a folder here, and all other code uses this list of them.

Each has a word in rules, such as `count line`; measures of one kind share a folder. Its modules import each other in
this order only:

1. `__init__.py`, what they insert: COUNT_LINE, a Measure (instrument/probes/measure.py); runs in the JVM, with all
   modules of the folder but the following.
2. `reader*.py`, how what they left in data files becomes rows: READER (instrument/model/reader.py); readers.py here has
   them all.
3. `table*.py`, how the rows are shown: TABLES (instrument/tables/table.py), in `table_line.py` those of a further
   measure `... line`; tables.py here has them all.

`methods` and `keys` are none: they have what several of them share. This module is imported inside the JVM, where each
measure that nobody asks for would delay the program's start: `rules_of` imports those of the rules. Elsewhere, import
`every`, which has them all.
"""

from __future__ import annotations

import sys

from classhook.probes.measure import Measure
from classhook.rules import compiled
from classhook.rules.words import NO_VALUE, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.machinery import ModuleSpec
    from typing import Final

    from classhook.rules.ruleset import RuleSet

#: The words of the measures, and their folders. By precedence: if several could give a method its row, the first does.
NAMES: Final = {
    "context": "context",
    "threads": "threads",
    "within": "within",
    "when": "when",
    "until": "interval",  # a call that ends one and begins another ends first
    "time from": "interval",
    "time calls": "timedcalls",
    "time": "time",
    "profile": "profile",
    "count": "count",
    "count calls": "calls",
    "value": "value",
    "value line": "linevalues",
    "alloc": "alloc",
    "cover": "cover",
    "event": "event",
    "watch": "watch",
    "count line": "lines",
    "count throws": "exceptions",
    "count catches": "exceptions",
    "count writes": "accesses",
    "count reads": "accesses",
    "watch writes": "watch",
    "watch line": "watch",
    "cpu": "cpu",
    "locks": "locks",
    "tests": "tests",
}
#: The order in which measures become cheaper, or go, in a method that would get too large.
GIVE_WAY: Final = (
    "watch writes",
    "count reads",
    "count writes",
    "count catches",
    "count throws",
    "value",
    "value line",
    "watch line",
    "count line",
    "time calls",
    "count calls",
    "watch",
    "when",
    "until",
    "time from",
    "cover",
    "event",
    "alloc",
    "time",
    "profile",
    "count",
    "context",
    "within",
)
#: Modules that are not measures, but insert code for several.
SHARED: Final = ("keys",)
#: By the word that begins its rules.
MEASURES: dict[str, Measure] = {}
#: By the kinds of its probes.
BY_KIND: dict[str, Measure] = {}


def add(measure: Measure) -> None:
    """Makes a measure known to rules, weaver and reports. Raises ValueError if it shares with another one what only one
    can have."""
    word = measure.word
    if word.text in WORDS:
        raise ValueError(f"a second measure has the word `{word.text}`")
    for kind in measure.kinds:
        if not kind or not kind.replace("-", "").isalnum():
            raise ValueError(f"the measure `{word.text}` has probes of the kind `{kind}`, which is not a word")
        if kind in BY_KIND:
            raise ValueError(
                f"the measure `{word.text}` has probes of the kind `{kind}`, like `{BY_KIND[kind].word.text}`"
            )
    for other in MEASURES.values():
        values = {clause.word: clause.value for clause in other.word.clauses}
        for clause in word.clauses:
            if (values.get(clause.word, clause.value) == NO_VALUE) != (clause.value == NO_VALUE):
                raise ValueError(
                    f"the measure `{word.text}` has the clause `{clause.word}` with {clause.value or 'no value'}, "
                    f"`{other.word.text}` with {values[clause.word] or 'no value'}"
                )
    texts = [*NAMES]
    word.rank = texts.index(word.text) if word.text in texts else len(texts) + len(MEASURES)
    measure.gives_way = GIVE_WAY.index(word.text) if word.text in GIVE_WAY else len(GIVE_WAY) + len(MEASURES)
    WORDS[word.text] = word
    MEASURES[word.text] = measure
    for kind in measure.kinds:
        BY_KIND[kind] = measure


def register(words: Iterable[str]) -> None:
    """Imports the measures with these words. Others are none of the measures here, as those that a test adds."""
    wanted = set(words).difference(MEASURES)
    for text, name in NAMES.items():
        if text in wanted:
            add(getattr(package(name), text.upper().replace(" ", "_")))


def package(name: str) -> object:
    """The package of measures, or of what several share."""
    return __import__(f"classhook.measures.{name}", fromlist=[name])


class Beside:
    """Finds the modules of a measure beside its package, whoever imports them first: mypyc gives a compiled package the
    path of its library."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        room, _, _ = name.rpartition(".")
        parent, _, measure = room.rpartition(".")
        if parent != __name__:
            return None
        from importlib.machinery import PathFinder

        return PathFinder.find_spec(name, [f"{__path__[0]}/{measure}"])


sys.meta_path.append(Beside)  # asked last


def rules_of(text: str) -> RuleSet:
    """The rules of a compiled text, whose measures are imported. Raises RuleError if it is damaged or of another
    version."""
    register(compiled.kinds(text))
    return compiled.loads(text)
