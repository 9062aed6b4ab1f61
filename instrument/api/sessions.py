"""`attach`: a session in a JVM that runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from instrument.api.programs import Rules, rule_set
from instrument.api.result import Result
from instrument.errors import Failure
from instrument.live.jvms import Jvm


class Session:
    """Classhook in a running JVM. As a context manager, it detaches at the end; what was counted stays in `data`, its data file.

    Its methods raise Failure if the JVM has ended or does not answer; `snapshot` works all the same.
    """

    def __init__(self, jvm: Jvm, data: Path, says: list[str]) -> None:
        self.pid = jvm.pid
        self.data = data
        self.says = says  #: the agent's messages
        self._jvm = jvm

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.detach()

    def __repr__(self) -> str:
        return f"<{'attached to' if self.attached else 'was attached to'} {self.pid}: {'; '.join(self.rules)}>"

    @property
    def running(self) -> bool:
        """Whether the JVM is running."""
        from instrument.live.jvms import jvm_of

        return jvm_of(self.pid) is not None

    @property
    def attached(self) -> bool:
        """Whether its classes are instrumented."""
        from instrument.live.watching import running

        return self.running and running(self.data) and self.snapshot().processes[0].end == "running"

    @property
    def rules(self) -> list[str]:
        """The rules in force; those that are paused are not."""
        from instrument.live.rules import entries

        return [one.rule.text for one in entries(self.data) if not one.paused]

    def snapshot(self) -> Result:
        """What was counted until now, since the last reset."""
        from instrument.commands.reading import read_data

        snapshot, files, _ = read_data([self.data])
        return Result(snapshot, files)

    def reset(self) -> None:
        """Results, and reports, begin at zero; coverage goes on."""
        from instrument.data import baseline
        from instrument.data.file import DataError

        try:
            baseline.reset(self.data)
        except (DataError, OSError) as error:
            raise Failure(f"cannot reset {self.data}: {error}") from None

    def add(self, rule: str | Path) -> None:
        """Adds a rule, or the rules of a file. Raises RuleError."""
        from instrument.live.rules import add, add_file

        self._change(add_file(rule) if isinstance(rule, Path) else add(rule))

    def remove(self, rule: str) -> None:
        """Removes a rule, given by its text; what it counted stays. Raises UsageError."""
        from instrument.live.rules import remove

        self._change(remove(rule))

    def pause(self, rule: str) -> None:
        """Takes a rule's probes out. Raises UsageError."""
        from instrument.live.rules import pause

        self._change(pause(rule, paused=True))

    def resume(self, rule: str) -> None:
        """Puts a rule's probes back. Raises UsageError."""
        from instrument.live.rules import pause

        self._change(pause(rule, paused=False))

    def detach(self) -> None:
        """Leaves the JVM's classes as they were. If it has ended, or was left before, nothing happens."""
        from instrument.live import attachment

        if not self.attached:
            return
        try:
            self.says += attachment.detach(self._jvm).says
        except (Failure, OSError):
            if self.running:
                raise

    def _change(self, how: Callable[[list[Any]], list[Any]]) -> None:
        from instrument.live.rules import change

        ended = f"{self.pid}: the JVM has ended"
        if not self.running:
            raise Failure(ended)
        try:
            change(self._jvm, self.data, how)
        except OSError as error:
            raise Failure(str(error) if self.running else ended) from None


def attach(jvm: int | str, rules: Rules, data: str | Path | None = None, *, reset: bool = False, cache: bool = True) -> Session:
    """Attaches to a JVM, as `classhook attach` does.

    jvm: process id, or main class or jar
    rules: text, and files as Path objects
    data: the directory for the data, as the JVM sees it; None: classhook-data, in a container /tmp/classhook-data
    reset: has no effect any more: each session begins at zero

    Raises RuleError, UsageError, Failure.
    """
    import os

    from instrument.commands.attach import IN_A_CONTAINER
    from instrument.commands.common import write_whole
    from instrument.commands.run import DEFAULT_DATA, prepared_directory
    from instrument.data.packs import default_directory
    from instrument.files import whole
    from instrument.live import attachment, protocol
    from instrument.live.jvms import named
    from rules.compiled import digest, dumps

    parsed = rule_set(rules)
    found = named(str(jvm))
    attachment.check_is_free(found)
    inside = Path(data or (IN_A_CONTAINER if found.is_apart else DEFAULT_DATA))
    inside = inside if found.is_apart else inside.absolute()
    name = f"{digest(parsed)[:16]}.rules"
    with protocol.as_its_user(found):
        folder = prepared_directory(found.outside(inside), erase=False)
        write_whole(folder / name, dumps(parsed).encode(), whole)
    own = cache and not found.is_apart and found.uid == os.geteuid()
    done = attachment.attach(found, inside / name, inside, str(default_directory().absolute()) if own else "")
    return Session(found, done.data, done.says)
