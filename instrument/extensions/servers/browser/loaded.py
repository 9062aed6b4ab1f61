"""The classes that a JVM has loaded, as proposals and help for rules need them. Nothing in the JVM is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from classhook.checking.class_facts import ClassFacts
from classhook.classfile.reader import ClassFile
from classhook.live.answers import Answer
from classhook.live.control_socket import Control
from classhook.live.jvms import Jvm
from classhook.live.loaded_classes import LoadedClasses
from classhook.rules.ruleset import JDK_PACKAGES


class Asking(Control):
    """Asks the agent, by a connection for each question: the agent ends those of clients that are silent."""

    def __init__(self, jvm: Jvm, data: Path) -> None:
        self._of = jvm, data

    def ask(
        self, line: str, each: Callable[[Answer], None] | None = None, look: Callable[[], bool] | None = None
    ) -> Answer:
        connection = Control(*self._of)
        try:
            return connection.ask(line, each, look)
        finally:
            connection.close()


class KnownLoaded(LoadedClasses):
    """See classhook.extensions.servers.editor.known_classes.KnownClasses. Raises Failure if the agent cannot be
    reached."""

    whose = "the loaded classes"
    places: Sequence[Path] = ()

    @cached_property
    def sorted_names(self) -> list[str]:
        return sorted(name for name in self.names() if _is_named(name) and not name.startswith(JDK_PACKAGES))

    @cached_property
    def jdk_names(self) -> list[str]:
        return sorted(name for name in self.names() if _is_named(name) and name.startswith(JDK_PACKAGES))

    def every(self) -> Iterator[ClassFacts]:
        """The classes that were asked for already."""
        for found in list(self._named.values()):
            yield from found

    def class_files(self, name: str) -> list[ClassFile]:
        return []  # the agent tells members, not code


def _is_named(name: str) -> bool:
    """True if a person gave a class its name."""
    return "/" not in name and "[" not in name and not name.rpartition("$")[2][:1].isdigit()
