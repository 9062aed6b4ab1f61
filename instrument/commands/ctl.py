"""`classhook ctl`: asks a running JVM in which classhook is, and changes what it counts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from classhook.errors import Failure, UsageError
from classhook.live.answers import Answer
from classhook.live.attachment import changed, loops_in, postponed
from classhook.live.jvms import Jvm, named
from classhook.names import time_label
from classhook.probes.reasons import LOOP_RUNNING
from classhook.store import baseline
from classhook.store.opening import DataError
from classhook.terminal import say, show

EPILOG = """\
commands:
  status                 the state of the session, read from the data file, so
                         this works even if the JVM is stopped
  rules [list]           the rules, with their numbers
  rules add RULE         adds a rule; changes only classes that it applies to. A
                         rule that can never match the loaded classes is
                         refused, with the nearest thing that exists
  rules add -r FILE      adds the rules of a file, or stock rules by their name
  rules remove N|RULE    removes a rule; what it counted stays in the report
  pause N|RULE           removes a rule's probes but keeps the rule
  resume N|RULE          puts them back
  now                    changes the classes that wait for their loops to end:
                         a loop that runs is then slow until its method returns
  watch [RULE]           shows calls as they end, until Ctrl-C. With RULE, such
                         as `com.acme.Orders::place when arg0 > 100`, or
                         `com.acme.Orders:123 show total` for a line, the rule
                         is added now and removed at Ctrl-C; without it, calls
                         of the session's `watch` rules are shown
  reset                  makes reports begin at zero; coverage is kept
  rotate [N]             writes what was counted since the last `rotate` to a
                         file beside the data file; keeps N such files, or all
  snapshot FILE          copies the data file, for `classhook report FILE`
  threads                all threads with their states, what they wait for, and
                         which thread holds it; deadlocks
  gc                     a full garbage collection
  heap histogram         objects and bytes of each class
  heap dump FILE         a heap dump, for `classhook heap FILE`; all threads
                         are stopped while it is written
  hprof [OPTIONS]        writes what was counted so far to a file in HPROF's
                         format, with a dump of threads and monitors, and with
                         heap=dump of the heap. OPTIONS are HPROF's, such as
                         file=now.txt,depth=8
  jcmd COMMAND           a diagnostic command of the JVM, such as
                         `jcmd Thread.print -l`; `jcmd help` lists them
  agent [list]           the scripts of handlers in the JVM
  agent reload [FILE]    runs a script again and replaces its handlers; if it
                         fails, nothing changes. FILE replaces the script with
                         the same file name, or else the only script; options
                         as in `run --agent`. Without FILE: all scripts
  agent add FILE         adds a script; agent remove [FILE] removes one
  detach                 as `classhook detach`
  `rules add`, `rules remove`, `pause`, `resume` and `detach` take `--now` as
  `attach` does
  NAME [ARGUMENT]...     a command that a script of handlers defines

For these commands the agent creates a socket beside the data file,
DATA/PID-START.ctl, when it is first needed; only the JVM's user and root may
use it. Other programs can use the socket, too: they send a command as one line
and get lines of JSON: echo threads | nc -U classhook-data/4711-*.ctl

examples:
  classhook ctl 4711 status
  classhook ctl 4711 rules add 'count com.acme.Db::query(..)'
  classhook ctl com.acme.Main reset
