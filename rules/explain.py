"""Explains to users why a statement does not parse.

The parser knows where it stopped and which terminals it would have accepted. Each function of `_USUAL` recognises a
common mistake, with its own message. For other mistakes the message lists the accepted terminals.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from classhook.rules.statements import Mistake
from classhook.rules.syntax import METHOD_FLAGS, PRIMITIVES
from classhook.rules.words import (
    CALLS,
    FIELDS,
    LINES,
    METHODS,
    PROCESS,
    TYPES,
    VALUES,
    WORDS,
    Clause,
    Word,
    terminal_of,
)

# Descriptions of terminals of rules/grammar.lark, in the order of a message. Optional parts (`jdk:`, `!`, `+`) have
# none, to keep messages short.
_WORDS = {
    "MODIFIER": "a modifier (`public`)",
    "AT": "an annotation (`@Deprecated`)",
    "CLASS": "a class pattern (`com.acme.**`)",
    "ANNOTATION": "an annotation's name",
    "FIELD": "a field (`com.acme.Order.state`)",
    "_COLONS": "`::method`",
    "LINE_NUMBERS": "a line or lines (`120`, `120-140`)",
    "METHOD": "a method name (`get*`)",
    "TYPE": "a type (`java.util.HashMap`, `byte[]`)",
    "PARAMETER": "a type (`int`, `java.lang.String`)",
    "ANY_PARAMETERS": "`..`",
    "_COLON": "`: type` of the result",
    "RETURNS": "a type (`int`, `void`, `java.lang.String`)",
    "SOURCE": "a jar or directory (`**/app.jar`)",
    "STRING": "a name in quotes",
    "LPAR": "`(`",
    "COMMA": "`,`",
    "RPAR": "`)`",
    "_IN": "`in`",
    "_FROM": "`from`",
    "_EXCEPT": "`except`",
}

# Listed last in a message.
_LAST_WORDS = {"_AS": "`as`", "$END": "the end of the line"}

# Words that begin rules which others stand for, and how users ask for them.
NOT_WRITTEN = {
    "within": "`count ... below` or `time ... below`",
    "when": "`count`, `time` or `value ... when`",
    "until": "`time from`",
}

# Words of rules that the agent writes for handlers of events; users do not.
_BY_AGENT = frozenset({"event", *NOT_WRITTEN})

# Subjects whose words are not written: others stand for them.
_UNWRITTEN = frozenset({LINES})

# Terminals that may follow the methods of a rule, besides clauses.
_AFTER_METHODS = ("as", "except", "from")

_BLANKS = frozenset(" \t\n\r\f")

# Texts in quotes, a method in backquotes, and other backquotes: an empty pair, or one that is not closed.
_BACKQUOTES = re.compile(r""""(?:[^"\\\n]|\\.)*"|"[^"\n]*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]+`|(``?)""")

# Categories of characters that look like a blank or are invisible, with a description for those without a name.
_ODD = {"Cc": "control character", "Cs": "half of a character", "Zs": "space", "Zl": "separator", "Zp": "separator"}


@dataclass(frozen=True, slots=True)
class Stop:
    """The place where the parser stopped: `text[offset:]` begins with the unexpected text; `accepted`: the terminals
    that it would accept."""

    text: str
    offset: int
    accepted: frozenset[str]
    comment: bool  # whether the text ends where a comment begins

    @property
    def before(self) -> str:
        return self.text[: self.offset].rstrip()

    @property
    def rest(self) -> str:
        return self.text[self.offset :]

    @property
    def word(self) -> str:
        """The unexpected text: a name, or else one character."""
        found = re.match(r'[^\s,()@!":+\[\]]+|::|.', self.rest, re.DOTALL)
        return found.group() if found else ""

    @property
    def kind(self) -> Word | None:
        return kind_of(self.text)

    @property
    def last_word(self) -> str:
        """The name just before, or an empty string."""
        found = re.search(r'[^\s,()@!":+\[\]]+$', self.before)
        return found.group() if found else ""


def kind_of(text: str) -> Word | None:
    """The word that a statement begins with, if there is such a word."""
    first = text.split(None, 2)[:2]
    return WORDS.get(" ".join(first)) or (WORDS.get(first[0]) if first else None)


def explain(stop: Stop) -> Mistake:
    """Returns the mistake at which the parser stopped."""
    for usual in _USUAL:
        mistake = usual(stop)
        if mistake is not None:
            return mistake
    return Mistake(
        stop.offset, f"unexpected `{stop.word}`" if stop.rest else "the statement ends too early", _words(stop)
    )


