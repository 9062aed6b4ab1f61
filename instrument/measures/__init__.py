"""The measures: what rules can ask for. Each is a folder here, and all other code uses this list of them.

A measure NAME has the word NAME in rules, and these modules, which import each other in this order only:

    NAME/__init__.py   what it inserts: NAME, a Measure (instrument/probes/measure.py); runs in the JVM, with what else is there but
    NAME/reader*.py    how what it left in data files becomes rows: READER (instrument/model/reader.py); readers.py here has them all
    NAME/table*.py     how its rows are shown: TABLES (instrument/tables/table.py); tables.py here has them all

`methods` and `keys` are none: they have what several of them share. This module is imported inside the JVM.
"""

from __future__ import annotations

from classhook.probes.measure import Measure
from classhook.rules.words import NO_VALUE, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: By precedence: if several could give a method its row, the first does.
NAMES: Final = (
    "context",
    "threads",
    "within",
    "timedcalls",
    "time",
    "profile",
    "count",
    "calls",
    "value",
    "alloc",
    "cover",
    "event",
    "watch",
    "lines",
    "writes",
    "reads",
    "fieldwatch",
    "linewatch",
    "cpu",
    "locks",
    "tests",
)
#: What is no measure, but inserts for several.
SHARED: Final = ("keys",)
#: By the word that begins its rules.
MEASURES: dict[str, Measure] = {}
#: By the kinds of its probes.
BY_KIND: dict[str, Measure] = {}


def add(measure: Measure) -> None:
    """Makes a measure known to rules, weaver and reports. Raises ValueError if it shares with another one what only one can have."""
    word = measure.word
    if word.text in WORDS:
        raise ValueError(f"a second measure has the word `{word.text}`")
    for kind in measure.kinds:
        if not kind or not kind.replace("-", "").isalnum():
            raise ValueError(f"the measure `{word.text}` has probes of the kind `{kind}`, which is not a word")
        if kind in BY_KIND:
            raise ValueError(f"the measure `{word.text}` has probes of the kind `{kind}`, like `{BY_KIND[kind].word.text}`")
    for other in MEASURES.values():
        if other.gives_way == measure.gives_way:
            raise ValueError(f"the measure `{word.text}` has gives_way={measure.gives_way}, like `{other.word.text}`")
        values = {clause.word: clause.value for clause in other.word.clauses}
        for clause in word.clauses:
            if (values.get(clause.word, clause.value) == NO_VALUE) != (clause.value == NO_VALUE):
                raise ValueError(
                    f"the measure `{word.text}` has the clause `{clause.word}` with {clause.value or 'no value'}, "
                    f"`{other.word.text}` with {values[clause.word] or 'no value'}"
                )
    WORDS[measure.word.text] = measure.word
    MEASURES[measure.word.text] = measure
    for kind in measure.kinds:
        BY_KIND[kind] = measure


for name in NAMES + SHARED:
    package = __import__(f"classhook.measures.{name}", fromlist=[name.upper()])
    package.__path__ = [f"{__path__[0]}/{name}"]  # mypyc gives a compiled package the path of its library
    if name in NAMES:
        add(getattr(package, name.upper()))