"""


NOW = "--now"  # among the words of these:
CHANGES = ("rules", "pause", "resume", "watch", "detach")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jvm", metavar="PID|NAME", help="process id, or main class or jar, of the JVM")
    parser.add_argument("--json", action="store_true", help="print the answer as lines of JSON")
    parser.add_argument("--now", action="store_true", help="change classes at once, even if a loop of theirs runs, which is slow then")
    parser.add_argument("words", metavar="COMMAND ...", nargs=argparse.REMAINDER, help="see below")


def execute(args: argparse.Namespace) -> int:
    words = args.words
    while words[:1] in (["--json"], ["--now"]):  # argparse takes them for some of them
        args.json, args.now, words = args.json or words[0] == "--json", args.now or words[0] == "--now", words[1:]
    name, rest = (words[0], words[1:]) if words else ("", [])
    if args.now and name not in CHANGES:
        raise UsageError(f"--now is for {', '.join(CHANGES)}")
    if args.now:
        rest.append(NOW)
    if not name:
        raise UsageError(f"no command; there are {', '.join(COMMANDS)} (classhook ctl --help)")
    jvm = named(args.jvm)
    data = jvm.data()
    if data is None:
        raise Failure(f"{jvm.pid}: classhook is not in this JVM; attach it with `classhook attach {jvm.pid} -e RULE`")
    try:
        COMMANDS.get(name, scripts)(jvm, data, rest if name in COMMANDS else words, args.json)
    except DataError as error:
        raise Failure(str(error)) from None
    return 0


# ---- by the data file


def status(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.live.rule_changes import entries
    from classhook.summary.reading import read

    _none(words)
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
    show(f"{jvm.pid} {jvm.main}: {found['state']}, JVM {process.jvm}, counted for {time_label(process.duration_ns).strip()}")
    show(f"  classes: {snapshot.seen:,} seen, {snapshot.matched:,} matched by rules, {snapshot.woven:,} woven")
    show(f"  data: {data}")
    for loop in found["postponed"]:
        show(f"  {'not changed, as a loop ran' if process.end == 'detached' else 'changed when its loop ends'}: {loop}")
    for note in found["notes"]:
        show(f"  note: {note}")
    if found["rules"] and process.end == "detached":
        show("  rules when the session ended:")
    _show_rules(found["rules"])


def rules(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.live import rule_changes as live

    words, now = _without_now(words)
    match words:
        case [] | ["list"]:
            every = [{"rule": one.rule.text, "paused": one.paused} for one in live.entries(data)]
            if as_json:
                for number, one in enumerate(every, 1):
                    show(json.dumps({"number": number, **one}))
            else:
                _show_rules(every)
        case ["add", "-r" | "--rules", *files]:
            if len(files) != 1:
                raise UsageError("rules add -r FILE: name one file, or stock rules")
            _add(jvm, data, files, [], as_json, now)
        case ["add", _, *_]:
            _add(jvm, data, [], [" ".join(words[1:])], as_json, now)
        case ["remove", _, *_]:
            _changed(jvm, live.change(jvm, data, live.remove(" ".join(words[1:])), now), as_json)
        case _:
            raise UsageError("rules [list], rules add RULE, rules add -r FILE, or rules remove N|RULE")


def _add(jvm: Jvm, data: Path, files: list[str], texts: list[str], as_json: bool, now: bool) -> None:
    """Adds the rules that may match. Raises Failure if there are others."""
    from classhook.live import rule_changes as live
    from classhook.live.checked_rules import check
    from classhook.observe.unmatched_lines import unmatched_lines
    from classhook.rules.parse import load
    from classhook.rules.ruleset import RuleSet

    rules = load(files, texts)
    live.adding(rules)(live.entries(data))  # one that the session has needs no other answer
    checked = check(jvm, data, rules)
    for note in checked.notes:
        say(note)
    if checked.good:
        answer = live.change(jvm, data, live.adding(RuleSet(checked.good)), now)
        refused = unmatched_lines(data, checked.good)
        for text, why in refused.items():
            live.change(jvm, data, live.remove(text))
            checked.refused.append(f"this rule matches nothing, so it was removed again: {why}")
        if len(refused) < len(checked.good):
            _changed(jvm, answer, as_json)
    if checked.refused:
        raise Failure("\n".join(checked.refused))


def pause(jvm: Jvm, data: Path, words: list[str], as_json: bool, paused: bool = True) -> None:
    from classhook.live import rule_changes as live

    words, now = _without_now(words)
    if not words:
        raise UsageError("which rule? give its number or its text, as `rules list` shows them")
    _changed(jvm, live.change(jvm, data, live.pause(" ".join(words), paused), now), as_json)


def resume(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    pause(jvm, data, words, as_json, paused=False)


def watch(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from contextlib import nullcontext, suppress

    from classhook.live import rule_changes as live
    from classhook.live.checked_rules import check_all
    from classhook.observe.unmatched_lines import unmatched_lines
    from classhook.observe.watched_calls import follow, writer
    from classhook.rules.parse import load
    from classhook.rules.ruleset import RuleSet

    text = ""
    rules = RuleSet([])
    words, now = _without_now(words)
    if words:
        rules = load([], [" ".join(words if words[0] == "watch" else ["watch", *words])])
        (rule,) = rules.rules
        text = rule.text
        for note in check_all(jvm, data, rules):
            say(note)
    elif not any(one.rule.kind.split()[0] == "watch" for one in live.entries(data)):
        raise UsageError(
            "watch RULE: name the calls, such as `watch com.acme.Orders::place when arg0 > 100`, or lines: the session has no `watch` rule"
        )
    first = int(rule.clause("first") or 0) if text else 0
    write = writer(as_json)
    calls = follow(data, text, first, say)

    def tell(last: dict[str, Any]) -> None:
        for line in _postponed(jvm, last):
            say(line)

    with live.held(jvm, data, text, now, tell) if text else nullcontext(), suppress(KeyboardInterrupt):
        for why in unmatched_lines(data, rules.rules).values():
            raise Failure(f"this rule matches nothing: {why}")
        for snapshot, call in calls:
            show(write(snapshot, call))


def reset(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    _none(words)
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


# ---- by the agent


def agents(*fixed: str) -> Callable[[Jvm, Path, list[str], bool], None]:
    """A command that the agent answers."""

    def ask(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
        from classhook.live.control_socket import Control

        def each(line: Answer) -> None:
            show(json.dumps(line) if as_json else line["line"] if "line" in line else _thread(line))

        last = Control(jvm, data).ask(" ".join([*fixed, *words]), each)
        if as_json:
            show(json.dumps(last))
        elif "took_ns" in last:
            show(f"took {time_label(last['took_ns']).strip()}")

    return ask


def scripts(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    """A command that is none of ours: perhaps the script's in the JVM (instrument/scripts/own_commands.py)."""
    try:
        agents()(jvm, data, words, as_json)
    except Failure as failure:
        if "unknown command" not in str(failure):
            raise
        raise UsageError(f"unknown command {words[0]}; there are {', '.join(COMMANDS)} (classhook ctl --help)") from None


