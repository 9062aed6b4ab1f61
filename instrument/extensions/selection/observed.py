"""The tests in a report: which ran, how they ended, the methods that ran in each, and the files that it read. The
only module here that knows reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from classhook.base.test_words import FAILED, PASSED
from classhook.extensions.selection.facts import STATIC, ClassFacts, Member
from classhook.extensions.selection.hierarchy import Hierarchy
from classhook.extensions.selection.opened import Opening, opening
from classhook.extensions.selection.test_classes import shares_instances
from classhook.measures.methods.reader import METHODS
from classhook.model.snapshot import Snapshot
from classhook.model.test_runs import STARTED, STARTED_BY, UNFINISHED, UNSEEN, WATCHED, Started, Starter, TestRun
from classhook.rules.ruleset import RuleSet
from classhook.rules.words import WORDS

MethodName = tuple[str, str]  # class in internal form; name and descriptor, together
ENDED = ("exit", "halt")  # of a JVM that came to its end
OUTSIDE = ""  # the name of what is in no context
SET_UP = ("BeforeAll", "AfterAll", "BeforeClass", "AfterClass", "BeforeSuite", "AfterSuite")


@dataclass(slots=True)
class TestData:
    """A test, with all of its invocations: the methods that ran in it and in what is set up for it, and the files that
    these opened; `is_seen`: it started no process of which nothing is known; `source`: the framework that ran it."""

    __test__ = False  # pytest does not take it for one of its own

    status: str = PASSED
    duration_ns: int = 0
    ran: set[MethodName] = field(default_factory=set)
    opened: set[Opening] = field(default_factory=set)
    is_seen: bool = True
    source: str = ""


@dataclass(slots=True)
class Child:
    """A JVM that a test of another one started, with what ran in all of it. `start_ns`, `end_ns`: Unix time; no end: it
    was killed, or goes on."""

    starter: Starter
    pid: int
    start_ns: int
    end_ns: int | None
    ran: set[MethodName]
    opened: set[Opening]
    is_seen: bool = True  # as of a test
    is_lost: bool = False  # what ran is not known after all


@dataclass(slots=True)
class Observed:
    """`tests`: by class and method, `com.acme.OrdersTest#places`; `outside`: what ran in no test and belongs to none;
    `uncounted`: methods that may have run without being counted; `opened_outside`: files; `knows_files`: all files that
    were opened are known; `runs`, `children`: what children.py needs; `started`: processes; `steady`: static
    fields that no test found changed, each with the classes whose initialisers changed it; `unsteady`: others of
    classes that were initialised."""

    tests: dict[str, TestData] = field(default_factory=dict)
    outside: set[MethodName] = field(default_factory=set)
    uncounted: set[MethodName] = field(default_factory=set)
    opened_outside: set[Opening] = field(default_factory=set)
    knows_files: bool = True
    runs: list[TestRun] = field(default_factory=list)
    children: list[Child] = field(default_factory=list)
    started: list[Started] = field(default_factory=list)
    steady: dict[Member, set[str]] = field(default_factory=dict)
    unsteady: set[Member] = field(default_factory=set)

    def add_test(self, name: str, other: TestData) -> None:
        """Adds another run, or invocation, of a test. It failed if one of them did."""
        own = self.tests.setdefault(name, TestData(other.status, source=other.source))
        own.ran |= other.ran
        own.opened |= other.opened
        own.duration_ns += other.duration_ns
        own.is_seen &= other.is_seen
        own.status = FAILED if FAILED in (own.status, other.status) else own.status

    def add(self, other: Observed) -> None:
        """Adds what another JVM ran."""
        for name, test in other.tests.items():
            self.add_test(name, test)
        self.outside |= other.outside
        self.uncounted |= other.uncounted
        self.opened_outside |= other.opened_outside
        self.knows_files &= other.knows_files
        self.runs += other.runs
        self.children += other.children
        self.started += other.started
        self.unsteady |= other.unsteady
        for one, left_by in other.steady.items():
            self.steady.setdefault(one, set()).update(left_by)
        for one in self.unsteady & self.steady.keys():
            del self.steady[one]

    @property
    def ran(self) -> set[MethodName]:
        """All methods that ran."""
        return self.outside.union(*(test.ran for test in self.tests.values()), *(child.ran for child in self.children))


def ran_in(snapshot: Snapshot) -> set[MethodName]:
    """The methods that a report counts calls of."""
    rows = snapshot.tables[METHODS.name]
    return {(key[0].replace(".", "/"), key[1] + key[2]) for key, row in rows.items() if row.calls or row.resumptions}


def observed(snapshot: Snapshot, classes: dict[str, ClassFacts]) -> Observed:
    """The tests of a report about one JVM."""
    assert snapshot.each_context is not None
    ran = {name: ran_in(found) for name, found in snapshot.each_context()}
    opened = _by_context(snapshot, classes)
    starter = next((one for process in snapshot.processes if (one := STARTED_BY.get(process))), None)
    if snapshot.tests:
        found = _by_runs(snapshot, ran, opened, starter.context if starter else OUTSIDE)
    else:
        found = Observed() if starter else _by_contexts(ran, classes)
    if starter:
        found.children = [_child(starter, snapshot, ran, opened)]
    if snapshot.tests or not starter:
        found.outside |= ran.get(OUTSIDE, set())
    in_time = all(process.attached_ns is None for process in snapshot.processes)
    found.knows_files = bool(snapshot.tests or starter) and in_time and all(file.path for file in snapshot.opened)
    found.uncounted = uncounted(snapshot, classes)
    found.started = [*STARTED.get(snapshot)]
    found.steady, found.unsteady = _watched(snapshot, found.ran, classes)
    return found


def _watched(
    snapshot: Snapshot, ran: set[MethodName], classes: dict[str, ClassFacts]
) -> tuple[dict[Member, set[str]], set[Member]]:
    """The static fields that no test found changed, and the other ones of classes that were initialised."""
    steady, unsteady = dict[Member, set[str]](), set[Member]()
    watched = WATCHED.get(snapshot) if snapshot.tests else {}
    for owner in ({name for name, _ in ran} | watched.keys()) & classes.keys():
        for name, (flags, _) in classes[owner].fields.items():
            if flags & STATIC and owner in watched and name not in watched[owner].changed:
                steady[owner, name] = watched[owner].left.get(name, set())
            elif flags & STATIC:
                unsteady.add((owner, name))
    return steady, unsteady


def _child(
    starter: Starter, snapshot: Snapshot, ran: dict[str, set[MethodName]], opened: dict[str, set[Opening]]
) -> Child:
    process = snapshot.processes[0]
    end = process.end_unix_ns if process.end in ENDED else None
    every, files = set[MethodName]().union(*ran.values()), set[Opening]().union(*opened.values())
    return Child(starter, process.pid, process.start_unix_ns, end, every, files, not UNSEEN.get(snapshot))


def _by_context(snapshot: Snapshot, classes: dict[str, ClassFacts]) -> dict[str, set[Opening]]:
    """The files that were opened in each context."""
    hierarchy, found = Hierarchy(classes), dict[str, set[Opening]]()
    class_names = {run.context: run.class_name.replace(".", "/") for run in snapshot.tests}
    for file in snapshot.opened:
        found.setdefault(file.context, set()).add(opening(file, class_names.get(file.context, ""), hierarchy))
    return found


def around(run: TestRun, parents: dict[str, str]) -> Iterator[str]:
    """The contexts of a run and of the containers that it is in, of which `parents` has those around each, in its
    JVM."""
    context, seen = run.context, set[str]()
    while context and context not in seen:
        yield context
        seen.add(context)
        context = parents.get(context, "")


def name_of(run: TestRun) -> str:
    return f"{run.class_name}#{run.method}" if run.class_name else run.context


def _by_runs(
    snapshot: Snapshot, ran: dict[str, set[MethodName]], opened: dict[str, set[Opening]], whole: str
) -> Observed:
    """Tests of which there are records. The methods that ran in a container, such as the set-up for all tests of a
    class, belong to each test in it, and so do those in the context `whole`, that of a test that started this JVM.
    The methods that ran in a container without tests ran outside of tests."""
    found, known = Observed(runs=[*snapshot.tests]), {whole} - {OUTSIDE}
    parents, unseen = {run.context: run.parent for run in snapshot.tests}, UNSEEN.get(snapshot)
    for run in snapshot.tests:
        if not run.is_test:
            continue
        one = TestData(FAILED if run.status in (FAILED, UNFINISHED) else run.status, run.duration_ns, source=run.source)
        for context in (*around(run, parents), *([whole] if whole else ())):
            one.ran |= ran.get(context, set())
            one.opened |= opened.get(context, set())
            one.is_seen &= context not in unseen
            known.add(context)
        found.add_test(name_of(run), one)
    for name in ran.keys() - known - {OUTSIDE}:
        found.outside |= ran[name]  # in a container without tests, or in a context that is no test's
    for name in opened.keys() - known:
        found.opened_outside |= opened[name]
    return found


def _by_contexts(ran: dict[str, set[MethodName]], classes: dict[str, ClassFacts]) -> Observed:
    """Tests that rules `context` name; methods that set something up belong to all tests of their class."""
    found = Observed()
    set_up: dict[str, set[MethodName]] = {}
    for name, methods in ran.items():
        class_name, _, method = name.rpartition(".")
        if _sets_up(classes.get(class_name.replace(".", "/")), method):
            set_up.setdefault(class_name, set()).update(methods)
        elif name != OUTSIDE:
            found.tests[f"{class_name}#{method}"] = TestData(ran=methods)
    for name, test in found.tests.items():
        test.ran |= set_up.get(name.partition("#")[0], set())
    return found


def share(found: Observed, classes: dict[str, ClassFacts]) -> None:
    """Makes each test of a class depend on the methods that ran in any of them, where they may share an object."""
    hierarchy, by_class = Hierarchy(classes), dict[str, list[TestData]]()
    for name, test in found.tests.items():
        by_class.setdefault(name.partition("#")[0].replace(".", "/"), []).append(test)
    for class_name, tests in by_class.items():
        if class_name in classes and shares_instances(class_name, classes, hierarchy):
            together = set[MethodName]().union(*(test.ran for test in tests))
            opened = set[Opening]().union(*(test.opened for test in tests))
            for test in tests:
                test.ran, test.opened = together, opened


def _sets_up(facts: ClassFacts | None, name: str) -> bool:
    """True if the methods of this name are no tests, but run before or after all tests of the class."""
    methods = [one for member, one in facts.methods.items() if member.partition("(")[0] == name] if facts else []
    return any(annotation.endswith(SET_UP) for one in methods for annotation in one.annotations)


def uncounted(snapshot: Snapshot, classes: dict[str, ClassFacts]) -> set[MethodName]:
    """Methods that may have run without being counted: no rule counts their class or them, or they could not be
    woven."""
    rows = {(key[0].replace(".", "/"), key[1] + key[2]) for key in snapshot.tables[METHODS.name]}
    loaded = {owner for owner, _ in rows} | {name.replace(".", "/") for name, *_ in snapshot.skipped}
    counting = RuleSet(
        [rule for rule in snapshot.parsed_rules.values() if rule.kind in WORDS and WORDS[rule.kind].row == METHODS.name]
    )
    hierarchy = Hierarchy(classes)
    found = set()
    for name, facts in classes.items():
        if name in loaded or not _is_counted(counting, facts, hierarchy):
            found |= {
                (name, member) for member, method in facts.methods.items() if method.body and (name, member) not in rows
            }
    return found


def _is_counted(counting: RuleSet, facts: ClassFacts, hierarchy: Hierarchy) -> bool:
    """True if a rule counts all methods of a class that was not loaded."""

    def supertypes() -> frozenset[str]:
        return frozenset(one.replace("/", ".") for one in hierarchy.above(facts.name))

    bound = counting.bind(facts.name.replace("/", "."), False, supertypes, lambda: facts.annotations)
    return bound is not None and bound.every is not None
