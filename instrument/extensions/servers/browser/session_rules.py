"""The rules of the sessions that are shown: listed, added, paused and removed as by `classhook ctl`, and checked while
they are written as by the language server."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from classhook.base.errors import Failure, UsageError
from classhook.base.names import printable
from classhook.commands.control.answers import changed_lines
from classhook.extensions.servers.browser.loaded import Asking, KnownLoaded
from classhook.extensions.servers.editor import diagnostics
from classhook.extensions.servers.editor.completion import complete
from classhook.extensions.servers.editor.hover import hover
from classhook.live import rule_changes
from classhook.live.jvms import Jvm, jvms
from classhook.live.observe.added_rules import add
from classhook.live.observe.watching import Watched
from classhook.live.rule_changes import Entry
from classhook.rules.document import Document, Parsing, Position
from classhook.rules.parse import load

FRESH = 2.0  # seconds for which the sessions that were found are good
CLASSES_FRESH = 10.0  # likewise, the loaded classes
PATIENCE = 0.5  # seconds for comparing rules with classes
MOST_PROPOSED = 50

Json = dict[str, Any]


class Session(NamedTuple):
    jvm: Jvm
    data: Path


#: Changes of an existing rule, by their names. Each is made from the rule's text.
CHANGES: dict[str, Callable[[str], Callable[[list[Entry]], list[Entry]]]] = {
    "remove": rule_changes.remove,
    "pause": lambda which: rule_changes.pause(which, True),
    "resume": lambda which: rule_changes.pause(which, False),
}


class SessionRules:
    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._lock = threading.Lock()  # one change after another
        self._found: tuple[float, dict[int, Session]] = (-FRESH, {})
        self._classes: dict[int, tuple[float, KnownLoaded]] = {}
        self._parsing, self._judging = Parsing(), diagnostics.Judging()

    def listed(self) -> list[Json]:
        """The JVMs whose rules can be changed, with these."""
        return [
            {
                "pid": jvm.pid,
                "main": printable(jvm.main),
                "rules": [{"rule": one.rule.text, "paused": one.paused} for one in rule_changes.entries(data)],
            }
            for jvm, data in self._sessions().values()
        ]

    def change(self, asked: Json) -> Json:
        """Adds a rule, or does one of CHANGES; what became of it, in words. Raises UsageError, RuleError, Failure."""
        jvm, data = self._session(asked)
        rule, does = str(asked.get("rule", "")).strip(), str(asked.get("do", ""))
        says: list[str] = []
        with self._lock:
            if does == "add":
                answer, refused = add(
                    jvm, data, load([], [rule]), lambda how: rule_changes.change(jvm, data, how), says.append
                )
                if refused:
                    raise Failure("\n".join([*says, *refused]))
                return {"says": [*says, *changed_lines(jvm, answer or {})]}
            if does not in CHANGES:
                raise UsageError(f"{does}: add, {', '.join(CHANGES)}")
            return {"says": changed_lines(jvm, rule_changes.change(jvm, data, CHANGES[does](rule)))}

    def check(self, asked: Json) -> Json:
        """Says what is wrong with a rule that is being written, what fits at the cursor, and what the rule would match.
        Raises UsageError, Failure."""
        document = Document(str(asked.get("rule", "")), "rule", self._parsing)
        place = Position(int(asked.get("line", 0)), int(asked.get("column", 0)))
        session = self._session(asked)
        known = self._known(session)
        self._judging.judge(document, known, id(known), PATIENCE)
        found = [*diagnostics.syntax(document), *self._judging.findings(document)]
        proposals = complete(document, place, known)
        help = hover(document, place, known) or hover(document, Position(0, 0), known)
        return {
            "findings": [
                {"severity": one.severity, "message": one.message, "begin": _place(one.span.begin)} for one in found
            ],
            "replaces": _place(proposals.begin),
            "proposals": [
                {"label": one.label, "text": one.text, "matches": one.matches or one.text, "detail": one.detail}
                for one in sorted(_fitting(document, place, proposals.begin, proposals.found), key=lambda one: one.sort)
            ][:MOST_PROPOSED],
            "help": help.text if help is not None else "",
        }

    def _sessions(self) -> dict[int, Session]:
        """The running JVMs whose data is shown, by process id."""
        at, found = self._found
        if time.monotonic() - at > FRESH:
            shown = {_identity(path) for path in self._watched.files()}
            pairs = ((jvm, jvm.session()) for jvm in jvms())
            found = {
                jvm.pid: Session(jvm, data) for jvm, data in pairs if data is not None and _identity(data) in shown
            }
            self._found = time.monotonic(), found
        return found

    def _session(self, asked: Json) -> Session:
        sessions, pid = self._sessions(), asked.get("pid", 0)
        if pid in sessions:
            return sessions[pid]
        raise UsageError(f"{pid}: this JVM has ended, or classhook was detached from it")

    def _known(self, session: Session) -> KnownLoaded:
        at, known = self._classes.get(session.jvm.pid, (0.0, None))
        if known is None or time.monotonic() - at > CLASSES_FRESH:
            known = KnownLoaded(Asking(*session))
            self._classes[session.jvm.pid] = time.monotonic(), known
        return known


def _fitting(document: Document, place: Position, begin: Position, found: list[Any]) -> list[Any]:
    """The proposals that go on with what is written."""
    written = (
        document.lines[place.line][begin.column : place.column].lower() if place.line < len(document.lines) else ""
    )
    return [
        one for one in found if (one.matches or one.text).lower().startswith(written) and one.text.lower() != written
    ]


def _place(position: Position) -> list[int]:
    return [position.line, position.column]


def _identity(path: Path) -> tuple[int, int]:
    """The file itself, however it is named."""
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino
