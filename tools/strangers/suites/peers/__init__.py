"""The tests of BTrace and Byteman, said in rules and handlers, and proven.

1. btrace.toml and byteman.toml have what each of their tests wants, in our words, and how classhook says it. Every test
   that the clones have must be there.
2. The tests' own target classes are compiled from the clones. Programs of ours (BTraceTargets.java, BytemanTargets.java)
   call them so often, and with such values, that what must be recorded is known.
3. One JVM has all rules and handlers of a table. A rule with another result runs alone once more before it counts.
4. Nothing is compared with a run without classhook: what the program does is known.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from classhook import load
from classhook.base.launch import agent_option
from classhook.rules import parse
from classhook.rules.compiled import dumps
from classhook.weaving.weave import weave
from tests.conftest import ENVIRONMENT
from tools.compare.fetching import Failed
from tools.corpus.machines import Machine
from tools.strangers.outcome import Difference, Outcome, Row
from tools.strangers.suite import Place, Suite
from tools.strangers.suites.peers.rows import texts
from tools.strangers.suites.peers.tables import HERE, PEERS, VERDICTS, Clone, Peer, Said, clone, complete

PATIENCE = 600  # seconds for a JVM

#: Why a translation gives something else, by the name of the test.
EXPLAINED: dict[str, str] = {}


def run(place: Place) -> Outcome:
    clones = [clone(peer, place) for peer in PEERS]
    outcome = Outcome(", ".join(f"{one.peer.title} {one.version}" for one in clones))
    for one in clones:
        entries = one.peer.entries()
        leveled = complete(one, entries)
        outcome.notes += notes(one.peer, entries, leveled)
        for machine in list(place.jvms.values())[-1:] if place.short else place.jvms.values():
            outcome.rows += proven(one, machine, entries, place.folder)
            if leveled and not place.short:
                outcome.rows += proven(one, machine, entries, place.folder, leveled)
    outcome.notes.append("docs/questions/btrace.md lists what is said in part or not at all")
    return outcome


def proven(
    one: Clone, machine: Machine, entries: Sequence[Said], folder: Path, leveled: Collection[str] = ()
) -> list[Row]:
    """A row for each verdict; with `leveled`, only these tests, whose rules and handlers rest at first."""
    chosen = [entry for entry in entries if entry.gives is not None]
    if leveled:
        chosen = [entry for entry in chosen if set(entry.tests) & {*leveled}]
    found = results(one, machine, chosen, folder, bool(leveled))
    rows = []
    for verdict in VERDICTS[:2]:
        row = Row(f"{one.peer.title}, {'levels, ' if leveled else ''}{verdict}", str(machine.release), "", 0)
        of = [entry for entry in chosen if entry.verdict == verdict]
        for entry in of:
            tests = [test for test in entry.tests if not leveled or test in leveled]
            row.tests += len(tests)
            got, expected = found[entry], Counter(dict(entry.gives or ()))
            if got != expected:
                got = results(one, machine, [entry], folder, bool(leveled))[entry]
            if got != expected:
                what = f"{dict(got - expected)} instead of {dict(expected - got)}"
                row.differences += [Difference(test, what, EXPLAINED.get(test, "")) for test in tests]
        rows.append(row)
    return [row for row in rows if row.tests]


def results(
    one: Clone, machine: Machine, entries: Sequence[Said], folder: Path, levels: bool
) -> dict[Said, Counter[str]]:
    """Returns what each entry's rules and handlers record. `levels`: they rest until the program has run once."""
    together = [entry for entry in entries if not entry.alone and not entry.classfile]
    found = recorded(one, machine, together, folder, levels) if together else {}
    for entry in entries:
        if entry.classfile:
            found[entry] = woven(one, entry)
        elif entry.alone:
            expected = dict(entry.gives or ())
            all_of_it = recorded(one, machine, [entry], folder, levels)[entry]
            found[entry] = Counter({text: number for text, number in all_of_it.items() if text in expected})
    return found


def recorded(
    one: Clone, machine: Machine, entries: Sequence[Said], folder: Path, levels: bool
) -> dict[Said, Counter[str]]:
    rules = {entry: [one.rule(rule) for rule in entry.rules] for entry in entries}
    data, file, said = folder / "data", folder / "peers.rules", folder / "said.json"
    shutil.rmtree(data, ignore_errors=True)
    said.unlink(missing_ok=True)
    file.write_text(dumps(parse.load([], list(dict.fromkeys(rule for some in rules.values() for rule in some)))))
    script = f"{HERE / one.peer.table}_agent.py=to={said}" + (",levels" if levels else "")
    option = agent_option(file, data, script=script)
    words = ["0", "1"] if levels else ["1"]
    line = [machine.java, option, "-cp", one.class_path, one.peer.main, *words]
    done = subprocess.run(line, capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE)
    if done.returncode or not said.exists():
        raise Failed(f"{one.peer.main} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}")
    by_rule = texts(load(data).to_dict())
    handled = json.loads(said.read_text())
    return {
        entry: sum((by_rule[rule] for rule in rules[entry]), Counter()) + by_script(entry, handled) for entry in entries
    }


def by_script(entry: Said, handled: dict[str, int]) -> Counter[str]:
    names = {test.rpartition("/")[2].partition(":")[0] for test in entry.tests} if entry.script else set()
    return Counter({text: number for text, number in handled.items() if text.partition(" ")[0] in names})


def woven(one: Clone, entry: Said) -> Counter[str]:
    """Weaves a class file that cannot be loaded, for its supertypes are not in the clone."""
    data = next(one.root.rglob(entry.classfile)).read_bytes()
    made = weave(data, parse.load([], list(entry.rules)), in_jdk=False)
    return Counter({"a class woven": int(made.data != data)})


def notes(peer: Peer, entries: Sequence[Said], leveled: Collection[str]) -> list[str]:
    """Says how many tests have each verdict. The page about the peers lists kinds of places that are said in part."""
    tests = {verdict: [e for e in entries if e.verdict == verdict for _ in e.tests] for verdict in VERDICTS}
    by_script = sum(entry.script for entry in tests["said"])
    numbers = ", ".join(f"{len(some)} {verdict}" for verdict, some in tests.items())
    found = f"{peer.title}: {numbers}; {by_script} of those said by handlers in Python"
    if leveled:
        again = sum(len(set(e.tests) & set(leveled)) for e in entries if e.gives is not None)
        found += f"; {again} of {len(leveled)} also with levels"
    return [f"{found}; {peer.note}"]


SUITE = Suite(
    title="BTrace and Byteman",
    source="github.com/btraceio/btrace, github.com/bytemanproject/byteman",
    about="what their tests say, said in rules and handlers about the same classes",
    run=run,
)
