"""A gate: the numbers of a run that must not grow, kept in a file that is committed with the program.

1. The numbers are exact sums: calls, executed bytecodes, allocated bytes. They are kept for each part (test, container,
   context) and for what is outside of all, so that nothing escapes, and for each method.
2. The file is JSON with a line for each of them, so that its changes are easy to read. It also has what makes runs
   comparable: rules, number of JVMs, and methods whose bytecodes are not known.
3. A part is beyond the gate if one of its numbers grew by more than what is allowed. Methods that grew too, and ran in
   the part, are named as the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from classhook.base.errors import Failure, UsageError
from classhook.base.names import method_text, numbered, printable
from classhook.measures.cover.reader import PROBED
from classhook.measures.tables import tables
from classhook.model.costs import COSTS, Costs
from classhook.model.snapshot import Snapshot
from classhook.model.snapshot_scope import NOBODY
from classhook.reports.contexts import each
from classhook.reports.costs import add_costs_of

#: The numbers, in the order of the file.
QUANTITIES = ("calls", "bytecodes", "bytes")
FORMAT = 1
OUTSIDE = ""  # the part of what ran outside of tests and contexts
SHOWN = 5  # methods of a part
PARTS_SHOWN = 50

Numbers = dict[str, int]


@dataclass(slots=True)
class Gate:
    """`by`: test, context or run; `jvms`: how many processes counted; `unknown`: methods whose bytecodes are not known;
    `parts`: by name; `methods`: by class, `::`, name and descriptor; `ran`: the methods of each part, if they are
    known."""

    by: str
    rules: list[str] = field(default_factory=list)
    jvms: int = 1
    unknown: list[str] = field(default_factory=list)
    parts: dict[str, Numbers] = field(default_factory=dict)
    methods: dict[str, Numbers] = field(default_factory=dict)
    ran: dict[str, set[str]] = field(default_factory=dict)

    @property
    def what(self) -> str:
        """Its parts in words."""
        named = len(self.parts.keys() - {OUTSIDE})
        return numbered(named, f"{self.by}s") if named else "the whole run"

    def part(self, name: str) -> str:
        """A part's name in words."""
        return printable(name) or ("the run" if self.by == "run" else f"outside of {self.by}s")


@dataclass(frozen=True, slots=True)
class Growth:
    """A number that is more than what the gate has."""

    name: str
    quantity: str
    before: int
    after: int

    def text(self, name: str) -> str:
        """The growth in words, of what people know by this name."""
        change = f" ({100 * (self.after - self.before) / self.before:+.1f} %)" if self.before else ""
        return f"{name}: {numbered(self.after, self.quantity)}, {self.before:,} before{change}"


def measured(snapshot: Snapshot) -> Gate:
    """The numbers of a run. Raises Failure if there are none."""
    by = "test" if any(run.is_test for run in snapshot.tests) else "context" if snapshot.entered else "run"
    gate = Gate(by, sorted(snapshot.rules), sum(one.contributed > 0 for one in snapshot.processes))
    gate.methods = _methods(snapshot)
    gate.unknown = sorted(_name(key) for key, row in snapshot.tables[PROBED.name].items() if row.unknown)
    for name, part in _parts(snapshot):
        costs = Costs()
        add_costs_of(costs, part)
        found = {one: number for one in QUANTITIES if (number := getattr(costs, one))}
        if found:
            gate.parts[name] = found
            gate.ran[name] = {*_methods(part)}
    if not gate.parts:
        raise Failure(
            "there is nothing that a gate can hold: record calls of methods (`count`), executed bytecodes"
            " (`cover ... hits exact`) or allocations (`alloc`)"
        )
    return gate


def _parts(snapshot: Snapshot) -> Iterable[tuple[str, Snapshot]]:
    return each(snapshot, [*snapshot.entered, NOBODY]) if snapshot.entered else [(OUTSIDE, snapshot)]


def _name(key: tuple[Any, ...]) -> str:
    return f"{key[0]}::{key[1]}{key[2]}"


def _methods(snapshot: Snapshot) -> dict[str, Numbers]:
    found: dict[str, Numbers] = {}
    for table in tables():
        for key, row in snapshot.tables[table.name].items():
            section = table.section(row)
            for quantity in QUANTITIES:
                if section.kind in COSTS[quantity]:
                    number = section.main.value(row) if quantity == "bytes" else getattr(row, quantity)
                    if isinstance(number, int) and number:
                        of_method = found.setdefault(_name(key), {})
                        of_method[quantity] = of_method.get(quantity, 0) + number
    return found


def quantities(gate: Gate) -> set[str]:
    """The numbers that it has."""
    return {name for numbers in gate.parts.values() for name in numbers}


# ---- the file


def text(gate: Gate) -> str:
    """The content of the file."""
    heads = {"gate": FORMAT, "by": gate.by, "jvms": gate.jvms, "rules": gate.rules, "unknown": gate.unknown}
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in heads.items()]
    for title, some in (("parts", gate.parts), ("methods", gate.methods)):
        rows = [f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(one)}" for name, one in sorted(some.items())]
        lines.append(f'"{title}": {{\n' + ",\n".join(rows) + "\n}")
    return "{" + ",\n".join(lines) + "}\n"


