"""Reads HPROF's text by its documented form, strictly, as old analysers do: TRACE and THREAD lines, then tables between
BEGIN and END.

The form is that of the JDK's own hprof_io.c; a line that it could not have written is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NUMBER = r"(\d+)"
PERCENT = r"(\d+\.\d\d)%"
TABLES = {
    "SITES": (2, rf" *{NUMBER} +{PERCENT} +{PERCENT} +{NUMBER} +{NUMBER} +{NUMBER} +{NUMBER} +{NUMBER} (\S.*)"),
    "CPU SAMPLES": (1, rf" *{NUMBER} +{PERCENT} +{PERCENT} +{NUMBER} +{NUMBER} (\S.*)"),
    "CPU TIME (ms)": (1, rf" *{NUMBER} +{PERCENT} +{PERCENT} +{NUMBER} +{NUMBER} (\S.*)"),
    "MONITOR TIME": (1, rf" *{NUMBER} +{PERCENT} +{PERCENT} +{NUMBER} +{NUMBER} (\S.*) \(Java\)"),
}
BEGIN = re.compile(
    r"(SITES|CPU SAMPLES|CPU TIME \(ms\)|MONITOR TIME) BEGIN \((ordered by .*|total = \d+(?: ms)?)\) \w{3} \w{3} +\d+"
    r" [\d:]{8} \d{4}"
)
TRACE = re.compile(r"TRACE (\d+):(?: \(thread=(\d+)\))?")
FRAME = re.compile(r"\t(?:<empty>|(\S.*)\.([^.(]+)\(([^:]*):(\d+|Unknown line|Native method|Compiled method)\))")
START = re.compile(r'THREAD START \(obj=([0-9a-f]+), id = (\d+), name="([^"]*)", group="([^"]*)"\)')
END = re.compile(r"THREAD END \(id = (\d+)\)")
STATE = re.compile(r"    THREAD (\d+), trace (\d+), status: (R|MW|CW|SL|NS|ZO|UN)")
MONITOR = re.compile(r"    MONITOR (\S+)( unowned)?")
OWNER = re.compile(r"\towner: thread (\d+), entry count: (\d+)")
WAITING = re.compile(r"\twaiting (to enter|to be notified):((?: thread \d+)*)")
HEAP = re.compile(r"HEAP DUMP BEGIN \((\d+) objects, (\d+) bytes\) .*")
OBJECT = re.compile(r"(OBJ|ARR|CLS|ROOT) ([0-9a-f]+) \((.*)\)")
REFERENCE = re.compile(r"\t(\S[^\t]*)\t+([0-9a-f]+)")


@dataclass
class Monitor:
    type: str
    owner: int = 0
    entries: int = 0
    waiting: dict[str, list[int]] = field(default_factory=dict)


@dataclass
class Text:
    """`tables`: rows of groups by name; `frames`: by trace, (class, method, source, line); `heap`: the objects' lines,
    with their references; `of_threads`: traces' threads; `roots`: objects and what kind of root they are; `objects`:
    those of threads; `times`: those that the file and its tables have."""

    frames: dict[int, list[tuple[str, str, str, str]]] = field(default_factory=dict)
    threads: dict[int, str] = field(default_factory=dict)
    of_threads: dict[int, int] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    tables: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    totals: dict[str, str] = field(default_factory=dict)
    states: dict[int, tuple[int, str]] = field(default_factory=dict)
    monitors: list[Monitor] = field(default_factory=list)
    counted: tuple[int, int] = (0, 0)
    times: set[str] = field(default_factory=set)
    heap: dict[str, tuple[str, str, dict[str, str]]] = field(default_factory=dict)
    roots: list[tuple[str, str]] = field(default_factory=list)
    objects: dict[int, str] = field(default_factory=dict)

    def methods(self, trace: str | int) -> list[str]:
        return [method for _, method, *_ in self.frames[int(trace)]]

    def thread(self, name: str) -> int:
        return next(number for number, known in self.threads.items() if known == name)


def read(text: str) -> Text:
    lines = text.split("\n")
    assert re.fullmatch(r"JAVA PROFILE 1\.0\.1, created \w{3} \w{3} +\d+ [\d:]{8} \d{4}", lines[0])
    at = lines.index("--------") + 1
    assert lines[-1] == ""
    found = Text(times={lines[0].partition("created ")[2]})
    while at < len(lines) - 1:
        line = lines[at]
        if not line:
            at += 1
        elif start := START.fullmatch(line):
            found.threads[int(start[2])] = start[3]
            found.objects[int(start[2])] = start[1]
            at += 1
        elif end := END.fullmatch(line):
            assert int(end[1]) in found.threads
            found.ended.add(int(end[1]))
            at += 1
        elif trace := TRACE.fullmatch(line):
            at = _trace(found, int(trace[1]), lines, at + 1)
            if trace[2]:
                assert int(trace[2]) in found.threads
                found.of_threads[int(trace[1])] = int(trace[2])
        elif table := BEGIN.fullmatch(line):
            at = _table(found, table[1], table[2], lines, at + 1)
        elif line == "MONITOR DUMP BEGIN":
            at = _monitors(found, lines, at + 1)
        elif heap := HEAP.fullmatch(line):
            found.counted = int(heap[1]), int(heap[2])
            at = _heap(found, lines, at + 1)
        else:
            raise AssertionError(f"line {at + 1}: {line}")
    return found


def _trace(found: Text, number: int, lines: list[str], at: int) -> int:
    frames = found.frames.setdefault(number, [])
    while frame := FRAME.fullmatch(lines[at]):
        if frame[1]:
            frames.append((frame[1], frame[2], frame[3], frame[4]))
        at += 1
    return at


def _table(found: Text, name: str, total: str, lines: list[str], at: int) -> int:
    heads, form = TABLES[name]
    assert all("rank" in line or "percent" in line for line in lines[at : at + heads])
    end = lines.index(f"{name.removesuffix(' (ms)')} END", at)
    rows = [re.fullmatch(form, line) for line in lines[at + heads : end]]
    assert all(rows), [line for line, row in zip(lines[at + heads : end], rows, strict=True) if not row]
    found.tables[name] = [row.groups() for row in rows if row]
    found.totals[name] = total
    found.times.add(lines[at - 1].rpartition(") ")[2])
    return end + 1


def _monitors(found: Text, lines: list[str], at: int) -> int:
    while lines[at] != "MONITOR DUMP END":
        line = lines[at]
        if state := STATE.fullmatch(line):
            found.states[int(state[1])] = int(state[2]), state[3]
        elif monitor := MONITOR.fullmatch(line):
            found.monitors.append(Monitor(monitor[1]))
        elif owner := OWNER.fullmatch(line):
            found.monitors[-1].owner, found.monitors[-1].entries = int(owner[1]), int(owner[2])
        else:
            waiting = WAITING.fullmatch(line)
            assert waiting, line
            found.monitors[-1].waiting[waiting[1]] = [int(one) for one in re.findall(r"\d+", waiting[2])]
        at += 1
    return at + 1


def _heap(found: Text, lines: list[str], at: int) -> int:
    references: dict[str, str] = {}
    while lines[at] != "HEAP DUMP END":
        if one := OBJECT.fullmatch(lines[at]):
            references = {}
            if one[1] == "ROOT":
                found.roots.append((one[2], one[3]))
            else:
                found.heap[one[2]] = (one[1], one[3], references)
        else:
            reference = REFERENCE.fullmatch(lines[at])
            assert reference, lines[at]
            references[reference[1]] = reference[2]
        at += 1
    return at + 1
