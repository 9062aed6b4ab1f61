"""Plans the probes of each method of a class, using the rules and the measures (instrument/measures)."""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.errors import ClassFormatError, Unsupported
from classhook.classfile.flow import slots_at
from classhook.classfile.layout import MAX_CODE
from classhook.measures import MEASURES
from classhook.measures.context import close
from classhook.measures.count import add_resumptions
from classhook.probes import reasons
from classhook.probes.measure import Planning, Timeout
from classhook.probes.resumptions import resumable
from classhook.rules.syntax import METHOD_FLAGS
from classhook.rules.words import METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from classhook.classfile.pool import ConstantPool
    from classhook.classfile.reader import ClassFile, Method
    from classhook.probes.measure import Measure, Probe
    from classhook.probes.resumptions import Resumable
    from classhook.rules.languages.written import Written
    from classhook.rules.ruleset import BoundRules, MethodMatch, RuleSet
    from classhook.rules.syntax import Rule

HUGE_METHOD: Final = 8000  # HotSpot compiles no method with more bytecode (HugeMethodLimit)
ROOM: Final = 100  # for the few probes that a method has at least
VALID: Final[set[str]] = set()  # descriptors of methods that were read before; most recur
MOST_VALID: Final = 20_000


class MethodPlan:
    """A method and its probes, grouped by measure. `code`: what gets the probes, the method's own or a copy without
    subroutines; `length`: of its own; `outgrowing`: the measures that may make it larger than HotSpot compiles;
    `resumable`: where its calls begin, unless each entry is one."""

    __slots__ = ("code", "length", "method", "outgrowing", "probes", "resumable")

    def __init__(
        self,
        method: Method,
        code: Code,
        length: int,
        probes: list[Probe],
        outgrowing: list[Measure],
        resumable: Resumable | None = None,
    ) -> None:
        self.method = method
        self.code = code
        self.length = length
        self.probes = probes
        self.outgrowing = outgrowing
        self.resumable = resumable

    @property
    def grows(self) -> bool:
        """True if the probes may need more stack or locals than the method has."""
        if not self.code.max_stack or self.resumable is not None:
            return True
        for probe in self.probes:  # noqa: SIM110  # any() would create a generator
            if probe.measure.needs_room:
                return True
        return False


class ClassPlan:
    """The plan for a class.

    methods: those to weave
    rules: for each rule that matches the class, the methods that it matches
    missed: if a rule names the class in full but matches none of its methods that have code: the methods that it may
    have meant, and of those
        without code that it matches, whether they are "abstract" or "native"; of those that a rule names but does not
        fit, why
    obstacles: why the whole class cannot have a measure: reason, detail
    failed: methods for which a measure could not be planned: method, reason, detail
    """

    __slots__ = ("failed", "methods", "missed", "obstacles", "rules")

    def __init__(self) -> None:
        self.methods: list[MethodPlan] = []
        self.rules: dict[int, list[Method]] = {}
        self.missed: list[tuple[int, str, str, str]] = []
        self.obstacles: list[tuple[str, str]] = []
        self.failed: list[tuple[Method, str, str]] = []

    @property
    def empty(self) -> bool:
        """True if there is nothing to weave and nothing to report."""
        return not (self.methods or self.missed or self.obstacles or self.failed)


def match(
    cf: ClassFile,
    name: str,
    rules: RuleSet,
    in_jdk: bool,
    check_time: Callable[..., None] | None = None,
    supertypes: frozenset[str] = frozenset(),
    family: Callable[[str], frozenset[str] | None] | None = None,
    source: str = "",
) -> ClassPlan | None:
    """The plan for the class with this dotted name; None if no rule matches it. Raises ClassFormatError.

    `check_time` is called between methods; `supertypes`: dotted names of those that the class
    file does not name; `family`: see Planning; `source`: the jar or directory that the class comes from.
    """
    asked: list[int] = []  # not empty if annotations were asked for
    bound = _bound(cf, name, rules, in_jdk, supertypes, source, asked)
    if bound is None:
        return None
    plan = ClassPlan()
    for index in bound.rules:
        plan.rules[index] = []
    planning = Planning(cf, rules, family, check_time)
    barred = _barred(name)
    known: dict[int, MethodMatch | None] = {}
    for method in cf.methods:
        if not method.code_at:  # native and abstract ones have no bytecode
            continue
        if check_time is not None:
            check_time()
        found = bound.every
        if found is None:
            key = method.access_flags << 32 | method.name_index << 16 | method.descriptor_index
            if key in known:  # only a hostile class has duplicates
                found = known[key]
            else:
                asked.clear()
                found = bound.match_method(
                    method.access_flags, method.name, method.descriptor, _annotations(method, asked)
                )
                if not asked:
                    known[key] = found
        if found is not None:
            _plan_method(plan, planning, method, found, barred)
    unfit = [
        why
        for (index, why), method in planning.unfit.items()
        if _is_told(rules.rules[index], method, plan.rules[index])
    ]
    plan.obstacles += [(reasons.UNFIT, why) for why in dict.fromkeys(unfit)]
    plan.missed += [
        (index, method.name, method.descriptor, why)
        for (index, why), method in planning.unfit.items()
        if not plan.rules[index]
    ]
    for index, methods in plan.rules.items():
        rule = rules.rules[index]
        absent = MEASURES[rule.kind].absent
        if not methods and absent is not None and (why := absent(planning, index)):
            plan.missed.append((index, "", "", why))
        if (
            not methods
            and MEASURES[rule.kind].word.subject == METHODS
            and any([target.class_pattern.glob == name for target in rule.targets])
        ):
            plan.missed += [
                (index, method.name, method.descriptor, _without_code(bound, method, index)) for method in cf.methods
            ]
    return plan


