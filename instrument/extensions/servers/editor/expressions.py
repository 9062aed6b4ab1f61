"""Completions in the expressions of clauses: `when arg0.customer.` , `show this.`, `by `, and in rules about
lines the local variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from classhook.checking.class_facts import ClassFacts, MethodFacts
from classhook.checking.paths import PathTypes
from classhook.classfile.errors import ClassFormatError
from classhook.classfile.lines import ways_in
from classhook.extensions.servers.editor.class_names import class_names, coded, fields
from classhook.extensions.servers.editor.known_classes import KnownClasses
from classhook.extensions.servers.editor.matches import matched
from classhook.extensions.servers.editor.proposals import Proposal
from classhook.measures.watch.line_scope import LineScope, MethodScope
from classhook.measures.watch.method_types import MethodTypes, readable
from classhook.measures.watch.write_insertion import NAMES as OF_WRITES
from classhook.rules.calculation_parser import LITERALS
from classhook.rules.condition_tokens import Wrong
from classhook.rules.conditions import Path
from classhook.rules.errors import RuleError
from classhook.rules.parse import parse_text
from classhook.rules.path_parser import path
from classhook.rules.syntax import Rule
from classhook.rules.words import FIELDS, LINES, TYPES, Word

if TYPE_CHECKING:
    from classhook.rules.words import Mistaken

PATH = re.compile(r"""(?:[\w$.:]|\["[^"]*"\]|\['[^']*'\]|\[\d+\])*$""")
STACK = Proposal("stack 4", "stack 4", "keyword", "four callers")
#: By clause: what may be there besides values.
BESIDE = {
    "when": [
        *[Proposal(word, word, "keyword") for word in LITERALS],
        Proposal("any", "any(", "keyword", "of the elements: `any(arg0.items, price > 100)`"),
        Proposal("all", "all(", "keyword", "of the elements: `all(arg0.items, price > 100)`"),
        Proposal("it", "it", "keyword", "the element, in `any` and `all`"),
    ],
    "show": [Proposal("args", "args", "keyword", "all arguments"), STACK],
    "by": [STACK, Proposal("sql(arg0)", "sql(arg0)", "keyword", "an SQL text without its literals")],
}
#: Texts that may follow a name: none, the rest of a path, a comparison, a collection and a condition on its elements.
ENDS = ("", ".x", " == 1", ".x == 1", "::x", ".X::x", "x, it == 1", "value, it == 1", ".x, it == 1", ", it == 1")
MOST_METHODS = 20  # whose values are proposed, if a rule matches several

# by name: its descriptor, and what is said of it
Roots = dict[str, tuple[str, str]]


def proposed(
    before: str, kind: Word | None, clause: str, inner: str, known: KnownClasses
) -> tuple[int, list[Proposal]]:
    """The proposals: how many of the last characters they replace, and by what. `before`: the statement up to the
    clause; `inner`: the clause's expression up to the cursor."""
    match = PATH.search(inner)
    partial = match.group() if match else ""
    if re.search(r"\binstanceof\s+$", inner[: len(inner) - len(partial)]):
        return len(partial), list(class_names(known, partial))
    owner, colons, name = partial.rpartition("::")
    if colons and "." not in name:
        return len(name), list(fields(known, owner, static=True))
    roots = _roots(_rule(before, kind), kind, known)
    head, _, last = partial.rpartition(".")
    if head:
        statics = [Proposal(one.label, one.text[len(head) + 1 :], one.kind) for one in class_names(known, partial)]
        return len(last), [*_fields(head, roots, PathTypes(known)), *statics]
    found = [Proposal(name, name, "variable", about) for name, (_, about) in roots.items()]
    return len(last), [*found, *BESIDE.get(clause, [])]


def may_follow(before: str, text: str, wrong: Callable[[str], Mistaken | None]) -> bool:
    """True if an expression may begin with what is written before, and this text. `wrong`: as in Clause."""
    begun = before + text
    closed = ")" * (begun.count("(") - begun.count(")")) + "}" * (begun.count("{") - begun.count("}"))
    return any(wrong(begun + end + closed) is None for end in ENDS)


def _rule(before: str, kind: Word | None) -> Rule | None:
    """The rule without its clauses from here on."""
    try:
        return parse_text(re.split(r"\s(?:when|show|by|of|mask)\s", before)[0], "")[0] if kind is not None else None
    except (RuleError, IndexError):
        return None


