"""Sums data files up: processes, classes, and for each method and site the sum over all blocks.

1. A file's descriptions come in order: the rules, then woven classes with their probe tables, skips, names.
2. Each probe's value is the sum over all blocks of slots; a timed method's record is found in the same block's records.
3. Rows of several processes, loaders or weavings are summed by class, method and descriptor.
4. Of rules that matched no method it is said whether a class that they name was left whole, or what they may have meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from time import time_ns
from typing import Any

from instrument import probes
from instrument.datafile import Block, DataError, DataFile, read_file
from instrument.rows import MethodRow, Process, RuleRow, SiteRow, Snapshot
from native._layout import ffi

lib = ffi.dlopen(None)  # the header's constants

NO_MINIMUM = (1 << 64) - 1
ENDS = {lib.CH_EXIT: "exit", lib.CH_HALT: "halt"}


def data_files(paths: Iterable[Path]) -> list[Path]:
    """The data files that `paths` (files or directories) name, each once. Raises DataError where a path does not exist."""
    found: dict[Path, Path] = {}
    for path in paths:
        if path.is_dir():
            named = sorted(path.glob("*.classhook"))
        elif path.exists() or path.is_symlink():
            named = [path]
        else:
            raise DataError(f"{path}: no such file or directory")
        for file in named:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def read(files: Iterable[Path]) -> Snapshot:
    """The sum of all data files; one that cannot be read becomes a note."""
    snapshot = Snapshot()
    known: dict[tuple[int, int], Path] = {}
    for path in files:
        try:
            file = read_file(path)
            name = (file.header.pid, file.header.start_unix_ns)
            if name in known:
                raise DataError(f"{path}: a copy of {known[name]}, or an earlier state of it; not counted again")
            known[name] = path
            _add_file(snapshot, file)
        except DataError as error:
            snapshot.notes.append(str(error))
    snapshot.processes.sort(key=lambda p: p.start_unix_ns)
    for row in snapshot.methods.values():
        if row.over_budget and row.completed:  # in one process, and timed in another
            row.sample = max(row.sample, 2, round(row.calls / row.completed))
        row.timed &= not row.over_budget or row.completed > 0
        if row.sample > 1:
            row.scale()
    _suggest(snapshot)
    return snapshot


def _suggest(snapshot: Snapshot) -> None:
    """Says of rules that matched no method why that is, or what they may have meant."""
    from rules.ruleset import RuleSet
    from rules.suggest import nearest

    left = {name for name, method, *_ in snapshot.skipped if not method}
    for text, row in snapshot.rules.items():
        if not row.matched_methods and text in snapshot.parsed_rules:
            rule = RuleSet([snapshot.parsed_rules[text]])
            row.left_classes = sum(rule.bind(name, False, frozenset, frozenset) is not None for name in left)
            row.matched_classes += row.left_classes
            names = snapshot.class_names | set(snapshot.class_sources)
            row.nearest = nearest(rule.rules[0], names, snapshot.missed) or ""


def _add_file(snapshot: Snapshot, file: DataFile) -> None:
    """Adds one process."""
    process, header = _process(file), file.header
    snapshot.processes.append(process)
    snapshot.seen += header.seen
    snapshot.matched += header.matched
    snapshot.woven += header.woven
    snapshot.cached += header.cached
    rules: list[str] = []
    damaged = 0
    for kind, first_slot, text in file.descriptions():
        try:
            if kind == lib.CH_META_RULES:
                rules = _rules(snapshot, text)
            elif kind in (lib.CH_META_CLASS, lib.CH_META_SKIP):
                _ClassReader(snapshot, file, rules, first_slot).read(text)
            elif kind == lib.CH_META_NAMES:
                snapshot.class_names.update(text.decode("utf-8", "replace").replace("/", ".").split())
            elif kind == lib.CH_META_NOTE:
                process.notes.append(text.decode("utf-8", "replace"))
        except ValueError:
            damaged += 1
    if damaged:
        process.notes.append(f"{file.path}: {damaged} damaged descriptions were left out, and what was counted there")
    if header.refused:
        process.notes.append(f"{header.refused} pieces of counter memory found no room on the disk; what they counted is missing")


def _process(file: DataFile) -> Process:
    header = file.header
    words = bytes(ffi.buffer(header.command)).split(b"\0\0", 1)[0].decode("utf-8", "replace").split("\0")
    return Process(
        pid=header.pid,
        jvm=_text(header.jvm),
        jvm_name=_text(header.jvm_name),
        command=" ".join(words),
        start_unix_ns=header.start_unix_ns,
        duration_ns=max(time_ns() - header.start_unix_ns if file.running else header.last_ns - header.first_ns, 0),
        end=ENDS.get(header.how_ended, "running" if file.running else "killed"),
        file=str(file.path),
        python_ns=header.python_ns,
        weaving_ns=header.weaving_ns,
        time_cost_ns=header.time_cost_ps / 1000,
        count_cost_ns=header.count_cost_ps / 1000,
        notes=file.notes,
    )


def _text(field: Any) -> str:
    return bytes(ffi.buffer(field)).split(b"\0", 1)[0].decode("utf-8", "replace")


def _rules(snapshot: Snapshot, text: bytes) -> list[str]:
    """The texts of the rules, which are known to the snapshot from now on, matching or not. Raises ValueError."""
    from rules.compiled import loads
    from rules.errors import RuleError

    try:
        rules = loads(text.decode()).rules
    except RuleError as error:
        raise ValueError(str(error)) from None
    for rule in rules:
        snapshot.rules.setdefault(rule.text, RuleRow())
        snapshot.parsed_rules[rule.text] = rule
        if rule.name:
            snapshot.rule_names[rule.text] = rule.name
    return [rule.text for rule in rules]


def signed(word: int) -> int:
    """A 64-bit word as a signed number."""
    return word - (1 << 64) if word >> 63 else word


class _ClassReader:
    """Adds what one description of a class says, with its counts, to the snapshot."""

    def __init__(self, snapshot: Snapshot, file: DataFile, rules: list[str], first_slot: int) -> None:
        self.snapshot = snapshot
        self.file = file
        self.blocks = file.blocks
        self.ns_per_tick = file.ns_per_tick
        self.rules = rules
        self.first_slot = first_slot
        self.name = ""

    def read(self, text: bytes) -> None:
        """Reads the lines of instrument/probes.py. Raises ValueError at one that is damaged."""
        own_rules: list[str] = []
        snapshot = self.snapshot
        for line in probes.decode(text):
            match line:
                case "M", slot, kind, rule, method, descriptor if kind[:1] in ("t", "c", "p"):
                    self.add_method(int(slot), kind[0], rule, method, descriptor)
                case "A", slot, (probes.OBJECT | probes.ARRAY) as kind, rule, method, descriptor, line_number, bci, type_name:
                    site = self.site_row(method, descriptor, int(line_number), int(bci), type_name)
                    site.rule = site.rule or self.rule(rule)
                    self.add_site(site, int(slot), kind == probes.OBJECT)
                case "C", name, source:
                    self.name = name.replace("/", ".")
                    snapshot.class_sources[self.name] = source
                case "R", index, methods:
                    row = snapshot.rules.setdefault(self.rule(index), RuleRow())
                    row.matched_classes += 1
                    row.matched_methods += int(methods)
                case "U", rule:  # woven ahead of time: it brings its rules along
                    own_rules.append(rule)
                    self.rules = own_rules
                case "N", _, method, descriptor:
                    snapshot.missed.add((self.name, method, descriptor))
                case "S", method, descriptor, reason, detail:
                    key = (self.name, method, descriptor, reason, detail)
                    snapshot.skipped[key] = snapshot.skipped.get(key, 0) + 1
                case _:
                    raise ValueError(f"an unknown line: {line}")

    def rule(self, index: str) -> str:
        number = int(index)
        return self.rules[number] if 0 <= number < len(self.rules) else "?"

    def add_method(self, slot: int, kind: str, rule: str, method: str, descriptor: str) -> None:
        row = self.snapshot.methods.setdefault((self.name, method, descriptor), MethodRow())
        row.rule = row.rule or self.rule(rule)
        row.timed |= kind != "c"
        at = self.first_slot + slot
        given_up = False
        if kind == "p":  # paced: the next slot has the calls that a record does not
            sample = self.file.sample(at)
            given_up = sample == lib.CH_COUNTED
            row.over_budget |= given_up
            row.sample = row.sample if given_up else max(row.sample, sample)
        for block in self.blocks:
            value = block.slot(at)
            if kind == "c":
                row.calls += value
            elif value and not given_up:  # its first calls, which would tell nothing of the others
                self.add_record(row, block, value)
            if kind == "p":
                row.calls += block.slot(at + 1)

    def add_record(self, row: MethodRow, block: Block, at: int) -> None:
        record = block.record(at)
        if record is None:
            return  # its part of the file is missing, which was said
        scale = self.ns_per_tick
        row.calls += record.calls
        row.completed += record.completed
        row.exceptions += record.exceptions
        row.total_ns += round(record.total * scale)
        row.self_ns += round(signed(record.self) * scale)
        row.max_ns = max(row.max_ns, round(record.max * scale))
        if record.min != NO_MINIMUM:
            least = round(record.min * scale)
            row.min_ns = least if row.min_ns is None else min(row.min_ns, least)
        for octave, unit in enumerate(list(record.octaves)):
            steps = block.records.read(unit * lib.CH_UNIT, 8 * lib.CH_OCTAVE_STEPS) if unit else None
            if steps is not None:
                row.histogram.add_octave(octave, steps, scale)

    def site_row(self, method: str, descriptor: str, line: int, bci: int, type_name: str) -> SiteRow:
        return self.snapshot.sites.setdefault((self.name, method, descriptor, line, bci, type_name), SiteRow())

    def add_site(self, row: SiteRow, slot: int, is_object: bool) -> None:
        at = self.first_slot + slot
        count = sum(block.slot(at) for block in self.blocks)
        row.count += count
        if is_object:  # the object's size lies in the shared block
            row.bytes += count * (self.blocks[0].slot(at + 1) if self.blocks else 0)
        else:
            row.bytes += sum(block.slot(at + 1) for block in self.blocks)
