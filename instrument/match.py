"""What the rules want of a class: for each method a timing or counting probe, and for each allocation site a counter."""

from __future__ import annotations

from classfile.code import Code
from instrument.sites import Site, sites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from classfile.reader import ClassFile, Method
    from rules.ruleset import MethodMatch, RuleSet
    from rules.syntax import Pace


class MethodPlan:
    """A method's probes: `kind` is "time", "count" or None; `rule` names its row; `pace` is set where not each activation is
    timed; `sites` are those counted."""

    __slots__ = ("code", "kind", "method", "pace", "rule", "sites")

    def __init__(self, method: Method, code: Code, kind: str | None, rule: int, pace: Pace | None, sites: list[Site]) -> None:
        self.pace = pace
        self.method = method
        self.code = code
        self.kind = kind
        self.rule = rule
        self.sites = sites


class ClassPlan:
    """The methods to weave, how many methods each matching rule matched, and of the class's methods those that a rule may have
    meant which names the class in full but matches none."""

    __slots__ = ("methods", "missed", "rules")

    def __init__(self, rules: dict[int, int], methods: list[MethodPlan], missed: list[tuple[int, str, str]]) -> None:
        self.rules = rules
        self.methods = methods
        self.missed = missed


def match(cf: ClassFile, name: str, rules: RuleSet, in_jdk: bool, check_time: Callable[[], None] | None = None) -> ClassPlan | None:
    """The plan for the class with this dotted name; None where no rule matches it. Raises ClassFormatError.

    `check_time` is called between methods.
    """

    def supertypes() -> frozenset[str]:
        return frozenset([n.replace("/", ".") for n in [cf.super_name, *cf.interface_names] if n])

    asked: list[int] = []  # for annotations
    bound = rules.bind(name, in_jdk, supertypes, _annotations(cf, asked))
    if bound is None:
        return None
    counts = dict.fromkeys(bound.rules, 0)
    plans: list[MethodPlan] = []
    known: dict[int, MethodMatch | None] = {}
    for method in cf.methods:
        if not method.code_at:  # native and abstract ones have no bytecode
            continue
        if check_time is not None:
            check_time()
        found = bound.every
        if found is None:
            key = method.access_flags << 32 | method.name_index << 16 | method.descriptor_index
            if key in known:  # only a hostile class asks twice
                found = known[key]
            else:
                asked.clear()
                found = bound.match_method(method.access_flags, method.name, method.descriptor, _annotations(method, asked))
                if not asked:
                    known[key] = found
        if found is None:
            continue
        code = Code(cf.data, method.code_at, cf.pool)
        chosen = _sites(cf, code, rules, found.allocs) if found.allocs else []
        with_sites = [site.rule for site in chosen]
        for rule in found.rules:
            counts[rule] += rule not in found.allocs or rule in with_sites
        if found.kind is not None or chosen:
            pace = _pace(rules, found.rules) if found.kind == "time" else None
            plans.append(MethodPlan(method, code, found.kind, found.timing, pace, chosen))
    missed = [
        (rule, method.name, method.descriptor)
        for rule, count in counts.items()
        if not count and rules.rules[rule].kind != "alloc" and any(target.class_pattern.glob == name for target in rules.rules[rule].targets)
        for method in cf.methods
    ]
    return ClassPlan(counts, plans, missed) if plans or missed else None


def _pace(rules: RuleSet, matched: tuple[int, ...]) -> Pace | None:
    """That of the first rule that times the method."""
    for rule in matched:
        if rules.rules[rule].kind == "time":
            pace = rules.rules[rule].pace
            return None if pace.always else pace
    return None


def _annotations(owner: ClassFile | Method, asked: list[int]) -> Callable[[], frozenset[str]]:
    def names() -> frozenset[str]:
        asked.append(1)
        return frozenset(owner.annotations())

    return names


def _sites(cf: ClassFile, code: Code, rules: RuleSet, alloc_rules: tuple[int, ...]) -> list[Site]:
    """The method's allocation sites whose type some rule speaks of; each keeps the first that does."""
    chosen = []
    for site in sites(code, cf.pool):
        for rule in alloc_rules:
            if rules.match_type(rule, site.type):
                site.rule = rule
                chosen.append(site)
                break
    return chosen
