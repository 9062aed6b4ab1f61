"""The language of a class, and the names of its methods there.

The name of the source file decides, which compilers write into class files: it is known of each class and each frame of
a stack, so that the same name means the same everywhere. A class without one keeps its names.
"""

from __future__ import annotations

from classhook.rules.languages import clojure, groovy, java, kotlin, scala
from classhook.rules.languages.name import UNKNOWN, Name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    NameOf = Callable[[str, str, str, str, int], Name | None]

#: By the end of the source file's name.
LANGUAGES: Final[dict[str, NameOf]] = {
    "java": java.name_of,
    "kt": kotlin.name_of,
    "kts": kotlin.name_of,
    "scala": scala.name_of,
    "sc": scala.name_of,
    "groovy": groovy.name_of,
    "gvy": groovy.name_of,
    "gradle": groovy.name_of,
    "clj": clojure.name_of,
    "cljc": clojure.name_of,
}


def name_of(source: str, class_name: str, method: str, descriptor: str, flags: int = UNKNOWN) -> Name | None:
    """The method's name in its language; None if that is its name in the JVM. `source`: the name of its source
    file; `class_name`: dotted; `flags`: JVMS 4.6."""
    language = LANGUAGES.get(source[source.rfind(".") + 1 :])
    if language is None or not class_name or not method:
        return None
    found = language(source, class_name, method, descriptor, flags)
    return found if found is not None and (found.owner or found.method) else None


def is_renamed(source: str) -> bool:
    """True if rules may name methods of the class otherwise than the JVM does."""
    end = source.rpartition(".")[2]
    return end != "java" and end in LANGUAGES
