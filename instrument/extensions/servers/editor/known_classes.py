"""The classes that proposals and help are about: a project's (project.py), or those that a JVM has loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from classhook.checking.class_facts import Classes, ClassFacts
from classhook.classfile.reader import ClassFile


class KnownClasses(Classes, Protocol):
    """Known classes, with more facts than those that rules are checked with."""

    @property
    def whose(self) -> str:
        """The words for these classes, such as `the project's classes`."""

    @property
    def sorted_names(self) -> Sequence[str]:
        """The names of all, apart from the JDK's, sorted."""

    @property
    def jdk_names(self) -> Sequence[str]:
        """The names of the JDK's, sorted."""

    @property
    def places(self) -> Sequence[Path]:
        """The jars and directories where they are, as far as that is known."""

    def every(self) -> Iterator[ClassFacts]:
        """The classes that can be read without much work, apart from the JDK's."""

    def class_files(self, name: str) -> list[ClassFile]:
        """The class files of this name that can be read."""