def _words(stop: Stop) -> str:
    """Returns what the parser would have accepted, in words."""
    kinds = [stop.kind] if stop.kind else WORDS.values()
    clauses = {
        terminal_of(clause.word): f"`{clause.word}`"
        for kind in kinds
        for clause in clauses_left(kind, set(stop.before.split()))
    }
    of_clause = {
        clause.value: clause.expects for kind in kinds for clause in kind.clauses if clause.word == stop.last_word
    }
    values = {name: of_clause[name] or words for name, (words, _) in VALUES.items() if name in of_clause}
    words = [
        words for terminal, words in (_WORDS | clauses | values | _LAST_WORDS).items() if terminal in stop.accepted
    ]
    # behind a clause that the word does not have, which is the next thing to say
    return _either(words or [words for terminal, (words, _) in VALUES.items() if terminal in stop.accepted])


def clauses_left(kind: Word, given: set[str]) -> list[Clause]:
    """The clauses that may be added to those that are given."""
    excluded = {word for clause in kind.clauses if clause.word in given for word in clause.instead_of}
    return [
        clause for clause in kind.clauses if clause.word not in given | excluded and given.isdisjoint(clause.instead_of)
    ]


def written() -> list[Word]:
    """The words that users write."""
    return [word for text, word in WORDS.items() if text not in _BY_AGENT and word.subject not in _UNWRITTEN]


def _clauses() -> set[str]:
    """The words of all clauses."""
    return {clause.word for word in WORDS.values() for clause in word.clauses}


def _kinds() -> str:
    return _either(f"`{word.text}`" for word in written())


