"""Parameters and definitions of rule files, in editors: what completes them, and what they are."""

from __future__ import annotations

import re

from classhook.extensions.servers.editor.proposals import Proposal
from classhook.rules import stock_rules
from classhook.rules.definitions import LET, USE
from classhook.rules.document import Document
from classhook.rules.statements import Statement

ABOUT = {
    LET: "gives a parameter its value, unless the command does: `let min = 10ms`, then `${min}` in rules",
    USE: "takes in the rules of other files: stock rules, or a path from this file on",
}
WORDS = [Proposal(word, word, "keyword", about) for word, about in ABOUT.items()]
_BEGUN = re.compile(r"\$\{(\w*)$")
_USE = re.compile(rf'\s*{USE}\s(?:.*,)?\s*"?([^\s,"]*)$', re.DOTALL)
_LET = re.compile(rf"\s*{LET}\s")


def proposed(text: str, document: Document) -> tuple[int, list[Proposal]] | None:
    """The proposals after a text that begins a parameter or a definition, and how many characters they replace; None:
    it begins neither."""
    if begun := _BEGUN.search(text):
        known = document.values.every
        return len(begun[1]), [Proposal(name, name + "}", "variable", value) for name, value in sorted(known.items())]
    if begun := _USE.match(text):
        files = document.path.parent.glob("*.rules") if document.path is not None else ()
        found = [Proposal(path.name, path.name, "file", "") for path in sorted(files) if path != document.path]
        stock = [Proposal(name, name, "file", stock_rules.summary(name)) for name in stock_rules.names()]
        return len(begun[1]), found + stock
    return (0, []) if _LET.match(text) else None


def about(statement: Statement, offset: int, is_definition: bool) -> tuple[str, int, int] | None:
    """The help for a parameter or the word of a definition at this offset of the written text, and from where to where
    that is."""
    for one in statement.replaced:
        if one.at <= offset < one.behind:
            value = statement.text[one.begin : one.end]
            return f"**{statement.written[one.at : one.behind]}**: `{value}`", one.at, one.behind
    word = re.search(r"\S+", statement.text)
    if is_definition and word is not None and word.start() <= offset < word.end():
        return f"**{word.group()}**: {ABOUT[word.group()]}", word.start(), word.end()
    return None
