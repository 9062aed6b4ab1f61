"""`classhook check`: finds mistakes in rules, and shows what they match."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from classhook.ahead.archive import in_jdk, members, module_of
from classhook.ahead.given_classes import GivenClasses
from classhook.ahead.hierarchy import Hierarchy, Known, hierarchy_for
from classhook.ahead.jars import Skip, leaves_out, matched_methods, matched_sites, not_read, woven_or_skipped
from classhook.ahead.jimage import opened
from classhook.base.names import printable, several
from classhook.base.progress import tracked
from classhook.base.readable import Readable
from classhook.base.terminal import show
from classhook.checking.verdicts import judge
from classhook.commands.common import (
    NOT_WOVEN,
    add_class_path,
    add_rule_arguments,
    class_path,
    doubts,
    load_rules,
    skip_lines,
)
from classhook.model.unmatched import FURTHER
from classhook.model.unweavable_methods import ABSTRACT, NATIVE, NO_LINE, UnweavableMethod, nearer, why_not_woven
from classhook.probes.records import MadeRecord
from classhook.rules import stock_rules
from classhook.rules.parameters import parameters_of
from classhook.rules.ruleset import JDK_PACKAGES, RuleSet
from classhook.rules.suggest import nearest_class
from classhook.rules.syntax import METHOD_FLAGS, Rule
from classhook.rules.words import CALLS, FIELDS, TYPES, WORDS, further, weaves
from classhook.store.woven_ahead import is_woven

MOST_REASONS = 8  # of a rule, that are shown
PLACES = {TYPES: "place", CALLS: "call site", FIELDS: "place"}  # what is counted of a rule, by its subject
OF_JDK = "it is about the JDK's own classes, which are not among those given"
UNSEEN = "only bytecode's own accesses are seen, not those by reflection, VarHandle, Unsafe or JNI"

EPILOG = """\
Without classes, only the rules are checked. With classes, the output also has
how many each rule matches (-v lists them), and which cannot be instrumented
(skipped), with the reason.

Exit status:
  0  no problem
  1  a rule matches nothing or is probably a mistake, or a class cannot be
     instrumented
  2  a rule is wrong

examples:
  classhook check -r rules.txt
  classhook check -v -e 'time com.acme.Orders::place' target/app.jar
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rule_arguments(parser)
    parser.add_argument("inputs", metavar="JAR|DIR|CLASS", nargs="*", help="classes to match the rules with")
    add_class_path(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="list the methods that each rule matches")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def execute(args: argparse.Namespace) -> int:
    rules = load_rules(args)
    doubtful = list(doubts(rules))
    for doubt in doubtful:
        show(printable(doubt))
    for rule in rules.rules:
        if WORDS[rule.kind].subject == FIELDS:
            show(f"{printable(rule.text)}: {UNSEEN}")
    if not args.inputs:
        show(f"{several(len(rules) - len(made_of(rules)), 'rule')}, no errors")
        return 1 if doubtful else 0
    inputs = [Path(name) for name in args.inputs]
    places = [*inputs, *class_path(args)]
    matches = _Matches(rules, hierarchy_for(rules, places), places)
    for path in inputs:
        jdk = in_jdk(module_of(path))
        for entry in tracked(members(path), f"reading {path.name}", quiet=args.quiet):
            if entry.is_class:
                matches.add(entry.data, f"{entry.source}:{entry.name}", jdk, entry.code_source)
            else:
                matches.skipped += not_read(entry)
    return matches.show(verbose=args.verbose) or (1 if doubtful else 0)


def made_of(rules: RuleSet) -> set[str]:
    """The texts of rules that nobody wrote: others stand for them."""
    return {one.text for rule in rules.rules for one in further(rule)}


