"""The measures: what rules can ask for. Each is one module; all other code uses this list of them.

They are listed by precedence: if several could give a method its row, the first does. This package is imported inside
the JVM; its modules import what only reports need when a report needs it.
"""

from __future__ import annotations

from instrument.measures.alloc import ALLOC
from instrument.measures.base import Measure
from instrument.measures.count import COUNT
from instrument.measures.cover import COVER
from instrument.measures.cpu import CPU
from instrument.measures.event import EVENT
from instrument.measures.locks import LOCKS
from instrument.measures.profile import PROFILE
from instrument.measures.time import TIME
from instrument.measures.watch import WATCH
from rules.words import NO_VALUE, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from instrument.measures.table import Table

#: By the word that begins its rules.
MEASURES: dict[str, Measure] = {}
#: By the letters of its probes.
BY_LETTER: dict[str, Measure] = {}


def add(measure: Measure) -> None:
    """Makes a measure known to rules, weaver and reports. Raises ValueError if it shares with another one what only one can have."""
    word = measure.word
    if word.text in WORDS:
        raise ValueError(f"a second measure has the word `{word.text}`")
    for letter in measure.letters:
        if len(letter) != 1:
            raise ValueError(f"the measure `{word.text}` has the letter `{letter}`, which is not one character")
        if letter in BY_LETTER:
            raise ValueError(f"the measure `{word.text}` has the letter `{letter}`, like `{BY_LETTER[letter].word.text}`")
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
    for letter in measure.letters:
        BY_LETTER[letter] = measure


def tables() -> list[Table]:
    """The tables of all measures, each once."""
    found = [make() for measure in MEASURES.values() for make in (measure.table, measure.further) if make is not None]
    return list({table.name: table for table in found}.values())


for each in (TIME, PROFILE, COUNT, ALLOC, COVER, EVENT, WATCH, CPU, LOCKS):
    add(each)
