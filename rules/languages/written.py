"""The methods of a class by the names that rules may have for them, besides those of the JVM. Imported inside the JVM
if a class is not Java's."""

from __future__ import annotations

from classhook.rules.languages.kinds import is_renamed, name_of
from classhook.rules.languages.name import STATIC, Name, parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Methods = Callable[[], list[tuple[str, str]]]

BODY = "invokeStatic"  # what Clojure compiles a function to; `invoke` and others only call it


class Written:
    """`file`: the name of the class's source file; `methods`: gives name and descriptor of each."""

    __slots__ = ("_bodies", "_methods", "class_name", "file")

    def __init__(self, file: str, class_name: str, methods: Methods) -> None:
        self.file = file
        self.class_name = class_name
        self._methods = methods
        self._bodies: list[int] | None = None

    def name(self, flags: int, method: str, descriptor: str) -> Name | None:
        """The method's name in its language, if rules may use it."""
        found = name_of(self.file, self.class_name, method, descriptor, flags)
        if found is None or not found.matches:
            return None
        if (
            found.separator == "/"
            and method != BODY
            and not flags & STATIC
            and len(parameters(descriptor)) in self._static()
        ):
            return None
        return found

    def _static(self) -> list[int]:
        """The numbers of parameters of a Clojure function's bodies."""
        if self._bodies is None:
            self._bodies = [len(parameters(descriptor)) for name, descriptor in self._methods() if name == BODY]
        return self._bodies


def written(file: str, class_name: str, methods: Methods) -> Written | None:
    """None if the class's methods have no other names than the JVM's."""
    return Written(file, class_name, methods) if is_renamed(file) else None
