"""The probe table: what a woven class's slots count, as text stored with the counters.

One line per item, fields separated by tabs; \\t, \\n, \\r and backslash within a field are escaped; UTF-8, lone surrogates kept.

    C class source                                 the class; the first line; names with dots
    O hash bytes                                   the class file as it came, in the store of originals: only with probes of coverage
    R rule matched_methods                         for each rule that matches the class
    U text                                         a rule's text, in order: only if the class was woven ahead of time
    P slot kind rule method descriptor ...         a probe; kind begins with the letter that tells its measure what the slots hold
    N rule method descriptor why                   a method that the rule does not match, though it names the class in full; why: empty, or
                                                   abstract or native: the rule matches the method, which has no code
    S method descriptor reason detail              a method that is not instrumented; method is empty for the whole class
    A                                              the description of classes that are alike, after the first ones: native/classes/alike.c
    V                                              woven without what earlier runs found: the constant pool has no room

A slot is relative to the class's first one. The agent looks for V (hook.c), and reads three kinds of P: for p, a paced method,
sample/budget/place after the letter (pacing.c); for f, a profiled method, the microseconds between samples after the letter (sampler.c); for
o, an allocated object, the last field, which is the type (allocation.c).
"""

from __future__ import annotations

from rules.escapes import escape, unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

UNDECIDED = "V"
ALIKE = "A"


def encode(lines: list[tuple[object, ...]]) -> bytes:
    """The table's text."""
    rows: list[str] = []
    tabs = 0
    for line in lines:
        rows.append("\t".join([field if isinstance(field, str) else str(field) for field in line]))
        tabs += len(line) - 1
    text = "\n".join(rows)
    # hardly any name needs escaping, and checking the whole text is cheaper than checking each field
    if "\\" in text or "\r" in text or text.count("\t") != tabs or text.count("\n") != len(rows) - 1:
        text = "\n".join(["\t".join([escape(str(field)) for field in line]) for line in lines])
    return text.encode("utf-8", "surrogatepass")


def decode(text: bytes) -> Iterator[list[str]]:
    """The fields of each line."""
    for line in text.decode("utf-8", "surrogatepass").split("\n"):
        fields = line.split("\t")
        yield [unescape(field) for field in fields] if "\\" in line else fields
