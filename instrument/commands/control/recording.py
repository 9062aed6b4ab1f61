"""Commands about the session's records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from classhook.base.errors import Failure, UsageError
from classhook.base.names import time_label
from classhook.base.terminal import show
from classhook.commands.control.answers import no_more, show_rules
from classhook.live.jvms import Jvm
from classhook.probes.reasons import LOOP_RUNNING
from classhook.store import baseline


def status(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.live.rule_changes import entries
    from classhook.model.reading.files import read

    no_more(words)
    snapshot = read([data])
    if not snapshot.processes:
        raise Failure("\n".join(snapshot.notes))
    process = snapshot.processes[0]
    found: dict[str, Any] = {
        "pid": jvm.pid,
        "jvm": process.jvm,
        "state": "detached" if process.end == "detached" else "attached",
        "data": str(data),
        "duration_ns": process.duration_ns,
        "seen": snapshot.seen,
        "matched": snapshot.matched,
        "woven": snapshot.woven,
        "rules": [{"rule": one.rule.text, "paused": one.paused} for one in entries(data)],
        "postponed": sorted({detail for *_, reason, detail in snapshot.skipped if reason == LOOP_RUNNING}),
        "notes": [*snapshot.notes, *process.notes],
    }
    if as_json:
        show(json.dumps(found))
        return
    show(
        f"{jvm.pid} {jvm.main}: {found['state']}, JVM {process.jvm}, counted for"
        f" {time_label(process.duration_ns).strip()}"
    )
    show(f"  classes: {snapshot.seen:,} seen, {snapshot.matched:,} matched by rules, {snapshot.woven:,} woven")
    show(f"  data: {data}")
    for loop in found["postponed"]:
        show(f"  {'not changed, as a loop ran' if process.end == 'detached' else 'changed when its loop ends'}: {loop}")
    for note in found["notes"]:
        show(f"  note: {note}")
    if found["rules"] and process.end == "detached":
        show("  rules when the session ended:")
    show_rules(found["rules"])


def reset(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    no_more(words)
    try:
        baseline.reset(data)
    except OSError as error:
        raise Failure(f"cannot reset {data}: {error.strerror}") from None
    if as_json:
        show(json.dumps({"ok": True}))


def rotate(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.store.rotation import rotate as rotated

    if len(words) > 1 or not all(word.isdigit() and int(word) for word in words):
        raise UsageError("rotate [N]: N is the number of earlier files to keep")
    try:
        made = rotated(data, int(words[0]) if words else 0)
    except OSError as error:
        raise Failure(f"cannot rotate {data}: {error.strerror}") from None
    if as_json:
        show(json.dumps({"ok": True, "file": None if made is None else str(made)}))
    else:
        show(str(made or f"{jvm.pid}: the session has ended; {data} is its last file"))


def snapshot(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    if len(words) != 1:
        raise UsageError("snapshot FILE: name the file to write")
    try:
        baseline.copy(data, Path(words[0]), alone=True)
    except OSError as error:
        raise UsageError(f"cannot write {words[0]}: {error.strerror}") from None
    if as_json:
        show(json.dumps({"ok": True, "file": words[0]}))