def agent(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.commands.common import script
    from classhook.live.control_socket import Control

    if jvm.is_apart and words[1:]:
        raise UsageError("a script cannot be loaded into a container yet")
    match words:
        case [] | ["list"]:
            agents("agent")(jvm, data, ["list"], as_json)
            return
        case ["reload" | "remove"]:
            pass
        case ["reload" | "add", word]:
            words = [words[0], script(word)]
        case ["remove", word]:  # the file may be gone
            words = ["remove", str(Path(word).resolve())]
        case _:
            raise UsageError("agent [list], agent reload [FILE], agent add FILE, or agent remove [FILE]")
    done = Control(jvm, data).ask(" ".join(["agent", *words]))
    if says := done.get("says"):
        say(says)
    _changed(jvm, done, as_json)


def heap(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    if words[:1] == ["dump"]:
        if len(words) != 2:
            raise UsageError("heap dump FILE: name the file to write")
        words = ["dump", str(Path(words[1]).absolute())]
    agents("heap")(jvm, data, words, as_json)


def hprof(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.hprof.of_jvm import written

    file = written(jvm, data, ",".join(words))
    if as_json:
        show(json.dumps({"ok": True, "file": file}))


def _thread(line: Answer) -> str:
    held = f", held by {line['held_by']}" if line.get("held_by") else ""
    waits = f"  waits for {line['waits_for']}{held}" if line.get("waits_for") else ""
    if "deadlock" in line:
        return f"deadlock {line['deadlock']}: {line['name']}{waits}, at {line['at']}"
    return f"{line['state']:9} {'daemon' * line['daemon']:6} {line['priority']:2}  {line['name']}{waits}"


def detach(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.live.control_socket import Control

    words, now = _without_now(words)
    _none(words)
    last = Control(jvm, data).ask("detach now" if now else "detach")
    _changed(jvm, last, as_json, "restored", f"classhook detach {jvm.pid} --now")
    if not last["moved"]:
        raise Failure(last["says"])


def now(jvm: Jvm, data: Path, words: list[str], as_json: bool) -> None:
    from classhook.live.control_socket import Control

    _none(words)
    _changed(jvm, Control(jvm, data).ask("now"), as_json)


def _without_now(words: list[str]) -> tuple[list[str], bool]:
    """Whether `--now` is at an end of the words, and the words without it."""
    at_end = words[-1:] == [NOW]
    words = words[:-1] if at_end else words
    return (words[1:], True) if words[:1] == [NOW] else (words, at_end)


def _postponed(jvm: Jvm, last: dict[str, Any], how: str = "changed", command: str = "") -> list[str]:
    return postponed(loops_in(last), how, command or f"classhook ctl {jvm.pid} now")


def _changed(jvm: Jvm, last: dict[str, Any], as_json: bool, how: str = "changed", command: str = "") -> None:
    if as_json:
        show(json.dumps(last or {"ok": True}))
    elif last:
        say(changed(last["classes"], last["stops"], last["longest_stop_ns"], how))
        for line in _postponed(jvm, last, how, command):
            say(line)
    else:
        say("nothing had to be changed")


def _show_rules(every: list[dict[str, Any]]) -> None:
    for number, one in enumerate(every, 1):
        show(f"{number:4}  {one['rule']}{'  (paused)' if one['paused'] else ''}")


def _none(words: list[str]) -> None:
    if words:
        raise UsageError(f"unexpected arguments: {' '.join(words)}")


COMMANDS: dict[str, Callable[[Jvm, Path, list[str], bool], None]] = {
    "status": status,
    "rules": rules,
    "pause": pause,
    "resume": resume,
    "now": now,
    "watch": watch,
    "reset": reset,
    "rotate": rotate,
    "snapshot": snapshot,
    "threads": agents("threads"),
    "gc": agents("gc"),
    "heap": heap,
    "hprof": hprof,
    "jcmd": agents("jcmd"),
    "agent": agent,
    "detach": detach,
}
