"""Questions of scripts about their session: the rules, as with `classhook ctl PID rules`, and the counts, as with
`classhook.load`.

Both read the JVM's own data file, by modules that are imported when they are first needed.
"""

from __future__ import annotations

import json

from classhook.base.embedded import events as jvm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from classhook.api.result import Result
    from classhook.live.rule_changes import Entry
    from classhook.rules.syntax import Rule


class Rules:
    """`agent.rules`: those in force, and those that are paused. All of it raises RuntimeError while the script is run,
    before the JVM is up."""

    def list(self) -> list[dict[str, Any]]:
        """`rule`, its text, and whether it is `paused`, in their order."""
        from classhook.live.rule_changes import entries, written

        return [{"rule": one.rule.text, "paused": one.paused} for one in written(entries(data_file())).values()]

    def add(self, rule: str) -> None:
        """One more rule; only the classes that it concerns are changed. Raises RuleError."""
        from classhook.live.rule_changes import add

        change(add(rule))

    def remove(self, which: int | str) -> None:
        """A rule, by its number from 1 on, its text, or its name. Its counts stay. Raises UsageError if there is no
        such rule."""
        from classhook.live.rule_changes import remove

        change(remove(str(which)))

    def pause(self, which: int | str) -> None:
        """Pauses the rule until it is resumed. Raises UsageError."""
        from classhook.live.rule_changes import pause

        change(pause(str(which), True))

    def resume(self, which: int | str) -> None:
        """Raises UsageError."""
        from classhook.live.rule_changes import pause

        change(pause(str(which), False))


def snapshot() -> Result:
    """The counts of this JVM until now. Raises RuntimeError before it is up."""
    from classhook.api.programs import load

    return load(data_file())


def add_rules(rules: list[Rule]) -> tuple[str, ...]:
    """Rules of a handler that is added while the JVM runs; loops for whose end classes wait, as `change` says. Raises
    RuntimeError."""
    from classhook.live.rule_changes import Entry

    return change(lambda every: [*every, *map(Entry, rules)])


def drop_rules(rules: list[Rule]) -> tuple[str, ...]:
    """The same backwards. Raises RuntimeError."""
    texts = {rule.text for rule in rules}
    return change(lambda every: [entry for entry in every if entry.rule.text not in texts])


# ---- by the agent


def ask(line: str) -> dict[str, Any]:
    """The last line of an answer. Raises Refused."""
    from classhook.live.answers import Refused

    answer: dict[str, Any] = json.loads(jvm.ask(line).splitlines()[-1])
    if "error" in answer:
        raise Refused(answer["error"], answer.get("code", ""))
    return answer


def data_file() -> Path:
    """Raises RuntimeError."""
    from pathlib import Path

    from classhook.base.errors import Failure

    try:
        return Path(ask("status")["data"])
    except Failure as failure:
        raise RuntimeError(str(failure)) from None


def change(how: Callable[[list[Entry]], list[Entry]]) -> tuple[str, ...]:
    """The loops that run, `com.acme.Orders::run (thread main)`, for whose end all classes wait that are to be changed,
    for these rules or others. Raises UsageError, RuntimeError with the agent's reason."""
    from contextlib import contextmanager
    from tempfile import NamedTemporaryFile

    from classhook.base.errors import Failure
    from classhook.live.attachment import loops_in
    from classhook.live.rule_changes import exchanged

    @contextmanager
    def filed(text: str) -> Iterator[str]:
        with NamedTemporaryFile(suffix=".rules") as file:
            file.write(text.encode())
            file.flush()
            yield file.name

    try:
        return loops_in(exchanged(data_file(), how, ask, filed))
    except Failure as failure:
        raise RuntimeError(str(failure)) from None