def _fields(head: str, roots: Roots, types: PathTypes) -> Iterator[Proposal]:
    """The fields of the value at the path `head`."""
    try:
        names = path(head, locals_="::" not in head).names
    except Wrong:
        return
    kind = roots[names[0]][0] if names[0] in roots else ""
    if "::" in names[0]:
        kind, _ = types.followed(MethodTypes("", "", {}, "", 0, "()V"), Path(names[:1]))
    for name in names[1:]:
        kind = kind[1:] if name[0] == "[" and kind[:1] == "[" else types.members(kind).get(name, "")
    for name, descriptor in sorted(types.members(kind).items()):
        yield Proposal(name, name, "field", readable(descriptor))


def _roots(rule: Rule | None, kind: Word | None, known: KnownClasses) -> Roots:
    if kind is not None and kind.subject == FIELDS:
        return _of_writes(rule, known)
    if kind is not None and kind.subject == TYPES:
        return {"length": ("I", "of the array that is allocated")}
    if rule is not None and kind is not None and kind.subject == LINES:
        return _of_lines(rule, known)
    found: Roots = {}
    for facts, method in _methods(rule, known):
        for name, value in _of_method(facts, method, known).items():
            found.setdefault(name, value)
    always = (
        {"this": ("", "the object"), "arg0": ("", "the first argument"), "result": ("", "what it returns")}
        if not found
        else {}
    )
    return found | always | {"exception": ("", "what it throws"), "thread": ("", "the thread's name")}


def _methods(rule: Rule | None, known: KnownClasses) -> list[tuple[ClassFacts, MethodFacts]]:
    found = (
        [(facts, method) for facts, methods in matched(rule, known, most=MOST_METHODS) for method in methods]
        if rule is not None
        else []
    )
    return found[:MOST_METHODS]


def _of_method(facts: ClassFacts, method: MethodFacts, known: KnownClasses) -> Roots:
    types = MethodTypes(facts.name.replace(".", "/"), "", facts.fields, method.name, method.flags, method.descriptor)
    names = known.parameter_names(facts, method) or [""] * len(types.types)
    found: Roots = {} if types.static else {"this": (f"L{types.class_name};", facts.name)}
    found |= {name: (kind, readable(kind)) for kind, name in zip(types.types, names, strict=True) if name}
    for number, (kind, name) in enumerate(zip(types.types, names, strict=True)):
        found[f"arg{number}"] = kind, f"{readable(kind)} {name}".rstrip()
    return found | ({"result": (types.result, readable(types.result))} if types.result != "V" else {})


def _of_writes(rule: Rule | None, known: KnownClasses) -> Roots:
    """`old` and `value` have the field's type, `object` its class's."""
    types: Roots = {}
    for target in rule.called[:1] if rule is not None and rule.called else ():
        owner, name = target.class_pattern.glob, target.method.glob if target.method is not None else ""
        kind = next((facts.fields[name][0] for facts in known.named(owner) if name in facts.fields), "")
        types = {"old": (kind, readable(kind) if kind else ""), "value": (kind, readable(kind) if kind else "")}
        types["object"] = f"L{owner.replace('.', '/')};", owner
    return {name: types.get(name, ("", "")) for name in OF_WRITES}


def _of_lines(rule: Rule, known: KnownClasses) -> Roots:
    """The variables that have a value where control comes to the first of the lines."""
    found: Roots = {}
    pattern, lines = rule.targets[0].class_pattern, rule.targets[0].lines or (0, 0)
    wanted = set(range(lines[0], min(lines[1], lines[0] + 100) + 1))
    for name in (pattern.glob, *(name for name in known.sorted_names if name.startswith(pattern.glob + "$"))):
        for cf in known.class_files(name):
            for method, code in coded(cf):
                try:
                    for line, ways in sorted(ways_in(code, wanted).items())[:1]:
                        scope = LineScope(MethodScope(cf, method, code, {line: ways}), line)
                        for one in ["this", *scope.names()]:
                            value = next((value for way in ways if (value := scope.value(one, way)) is not None), None)
                            if value is not None:
                                found.setdefault(one, (value.descriptor, readable(value.descriptor)))
                except ClassFormatError:
                    continue
    return found
