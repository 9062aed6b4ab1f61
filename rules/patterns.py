"""Globs over class, method, type and annotation names, as functions from a name to a bool.

A class glob's segments are split by dots: `*` stays within one, `**` crosses them, a leading `**.` may match none.
Common shapes become one string operation (`_SHAPES`); any other glob runs as a bit-parallel automaton:

1. Its state n means "the first n literal characters have been seen"; a set of states is an int.
2. A wildcard after n literals is not a state but a loop on state n: on any character (`**`), or any but the dot (`*`).
3. Each character of the name advances the states whose next literal it is, and keeps those that loop on it.

So the time is linear in the name's length, whatever the wildcards. This module is imported inside the JVM and imports
nothing: loading `re` alone takes longer than matching all names of a small program.
"""

from __future__ import annotations

from classhook.rules.syntax import PRIMITIVES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Matcher = Callable[[str], bool]

_LONG = 300  # characters; hardly any name has more
_HELD = 2_000_000  # characters of cached names: more than a class below 1 MB can have

_BASE_TYPES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "Z": "boolean",
}


def compile_glob(glob: str) -> Matcher:
    """Returns the function that says whether a dotted name matches `glob`."""
    for shape in _SHAPES:
        matcher = shape(glob)
        if matcher is not None:
            return matcher
    return _automaton(glob)


_SWAPPED = {ord("."): "/", ord("/"): "."}


def source_glob(source: str) -> str:
    """Returns the glob over paths that a source means: one that is not absolute begins anywhere."""
    return source if source.startswith(("/", "**")) or "://" in source or source.startswith("jrt:") else "**/" + source


def compile_source(source: str) -> Matcher:
    """Returns the function that says whether a jar's path, or that of a directory, which ends in a slash, matches."""
    matches = compile_glob(source_glob(source).translate(_SWAPPED))

    def matches_source(path: str) -> bool:
        swapped = path.translate(_SWAPPED)
        return bool(path) and (matches(swapped) or (swapped.endswith(".") and matches(swapped[:-1])))

    return matches_source


def compile_method_name(glob: str) -> Matcher:
    """Returns the function that says whether a method name matches: only `*` and `<...>` match the initializers."""
    if glob == "*":
        return _everything
    if glob == "<*>":
        return lambda name: name.startswith("<")
    matches = _remembering(compile_glob(glob))
    if glob.startswith("*"):
        return lambda name: not name.startswith("<") and matches(name)
    return matches


def compile_annotations(globs: tuple[str, ...]) -> Callable[[Iterable[str]], bool]:
    """Returns the function that says whether every glob matches one of the annotations' dotted names.

    A glob without a dot applies to the simple name, in any package.
    """
    matchers = [compile_glob(glob if "." in glob else "**." + glob) for glob in globs]
    return lambda names: all(any(map(matches, names)) for matches in matchers)


def compile_type(pattern: str) -> Matcher:
    """Returns the function that says whether a type, in the form `java.util.Map` or `byte[][]`, matches.

    `*` alone is any type, so `*[]` is any array. Other wildcards match class names, never primitive types.
    """
    element = pattern.rstrip("[]")
    brackets = pattern[len(element) :]
    if element in ("*", "**"):
        return lambda name: name.endswith(brackets)
    if "*" not in element:
        return pattern.__eq__
    matches = compile_glob(element)

    def matches_type(name: str) -> bool:
        if not name.endswith(brackets):
            return False
        own = name[: len(name) - len(brackets)]
        return not own.endswith("]") and own not in PRIMITIVES and matches(own)

    return matches_type


def compile_parameters(parameters: tuple[str, ...] | None) -> Matcher:
    """Returns the function that says whether a method descriptor's parameters match; `..` is any number of them.

    A malformed descriptor (JVMS 4.3.3) matches only if any parameters are allowed.
    """
    if parameters is None or parameters == ("..",):
        return _everything
    # The automaton of the module docstring: types are its literals, `..` its loop.
    literals: list[Matcher] = []
    loops = 0
    for parameter in parameters:
        if parameter == "..":
            loops |= 1 << len(literals)
        else:
            literals.append(compile_type(parameter))

    def matches(descriptor: str) -> bool:
        types = parameter_types(descriptor)
        if types is None:
            return False
        states = 1
        for type_name in types:
            moved = 0
            for state, literal in enumerate(literals):
                if states >> state & 1 and literal(type_name):
                    moved |= 2 << state
            states = moved | states & loops
        return bool(states >> len(literals) & 1)

    return _remembering(matches)


