"""Matches of rules, from the descriptions of classes."""

from __future__ import annotations

from classhook.model.snapshot import RuleRow, Snapshot


class Matches:
    """The matches of one process's rules. When rules are exchanged, a class may be described again: the set of rules
    counts under which a rule matched most of it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._now: dict[tuple[str, str], tuple[int, int]] = {}  # by rule and class: classes of this name, and methods
        self._most: dict[tuple[str, str], tuple[int, int]] = {}

    def exchanged(self) -> None:
        """Notes that other rules follow."""
        self._now = {}

    def add(self, rule: str, class_name: str, methods: int) -> None:
        """The rule matches a class."""
        key = (rule, class_name)
        classes_now, methods_now = self._now.get(key, (0, 0))
        self._now[key] = now = (classes_now + 1, methods_now + methods)
        most = self._most.get(key, (0, 0))
        self._most[key] = (max(now[0], most[0]), max(now[1], most[1]))
        self._snapshot.classes_of.setdefault(rule, set()).add(class_name)
        row = self._snapshot.rules.setdefault(rule, RuleRow())
        row.matched_classes += max(0, now[0] - most[0])
        row.matched_methods += max(0, now[1] - most[1])
