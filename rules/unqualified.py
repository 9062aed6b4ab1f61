"""Types that are written without their package. Never imported inside the JVM.

`run` looks at each rule before it starts the command, so this imports little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from classhook.rules.syntax import PRIMITIVES, Rule

#: Packages whose classes are written without them.
USUAL_PACKAGES = (
    "java.lang",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "java.io",
    "java.math",
    "java.net",
    "java.nio",
    "java.nio.file",
    "java.sql",
    "java.text",
    "java.time",
    "java.util.function",
    "java.util.regex",
    "java.util.stream",
)


def without_package(rule: Rule, exists: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Yields the types of a rule that have no package, but that of a class of the JDK's: as written, and in full.
    `exists`: whether the JDK has a class of this name."""
    for pattern in rule.types:
        if "." in pattern.glob or "*" in pattern.glob or pattern.glob in PRIMITIVES:
            continue
        for package in USUAL_PACKAGES:
            if exists(f"{package}.{pattern.glob}"):
                yield str(pattern), f"{package}.{pattern}"
                break
