"""Finds the rules that match an allocated type, or the method that a call names, by the supertypes that the JVM saw;
and the readers of such sites."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, TypeVar

from classhook.model.added_fields import AddedField
from classhook.model.class_reader import ClassReader
from classhook.model.file_reading import FileReading
from classhook.model.reader import Reader
from classhook.probes.records import CallRecord, ProbeRecord, SiteRecord
from classhook.rules.ruleset import RuleSet
from classhook.rules.syntax import Rule

MOST_COMPARISONS = 1_000_000  # of a rule with a supertype of an allocated type, which take a second or two


class TypeMatches:
    """The results of comparisons. `methods`: rule, class, method and descriptor of those found to match by supertypes;
    `left`: comparisons."""

    def __init__(self) -> None:
        self.methods: set[tuple[str, str, str, str]] = set()
        self.left = MOST_COMPARISONS
        self._known: dict[
            tuple[str, str | tuple[str, str, str], frozenset[str]], bool
        ] = {}  # by rule, type or call, and supertypes

    def matches(self, rule: Rule, asked: str | tuple[str, str, str], supertypes: frozenset[str]) -> bool:
        """True if the rule matches a type with these supertypes, or the call of a method whose class has them: class,
        method, descriptor. Raises ValueError after so many comparisons as no program needs."""
        key = (rule.text, asked, supertypes)
        if key not in self._known:
            self.left -= len(supertypes) + 1
            if self.left < 0:
                raise ValueError("too many supertypes")
            alone = RuleSet([rule])
            self._known[key] = (
                alone.match_type(0, asked, supertypes)
                if isinstance(asked, str)
                else alone.match_call(0, *asked, supertypes)
            )
        return self._known[key]


#: A part of a snapshot.
TYPE_MATCHES: AddedField[TypeMatches] = AddedField(TypeMatches)

Site = TypeVar("Site", SiteRecord, CallRecord)


class SitesReader(Reader, Generic[Site]):
    """Reads sites that match rules by the supertypes of a class, which are known when all is read. `site_record`: the
    class of their records."""

    site_record: ClassVar[type[ProbeRecord]]

    def __init__(self, reading: FileReading) -> None:
        super().__init__(reading)
        self.undecided: dict[ClassReader, list[Site]] = {}  # those that supertypes decide

    @abstractmethod
    def asked(self, site: Site) -> tuple[str, str | tuple[str, str, str]]:
        """The class whose supertypes decide, and what rules are asked about: a type, or the class, method and
        descriptor of a call."""

    @abstractmethod
    def add(self, reader: ClassReader, site: Site) -> None:
        """Adds the counts of a site. Raises ValueError."""

    def probe(self, reader: ClassReader, probe: ProbeRecord) -> None:
        assert isinstance(probe, self.site_record)
        site: Site = probe  # type: ignore[assignment]  # the class of `site_record`
        if site.undecided:
            reader.then(lambda: self.undecided.setdefault(reader, []).append(site))
        else:
            self.add(reader, site)

    def decided(self, reader: ClassReader, site: Site) -> int | None:
        """The rule that matches by supertypes; None if none does."""
        snapshot = reader.snapshot
        of, asked = self.asked(site)
        supertypes = frozenset(self.reading.supertypes.get(of, ()))
        known = TYPE_MATCHES.get(snapshot)
        for index in site.undecided:
            text = reader.rule(index)
            rule = snapshot.parsed_rules.get(text)
            if rule is not None and known.matches(rule, asked, supertypes):
                method = (text, reader.name, site.method, site.descriptor)
                if method not in known.methods:
                    known.methods.add(method)
                    snapshot.rules[text].matched_methods += 1
                return index
        return site.rule if site.rule >= 0 else None

    def finish(self) -> int:
        found = 0
        for reader, sites in self.undecided.items():
            try:
                for site in sites:
                    rule = self.decided(reader, site)
                    if rule is not None:
                        site.rule = rule
                        self.add(reader, site)
            except ValueError:
                self.reading.damaged += 1
            found += reader.contributed()
        return found
