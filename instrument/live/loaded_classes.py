"""The classes of a JVM, asked of its agent by the control socket when a rule is checked. Nothing in the JVM is
changed."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cached_property

from classhook.checking.class_facts import ClassFacts, MethodFacts
from classhook.live.answers import Answer
from classhook.live.control_socket import Control
from classhook.model.unweavable_methods import SEEN


class LoadedClasses:
    """See classhook.checking.class_facts.Classes. Raises Failure if the agent cannot be reached."""

    seen = SEEN
    sources_known = False
    most_looked_at = 50  # each is a question to the agent

    def __init__(self, control: Control) -> None:
        self._control = control
        self._named: dict[str, list[ClassFacts]] = {}
        self._subtypes: dict[tuple[str, str], bool] = {}

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(line["line"].replace("/", ".") for line in self._asked("classes"))

    def names(self) -> AbstractSet[str]:
        return self._names

    def named(self, name: str) -> list[ClassFacts]:
        if name not in self._named:
            self._named[name] = _facts(self._asked(f"class {name.replace('.', '/')}")) if name in self._names else []
        return self._named[name]

    def parameter_names(self, facts: ClassFacts, method: MethodFacts) -> tuple[str, ...] | None:
        return None  # JVMTI does not tell them

    def subtype_has(self, name: str, field: str) -> bool:
        key = name, field
        if key not in self._subtypes:
            self._subtypes[key] = bool(self._asked(f"subtypes {name.replace('.', '/')} {field}"))
        return self._subtypes[key]

    def _asked(self, line: str) -> list[Answer]:
        lines: list[Answer] = []
        self._control.ask(line, lines.append)
        return lines


def _facts(lines: list[Answer]) -> list[ClassFacts]:
    """The classes of an answer to `class NAME` (native/live/loaded_members.c)."""
    found: list[ClassFacts] = []
    for line in lines:
        if "class" in line:
            found.append(ClassFacts(_dotted(line["class"]), line["flags"], whole=line["whole"], some_annotations=True))
        elif not found:
            continue
        elif "file" in line:
            found[-1].file = line["file"]
        elif "super" in line:
            found[-1].super_name = _dotted(line["super"])
        elif "interface" in line:
            found[-1].interfaces.append(_dotted(line["interface"]))
        elif "field" in line:
            found[-1].fields[line["field"]] = line["type"], line["flags"]
        elif "method" in line:
            found[-1].methods.append(MethodFacts(line["method"], line["type"], line["flags"]))
        elif "constant" in line:
            found[-1].annotations |= {_dotted(line["constant"])}
    return found


def _dotted(name: str) -> str:
    return name.replace("/", ".")
