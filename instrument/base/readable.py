"""Names of methods as reports show them: as users of the class's language write them, or, with `--raw`, as the JVM has
them.

A row is still that of one method of the JVM. Where two would be written alike, the JVM's names are added
(instrument/reports/section_view.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from classhook.base.names import method_text, parameter_names, printable
from classhook.base.row_names import NamePart, RowName, method, returned
from classhook.rules.languages.kinds import name_of
from classhook.rules.languages.name import UNKNOWN, Name

MethodKey = tuple[str, str, str]  # class, method, descriptor
OF_THE_PROGRAM = (UNKNOWN, 0)  # flags and line of a method that no compiler made
UNTOLD = 4  # the detail of a label that has the JVM's name, too


class Readable:
    """The names of methods. `sources`: by class, the name of its source file; `made`: of methods that a compiler may
    have made, their flags and first lines; `raw`: all names are the JVM's."""

    def __init__(
        self, sources: Mapping[str, str], made: Mapping[MethodKey, tuple[int, int]], raw: bool = False
    ) -> None:
        self._sources = sources
        self._made = made
        self._raw = raw
        self._known: dict[MethodKey, Name | None] = {}
        self._frames: dict[str, tuple[str, str]] = {}

    def name(self, class_name: str, name: str, descriptor: str) -> Name | None:
        """The method's name in its language; None if that is the JVM's name."""
        key = class_name, name, descriptor
        if key in self._known:
            return self._known[key]
        source = "" if self._raw else self._sources.get(class_name, "")
        found = self._known[key] = (
            name_of(source, class_name, name, descriptor, self._made.get(key, OF_THE_PROGRAM)[0]) if source else None
        )
        return found

    def method(self, class_name: str, name: str, descriptor: str, detail: int = 0) -> RowName:
        """`com.acme.Orders.place(Order, int)`, `lambda in com.acme.Orders.place (Orders.kt:57)`. `detail`: as in
        row_names.method; with UNTOLD the JVM's name follows."""
        written = self.name(class_name, name, descriptor)
        if written is None:
            return method(class_name, name, descriptor, detail if detail < UNTOLD else 0)
        package, _, simple = written.owner.rpartition(".")
        at = f"{simple}{written.separator}{written.method}" if simple else written.method
        before = (NamePart("", printable(written.before)),) if written.before else ()
        hidden = (not detail and written.separator != ".") or (written.in_place and detail in (0, UNTOLD))
        parameters = (
            None if hidden else printable(", ".join(parameter_names(written.descriptor, qualified=0 < detail < UNTOLD)))
        )
        after = self._place(class_name, name, descriptor) if written.in_place else ""
        if 1 < detail < UNTOLD:
            after += f": {printable(returned(written.descriptor, qualified=detail > 2))}"
        after += written.after
        if detail >= UNTOLD:
            after += f" [{class_name.rpartition('.')[2]}.{name}]"
        return RowName((*before, NamePart(printable(package), printable(at), parameters, printable(after))))

    def text(self, class_name: str, name: str, descriptor: str) -> str:
        """The same as one text, in which lambdas have their parameters left out."""
        if self.name(class_name, name, descriptor) is None:
            return method_text(class_name, name, descriptor)
        return self.method(class_name, name, descriptor).text()

    def written(self, class_name: str, name: str, descriptor: str) -> str | None:
        """The same; None if that is the JVM's name."""
        return (
            None
            if self.name(class_name, name, descriptor) is None
            else self.method(class_name, name, descriptor).text()
        )

    def frame(self, class_name: str, name: str, descriptor: str) -> str:
        """The name without parameters: `com.acme.Orders.place`. Methods that differ by more than these have different
        texts."""
        if self.name(class_name, name, descriptor) is None:
            text = printable(f"{class_name}.{name}" if class_name else name)
        else:
            text = "".join(
                RowName((part._replace(parameters=None),)).text()
                for part in self.method(class_name, name, descriptor).parts
            )
        first = self._frames.setdefault(text, (class_name, name))
        return text if first == (class_name, name) else printable(f"{text} [{class_name.rpartition('.')[2]}.{name}]")

    def simple(self, class_name: str, name: str, descriptor: str) -> str:
        """The name without package and parameters: `Orders.place`."""
        return "".join(
            RowName((part._replace(package="", parameters=None),)).text()
            for part in self.method(class_name, name, descriptor).parts
        )

    def short(self, frame: str) -> str:
        """`Orders.place:17`, of `com.acme.Orders.place(Orders.java:17)`."""
        called, _, at = frame.rpartition("(")
        source, _, line = at.rstrip(")").partition(":")
        class_name, _, name = (called or frame).rpartition(".")
        written = None if self._raw or not class_name else name_of(source, class_name, name, "()V")
        if written is not None:
            class_name, name = f"{written.before}{written.owner.rpartition('.')[2]}", written.method
        owner, separator = (class_name, written.separator) if written else (class_name.rpartition(".")[2], ".")
        shown = f"{owner}{separator}{name}"
        return printable((shown if class_name else name) + (f":{line}" if line else ""))

    def _place(self, class_name: str, name: str, descriptor: str) -> str:
        """` (Orders.kt:57)`; empty where the line is not known."""
        line = self._made.get((class_name, name, descriptor), OF_THE_PROGRAM)[1]
        return f" ({self._sources[class_name]}:{line})" if line else ""
