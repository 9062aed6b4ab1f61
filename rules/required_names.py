"""Names that are in the constant pool of each class that a rule can match (JVMS 4.4.7): annotations, methods, what is
called or allocated.

The agent looks for them before it has a class woven, so a rule for few of many classes costs what these few do
(native/classes/constant_pools.c). Globs may let too much through, but never too little. Imported inside the JVM.
"""

from __future__ import annotations

from classhook.rules.readable_patterns import is_named
from classhook.rules.syntax import PRIMITIVES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from classhook.rules.syntax import Rule, Target, TypePattern

ANNOTATION = "@"  # before the glob of an annotation, whose descriptor is in the pool
MOST = 64  # alternatives: the agent compares each with all names of a class


def required_names(rule: Rule, target: Target) -> Iterator[list[str]]:
    """Yields alternatives, each with the globs that a class must have names for: with slashes, as in the JVM. A class
    that is named in full always passes: the report says what it lacks."""
    if "*" not in target.class_pattern.glob:
        yield []
        return
    own = [*map(_annotation, target.class_annotations), *_of_method(target)]
    for more in _of_sites(rule):
        yield own + more


def _of_method(target: Target) -> list[str]:
    method = target.method
    if method is None:
        return []
    found = [*map(_annotation, method.annotations)]
    if is_named(target):  # then the JVM's name may be another one, and so may its types
        return found
    if method.glob != "*":
        found.append(method.glob)
    found += [f"(**{_descriptor(one)}**)**" for one in method.parameters or () if _is_class(one)]
    return found + ([f"(**){_descriptor(method.returns)}"] if _is_class(method.returns) else [])


def _of_sites(rule: Rule) -> list[list[str]]:
    """The required names for each called method or allocated type."""
    found = [*map(_called, rule.called), *map(_allocated, rule.types)]
    return found if found and len(found) <= MOST else [[]]


def _called(callee: Target) -> list[str]:
    pattern, method = callee.class_pattern, callee.method
    owner = (
        [] if pattern.subtypes or "*" in pattern.glob else [_internal(pattern.glob)]
    )  # with wildcards it may be an array, too
    return owner + ([method.glob] if method is not None and method.glob != "*" else [])


def _allocated(pattern: TypePattern) -> list[str]:
    is_class = not (pattern.subtypes or pattern.dimensions or pattern.glob in PRIMITIVES or pattern.glob in ("*", "**"))
    return [_internal(pattern.glob)] if is_class else []


def _is_class(pattern: str) -> bool:
    """True if a type pattern stands for one class, or arrays of it."""
    element = pattern.rstrip("[]")
    return element not in ("", "..", "void") and "*" not in element and element not in PRIMITIVES


def _descriptor(pattern: str) -> str:
    element = pattern.rstrip("[]")
    return "[" * ((len(pattern) - len(element)) // 2) + f"L{_internal(element)};"


def _annotation(glob: str) -> str:
    return ANNOTATION + _internal(glob if "." in glob else f"**.{glob}")


def _internal(glob: str) -> str:
    return glob.replace(".", "/")