class _Matches:
    """The matches of each rule so far."""

    def __init__(self, rules: RuleSet, hierarchy: Hierarchy | None, places: Sequence[Path]) -> None:
        self.rules = rules
        self.hierarchy = hierarchy
        self.sites: Counter[int] = Counter()
        self.classes: Counter[int] = Counter()
        self.methods: Counter[int] = Counter()
        self.names: dict[int, list[str]] = {}
        self.without_code: dict[int, UnweavableMethod] = {}  # the first one that a rule matched
        self.given = GivenClasses(self.hierarchy or Hierarchy(places), any(map(parameters_of, rules.rules)))
        self.unfit: set[int] = set()  # rules about a line that has code
        self.skipped: list[Skip] = []
        self.already = 0

    def add(self, data: bytes, where: str, jdk: bool, source: str) -> None:
        """Weaves the class as `classhook weave` does, but for the result."""
        from classhook.classfile.reader import ClassFile
        from classhook.weaving.plan import match, without_code

        if is_woven(data):
            self.already += 1
            return
        woven, skipped = woven_or_skipped(where, data, self.rules, jdk, self.hierarchy, source)
        self.skipped += skipped
        if woven is None:
            return
        cf = ClassFile.parse(data)
        self.given.add(cf, source)
        for rule, methods in matched_methods(woven):
            self.classes[rule] += 1
            self.methods[rule] += methods
        self.sites += matched_sites(woven)
        known = Known(self.hierarchy, data)
        plan = (
            match(cf, woven.name, self.rules, jdk, supertypes=known.supertypes, family=known.family, source=source)
            if woven.matched
            else None
        )
        if plan is None:
            return
        made = {
            (woven.name, one.method, one.descriptor): (one.flags, one.line)
            for one in woven.table
            if isinstance(one, MadeRecord)
        }
        readable = Readable({woven.name: cf.source_file}, made)
        for rule, found in plan.rules.items():
            self.names.setdefault(rule, []).extend(
                readable.text(woven.name, method.name, method.descriptor) for method in found
            )
        for index, _, _, why in plan.missed:
            if why.startswith(NO_LINE) and index not in self.unfit:
                self.without_code[index] = nearer(
                    self.without_code.get(index), UnweavableMethod(woven.name, "", "", why)
                )
            elif (
                self.rules.rules[index].targets[0].lines is not None
            ):  # the line has code; what is skipped says why the rule does not fit
                self.unfit.add(index)
                self.without_code.pop(index, None)
        for rule, (method, *_) in without_code(cf, woven.name, self.rules, jdk, known.supertypes, source).items():
            why = NATIVE if method.access_flags & METHOD_FLAGS["native"] else ABSTRACT
            self.without_code.setdefault(rule, UnweavableMethod(woven.name, method.name, method.descriptor, why))

    def show(self, verbose: bool) -> int:
        doubtful = False
        beside = stock_rules.beside(self.rules.rules, lambda index: bool(self.methods[index]))
        absent = {
            index
            for index in beside
            if stock_rules.is_open(self.rules.rules[index])
            or (not self.classes[index] and index not in self.without_code)
        }
        made = made_of(self.rules)
        for index, rule in enumerate(self.rules.rules):
            if rule.text in made:  # it fits where the rule fits that it belongs to, unless it has methods of its own
                word = FURTHER.get(rule.kind)
                if word and not (self.methods[index] or self.already or _is_about_jdk(rule)):
                    show(f"  the method behind {word} matches nothing")
                continue
            if not weaves(rule):
                show(f"{printable(rule.text)}\n  {NOT_WOVEN}")
                continue
            noun = "allocation site" if rule.kind == "alloc" else PLACES.get(WORDS[rule.kind].subject)
            sites = f", {several(self.sites[index], noun)}" if noun else ""
            if self.methods[index] or self.already or index in absent:
                none = ""
            else:
                none = f": {OF_JDK}" if _is_about_jdk(rule) else ": the rule matches nothing"
            show(
                f"{printable(rule.text)}\n  {several(self.classes[index], 'class')},"
                f" {several(self.methods[index], 'method')}{sites}{none}"
            )
            if verbose:
                for name in self.names.get(index, []):
                    show(f"    {name}")
            why = list(self._why(index, rule)) if index not in absent else []
            doubtful |= bool(why)
            for text in why:
                show(f"  {printable(text)}")
        if self.already:
            show(f"{several(self.already, 'class')} already woven: not changed")
        for text in skip_lines(self.skipped):
            show(printable(text))
        matches_all = all(
            self.methods[i] or i in absent or _is_about_jdk(rule)
            for i, rule in enumerate(self.rules.rules)
            if weaves(rule)
        )
        return 1 if doubtful or leaves_out(self.skipped) or not matches_all else 0

    def _why(self, index: int, rule: Rule) -> Iterator[str]:
        """The reasons why the rule matches nothing, or is never true, unless skipped classes give them."""
        if not self.methods[index] and index in self.without_code:
            yield why_not_woven(rule, self.without_code[index], "are not among those given")
            return
        verdict = judge(rule, self.given)
        if verdict.waits and _is_about_jdk(rule):
            yield from _missing_in_jdk(rule, self.given)
            return
        skipped = {detail for *_, detail in self.skipped}
        reasons = [*dict.fromkeys(verdict.why)]
        for text in reasons[:MOST_REASONS]:
            if text not in skipped:
                self.skipped = [
                    one for one in self.skipped if not text.startswith(f"{one[-1]}; ")
                ]  # the text says more
                yield text
        if len(reasons) > MOST_REASONS:
            yield f"and {several(len(reasons) - MOST_REASONS, 'method')} more that it does not fit"
        if not self.methods[index] and verdict.nearest:
            yield f"nearest: {verdict.nearest}"


def _is_about_jdk(rule: Rule) -> bool:
    """True if its classes are the JDK's own, which are not among those given; `check` knows them, too."""
    return all(
        target.class_pattern.jdk or target.class_pattern.glob.startswith(JDK_PACKAGES) for target in rule.targets
    )


def _missing_in_jdk(rule: Rule, given: GivenClasses) -> Iterator[str]:
    """A line for each class that the JDK does not have."""
    jdk = opened()
    for name in [target.class_pattern.glob for target in rule.targets] if jdk is not None else ():
        if "*" not in name and not given.named(name):
            close = nearest_class(name, jdk.class_names()) if jdk is not None else None
            yield f"the JDK has no class {name}" + (f"; did you mean {close}?" if close else "")
