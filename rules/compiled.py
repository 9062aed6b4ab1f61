"""The compiled form of a rule set: lines of tab-separated fields, which the agent's C prefilter also reads.

1. `classhook-rules 9 <number of rules>`
2. `filter flags include [except, @source or =name]...`, for C, one for each class pattern that a rule targets. Globs
   have slashes instead of dots; a leading `**/` also matches no segment. An except glob also matches the JDK's classes,
   whatever it begins with. Flags, words with blanks between them: what the rule's word needs from the agent
   (rules/words.py); `subtypes`; `jdk`: only the JDK's classes; `not-jdk`: none of these; `renamed`: only classes that
   may be named otherwise than methods in them are written, such as Kotlin's companions: with a `$` in their names, or
   `Kt` at the end. `=name`: a glob that some text in the class's constant pool matches, `=@name` the class name in a
   descriptor (rules/required_names.py).
3. `supertype flags glob`, for C, one for each pattern with a `+`. Flags: `weaves`: it decides what is woven; `reports`:
   what is reported.
4. `sampler what name=number...`, for C, of a rule for which the agent samples the process: `cpu`, `locks`, `objects`,
   `trees` or `labels` and the fields that native/table/rules_text.h lists, in that order.
5. `rule kind clauses name origin line text`, where a clause is `word=value` (a blank in them: U+001F), then the
   rule's `target`, `type`, `called`, `except` and `source` lines; a target, or what is called, is
   `modifiers annotations class [method annotations, method, parameters:result]`, or
   `modifiers annotations class first-last` of lines; a source is as written.
6. In a set that takes the place of another one in a running JVM, `changed` lines as filter lines, of the rules that
   only one of the sets has, whose supertype lines are there too; and `paused place origin line text`, a rule that is
   paused and its place among all.
7. `end <CRC-32 of all bytes before, in hex>`

Tab, newline, carriage return and backslash within a field are written as backslash and letter. Filter lines may let too
much through, but never too little: class names in the JVM are modified UTF-8, so characters with another encoding there
become `*`, or the exception is left to Python. This module is imported inside the JVM and imports next to nothing.
"""

from __future__ import annotations

from classhook.rules.errors import RuleError
from classhook.rules.escapes import escape, unescape
from classhook.rules.patterns import source_glob
from classhook.rules.readable_patterns import other_globs
from classhook.rules.required_names import required_names
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import METHOD_FLAGS, ClassPattern, MethodPattern, Rule, Target, TypePattern
from classhook.rules.words import WORDS, needs, weaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

MAGIC = "classhook-rules"
VERSION = 9
FOR_THE_AGENT = ("filter", "supertype", "sampler", "changed", "paused")  # or for paused_in: no part of a rule
BLANK = "\x1f"  # for one within a clause


def dumps(ruleset: RuleSet, paused: Iterable[tuple[int, Rule]] = (), changed: Iterable[Rule] | None = None) -> str:
    """Returns the compiled text. `paused`: rules that are not in force, by their places; `changed`: what differs from
    the set before."""
    lines = [f"{MAGIC} {VERSION} {len(ruleset)}"]
    # Duplicate filter lines are not needed.
    lines += dict.fromkeys(_line("filter", *fields) for rule in ruleset.rules for fields in _filters(rule))
    lines += dict.fromkeys(
        _line("supertype", *fields) for rule in (*ruleset.rules, *(changed or ())) for fields in _supertypes(rule)
    )
    for rule in ruleset.rules:
        samples = WORDS[rule.kind].samples
        sampler = samples(rule) if samples is not None else None
        if sampler is not None:
            lines.append(_line("sampler", sampler.what, *[f"{name}={number}" for name, number in sampler.fields]))
        clauses = " ".join(f"{word}={value}".replace(" ", BLANK) for word, value in rule.clauses)
        lines.append(_line("rule", rule.kind, clauses, rule.name or "", rule.origin, str(rule.line), rule.text))
        lines += (_line("target", *_target_fields(target)) for target in rule.targets)
        lines += (_line("type", str(pattern)) for pattern in rule.types)
        lines += (_line("called", *_target_fields(target)) for target in rule.called)
        lines += (_line("except", *_target_fields(target)) for target in rule.excepts)
        lines += (_line("source", source) for source in rule.sources)
    if changed is not None:  # the first of these lines matches nothing: there may be no others
        lines += dict.fromkeys(
            _line("changed", *fields)
            for fields in [["", ""], *(fields for rule in changed for fields in _filters(rule))]
        )
    lines += (_line("paused", str(place), rule.origin, str(rule.line), rule.text) for place, rule in paused)
    body = "\n".join(lines) + "\n"
    return f"{body}end\t{_checksum(body)}\n"