def _is_told(rule: Rule, unfit: Method, matched: list[Method]) -> bool:
    """True if the misfit of the rule and a method must be reported. A line may belong to several methods, as that of a
    lambda does, and a name to overloads: it is enough if the rule fits one."""
    if unfit in matched or not matched:
        return True
    return rule.targets[0].lines is None and unfit.name not in [one.name for one in matched]


def without_code(
    cf: ClassFile,
    name: str,
    rules: RuleSet,
    in_jdk: bool,
    supertypes: frozenset[str] = frozenset(),
    source: str = "",
) -> dict[int, list[Method]]:
    """The abstract and native methods that each rule matches, of the rules that match the class: there is nothing to
    weave. Arguments as for `match`."""
    found: dict[int, list[Method]] = {}
    bound = _bound(cf, name, rules, in_jdk, supertypes, source, [])
    for method in cf.methods if bound is not None else ():
        for rule in bound.rules if bound is not None else ():
            if bound is not None and _without_code(bound, method, rule):
                found.setdefault(rule, []).append(method)
    return found


def _without_code(bound: BoundRules, method: Method, rule: int) -> str:
    """The reason why a method that the rule matches has no code; empty if it has some, or the rule does not match
    it."""
    matched = (
        None
        if method.code_at
        else bound.match_method(method.access_flags, method.name, method.descriptor, _annotations(method, []))
    )
    if matched is None or rule not in matched.rules:
        return ""
    return "native" if method.access_flags & METHOD_FLAGS["native"] else "abstract"


def _bound(
    cf: ClassFile,
    name: str,
    rules: RuleSet,
    in_jdk: bool,
    supertypes: frozenset[str],
    source: str,
    asked: list[int],
) -> BoundRules | None:
    """The rules that match the class."""

    def all_supertypes() -> frozenset[str]:
        return supertypes.union([n.replace("/", ".") for n in [cf.super_name, *cf.interface_names] if n])

    def writing() -> Written | None:
        file = cf.source_file
        if not file or file.endswith(".java"):
            return None
        from classhook.rules.languages.written import written

        return written(file, name, lambda: [(method.name, method.descriptor) for method in cf.methods])

    return rules.bind(name, in_jdk, all_supertypes, _annotations(cf, asked), source, writing)


def _barred(class_name: str) -> dict[str, tuple[str, str]]:
    """The measures that no method of the class can have: word -> reason, detail."""
    barred: dict[str, tuple[str, str]] = {}
    for word, measure in MEASURES.items():
        if measure.obstacle is not None and (why := measure.obstacle(class_name)) is not None:
            barred[word] = why
    return barred


def _check_descriptor(planning: Planning, method: Method) -> None:
    """Raises ClassFormatError: measures rely on it that the descriptor is one of a method."""
    slots_at(planning.cf.pool, method.descriptor_index)
    if method.descriptor[0] != "(":
        raise ClassFormatError("bad method descriptor", method.start_at)
    if len(VALID) < MOST_VALID:
        VALID.add(method.descriptor)


def _plan_method(
    plan: ClassPlan, planning: Planning, method: Method, found: MethodMatch, barred: dict[str, tuple[str, str]]
) -> None:
    descriptor = method.descriptor
    if descriptor not in VALID:
        _check_descriptor(planning, method)
    outgrowing = _outgrowing(planning.rules, found)
    own = Code(planning.cf.data, method.code_at, planning.cf.pool)
    code = _without_subroutines(own, planning.cf.pool, found, outgrowing)
    planning.method = method
    planning.resumable = resumable(code, planning.cf.pool, descriptor)
    probes: list[Probe] = []
    for word, rules in found.wanted:
        measure = MEASURES[word]
        before = len(probes)
        try:
            matched = measure.plan(planning, code, rules, probes)
        except ClassFormatError:
            raise
        except Unsupported as unsupported:
            del probes[before:]
            plan.failed.append((method, reasons.UNSUPPORTED, f"no `{word}`: {unsupported}"))
            continue
        except Timeout as timeout:
            del probes[before:]
            plan.failed.append((method, reasons.TIMEOUT, f"no `{word}`: {timeout}"))
            continue
        except Exception as error:  # a defect of one measure must not cost the others
            del probes[before:]
            plan.failed.append((method, reasons.INTERNAL, f"no `{word}`: {reasons.defect(error)}"))
            continue
        for rule in matched:
            plan.rules[rule].append(method)
        if word in barred:
            del probes[before:]
            if barred[word] not in plan.obstacles:
                plan.obstacles.append(barred[word])
    add_resumptions(planning, probes)
    close(probes)
    if probes:
        plan.methods.append(MethodPlan(method, code, len(own.code), probes, outgrowing, planning.resumable))


def _outgrowing(rules: RuleSet, found: MethodMatch) -> list[Measure]:
    """The measures that may make the method larger than HotSpot compiles."""
    measures: list[Measure] = []
    for word, indices in found.wanted:
        outgrows = MEASURES[word].outgrows
        if outgrows is not None and outgrows(rules, indices):
            measures.append(MEASURES[word])
    return measures


def _without_subroutines(code: Code, pool: ConstantPool, found: MethodMatch, outgrowing: list[Measure]) -> Code:
    """The code that gets the probes: the method's own, or, if a measure wants that, a copy without subroutines."""
    for word, _ in found.wanted:
        measure = MEASURES[word]
        if measure.flat and code.scan().has_jsr:
            from classhook.coverage.subroutines import replacement

            return replacement(code, pool, (MAX_CODE if measure in outgrowing else HUGE_METHOD) - ROOM)
    return code


def _annotations(owner: ClassFile | Method, asked: list[int]) -> Callable[[], frozenset[str]]:
    def names() -> frozenset[str]:
        asked.append(1)
        return frozenset(owner.annotations())

    return names
