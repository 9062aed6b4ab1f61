"""The values that a rule names, `arg0.customer.name`, followed from type to type.

1. A field that neither the type, nor a superclass, nor a known subclass declares is a mistake.
2. For interfaces and Object, the object's fields are known only when the program runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from classhook.checking.class_facts import Classes, ClassFacts, MethodFacts
from classhook.measures.value import no_number
from classhook.measures.watch.insertion import absent
from classhook.measures.watch.method_types import ACC_STATIC, NAMES, STRING, MethodTypes, mismatch_of, readable
from classhook.rules.calculation_parser import number
from classhook.rules.condition_parser import condition, shown
from classhook.rules.conditions import Comparison, Literal, Path, comparisons, element_key, paths_in, paths_of
from classhook.rules.parameters import keys_of, parameters_of
from classhook.rules.suggest import nearest_class
from classhook.rules.syntax import Rule
from classhook.rules.words import WORDS

MOST_LISTED = 12  # fields
INTERFACE = 0x0200
OBJECT = "java.lang.Object"
COLLECTIONS = "java.util."


class PathTypes:
    """The types at the end of paths."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes

    def followed(self, types: MethodTypes, one: Path) -> tuple[str, str]:
        """The descriptor at the end of a path, empty if it is unknown; why there is nothing."""
        misfit, kind = types.misfit(one), types.root_type(one)
        if one.static[0]:
            kind, misfit = self._static(*one.static)
        if misfit:
            return "", misfit
        for at, name in enumerate(one.names[1:], 1):
            before = str(Path(one.names[:at]))
            if not kind:
                return "", ""
            if name[0] == "[":
                kind, wrong = self._element(kind, name, f"`{one}`: {before}")
                if wrong:
                    return "", wrong
                continue
            if name == "length" and (kind[0] == "[" or kind == STRING):
                kind = "I"
                continue
            if kind[0] == "[" or kind in NAMES:
                return "", f"`{one}`: {before} is of type {readable(kind)}, which has no fields" + " but length" * (
                    kind[0] == "["
                )
            owner = kind[1:-1].replace("/", ".")
            if name == "size" and owner.startswith(COLLECTIONS):
                kind = "I"
                continue
            found = self._field(owner, name)
            if isinstance(found, list):
                return "", _missing(f"`{one}`", f"{before}.{{}}", owner, name, found)
            kind = found
        return kind, ""

    def _element(self, kind: str, name: str, what: str) -> tuple[str, str]:
        """The type of an element, empty if it is unknown; why there is none."""
        numbered = isinstance(element_key(name), int)
        if kind[0] == "[":
            return (kind[1:], "") if numbered else ("", f"{what} is an array, whose elements have numbers: `[0]`")
        owner = kind[1:-1].replace("/", ".")
        known = self.classes.named(owner)
        if kind in NAMES or kind == STRING:
            return "", f"{what} is of type {readable(kind)}, which has no elements"
        if (
            owner == OBJECT
            or owner.startswith(COLLECTIONS)
            or not known
            or any(facts.flags & INTERFACE for facts in known)
        ):
            return "", ""
        return (
            "",
            (
                f"{what} is of type {owner}: only elements of arrays and of the JDK's own collections can be read"
                " without running code"
            ),
        )

    def _static(self, owner: str, name: str) -> tuple[str, str]:
        """The type of a static field, empty if it is unknown; why there is none."""
        known = self.classes.named(owner)
        if not known:
            close = nearest_class(owner, self.classes.names())
            return "", f"`{owner}::{name}`: no class {owner} is known; did you mean {close}::{name}?" if close else ""
        if len(known) > 1:
            return (
                "",
                (
                    f"`{owner}::{name}`: {len(known)} classes have the name {owner}, so it is not clear which field is"
                    " meant"
                ),
            )
        fields = {field: kind for field, (kind, flags) in known[0].fields.items() if flags & ACC_STATIC}
        if name in fields or not known[0].whole:
            return fields.get(name, ""), ""
        return "", _missing(f"`{owner}::{name}`", f"{owner}::{{}}", owner, name, [*fields], "static field")

    def _field(self, owner: str, name: str) -> str | list[str]:
        """The field's descriptor, empty if that depends on the object; or the fields that there are."""
        there: list[str] = []
        found: set[str] = set()
        for facts in self.classes.named(owner) or [ClassFacts(owner, whole=False)]:
            above = list(self.line(facts))
            if not above[-1].whole:
                return ""
            there += self.members(f"L{owner.replace('.', '/')};")
            found |= {next((one.fields[name][0] for one in above if name in one.fields), "")}
        if found == {""}:
            open_ended = owner == OBJECT or any(facts.flags & INTERFACE for facts in self.classes.named(owner))
            return "" if open_ended or self.classes.subtype_has(owner, name) else there
        return found.pop() if len(found) == 1 else ""

    def line(self, facts: ClassFacts) -> Iterator[ClassFacts]:
        """A class and its superclasses; the last one is not whole if not all are known."""
        seen = {facts.name}
        yield facts
        while facts.whole and facts.super_name and facts.super_name not in seen:
            seen.add(facts.super_name)
            facts = next(iter(self.classes.named(facts.super_name)), ClassFacts(facts.super_name, whole=False))
            yield facts

    def members(self, kind: str) -> dict[str, str]:
        """The names that may follow a dot after a value of this type: the fields, with their descriptors."""
        if kind[:1] == "[" or kind == STRING:
            return {"length": "I"}
        owner = kind[1:-1].replace("/", ".")
        found = {"size": "I"} if owner.startswith(COLLECTIONS) else {}
        for facts in self.classes.named(owner) if kind[:1] == "L" else ():
            for one in self.line(facts):
                for name, (descriptor, flags) in one.fields.items():
                    if not flags & ACC_STATIC:
                        found.setdefault(name, descriptor)
        return found