def digest(ruleset: RuleSet) -> str:
    """The SHA-256 of the compiled text, in hex."""
    return digest_of(dumps(ruleset))


def digest_of(text: str) -> str:
    """The SHA-256 of a text, in hex."""
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()


def loads(text: str, origin: str = "compiled rules") -> RuleSet:
    """Returns the rule set of a compiled text. Raises RuleError if it is damaged or of another version."""
    first, _, rest = text.partition("\n")
    head = first.split(" ")
    if head[0] != MAGIC:
        raise RuleError("these are not compiled rules", origin, 1, expected=f"`{MAGIC} {VERSION}` in the first line")
    if len(head) != 3 or head[1] != str(VERSION):
        raise RuleError(
            f"these rules were compiled by another version of classhook (format {head[1] if len(head) > 1 else '?'})",
            origin,
            1,
            expected=f"format {VERSION}; compile the rules again",
        )
    body, end, checksum = text.rpartition("end\t")
    if not end or not body.endswith("\n") or checksum != _checksum(body) + "\n":
        raise _damaged(origin)
    try:
        rules = list(_rules(rest[: len(rest) - len(end) - len(checksum)].split("\n")[:-1]))
        if len(rules) != int(head[2]):
            raise _damaged(origin)
    except (ValueError, IndexError, KeyError):
        raise _damaged(origin) from None
    return RuleSet(rules)


def kinds(text: str) -> set[str]:
    """The words of the rules in a compiled text, which may be damaged."""
    return {fields[1] for line in text.split("\n") if (fields := line.split("\t"))[0] == "rule" and len(fields) > 1}


def _damaged(origin: str) -> RuleError:
    return RuleError(
        "the compiled rules are damaged or cut short", origin, expected="a complete file; compile the rules again"
    )


def _checksum(body: str) -> str:
    from zlib import crc32

    return f"{crc32(body.encode()):08x}"


def _line(*fields: str) -> str:
    return "\t".join(map(escape, fields))


def split_fields(line: str) -> list[str]:
    """Returns the fields of a line. Raises KeyError if an escape is unknown or truncated."""
    fields = line.split("\t")
    return [unescape(field, strict=True) for field in fields] if "\\" in line else fields


def _filters(rule: Rule) -> Iterator[list[str]]:
    """Yields the fields of the filter lines of a rule."""
    if not weaves(rule):
        return
    excepts = [
        target.class_pattern.glob.replace(".", "/")
        for target in rule.excepts
        if target.whole_class
        and not target.class_annotations
        and not target.class_pattern.subtypes
        and not target.class_pattern.jdk
        and target.class_pattern.glob == _coarse(target.class_pattern.glob)
    ]
    sources = [f"@{_coarse(source_glob(source))}" for source in rule.sources]
    for target in rule.targets:
        pattern = target.class_pattern
        scope = "jdk" if pattern.jdk else "not-jdk" if pattern.begins_with_wildcard else ""
        flags = [*needs(rule), *[flag for flag in ("subtypes" if pattern.subtypes else "", scope) if flag]]
        globs = [
            (flags, pattern.glob),
            *(([*needs(rule), "renamed", "not-jdk"], glob) for glob in other_globs(target)),
        ]
        for names in required_names(rule, target):
            required = [f"={_coarse(name)}" for name in names]
            for words, glob in globs:
                yield [" ".join(words), _coarse(glob).replace(".", "/"), *excepts, *sources, *required]


def _supertypes(rule: Rule) -> Iterator[list[str]]:
    """Yields the fields of the supertype lines of a rule. A pattern that every class matches needs no supertypes."""
    for target in (*rule.targets, *rule.excepts) if weaves(rule) else ():
        if target.class_pattern.subtypes and target.class_pattern.glob != "**":
            yield ["weaves", _coarse(target.class_pattern.glob).replace(".", "/")]
    for pattern in rule.types:
        if pattern.subtypes:
            yield ["reports", _coarse(pattern.glob).replace(".", "/")]
    for target in rule.called:
        if target.class_pattern.subtypes and target.class_pattern.glob != "**":
            yield ["reports", _coarse(target.class_pattern.glob).replace(".", "/")]