def compile_result(pattern: str) -> Matcher:
    """Returns the function that says whether the result of a method descriptor has a type that matches, such as `int`,
    `void` or `java.util.*[]`."""
    matches = compile_type(pattern)

    def matches_result(descriptor: str) -> bool:
        result = result_type(descriptor)
        return bool(result) and (result != "void" or pattern in ("void", "*", "**")) and matches(result)

    return matches_result


def result_type(descriptor: str) -> str:
    """Returns the result of a method descriptor as a type (`void`, `java.lang.String[]`), an empty string if
    malformed."""
    result = descriptor.rpartition(")")[2]
    types = ["void"] if result == "V" else parameter_types(f"({result})")
    return types[0] if types is not None and len(types) == 1 else ""


def parameter_types(descriptor: str) -> list[str] | None:
    """Returns the parameters of a method descriptor as types (`int`, `java.lang.String[]`), None if malformed."""
    types: list[str] = []
    end = descriptor.find(")")
    if not descriptor.startswith("(") or end < 0:
        return None
    at = 1
    while at < end:
        element_at = at
        while descriptor[element_at] == "[":
            element_at += 1
        brackets = "[]" * (element_at - at)
        if descriptor[element_at] == "L":
            at = descriptor.find(";", element_at, end) + 1
            if not at:
                return None
            types.append(descriptor[element_at + 1 : at - 1].replace("/", ".") + brackets)
        else:
            base = _BASE_TYPES.get(descriptor[element_at])
            if base is None:
                return None
            types.append(base + brackets)
            at = element_at + 1
    return types


def _remembering(matches: Matcher) -> Matcher:
    """Returns the matcher with a cache for long names: a hostile class may give thousands of methods the same one."""
    known: dict[str, bool] = {}
    held = 0

    def remembers(name: str) -> bool:
        nonlocal held
        if len(name) < _LONG:
            return matches(name)
        answer = known.get(name)
        if answer is None:
            held += len(name)
            if held > _HELD:
                known.clear()
                held = len(name)
            answer = known[name] = matches(name)
        return answer

    return remembers


def _everything(name: str) -> bool:
    return True


def _exact(glob: str) -> Matcher | None:
    return None if "*" in glob else glob.__eq__


def _any_name(glob: str) -> Matcher | None:
    return _everything if glob == "**" else None


def _package(glob: str) -> Matcher | None:
    """`com.acme.*`: one more segment, or part of one, and nothing behind."""
    head = glob[:-1]
    if not glob.endswith("*") or "*" in head:
        return None
    start = len(head)
    return lambda name: name.startswith(head) and name.find(".", start) < 0


def _below(glob: str) -> Matcher | None:
    """`com.acme.**`: whatever has this prefix."""
    head = glob[:-2]
    if not glob.endswith("**") or "*" in head:
        return None
    return lambda name: name.startswith(head)


def _anywhere(glob: str) -> Matcher | None:
    """`**.Orders`: the same simple name in any package, or the same end of a qualified name."""
    tail = glob[2:]
    if not glob.startswith("**.") or "*" in tail:
        return None
    own = tail[1:]
    return lambda name: name.endswith(tail) or name == own


def _ending(glob: str) -> Matcher | None:
    """`**.*Stub` and `**Stub`: whatever has this suffix."""
    start = "**.*" if glob.startswith("**.*") else "**"
    tail = glob[len(start) :]
    if not glob.startswith(start) or "*" in tail or (start == "**.*" and "." in tail):
        return None
    return lambda name: name.endswith(tail)


# Tried in this order; each returns None for a glob of another shape.
_SHAPES: tuple[Callable[[str], Matcher | None], ...] = (_exact, _any_name, _below, _package, _anywhere, _ending)


def _automaton(glob: str) -> Matcher:
    head = glob[: glob.index("*")]
    tail = glob[glob.rindex("*") + 1 :]
    literals: dict[str, int] = {}
    within = across = 0
    state = 1
    at = 0
    while at < len(glob):
        if glob.startswith("**", at):
            across |= state
            at += 2
        elif glob[at] == "*":
            within |= state
            at += 1
        else:
            literals[glob[at]] = literals.get(glob[at], 0) | state
            state <<= 1
            at += 1
    within |= across
    accepted = state
    # A leading `**.` may match nothing: then the name begins after the dot, the first literal.
    start = 0b11 if glob.startswith("**.") else 0b1

    def matches(name: str) -> bool:
        if not name.startswith(head) or not name.endswith(tail):
            return False
        states = start
        for char in name:
            states = (states & literals.get(char, 0)) << 1 | states & (across if char == "." else within)
            if not states:
                return False
        return bool(states & accepted)

    return matches