class PathChecks(PathTypes):
    """Checks of the names in a rule: `paths`, and paths that are `compared` with something."""

    def __init__(self, rule: Rule, classes: Classes) -> None:
        super().__init__(classes)
        expressions = {clause.word for clause in WORDS[rule.kind].clauses if clause.value == "EXPRESSION"}
        given = {word: text for word, text in rule.clauses if word in expressions}
        asked = condition(given["when"]) if "when" in given else None
        self.compared: list[Comparison] = comparisons(asked) if asked is not None else []
        self.shown = list(shown(given["show"]).paths) if "show" in given else []
        self.named = bool(parameters_of(rule))
        self.number = number(given["of"]) if "of" in given else None
        self.paths = paths_in(asked) + [
            *(keys_of(rule) if "by" in given else ()),
            *(paths_of(self.number) if self.number is not None else ()),
        ]

    def wrong(self, facts: ClassFacts, method: MethodFacts) -> tuple[list[str], list[str]]:
        """The reasons why the rule is never true for a method, or does not fit it; and the shown values that do not
        exist."""
        names = facts.name.replace(".", "/"), facts.super_name.replace(".", "/")
        parameters = self.classes.parameter_names(facts, method) if self.named else None
        types = MethodTypes(*names, facts.fields, method.name, method.flags, method.descriptor, parameters)
        unfit: list[str] = []
        not_shown: list[str] = []
        for one in self.paths:
            _, why = self.followed(types, one)
            unfit += [why] if why else []
        if self.number is not None:
            why = no_number(self.number, str(types), lambda one: self.followed(types, one)[0])
            unfit += [why] if why else []
        for one in self.shown:
            misfit = "" if absent(one, types) else types.misfit(one)
            _, why = ("", "") if absent(one, types) else self.followed(types, one)
            (unfit if misfit else not_shown).extend([why] if why else [])
        for comparison in self.compared:
            not_shown += [self._unknown_type(comparison)] if comparison.is_type else []
            why = types.mismatch(comparison) or mismatch_of(
                comparison, lambda one: self.followed(types, one)[0], lambda one: f"`{one}`"
            )
            unfit += [why] if why else []
        return unfit, [why for why in not_shown if why]

    def _unknown_type(self, comparison: Comparison) -> str:
        """A suggestion for the class after `instanceof`, if there is none of this name."""
        name = str(comparison.right.value) if isinstance(comparison.right, Literal) else ""
        close = None if self.classes.named(name) else nearest_class(name, self.classes.names())
        return f"`instanceof {name}`: no class {name} is known; did you mean {close}?" if close else ""


def _missing(what: str, form: str, owner: str, name: str, there: list[str], kind: str = "field") -> str:
    """Names the fields that exist instead. `form`: how the nearest one is written."""
    close = get_close_matches(name, there, n=1)
    more = f", and {len(there) - MOST_LISTED} more" if len(there) > MOST_LISTED else ""
    listed = f"; its {kind}s: {', '.join(sorted(there)[:MOST_LISTED]) or 'none'}{more}"
    hint = f"; did you mean `{form.format(close[0])}`?" if close else ""
    return f"{what}: {owner} has no {kind} {name}{listed}{hint}"
