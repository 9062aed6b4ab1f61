"""`--filter PATTERN`: only the rows of methods that match a pattern.

1. A text with `::` or a wildcard is a pattern as in rules, `com.acme.**::get*(int, ..)`; a class pattern alone means
   all its methods. It may be one for classes of the JDK, even if it begins with a wildcard.
2. Anything else is a part of a name: of `com.acme.Orders::place`, `com.acme.Orders.place`, or of another part of a
   row's key, such as the type that a site allocates. Without capitals, it matches capitals, too.
3. Both match the name that the JVM has for a method, and the one that its language has.
4. `Orders::place` is both: the class without its package is the end of a name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from classhook.base.errors import UsageError
from classhook.base.names import method_text
from classhook.base.readable import Readable
from classhook.model.call_tree import Call
from classhook.model.rows import Key
from classhook.model.snapshot import Snapshot

Matches = Callable[[Key], bool]
SIGNS = ("::", "*")
ORIGIN = "--filter"
METHOD = ("class", "method", "descriptor")  # what keys begin with


def is_pattern(text: str) -> bool:
    """True if an argument is a pattern, not a path."""
    return any(sign in text for sign in SIGNS) and not text.startswith(("/", "./", "../"))


def matcher(texts: Sequence[str]) -> Matches:
    """A function that says whether a row's key matches one of the patterns. Raises UsageError, RuleError."""
    each = [one for text in texts for one in _matchers(text)]
    return lambda key: any(matches(key) for matches in each)


def _matchers(text: str) -> list[Matches]:
    if not text.strip():
        raise UsageError("--filter: an empty pattern")
    return [*([_pattern(text)] if any(sign in text for sign in SIGNS) else []), *([] if "*" in text else [_part(text)])]


def _part(text: str) -> Matches:
    fold: Callable[[str], str] = str.lower if text == text.lower() else str
    wanted = fold(text)

    def matches(key: Key) -> bool:
        class_name, method, descriptor, *more = key
        dotted = method_text(class_name, method, descriptor)
        named = f"{class_name}::{method}{dotted[dotted.rfind('(') :] if '(' in dotted else ''}"
        return any(wanted in fold(one) for one in (dotted, named, *(one for one in more if isinstance(one, str))))

    return matches


def named(text: str, option: str) -> Matches:
    """A function that says whether a row's key is that of a method which a pattern of this option names; a class
    without its package may be in any package. Raises UsageError, RuleError."""
    first = _pattern(text, option)
    if "." in text.partition("::")[0] or text.startswith("*"):
        return first
    second = _pattern(f"**.{text}", option)
    return lambda key: first(key) or second(key)


def _pattern(text: str, option: str = ORIGIN) -> Matches:
    import classhook.measures.every  # noqa: F401  # registers the words of rules
    from classhook.rules.errors import RuleError
    from classhook.rules.parse import parse_text
    from classhook.rules.targets import ClassContext, CompiledTarget, MethodContext

    whole = text if "::" in text else f"{text}::*"
    try:
        (rule,) = parse_text(f"count {whole}", option)
    except RuleError as error:
        raise RuleError(error.message, option, 1, max(1, error.column - len("count ")), text, error.expected) from None
    except ValueError:
        raise UsageError(f"{option} {text}: one pattern, such as 'com.acme.**::get*'") from None
    targets = [*rule.targets, *rule.excepts]
    if any(
        one.class_pattern.subtypes or one.class_annotations or one.modifiers or (one.method and one.method.annotations)
        for one in targets
    ):
        raise UsageError(
            f"{option} {text}: data files know names and parameters, not subtypes, annotations or modifiers"
        )
    wanted = [CompiledTarget(target, everywhere=True) for target in rule.targets]
    unwanted = [CompiledTarget(target, everywhere=True) for target in rule.excepts]

    def nothing() -> frozenset[str]:
        return frozenset()

    def matches(key: Key) -> bool:
        contexts = [ClassContext(str(key[0]), in_jdk, nothing, nothing) for in_jdk in (False, True)]
        method = MethodContext(0, str(key[1]), str(key[2]), nothing)

        def by(target: CompiledTarget) -> bool:
            return any(map(target.matches_class, contexts)) and target.matches_method(method)

        return any(map(by, wanted)) and not any(map(by, unwanted))

    return matches


def by_either_name(matches: Matches, readable: Readable) -> Matches:
    """The same, which also matches how the method is written in its language; a pattern does only if the name is its
    own, not that of the method around a lambda."""

    def either(key: Key) -> bool:
        if matches(key) or len(key) < len(METHOD):
            return matches(key)
        name = readable.name(*key[:3])
        if name is None:
            return False
        written = (name.owner, name.method, name.descriptor) if name.matches else ("", "", "")
        return matches((*written, *key[3:], readable.text(*key[:3])))

    return either


def narrow(snapshot: Snapshot, matches: Matches) -> None:
    """Leaves only the rows that match."""
    matches = by_either_name(matches, snapshot.readable)
    for name, rows in snapshot.tables.items():
        snapshot.tables[name] = {key: row for key, row in rows.items() if matches(key)}


def prune(snapshot: Snapshot, matches: Matches) -> None:
    """Leaves of trees of calls only the paths with methods that match."""
    matches = by_either_name(matches, snapshot.readable)
    for root in (snapshot.calls, snapshot.stacks, snapshot.exact_tree):
        _prune(root, matches)


def _prune(root: Call, matches: Matches) -> None:
    """Removes the calls that neither match nor lead to one that does, nor are below one. Their time is not in the tree
    any more."""
    wanted: dict[object, bool] = {None: False}
    keep: set[int] = set()
    inside = 0
    for call, entered in root.walk():
        if call.method not in wanted:
            wanted[call.method] = matches(call.method or ())
        if entered:
            inside += wanted[call.method]
            if inside:
                keep.add(id(call))
        else:
            inside -= wanted[call.method]
            call.children = {method: child for method, child in call.children.items() if id(child) in keep}
            if call.children:
                keep.add(id(call))
                if not inside and not wanted[call.method]:
                    call.cpu = call.wall = 0  # what leads there did something else, too