def read(content: str) -> Gate:
    """Raises ValueError, which says what is wrong, if it is no such file."""
    try:
        found = json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict) or found.get("gate") != FORMAT:
        raise ValueError('there is no {"gate": 1, ...} in it')
    texts = {name: found.get(name) for name in ("rules", "unknown")}
    for name, value in texts.items():
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ValueError(f"`{name}` is no list of texts")
    gate = Gate(str(found.get("by")), found["rules"], _number(found.get("jvms"), "jvms"), found["unknown"])
    for title, into in (("parts", gate.parts), ("methods", gate.methods)):
        some = found.get(title)
        if not isinstance(some, dict) or not all(isinstance(numbers, dict) for numbers in some.values()):
            raise ValueError(f"`{title}` has no numbers")
        for name, numbers in some.items():
            into[name] = {one: _number(numbers[one], f"{one} of {name}") for one in QUANTITIES if one in numbers}
    if not quantities(gate):
        raise ValueError("it has no numbers")
    return gate


def _number(value: object, what: str) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"`{what}` is no number")
    return value


# ---- comparing


def comparable(before: Gate, after: Gate) -> None:
    """Raises UsageError if the numbers are not those of such a run as the gate's."""
    names = {before.by, after.by}
    if len(names) > 1:
        raise UsageError(f"the gate has numbers by {before.by}, and the data by {after.by}")
    if missing := sorted(quantities(before) - quantities(after)):
        unknown = f": the class files of {numbered(len(after.unknown), 'methods')} are missing" if after.unknown else ""
        raise UsageError(f"the gate holds {' and '.join(missing)}, and the data has none{unknown}")
    if before.rules != after.rules:
        differing = sorted({*before.rules} ^ {*after.rules})
        raise UsageError(f"the data has other rules than the gate: `{printable(differing[0])}` is on one side only")
    if before.jvms != after.jvms:
        jvms = numbered(after.jvms, "JVMs")
        raise UsageError(
            f"the data is that of {jvms}, and the gate has {before.jvms}: one run of the command is needed"
        )
    if not before.parts.keys() & after.parts.keys():
        raise UsageError(f"no {before.by} of the gate is in the data")


def broken(before: Gate, after: Gate, allowed: float) -> list[str]:
    """Lines about each part that is beyond the gate, the largest growth first, with the methods that grew in it; and
    about methods whose bytecodes are not known any more."""
    held = [one for one in QUANTITIES if one in quantities(before)]
    grown = sorted(
        _grown(before.parts, after.parts, before.parts.keys() & after.parts.keys(), held, allowed),
        key=lambda one: one.before - one.after,
    )
    reasons = {(one.name, one.quantity): one for one in _grown(before.methods, after.methods, after.methods, held, 0)}
    lines = []
    for one in grown[:PARTS_SHOWN]:
        lines.append(one.text(after.part(one.name)))
        found = [reasons[name, one.quantity] for name in after.ran[one.name] if (name, one.quantity) in reasons]
        found.sort(key=lambda reason: (reason.before - reason.after, reason.name))
        lines += [f"    in the whole run, {reason.text(_method(reason.name))}" for reason in found[:SHOWN]]
        if len(found) > SHOWN:
            lines.append(f"    and {numbered(len(found) - SHOWN, 'methods')} more")
    if len(grown) > PARTS_SHOWN:
        lines.append(f"and {numbered(len(grown) - PARTS_SHOWN, 'numbers')} more that grew")
    return lines + [
        f"{_method(name)}: its bytecodes are not known any more: its class file is missing, or it has grown too large"
        for name in after.unknown
        if name not in before.unknown
    ]


def _grown(
    before: Mapping[str, Numbers], after: Mapping[str, Numbers], names: Iterable[str], held: list[str], allowed: float
) -> Iterator[Growth]:
    """Numbers that are more than the allowed percentage above what was before."""
    for name in names:
        for quantity in held:
            then, now = before.get(name, {}).get(quantity, 0), after.get(name, {}).get(quantity, 0)
            if now > then * (1 + allowed / 100):
                yield Growth(name, quantity, then, now)


def _method(name: str) -> str:
    """The name of a method of the file, for people."""
    of, _, rest = name.partition("::")
    method, sign, descriptor = rest.partition("(")
    return method_text(of, method, sign + descriptor)


def remarks(before: Gate, after: Gate) -> list[str]:
    """Names the differences that are no reason to fail, and says what recording again would do about them."""
    held = [*QUANTITIES]
    both = before.parts.keys() & after.parts.keys()
    plural = f"{before.by}s"
    counts = {
        "not in the gate yet": len(after.parts.keys() - both),
        "of the gate that did not run": len(before.parts.keys() - both),
        "with less than before": len({one.name for one in _grown(after.parts, before.parts, both, held, 0)}),
    }
    found = [f"{numbered(count, plural)} {what}" for what, count in counts.items() if count]
    return [f"{', '.join(found)}; record the gate again to hold what there is now"] if found else []
