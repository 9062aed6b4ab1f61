"""`agent.insert`: what a script asks for (insertions.py), as java_crw_demo did it for the JDK's demos."""

from __future__ import annotations

from classhook.agent.faults import Delays, Fault, Returns, Throws
from classhook.agent.handlers import Handler
from classhook.agent.inserted_values import (
    ALLOCATION,
    CALL,
    ENTRY,
    EXIT,
    LINE,
    THROWN,
)
from classhook.agent.insertions import Call, Counter, Inserted
from classhook.agent.own_session import ask
from classhook.agent.patterns import class_glob, parsed
from classhook.agent.transforms import transformer
from classhook.base.embedded import events as jvm
from classhook.rules.ruleset import RuleSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from classhook.agent.faults import Value
    from classhook.agent.loaded import Script
    from classhook.rules.syntax import Rule

TIMEOUT: Final = 30.0  # seconds, for a class


class Insert:
    """`agent.insert`: a call, such as `my.Tracker.enter(method, number)`, or a Counter, at places of the program's
    methods.

    All raise RuleError for an invalid pattern, ValueError for an invalid call or an argument that does not exist.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._last = -1

    def next_number(self) -> int:
        self._last += 1
        return self._last

    def counter(self) -> Counter:
        """A new counter."""
        return Counter()

    def jar(self, path: str) -> None:
        """Classes of this jar are found by all class loaders: those of the calls. Raises ValueError."""
        if not jvm.boot_path(path):
            raise ValueError(f"the JVM does not accept the jar {path}")

    def entry(self, methods: str, call: str | Counter) -> Inserted:
        """Inserts the call at the entry; in constructors before they call another one."""
        return self._add(ENTRY, call, f"count {methods}")

    def exit(self, methods: str, call: str | Counter) -> Inserted:
        """Inserts the call before each return."""
        return self._add(EXIT, call, f"count {methods}")

    def thrown(self, methods: str, call: str | Counter) -> Inserted:
        """Inserts the call where an exception leaves the method."""
        return self._add(THROWN, call, f"count {methods}")

    def allocations(self, types: str, within: str, call: str | Counter) -> Inserted:
        """Inserts the call after each allocation of these types in these methods, before the constructor is called."""
        return self._add(ALLOCATION, call, f"alloc {types} in {within}")

    def calls(self, methods: str, within: str, call: str | Counter) -> Inserted:
        """Inserts the call before each call of these methods, by the class and name that the caller names, in these
        methods."""
        return self._add(CALL, call, f"count {within}", called=RuleSet(parsed(f"count {methods}")))

    def lines(self, methods: str, call: str | Counter, line: int = 0) -> Inserted:
        """Inserts the call before each line of these methods, or before this one."""
        return self._add(LINE, call, f"count {methods}", line=line)

    def throws(self, methods: str, exception: str, message: str | None = None, when: str = "") -> Inserted:
        """Has these methods throw an exception instead of running, in calls of which `when` is true."""
        return self._inject(methods, Throws(exception, message, when))

    def delays(self, methods: str, ms: int, when: str = "") -> Inserted:
        """Has these methods sleep first, in calls of which `when` is true."""
        return self._inject(methods, Delays(ms, when))

    def returns(self, methods: str, value: Value = None, when: str = "") -> Inserted:
        """Has these methods return a value instead of running, in calls of which `when` is true."""
        return self._inject(methods, Returns(value, when))

    def _inject(self, methods: str, fault: Fault) -> Inserted:
        rules = parsed(f"count {methods}")
        return self._transform(rules, Inserted(self.next_number, fault.kind, fault, RuleSet(rules)))

    def _add(self, kind: str, call: str | Counter, rule: str, **more: Any) -> Inserted:
        rules = parsed(rule)
        return self._transform(rules, Inserted(self.next_number, kind, Call(kind, call), RuleSet(rules), **more))

    def _transform(self, rules: list[Rule], inserted: Inserted) -> Inserted:
        target = rules[0].targets[0].class_pattern
        glob = "*" if target.subtypes or len(rules[0].targets) > 1 else class_glob(str(target))
        inserted.handler = Handler(
            "transform", inserted, True, glob, TIMEOUT, transformer(inserted), script=self._script
        )
        if self._script.in_force:
            ask("transforms")
        return inserted
