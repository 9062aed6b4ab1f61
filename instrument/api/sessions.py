"""`attach`: a session in a running JVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from classhook.api.recording import may_use_cache, prepare_for
from classhook.base.errors import Failure, UsageError
from classhook.live.class_changes import AS_USUAL, Manner
from classhook.live.jvms import Jvm

if TYPE_CHECKING:  # the command `attach` needs none of them
    from classhook.api.programs import Rules
    from classhook.api.result import Result
    from classhook.live.attachment import Done
    from classhook.rules.ruleset import RuleSet


class Session:
    """Classhook in a running JVM. As a context manager, it detaches at the end; the counts stay in `data`, its data
    file.

    Its methods raise Failure if the JVM has ended or does not answer; `snapshot` works even then.
    """

    def __init__(self, jvm: Jvm, begun: Done) -> None:
        self.pid = jvm.pid
        self.data = begun.data
        self.begun = begun  #: what the agent did to the loaded classes
        self.says = begun.says  #: the agent's messages
        self._jvm = jvm

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.detach()

    def __repr__(self) -> str:
        return f"<{'attached to' if self.attached else 'was attached to'} {self.pid}: {'; '.join(self.rules)}>"

    @property
    def running(self) -> bool:
        """True if the JVM is running."""
        from classhook.live.jvms import jvm_of

        return jvm_of(self.pid) is not None

    @property
    def attached(self) -> bool:
        """True if its classes are instrumented."""
        from classhook.live.observe.watching import running

        return self.running and running(self.data) and self.snapshot().processes[0].end == "running"

    @property
    def rules(self) -> list[str]:
        """The rules in force; those that are paused are not."""
        from classhook.live.rule_changes import entries, written

        return [one.rule.text for one in written(entries(self.data)).values() if not one.paused]

    def snapshot(self) -> Result:
        """The counts until now, since the last reset."""
        from classhook.api.reading import read_data
        from classhook.api.result import Result

        found = read_data([self.data])
        return Result(found.snapshot, found.files)

    def reset(self) -> None:
        """Makes results and reports begin at zero; coverage goes on."""
        from classhook.store import baseline
        from classhook.store.opening import DataError

        try:
            baseline.reset(self.data)
        except (DataError, OSError) as error:
            raise Failure(f"cannot reset {self.data}: {error}") from None

    def add(self, rule: str | Path) -> None:
        """Adds a rule, or the rules of a file. Raises RuleError; UsageError if the session has one of them; Failure if
        one can never match the loaded classes."""
        from classhook.live.checked_rules import check_all
        from classhook.live.observe.unmatched_lines import unmatched_lines
        from classhook.live.rule_changes import adding
        from classhook.rules.parse import load

        rules = load([rule], []) if isinstance(rule, Path) else load([], [rule])
        if self.running:
            self.says += check_all(self._jvm, self.data, rules)
        self._change(adding(rules))
        unmatched = unmatched_lines(self.data, rules.rules)
        for text in unmatched:
            self.remove(text)
        if unmatched:
            raise Failure("\n".join(unmatched.values()))

    def remove(self, rule: str) -> None:
        """Removes a rule, given by its text or its name; its counts stay. Raises UsageError."""
        from classhook.live.rule_changes import remove

        self._change(remove(rule))

    def pause(self, rule: str) -> None:
        """Removes a rule's probes until `resume`. Raises UsageError."""
        from classhook.live.rule_changes import pause

        self._change(pause(rule, paused=True))

    def resume(self, rule: str) -> None:
        """Restores a rule's probes. Raises UsageError."""
        from classhook.live.rule_changes import pause

        self._change(pause(rule, paused=False))

    def detach(self) -> None:
        """Restores the original classes. Does nothing if the JVM has ended or is detached already."""
        if not self.attached:
            return
        try:
            self.says += end(self._jvm).says
        except (Failure, OSError):
            if self.running:
                raise

    def _change(self, how: Callable[[list[Any]], list[Any]]) -> None:
        from classhook.live.rule_changes import change

        ended = f"{self.pid}: the JVM has ended"
        if not self.running:
            raise Failure(ended)
        try:
            change(self._jvm, self.data, how)
        except OSError as error:
            raise Failure(str(error) if self.running else ended) from None


def attach(
    jvm: int | str,
    rules: Rules,
    data: str | Path | None = None,
    *,
    reset: bool = False,
    cache: bool = True,
    now: bool = False,
) -> Session:
    """Attaches to a JVM, as `classhook attach` does.

    jvm: process id, or main class or jar
    rules: text, and files as Path objects
    data: the directory for the data, as the JVM sees it; None: classhook-data, in a container /tmp/classhook-data
    reset: has no effect: each session begins at zero
    now: instrument classes at once, even those with a running loop, which is then slow until its method returns

    Raises RuleError, UsageError, Failure.
    """
    from classhook.api.programs import rule_set
    from classhook.live.jvms import named
    from classhook.store.cache.packs import default_directory

    parsed = rule_set(rules)
    return begin(
        named(str(jvm)), parsed, data, str(default_directory().absolute()) if cache else "", manner=Manner(now)
    )


def begin(
    jvm: Jvm,
    rules: RuleSet,
    data: str | Path | None,
    cache: str = "",
    script: str = "",
    manner: Manner = AS_USUAL,
    labels: Sequence[str] = (),
) -> Session:
    """Begins a session. `cache`: the directory of woven classes, which JVMs of other users do without; `script`:
    scripts of handlers, as the agent's option has them; `labels`: NAME=VALUE, beside what is known of the JVM's run.

    Raises UsageError, Failure, Cancelled.
    """
    from classhook.live import attachment

    if script and jvm.is_apart:
        raise UsageError(
            "a script cannot be loaded into a container yet: start the JVM with `classhook run --agent` there"
        )
    recording = prepare_for(jvm, rules, data)
    return Session(
        jvm,
        attachment.attach(
            jvm, recording.rules, recording.data, cache if may_use_cache(jvm) else "", script, manner, labels
        ),
    )


def end(jvm: Jvm, manner: Manner = AS_USUAL) -> Done:
    """Ends the session of a JVM, whoever began it. Raises Failure."""
    from classhook.live import attachment
    from classhook.live.jvms import jvm_of

    found = jvm_of(jvm.pid)
    if found is None:
        raise Failure(f"{jvm.pid}: the JVM has ended")
    if not found.mapped:
        raise Failure(f"{jvm.pid}: classhook is not in this JVM")
    return attachment.detach(jvm, manner)