def _coarse(glob: str) -> str:
    """Returns the glob with `*` for characters that modified UTF-8 (JVMS 4.4.7) encodes differently from UTF-8."""
    coarse = "".join("*" if char > "\uffff" or char == "\0" else char for char in glob)
    while "***" in coarse:
        coarse = coarse.replace("***", "**")
    return coarse


def _target_fields(target: Target) -> list[str]:
    method = target.method
    fields = [
        " ".join("!" * negated + modifier for negated, modifier in target.modifiers),
        " ".join(target.class_annotations),
        str(target.class_pattern),
    ]
    if method is not None:
        parameters = "" if method.parameters is None else f"({','.join(method.parameters)})"
        fields += [
            " ".join(method.annotations),
            method.glob,
            parameters + (f":{method.returns}" if method.returns else ""),
        ]
    if target.lines is not None:
        fields.append(f"{target.lines[0]}-{target.lines[1]}")
    return fields


def _rules(lines: list[str]) -> Iterator[Rule]:
    """Yields the rules of the lines between first and last. Raises ValueError, IndexError or KeyError if damaged."""
    rule: Rule | None = None
    parts: dict[str, list[Any]] = {}
    for line in lines:
        word, *fields = split_fields(line)
        if word == "rule":
            if rule is not None:
                yield _with(rule, parts)
            parts = {"target": [], "except": [], "type": [], "source": [], "called": []}
            kind, clauses, name, origin, number, text = fields
            rule = Rule(WORDS[kind].text, text, origin, int(number), name or None, clauses=_clauses(clauses))
        elif word not in FOR_THE_AGENT:
            if rule is None:
                raise ValueError(line)
            (part,) = [_type(*fields)] if word == "type" else fields if word == "source" else [_target(fields)]
            parts[word].append(part)
    if rule is not None:
        yield _with(rule, parts)


def _with(rule: Rule, parts: dict[str, list[Any]]) -> Rule:
    rule.targets, rule.excepts, rule.types = tuple(parts["target"]), tuple(parts["except"]), tuple(parts["type"])
    rule.sources, rule.called = tuple(parts["source"]), tuple(parts["called"])
    return rule


def _target(fields: list[str]) -> Target:
    modifiers, annotations, class_pattern, *rest = fields
    method = None
    lines = None
    if len(rest) == 1:
        first, last = rest.pop().split("-")
        lines = int(first), int(last)
    if rest:
        method_annotations, glob, parameters = rest
        parameters, _, returns = parameters.partition(":")
        method = MethodPattern(glob, _words(method_annotations), _parameters(parameters), returns)
    return Target(_class_pattern(class_pattern), method, _modifiers(modifiers), _words(annotations), lines)


def _words(field: str) -> tuple[str, ...]:
    return tuple(field.split(" ")) if field else ()


def _clauses(field: str) -> tuple[tuple[str, str], ...]:
    pairs = [word.replace(BLANK, " ").partition("=") for word in _words(field)]
    return tuple((word, value) for word, _, value in pairs)


def _modifiers(field: str) -> tuple[tuple[bool, str], ...]:
    pairs = tuple((word.startswith("!"), word.removeprefix("!")) for word in _words(field))
    for _, modifier in pairs:
        METHOD_FLAGS[modifier]  # KeyError: no such modifier
    return pairs


def _parameters(field: str) -> tuple[str, ...] | None:
    if not field:
        return None
    return tuple(field[1:-1].split(",")) if field != "()" else ()


def _class_pattern(field: str) -> ClassPattern:
    glob = field.removeprefix("jdk:").removesuffix("+")
    return ClassPattern(glob, jdk=field.startswith("jdk:"), subtypes=field.endswith("+"))


def _type(field: str) -> TypePattern:
    element = field.rstrip("[]")
    return TypePattern(element.removesuffix("+"), (len(field) - len(element)) // 2, subtypes=element.endswith("+"))
