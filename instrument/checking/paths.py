"""The values that a rule names, `arg0.customer.name`, followed from type to type.

1. A field that neither the type, nor a superclass, nor a known subclass declares is a mistake.
2. Of interfaces and Object, what the object has is known only when the program runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from classhook.checking.class_facts import Classes, ClassFacts, MethodFacts
from classhook.measures.value import no_number
from classhook.measures.watch.insertion import absent
from classhook.measures.watch.method_types import NAMES, STRING, MethodTypes, mismatch_of, readable
from classhook.rules.conditions import Comparison, Path, Wrong, comparisons, condition, path, shown
from classhook.rules.ruleset import JDK_PACKAGES
from classhook.rules.syntax import Rule
from classhook.rules.words import WORDS

MOST_LISTED = 12  # fields
INTERFACE = 0x0200
OBJECT = "java.lang.Object"


class PathChecks:
    """What a rule names: `paths`, and `compared` with something."""

    def __init__(self, rule: Rule, classes: Classes) -> None:
        self.classes = classes
        expressions = {clause.word for clause in WORDS[rule.kind].clauses if clause.value == "EXPRESSION"}
        given = {word: text for word, text in rule.clauses if word in expressions}
        self.compared: list[Comparison] = comparisons(condition(given["when"])) if "when" in given else []
        self.shown = list(shown(given["show"]).paths) if "show" in given else []
        self.number = path(given["of"].strip()) if "of" in given else None
        self.paths = [one for comparison in self.compared for one in comparison.paths] + list(_keys(given.get("by", "")))

    def wrong(self, facts: ClassFacts, method: MethodFacts) -> tuple[list[str], list[str]]:
        """Why the rule is never true of a method, or does not fit it; and what it shows that is not there."""
        names = facts.name.replace(".", "/"), facts.super_name.replace(".", "/")
        types = MethodTypes(*names, facts.fields, method.name, method.flags, method.descriptor)
        unfit: list[str] = []
        not_shown: list[str] = []
        for one in self.paths:
            _, why = self._followed(types, one)
            unfit += [why] if why else []
        if self.number is not None:
            kind, why = self._followed(types, self.number)
            why = why or no_number(self.number, str(types), kind)
            unfit += [why] if why else []
        for one in self.shown:
            misfit = "" if absent(one, types) else types.misfit(one)
            _, why = ("", "") if absent(one, types) else self._followed(types, one)
            (unfit if misfit else not_shown).extend([why] if why else [])
        for comparison in self.compared:
            kind, _ = self._followed(types, comparison.left)
            why = types.mismatch(comparison) or mismatch_of(comparison, kind, f"`{comparison.left}`")
            unfit += [why] if why else []
        return unfit, not_shown

    def _followed(self, types: MethodTypes, one: Path) -> tuple[str, str]:
        """The descriptor at the end of a path, empty if it is unknown; why there is nothing."""
        misfit, kind = types.misfit(one), types.root_type(one)
        if misfit:
            return "", misfit
        for at, name in enumerate(one.names[1:], 1):
            before = ".".join(one.names[:at])
            if not kind:
                return "", ""
            if name == "length" and (kind[0] == "[" or kind == STRING):
                kind = "I"
                continue
            if kind[0] == "[" or kind in NAMES:
                return "", f"`{one}`: {before} is of type {readable(kind)}, which has no fields" + " but length" * (kind[0] == "[")
            owner = kind[1:-1].replace("/", ".")
            found = self._field(owner, name)
            if isinstance(found, list):
                return "", _missing(one, before, owner, found)
            kind = found
        return kind, ""

    def _field(self, owner: str, name: str) -> str | list[str]:
        """The field's descriptor, empty if that depends on the object; or the fields that there are."""
        there: list[str] = []
        found: set[str] = set()
        for facts in self.classes.named(owner) or [ClassFacts(owner, whole=False)]:
            above = list(self._line(facts))
            if not above[-1].whole:
                return ""
            there += [known for one in above for known in one.fields]
            found |= {next((one.fields[name][0] for one in above if name in one.fields), "")}
        if found == {""}:
            open_ended = owner == OBJECT or any(facts.flags & INTERFACE for facts in self.classes.named(owner))
            return "" if open_ended or self.classes.subtype_has(owner, name) else there
        return found.pop() if len(found) == 1 else ""

    def _line(self, facts: ClassFacts) -> Iterator[ClassFacts]:
        """A class and its superclasses; the last one is not whole if not all are known."""
        seen = {facts.name}
        yield facts
        while facts.whole and facts.super_name and facts.super_name not in seen:
            seen.add(facts.super_name)
            facts = next(iter(self.classes.named(facts.super_name)), ClassFacts(facts.super_name, whole=False))
            yield facts


def _missing(one: Path, before: str, owner: str, there: list[str]) -> str:
    """What there is instead of a field. The JDK's own classes have more fields than anybody wants to see."""
    name = one.names[before.count(".") + 1]
    close = get_close_matches(name, there, n=1)
    more = f", and {len(there) - MOST_LISTED} more" if len(there) > MOST_LISTED else ""
    listed = f"; its fields: {', '.join(sorted(there)[:MOST_LISTED]) or 'none'}{more}" * (not owner.startswith(JDK_PACKAGES))
    hint = f"; did you mean `{before}.{close[0]}`?" if close else ""
    return f"`{one}`: {owner} has no field {name}{listed}{hint}"


def _keys(text: str) -> Iterator[Path]:
    """The values of a clause `by`; not the thread's name, nor callers."""
    for part in filter(None, map(str.strip, text.split(","))):
        if part.split()[0] not in ("thread", "stack"):
            try:
                yield path(part)
            except Wrong:  # a word of the clause's own
                continue
