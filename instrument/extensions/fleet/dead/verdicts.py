"""Puts each method into a group, by what production and tests call.

1. The code of a method is its body in the newest run that knows it, or in the classes that the user names. The runs of
   other bodies of the method say nothing about this one; where no body is known, all runs count.
2. A method of a class that production never loaded was not called by the runs whose rules match it. Where there are
   none, or the method is in a version that production has not run yet, nothing is known of it. So it is with a method
   that could not be instrumented.
3. Test classes do not count, nor do methods that exclusions name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from classhook.base.readable import Readable
from classhook.extensions.fleet.dataset.method_bodies import Bodies
from classhook.extensions.fleet.dead.exclusions import excluded
from classhook.extensions.fleet.dead.observations import LAST, About, Known, Observation, Observed, Use
from classhook.extensions.fleet.dead.runs_by_rules import RunsByRules
from classhook.model.call_tree import MethodKey

DEAD, UNUSED, UNTESTED, NORMAL = "dead", "unused", "untested", "normal"


EXCEPT = "--except"


class Group(NamedTuple):
    """`title`: for people; `about`: what is known of its methods."""

    title: str
    about: str


GROUPS = {
    DEAD: Group("Dead", "neither production nor tests called them"),
    UNUSED: Group("Tested, but not used", "only tests called them"),
    UNTESTED: Group("Used, but not tested", "production called them, and no test"),
    NORMAL: Group("Used and tested", "production and tests called them"),
}


@dataclass(frozen=True, slots=True)
class Options:
    """`days`: for how long a method must have been observed; `idle`: after how many days without a call it counts as
    not used, None: never; `matches`: the methods that are asked for, `excepts`: those that are left out; `services`:
    names of classes that service files name."""

    days: int = 0
    idle: int | None = None
    matches: Callable[[MethodKey], bool] | None = None
    excepts: Callable[[MethodKey], bool] | None = None
    services: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """A method. `production`: the runs that would have seen it, with its calls; `loaded`: its class was loaded there;
    `tests`: how many test runs ran it."""

    key: MethodKey
    group: str
    about: About
    production: Use
    loaded: bool
    tests: int
    place: str = ""  # of its source file, if the user names the sources

    @property
    def path(self) -> str:
        """The path of its source file, as far as known."""
        return self.place or self.file

    @property
    def file(self) -> str:
        """The name of its source file, with the folders of its package; empty if unknown."""
        package, dot, _ = self.key[0].rpartition(".")
        return package.replace(".", "/") + "/" * bool(dot) + self.about.source if self.about.source else ""


@dataclass(slots=True)
class Verdicts:
    """`excluded`: how many methods, by exclusion; `recent`: those that were observed for too short a time; `unseen`:
    methods that no run of production would have seen."""

    production: Observation
    tests: Observation
    found: list[Verdict] = field(default_factory=list)
    excluded: Counter[str] = field(default_factory=Counter)
    recent: int = 0
    unseen: int = 0
    notes: list[str] = field(default_factory=list)

    def in_group(self, group: str) -> list[Verdict]:
        """The methods of a group: those observed longest first, then by name."""
        return sorted(
            (one for one in self.found if one.group == group), key=lambda one: (-one.production.days, one.key)
        )

    @property
    def doubt(self) -> str:
        """The uses that a window as short as this cannot show; empty after a year and a month."""
        days = self.production.days
        spans = [
            name
            for name, length in (("day", 2), ("week", 14), ("month", 62), ("quarter", 180), ("year", 396))
            if days < length
        ]
        return (
            f"production was observed for {days} days: what runs once a {' or a '.join(spans[:1] + spans[-1:])} may be"
            " missing"
            if spans
            else ""
        )


def verdicts(observed: Observed, bodies: Bodies, options: Options) -> Verdicts:
    """`bodies`: the program's classes as they are now; without any, those of the runs count."""
    found = Verdicts(observed.all_runs(False), observed.all_runs(True), notes=observed.notes)
    loaded = {key[0] for key, known in observed.methods.items() if any(not is_test for is_test, _ in known.uses)}
    ruled = RunsByRules(observed)
    for key, known in methods(observed, bodies).items():
        if options.matches is not None and not options.matches(key):
            continue
        if is_test_class(key[0], observed.test_classes):
            continue
        reason = (
            EXCEPT
            if options.excepts is not None and options.excepts(key)
            else excluded(key, known.about, options.services)
        )
        if reason:
            found.excluded[reason] += 1
            continue
        production = used(known, False)
        if not production.runs and key[0] not in loaded:
            versions = used(known, True).versions
            production.add(ruled.runs(key, known.about.flags or 0, known.about.annotations or (), versions))
        if not production.runs:
            found.unseen += 1
        elif production.days < options.days and not production.used:
            found.recent += 1
        else:
            tests = used(known, True).used
            group = group_of(is_used(production, found.production.last, options.idle), bool(tests))
            found.found.append(Verdict(key, group, known.about, production, key[0] in loaded, tests))
    return found


def methods(observed: Observed, bodies: Bodies) -> dict[MethodKey, Known]:
    """All methods, or those of the classes that the user names, with the bodies that they have there."""
    if not bodies.given:
        return observed.methods
    found: dict[MethodKey, Known] = {}
    for name in bodies.given:
        one = bodies.named(name)
        readable = Readable(
            {name: one.source}, {(name, *method): (body.flags, body.line) for method, body in one.methods.items()}
        )
        for method, body in one.methods.items():
            key = (name, *method)
            known = observed.methods.get(key, Known())
            about = About(
                known.about.newest,
                body.hash,
                readable.written(*key),
                one.source or None,
                body.line or None,
                body.flags,
                body.annotations,
            )
            found[key] = Known(about, known.uses)
    return found


def used(known: Known, is_test: bool) -> Use:
    """The use of the method's body in the runs."""
    found, body = Use(), known.about.body
    for (tests, other), one in known.uses.items():
        if tests == is_test and (body is None or other is None or other == body):
            found.add(one)
    return found


def is_used(use: Use, now: datetime, idle: int | None) -> bool:
    return use.used > 0 and (idle is None or (use.last_used != LAST and now - use.last_used <= timedelta(days=idle)))


def group_of(in_production: bool, in_tests: bool) -> str:
    if in_production:
        return NORMAL if in_tests else UNTESTED
    return UNUSED if in_tests else DEAD


def is_test_class(name: str, test_classes: set[str]) -> bool:
    """True if a class has tests, or is within one that has."""
    return name in test_classes or ("$" in name and any(name.startswith(f"{one}$") for one in test_classes))