def _either(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def odd_character(text: str) -> Mistake | None:
    """Returns a mistake for the first character that is invisible, or half of a surrogate pair."""
    for at, char in enumerate(text):
        if char not in _BLANKS and unicodedata.category(char) in _ODD:
            name = unicodedata.name(char, _ODD[unicodedata.category(char)]).lower()
            return Mistake(at, f"unexpected {name} (U+{ord(char):04X})", "visible characters and plain blanks")
    return None


def wrong_backquotes(text: str) -> Mistake | None:
    """Returns a mistake for the first backquotes that are empty or not closed. Without it, they would be a part of a
    name."""
    for found in _BACKQUOTES.finditer(text):
        match found[1]:
            case "`":
                return Mistake(
                    found.start(), "the backquote that opens here is not closed", "a backquote behind the method's name"
                )
            case "``":
                return Mistake(found.start(), "there is no name in these backquotes", "a method's name between them")
    return None


def _nearest(word: str, words: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word.lower(), list(words), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def _missing_quote(stop: Stop) -> Mistake | None:
    quote = stop.rest[:1]
    if (
        quote in ('"', "'")
        and stop.rest.count(quote) == 1
        and ((quote == '"' and "STRING" in stop.accepted) or _in_expression(stop))
    ):
        what = "text" if _in_expression(stop) else "name"
        return Mistake(stop.offset, "the quote that opens here is not closed", f"`{quote}` at the end of the {what}")
    if stop.last_word == "as" and "STRING" in stop.accepted and stop.rest:
        return Mistake(stop.offset, "the name after `as` must be in quotes", f'`"{stop.rest.strip().strip(chr(39))}"`')
    return None


def _in_expression(stop: Stop) -> bool:
    """True if the clause that was begun last has an expression, in which there may be quoted texts, and `as` does not
    follow."""
    clauses = {clause.word: clause.value for clause in stop.kind.clauses} if stop.kind else {}
    given = [word for word in stop.before.split() if word in clauses or word == "as"]
    return bool(given) and clauses.get(given[-1]) == "EXPRESSION"


def _unknown_kind(stop: Stop) -> Mistake | None:
    if stop.accepted.isdisjoint({word.subject.upper() for word in WORDS.values()}):
        return None
    word = stop.rest.split()[0]
    if word in WORDS:
        return Mistake(len(stop.text), "the statement ends too early", "methods or types")
    return Mistake(
        stop.offset, f"no rule begins with `{word}`{_nearest(word, [one.text for one in written()])}", _kinds()
    )


def _line_goes_on(stop: Stop) -> Mistake | None:
    """An extra comma makes the next statement part of this one."""
    line = stop.text[stop.text.rfind("\n", 0, stop.offset) + 1 :]
    first = line.split(None, 1)[0] if line.strip() else ""
    if stop.text.count("\n", 0, stop.offset) and first in WORDS:
        end = len(stop.text[: -len(line)].rstrip()) - 1
        return Mistake(
            end, f"the line ends in `{stop.text[end]}`, so the next one belongs to it", "the end of the line"
        )
    return None


def _unknown_modifier(stop: Stop) -> Mistake | None:
    """A lower-case word without dots before another name, or after a `!`."""
    word, offset = stop.last_word, len(stop.before) - len(stop.last_word)
    if stop.before.endswith("!"):
        word, offset = stop.word, stop.offset
    elif "_COLONS" not in stop.accepted or not re.fullmatch("[a-z]+", word) or not re.match(r'[^\s,()":+]', stop.rest):
        return None
    if word in (*PRIMITIVES, "void"):
        return None  # a result's type
    of_fields = [one.text for one in written() if one.subject == FIELDS]
    if stop.kind is not None and word in {text.split()[1] for text in of_fields}:
        return Mistake(
            offset, f"there is no rule `{stop.kind.text} {word}`", _either(f"`{text}`" for text in of_fields)
        )
    return _unknown_rule(stop, word, offset) or Mistake(
        offset, f"there is no modifier `{word}`{_nearest(word, METHOD_FLAGS)}", _either(METHOD_FLAGS)
    )


def _unknown_rule(stop: Stop, word: str, offset: int) -> Mistake | None:
    """`count throw`, `time throws`: a kind of two words, misspelt or not there."""
    from difflib import get_close_matches

    if stop.kind is None:
        return None
    first, kinds = stop.kind.text, [one.text.split() for one in written() if " " in one.text]
    close = get_close_matches(word, [text[1] for text in kinds], n=1, cutoff=0.75)
    meant = sorted((text for text in kinds if text[1] in close), key=lambda text: text[0] != first)
    if not meant:
        return None
    return Mistake(offset, f"there is no rule `{first} {word}`", _either(f"`{' '.join(text)}`" for text in meant))


def _missing_colons(stop: Stop) -> Mistake | None:
    if stop.accepted == {"LINE_NUMBERS"} and not stop.rest[:1].isdigit():
        return Mistake(
            len(stop.before) - 1,
            "one colon is not enough",
            "`::` between class and method; behind one colon are the numbers of lines",
        )
    if "_COLONS" not in stop.accepted:
        return None
    if stop.word == ":":
        return Mistake(stop.offset, "one colon is not enough", "`::` between class and method")
    if not stop.rest and stop.comment:
        return Mistake(stop.offset, "`#` begins a comment", "`::` between class and method")
    after = re.match(r"[^\s,()@!\":+]+(?=::)", stop.rest)
    if after and "$END" not in stop.accepted and stop.last_word:
        at = len(stop.before) - len(stop.last_word)
        meant = f"`{after.group()}::...: {stop.last_word}`"
        return Mistake(
            at, f"unexpected `{stop.last_word}` before the class: the type of the result is behind the method", meant
        )
    if stop.kind and "$END" not in stop.accepted and stop.word in (*_clauses(), *_AFTER_METHODS):
        return Mistake(
            stop.offset, "a method is missing: this rule is about methods", f"`{stop.last_word}::*` for all methods"
        )
    class_name, dot, method = stop.last_word.rpartition(".")
    if dot and (stop.word == "(" or (re.match(r"[a-z<]", method) and "$END" not in stop.accepted)):
        offset = len(stop.before) - len(method) - 1
        return Mistake(offset, "class and method are separated by `::`", f"`{class_name}::{method}`")
    if "$END" not in stop.accepted and re.match(r"[\w$*<]", stop.word):
        return Mistake(stop.offset, "class and method are separated by `::`", f"`{stop.last_word}::{stop.word}`")
    if "$END" not in stop.accepted:
        return Mistake(
            stop.offset, "a method is missing: this rule is about methods", "`::method`, or `::*` for all methods"
        )
    return None


def _needs_backquotes(stop: Stop) -> Mistake | None:
    """`shop.core::place-order!`: a method's name with characters that mean something else in rules."""
    begun = re.search(r"::\s*([^\s,()@!\":+\[\]{}`]*)$", stop.text[: stop.offset])
    if begun is None or not re.match(r"[!+]", stop.rest):
        return None
    more = re.match(r"[^\s,()`]+", stop.rest)
    name = begun[1] + (more.group() if more else "")
    return Mistake(stop.offset, f"a method's name with `{stop.rest[0]}` in it needs backquotes", f"`` `{name}` ``")


def _braces(stop: Stop) -> Mistake | None:
    if stop.rest[:1] in ("{", "}"):
        return Mistake(
            stop.offset, f"unexpected `{stop.rest[0]}`", "names with commas between them in braces: `{get,set}*`"
        )
    return None


def _brackets(stop: Stop) -> Mistake | None:
    if stop.word in ("[", "]") and not stop.accepted.isdisjoint({"DIMENSIONS", "TYPE", "PARAMETER"}):
        return Mistake(
            stop.offset, f"unexpected `{stop.word}`", "`[]` after the type, once for each dimension of an array"
        )
    return None


def _missing_types(stop: Stop) -> Mistake | None:
    words = "|".join(word.text for word in WORDS.values() if word.subject == TYPES)
    if re.search(rf"\b({words})\s+in$", stop.before) and "TYPE" not in stop.accepted:
        return Mistake(len(stop.before) - 2, "the types are missing", _WORDS["TYPE"] + " or `*`, then `in`")
    return None


def _no_method_here(stop: Stop) -> Mistake | None:
    """`alloc a.B::m`, `count writes a.B::f`: a place where a type or a field was expected."""
    if stop.word == "::" and "_IN" in stop.accepted:
        if stop.kind is not None and stop.kind.subject == FIELDS:
            name = re.match(r"::\s*([\w$*]*)", stop.rest)
            field = f"`{stop.last_word}.{name[1] if name and name[1] else 'field'}`"
            return Mistake(stop.offset, "a field is behind a dot, not behind `::`", field)
        word = stop.kind.text if stop.kind is not None else "alloc"
        return Mistake(
            stop.offset,
            f"`{word}` begins with types, not with methods",
            f"types, then `in` and where: `{word} * in ...`",
        )
    return None


def _called(stop: Stop) -> Mistake | None:
    """The mistake before the method in a rule about calls: something that cannot be there, or is missing."""
    kind = stop.kind
    if kind is None or kind.subject != CALLS or " in " in stop.before:
        return None
    begins = re.split(r"\s+calls\s+|,\s*", stop.before)[-1].split()
    if stop.word == "@" or stop.before.endswith("jdk") or (begins and begins[0] in METHOD_FLAGS):
        at = stop.offset if stop.word == "@" else stop.before.rindex(begins[0])
        message = "a call names a class and a method, not their modifiers, annotations or modules"
        return Mistake(
            at,
            message,
            "the class that the call names: `java.util.List::add`, or `java.util.List+::add` with its subtypes",
        )
    if begins == ["in"]:
        return Mistake(stop.before.rindex("in"), "the called methods are missing", "`java.util.List::add`, then `in`")
    if "_COLONS" in stop.accepted and stop.word in ("in", "except", "from", "as", "") and begins:
        return Mistake(
            stop.offset, "a method is missing: this rule is about calls of methods", f"`{begins[0]}::*` for all methods"
        )
    return None


def _no_target(stop: Stop) -> Mistake | None:
    """`cpu a.B::m`: a target of a rule that has none."""
    kind = stop.kind
    if (
        kind is None
        or kind.subject != PROCESS
        or stop.before.strip() != kind.text
        or not re.match(r"[^\W\d]|[*@!]", stop.rest)
    ):
        return None
    methods = _either(f"`{other.text}`" for other in written() if other.subject == METHODS)
    return Mistake(
        stop.offset,
        f"`{kind.text}` is about the whole process, and has no targets",
        f"{_words(stop)}; for some methods only, {methods}",
    )


def _parenthesis(stop: Stop) -> Mistake | None:
    if not stop.rest and not stop.accepted.isdisjoint({"PARAMETER", "RPAR"}):
        return Mistake(stop.text.rindex("("), "the parenthesis that opens here is not closed", _words(stop))
    if stop.word == ")" and stop.before.count("(") <= stop.before.count(")"):
        return Mistake(stop.offset, "no parenthesis is open here", _words(stop))
    return None


def _gone(stop: Stop) -> Mistake | None:
    """A clause that there was once."""
    if not re.match(r"budget\s+\d", stop.rest):
        return None
    instead = (
        "`profile TARGET` to see which methods cost most, or `time TARGET sample 1/100` for the times of chosen ones"
    )
    return Mistake(
        stop.offset, "the clause `budget` is gone: `profile` measures better, and costs the same in each run", instead
    )


def _from_method(stop: Stop) -> Mistake | None:
    """`count a.B::c from caller d.E::f`, `count a.B::c from d.E::f`: a caller where a jar or directory is expected."""
    begun = re.match(r"(time|)\w*(?: from)?\s+(\S.*::.*?)\s+from\s+(\S+)$", stop.before, re.DOTALL)
    method = re.match(r"[\w.$*]*::[\w$*<>]+", stop.rest)
    if begun is None or method is None:
        return None
    word, called, source = begun.groups()
    caller = method.group() if stop.rest[0] != ":" else source + method.group()
    return Mistake(
        stop.offset + len(method.group()) - len(caller),
        "`from` is followed by where classes come from: a jar or directory",
        f"`{word or 'count'} calls {called} in {caller}` for the calls that this method makes itself",
    )


_USUAL: tuple[Callable[[Stop], Mistake | None], ...] = (
    _missing_quote,
    _gone,
    _from_method,
    _unknown_kind,
    _line_goes_on,
    _called,
    _needs_backquotes,
    _braces,
    _unknown_modifier,
    _parenthesis,
    _brackets,
    _missing_types,
    _no_method_here,
    _no_target,
    _missing_colons,
)
